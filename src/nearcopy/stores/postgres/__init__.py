"""The PostgreSQL store: connections, partitions, and the database behind `SqlStore`."""
