"""`cg`: the flight simulator for context compaction of LLM agents."""

__version__ = "0.3.0"
