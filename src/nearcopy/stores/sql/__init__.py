"""What the SQLite and the PostgreSQL store share."""
