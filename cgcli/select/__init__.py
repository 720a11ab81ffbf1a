"""Which messages a summary is to stand for."""
