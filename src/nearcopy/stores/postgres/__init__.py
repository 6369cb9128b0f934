"""The PostgreSQL store: many workers, many machines."""
