"""The Redis store: many workers, everything in memory."""
