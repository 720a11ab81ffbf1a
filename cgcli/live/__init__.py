"""The only part that talks to a network, and only under `--live`: requests to a provider, what they cost, keys."""
