"""A session of Claude Code: a tree of rows."""
