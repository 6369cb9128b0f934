"""The tables of the SQLite store, as steps up and back down, each in the ledger once it is done.

A step that has been released is never changed: what comes later is a step of its own.
"""

from nearcopy.stores.sql.migrations import Migration

LEDGER = """
CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)
"""

# Times are microseconds since 1970. A number is never used again, so whoever has an article in
# memory by its number finds that article or none. What is deleted leaves its id and its date. A run
# is one opening of the store that added something.
ARTICLES = """
CREATE TABLE articles (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text BLOB NOT NULL,
    html INTEGER NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published INTEGER,
    seen INTEGER,
    language TEXT,
    tier INTEGER,
    run INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
)
"""
FINGERPRINTS = """
CREATE TABLE fingerprints (
    number INTEGER PRIMARY KEY,
    words INTEGER NOT NULL,
    digest BLOB,
    simhash BLOB,
    minhash BLOB,
    numerals BLOB NOT NULL,
    profile BLOB NOT NULL,
    rest TEXT NOT NULL,
    computed_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER))
)
"""
ARTICLE_KEYS = """
CREATE TABLE article_keys (
    number INTEGER PRIMARY KEY,
    shelf INTEGER NOT NULL,
    published INTEGER,
    seen INTEGER,
    keys BLOB NOT NULL
)
"""
EDGES = """
CREATE TABLE edges (
    a INTEGER NOT NULL,
    b INTEGER NOT NULL,
    joins INTEGER NOT NULL,
    relation TEXT NOT NULL,
    rule TEXT NOT NULL,
    confidence REAL NOT NULL,
    duplicate INTEGER NOT NULL,
    reason TEXT NOT NULL,
    flags TEXT NOT NULL,
    news REAL NOT NULL,
    copy REAL,
    PRIMARY KEY (a, b)
) WITHOUT ROWID
"""
MEMBERS = """
CREATE TABLE members (
    number INTEGER PRIMARY KEY,
    story TEXT NOT NULL,
    place INTEGER NOT NULL,
    relation TEXT,
    confidence REAL NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    score REAL NOT NULL,
    why TEXT NOT NULL,
    duplicate_of TEXT,
    source TEXT
)
"""
REVISIONS = """
CREATE TABLE revisions (
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    text BLOB NOT NULL,
    html INTEGER NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published INTEGER,
    seen INTEGER,
    language TEXT,
    tier INTEGER,
    PRIMARY KEY (id, number)
) WITHOUT ROWID
"""
# The times a fingerprint was computed at are seconds, as SQLite's own date functions take them.
ARTICLE_FINGERPRINTS = """
CREATE VIEW article_fingerprints AS
SELECT articles.id AS content_id, simhash, minhash,
       datetime(computed_at, 'unixepoch') AS computed_at
FROM fingerprints JOIN articles USING (number)
"""
# By id, not by number: what people said outlives the articles.
FEEDBACK = """
CREATE TABLE feedback (
    a TEXT NOT NULL,
    b TEXT NOT NULL,
    same INTEGER NOT NULL,
    relation TEXT NOT NULL,
    note TEXT NOT NULL,
    told_at INTEGER NOT NULL,
    said_relation TEXT NOT NULL,
    said_rule TEXT NOT NULL,
    said_confidence REAL NOT NULL,
    said_duplicate INTEGER NOT NULL,
    said_news REAL NOT NULL,
    said_copy REAL,
    evidence TEXT NOT NULL,
    PRIMARY KEY (a, b)
) WITHOUT ROWID
"""
# The day an article came, counted from 1970, and its outlet: narrow, to be counted quickly.
ARRIVALS = """
CREATE TABLE arrivals (
    number INTEGER PRIMARY KEY,
    day INTEGER NOT NULL,
    source TEXT
)
"""
ARRIVED = """
INSERT INTO arrivals
SELECT number, coalesce(seen, 0) / 86400000000,
       CASE WHEN json_valid(rest) THEN json_extract(rest, '$[12]') END
FROM fingerprints JOIN articles USING (number) WHERE deleted = 0
"""
# How often a check or an add took a time: a step is an eighth of a doubling, from 1 us on.
TIMES = """
CREATE TABLE times (
    day INTEGER NOT NULL,
    work TEXT NOT NULL,
    step INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, work, step)
) WITHOUT ROWID
"""
# What people did to stories; `keeps` is the article that they want to be kept, as long as they do.
ACTS = "CREATE TABLE acts (number INTEGER PRIMARY KEY, keeps TEXT, act TEXT NOT NULL)"
ACTS_KEEPS = "CREATE INDEX acts_keeps ON acts (keeps) WHERE keeps IS NOT NULL"

