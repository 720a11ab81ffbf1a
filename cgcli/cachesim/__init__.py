"""What a provider's prompt cache would read and write of a request, simulated; one small model per family."""
