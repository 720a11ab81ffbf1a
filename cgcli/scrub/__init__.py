"""Take secrets and personal data out of a file, in its own bytes: what to find, what to write, and where."""
