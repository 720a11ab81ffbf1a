"""The request that asks for a summary, in every shape, and when it may not be made."""
