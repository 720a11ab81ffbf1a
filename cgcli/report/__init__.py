"""Results as text and as JSON; no result is changed here."""
