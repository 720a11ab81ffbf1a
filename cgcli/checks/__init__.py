"""Gates: named checks over a capture, each with a verdict and the places where it failed."""
