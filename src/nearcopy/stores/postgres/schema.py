"""The tables of the PostgreSQL store, as steps up and back down.

A step that has been released is never changed: what comes later is a step of its own. Tables are as
those of SQLite (`schema.py`), but for three things. The large ones are made of blocks, by the
number of the article, so that a block of which nothing is left can be dropped; edges by the newer
of the two. As no index spans blocks, `known` holds the ids of the articles that are here. And names
are compared by their bytes, whatever the language of the server.
"""

from nearcopy.stores.sql.migrations import Migration

LEDGER = """
CREATE TABLE IF NOT EXISTS migrations (
    number BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
)
"""
SIGNED = "nearcopy"  # the comment on the ledger: a table of that name may be anybody's

ARTICLES = """
CREATE TABLE articles (
    number BIGINT PRIMARY KEY,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text BYTEA NOT NULL,
    html BIGINT NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published BIGINT,
    seen BIGINT,
    language TEXT,
    tier BIGINT,
    run BIGINT NOT NULL,
    deleted BIGINT NOT NULL DEFAULT 0
) PARTITION BY RANGE (number)
"""
FINGERPRINTS = """
CREATE TABLE fingerprints (
    number BIGINT PRIMARY KEY,
    words BIGINT NOT NULL,
    digest BYTEA,
    simhash BYTEA,
    minhash BYTEA,
    numerals BYTEA NOT NULL,
    profile BYTEA NOT NULL,
    rest TEXT NOT NULL,
    computed_at TIMESTAMPTZ NOT NULL DEFAULT now()
) PARTITION BY RANGE (number)
"""
ARTICLE_KEYS = """
CREATE TABLE article_keys (
    number BIGINT PRIMARY KEY,
    shelf BIGINT NOT NULL,
    published BIGINT,
    seen BIGINT,
    keys BYTEA NOT NULL
) PARTITION BY RANGE (number)
"""
REVISIONS = """
CREATE TABLE revisions (
    id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    title TEXT NOT NULL,
    text BYTEA NOT NULL,
    html BIGINT NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published BIGINT,
    seen BIGINT,
    language TEXT,
    tier BIGINT,
    PRIMARY KEY (id, number)
)
"""
EDGES = """
CREATE TABLE edges (
    a BIGINT NOT NULL,
    b BIGINT NOT NULL,
    joins BIGINT NOT NULL,
    relation TEXT NOT NULL,
    rule TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    duplicate BIGINT NOT NULL,
    reason TEXT NOT NULL,
    flags TEXT NOT NULL,
    news DOUBLE PRECISION NOT NULL,
    copy DOUBLE PRECISION,
    asked BIGINT NOT NULL,
    PRIMARY KEY (a, b)
) PARTITION BY RANGE (b)
"""
MEMBERS = """
CREATE TABLE members (
    number BIGINT PRIMARY KEY,
    story TEXT COLLATE "C" NOT NULL,
    place BIGINT NOT NULL,
    relation TEXT,
    confidence DOUBLE PRECISION NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    why TEXT NOT NULL,
    duplicate_of TEXT,
    source TEXT
)
"""
FEEDBACK = """
CREATE TABLE feedback (
    a TEXT COLLATE "C" NOT NULL,
    b TEXT COLLATE "C" NOT NULL,
    same BIGINT NOT NULL,
    relation TEXT NOT NULL,
    note TEXT NOT NULL,
    told_at BIGINT NOT NULL,
    said_relation TEXT NOT NULL,
    said_rule TEXT NOT NULL,
    said_confidence DOUBLE PRECISION NOT NULL,
    said_duplicate BIGINT NOT NULL,
    said_news DOUBLE PRECISION NOT NULL,
    said_copy DOUBLE PRECISION,
    evidence TEXT NOT NULL,
    PRIMARY KEY (a, b)
)
"""
TIMES = """
CREATE TABLE times (
    day BIGINT NOT NULL,
    work TEXT NOT NULL,
    step BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, work, step)
)
"""
ARTICLE_FINGERPRINTS = """
CREATE VIEW article_fingerprints AS
SELECT articles.id AS content_id, simhash, minhash, computed_at
FROM fingerprints JOIN articles USING (number)
"""
ACTS = 'CREATE TABLE acts (number BIGINT PRIMARY KEY, keeps TEXT COLLATE "C", act TEXT NOT NULL)'
ACTS_KEEPS = "CREATE INDEX acts_keeps ON acts (keeps) WHERE keeps IS NOT NULL"


