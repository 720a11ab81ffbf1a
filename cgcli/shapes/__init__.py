"""The ways to ask for a summary side by side: what each shares with its parent, costs, and leaves behind."""
