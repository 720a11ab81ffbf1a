"""Session histories: requests are put together from them; one format a file."""