MIGRATIONS = (
    Migration(
        1,
        "articles and their keys",
        (
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            ARTICLES,
            FINGERPRINTS,
            ARTICLE_KEYS,
            # On which days articles of a shelf came in.
            "CREATE TABLE shelf_days (day INTEGER, shelf INTEGER, PRIMARY KEY (day, shelf))"
            " WITHOUT ROWID",
            REVISIONS,
            "CREATE UNIQUE INDEX articles_id ON articles (id) WHERE deleted = 0",
        ),
        (
            "DROP TABLE revisions",
            "DROP TABLE shelf_days",
            "DROP TABLE article_keys",
            "DROP TABLE fingerprints",
            "DROP TABLE articles",
            "DROP TABLE settings",
        ),
    ),
    Migration(
        2,
        "indexes by date",
        (
            "CREATE INDEX articles_seen ON articles (seen)",
            "CREATE INDEX articles_deleted_seen ON articles (deleted, seen)",
            "CREATE INDEX articles_published ON articles (published)",
            "CREATE INDEX article_keys_shelf ON article_keys (shelf)",
        ),
        (
            "DROP INDEX article_keys_shelf",
            "DROP INDEX articles_published",
            "DROP INDEX articles_deleted_seen",
            "DROP INDEX articles_seen",
        ),
    ),
    Migration(
        3,
        "edges and stories",
        (
            EDGES,
            "CREATE INDEX edges_b ON edges (b)",
            MEMBERS,
            "CREATE INDEX members_story ON members (story)",
            "CREATE TABLE stories (id TEXT PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID",
            "CREATE TABLE redirects (story TEXT PRIMARY KEY, to_story TEXT NOT NULL) WITHOUT ROWID",
        ),
        (
            "DROP TABLE redirects",
            "DROP TABLE stories",
            "DROP TABLE members",
            "DROP TABLE edges",
        ),
    ),
    Migration(
        4,
        "article_fingerprints",
        (ARTICLE_FINGERPRINTS,),
        ("DROP VIEW article_fingerprints",),
    ),
    Migration(
        5,
        "what was asked apart from what was found",
        ("ALTER TABLE edges ADD COLUMN asked INTEGER NOT NULL DEFAULT 0",),
        ("DELETE FROM edges WHERE asked", "ALTER TABLE edges DROP COLUMN asked"),
    ),
    Migration(
        6,
        "feedback, arrivals and times",
        (FEEDBACK, "CREATE INDEX feedback_b ON feedback (b)", ARRIVALS, ARRIVED, TIMES),
        ("DROP TABLE times", "DROP TABLE arrivals", "DROP TABLE feedback"),
    ),
    Migration(
        7,
        "numbers given, and bytes apart from settings",
        (
            "CREATE TABLE blobs (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
            "INSERT INTO blobs SELECT name, value FROM settings WHERE name = 'term_counts'",
            "DELETE FROM settings WHERE name = 'term_counts'",
            "INSERT INTO settings SELECT 'numbers', coalesce(max(seq), 0) FROM sqlite_sequence",
        ),
        (
            "DELETE FROM settings WHERE name = 'numbers'",
            "INSERT INTO settings SELECT name, value FROM blobs",
            "DROP TABLE blobs",
        ),
    ),
    Migration(8, "acts", (ACTS, ACTS_KEEPS), ("DROP TABLE acts",)),
)
LATEST = MIGRATIONS[-1].number
