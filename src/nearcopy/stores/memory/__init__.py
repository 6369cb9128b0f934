"""The in-memory store: nothing that lasts."""
