"""Generations that Langfuse was given, or exported."""
