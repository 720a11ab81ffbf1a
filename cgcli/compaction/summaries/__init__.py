"""`summarize`: the oldest messages of a lane give way to a summary, asked for at one threshold, applied at another."""
