"""A session of Gemini CLI."""
