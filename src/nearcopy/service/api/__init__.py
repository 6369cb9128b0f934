"""The API: one module a noun."""
