"""Who answers a call for a summary."""
