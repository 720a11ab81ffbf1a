"""Configuration: `[tool.cgcli]` of the nearest pyproject.toml, or a file of its own."""

from cgcli.config.settings import Settings, load, stash_of

__all__ = ["Settings", "load", "stash_of"]