def _blocks_renamed(old: str, new: str) -> str:
    """The statement that puts another mark between the names of tables and of their blocks."""
    return f"""
DO $$ DECLARE block RECORD;
BEGIN
    FOR block IN
        SELECT relname, left(relname, -length(number)-1) || '{new}' || number AS renamed
        FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid,
            substring(relname from '{old}([0-9]+)$') AS number
        WHERE inhparent IN ('fingerprints'::regclass, 'article_keys'::regclass, 'edges'::regclass,
            'articles'::regclass) AND number IS NOT NULL
    LOOP
        EXECUTE 'ALTER TABLE ' || quote_ident(block.relname)
            || ' RENAME TO ' || quote_ident(block.renamed);
    END LOOP;
END $$
"""


MIGRATIONS = (
    Migration(
        1,
        "articles and their keys",
        (
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
            "INSERT INTO settings VALUES ('numbers', '0')",
            "CREATE TABLE blobs (name TEXT PRIMARY KEY, value BYTEA NOT NULL)",
            ARTICLES,
            FINGERPRINTS,
            ARTICLE_KEYS,
            'CREATE TABLE known (id TEXT COLLATE "C" PRIMARY KEY, number BIGINT NOT NULL)',
            "CREATE INDEX known_number ON known (number)",
            "CREATE TABLE shelf_days (day BIGINT, shelf BIGINT, PRIMARY KEY (day, shelf))",
            REVISIONS,
            "CREATE INDEX articles_seen ON articles (seen)",
            "CREATE INDEX articles_deleted_seen ON articles (deleted, seen)",
            "CREATE INDEX articles_published ON articles (published)",
            "CREATE INDEX article_keys_shelf ON article_keys (shelf)",
        ),
        (
            "DROP TABLE revisions",
            "DROP TABLE shelf_days",
            "DROP TABLE known",
            "DROP TABLE article_keys",
            "DROP TABLE fingerprints",
            "DROP TABLE articles",
            "DROP TABLE blobs",
            "DROP TABLE settings",
        ),
    ),
    Migration(
        2,
        "edges, stories and feedback",
        (
            EDGES,
            "CREATE INDEX edges_b ON edges (b)",
            MEMBERS,
            "CREATE INDEX members_story ON members (story)",
            'CREATE TABLE stories (id TEXT COLLATE "C" PRIMARY KEY, why TEXT NOT NULL)',
            'CREATE TABLE redirects (story TEXT COLLATE "C" PRIMARY KEY, to_story TEXT NOT NULL)',
            FEEDBACK,
            "CREATE INDEX feedback_b ON feedback (b)",
        ),
        (
            "DROP TABLE feedback",
            "DROP TABLE redirects",
            "DROP TABLE stories",
            "DROP TABLE members",
            "DROP TABLE edges",
        ),
    ),
    Migration(
        3,
        "arrivals, times and article_fingerprints",
        (
            "CREATE TABLE arrivals (number BIGINT PRIMARY KEY, day BIGINT NOT NULL, source TEXT)",
            # What came while there was no such table.
            "INSERT INTO arrivals SELECT number, coalesce(seen, 0) / 86400000000, lower(source)"
            " FROM articles WHERE deleted = 0",
            TIMES,
            ARTICLE_FINGERPRINTS,
        ),
        ("DROP VIEW article_fingerprints", "DROP TABLE times", "DROP TABLE arrivals"),
    ),
    Migration(4, "acts", (ACTS, ACTS_KEEPS), ("DROP TABLE acts",)),
    # As "sport_3", block 3 of the pool sport bore the names of the pool sport_3.
    Migration(5, "names of blocks", (_blocks_renamed("_", "#"),), (_blocks_renamed("#", "_"),)),
)
LATEST = MIGRATIONS[-1].number
