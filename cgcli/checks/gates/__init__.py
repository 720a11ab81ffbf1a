"""The gates, one a module."""
