"""Feedback and actions of users: recorded, applied over decisions, and queued for review."""
