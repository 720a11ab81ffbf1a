"""One policy over one capture: every request in turn, each lane with its own state."""
