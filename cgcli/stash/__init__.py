"""The stash: a directory in which every original is safe before it leaves a request."""
