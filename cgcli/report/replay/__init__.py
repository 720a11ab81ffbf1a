"""What `cg replay` says: as a document, as a table, turn by turn."""
