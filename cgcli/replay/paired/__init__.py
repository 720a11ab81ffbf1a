"""Many policies over one file: the same requests, the same counter, the same prices, each against doing nothing."""
