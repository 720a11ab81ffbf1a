"""Events of Amplifier, with raw requests."""
