"""The JSON API under `/api/v1`: one module of routes per noun, and health and metrics."""
