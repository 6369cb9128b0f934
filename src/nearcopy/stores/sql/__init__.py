"""The store in an SQL database: its parts, its schema, and the database they need.

SQLite and PostgreSQL share everything here; what they do differently is behind `database.Database`.
"""
