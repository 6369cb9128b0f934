"""The stores in SQL databases: their parts, their schema, and the databases they need.

SQLite and PostgreSQL share everything but what is behind `database.Database`.
"""
