"""Logs that hold requests in a shape of their own; one format a file."""
