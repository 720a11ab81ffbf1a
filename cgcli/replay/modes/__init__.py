"""Operating modes on saved traffic: sync, observe and async over the same requests, as a discrete-event simulation."""
