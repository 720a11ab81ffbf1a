"""What tokens cost: a dated table, or a file of the user's; what is in neither is unpriced."""
