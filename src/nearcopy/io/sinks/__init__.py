"""Search indexes that receive verdicts: Elasticsearch, OpenSearch, SQLite FTS5."""
