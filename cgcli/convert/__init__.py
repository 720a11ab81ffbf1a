"""Write what a file holds in a format that every command reads: requests with what is known of them, or bare bodies."""
