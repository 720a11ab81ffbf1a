"""What a provider really reads and writes: the shapes of a comparison, sent."""
