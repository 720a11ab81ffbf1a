"""What is in a file, and what can be known from it."""
