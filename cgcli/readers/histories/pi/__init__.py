"""A session of pi or OpenClaw."""
