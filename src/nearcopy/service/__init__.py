"""The HTTP service: `nearcopy serve`."""
