"""Bytes: JSON and event-stream syntax, no provider."""
