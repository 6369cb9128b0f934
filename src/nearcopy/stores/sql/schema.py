"""The tables of the SQL stores, written once with types by dialect, and their migrations.

A released migration is never changed: what comes later is a migration of its own. Each pool has
tables of its own: statements name those of the default pool, `with_pool` puts in the others.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from nearcopy.stores.addresses import DEFAULT_POOL

POOL_MARK = "@"  # between a table and its pool; not allowed in names of pools
LEDGER = "migrations"


class Dialect(NamedTuple):
    """What differs between the tables of SQLite and PostgreSQL."""

    integer: str
    real: str
    binary: str
    name: str  # a text that is compared by its bytes, whatever the locale
    now: str  # a timestamp with the current time as its default
    seconds: str  # the same for fingerprints
    computed_at: str  # that timestamp, as users query it
    keyed: str  # how a table is stored that is looked up by its primary key only
    by_number: str  # how a large table is partitioned
    by_newer: str  # the same for edges: by the article added last
    unique_ids: str  # what makes ids of articles unique


SQLITE = Dialect(
    integer="INTEGER",
    real="REAL",
    binary="BLOB",
    name="TEXT",
    now="TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
    seconds="INTEGER NOT NULL DEFAULT (CAST(strftime('%s', 'now') AS INTEGER))",
    computed_at="datetime(computed_at, 'unixepoch') AS computed_at",
    keyed=" WITHOUT ROWID",
    by_number="",
    by_newer="",
    unique_ids="CREATE UNIQUE INDEX articles_id ON articles (id) WHERE deleted = 0",
)
# Large tables are partitioned by sequence number, so that old partitions can be dropped whole. No
# unique index spans partitions, so a table of its own holds the ids.
POSTGRES = Dialect(
    integer="BIGINT",
    real="DOUBLE PRECISION",
    binary="BYTEA",
    name='TEXT COLLATE "C"',
    now="TIMESTAMPTZ NOT NULL DEFAULT now()",
    seconds="TIMESTAMPTZ NOT NULL DEFAULT now()",
    computed_at="computed_at",
    keyed="",
    by_number=" PARTITION BY RANGE (number)",
    by_newer=" PARTITION BY RANGE (b)",
    unique_ids="""
CREATE TABLE article_ids (id TEXT COLLATE "C" PRIMARY KEY, number BIGINT NOT NULL);
CREATE INDEX article_ids_number ON article_ids (number)""",
)

LEDGER_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    number {integer} PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at {now}
)
"""
# Times are microseconds since 1970, days are counted from 1970. Sequence numbers are never reused,
# so a cached number names that article or none. A deleted article leaves its id and dates.
TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL){keyed};
INSERT INTO settings VALUES ('numbers', '0');
CREATE TABLE blobs (name TEXT PRIMARY KEY, value {binary} NOT NULL){keyed};
CREATE TABLE articles (
    number {integer} PRIMARY KEY,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text {binary} NOT NULL,
    html {integer} NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published {integer},
    seen {integer},
    language TEXT,
    tier {integer},
    run {integer} NOT NULL,
    deleted {integer} NOT NULL DEFAULT 0
){by_number};
{unique_ids};
CREATE INDEX articles_seen ON articles (seen);
CREATE INDEX articles_deleted_seen ON articles (deleted, seen);
CREATE INDEX articles_published ON articles (published);
CREATE TABLE revisions (
    id {name} NOT NULL,
    number {integer} NOT NULL,
    title TEXT NOT NULL,
    text {binary} NOT NULL,
    html {integer} NOT NULL,
    url TEXT,
    canonical_url TEXT,
    source TEXT,
    published {integer},
    seen {integer},
    language TEXT,
    tier {integer},
    PRIMARY KEY (id, number)
){keyed};
CREATE TABLE fingerprints (
    number {integer} PRIMARY KEY,
    words {integer} NOT NULL,
    digest {binary},
    simhash {binary},
    minhash {binary},
    numerals {binary} NOT NULL,
    profile {binary} NOT NULL,
    rest TEXT NOT NULL,
    computed_at {seconds}
){by_number};
CREATE TABLE article_keys (
    number {integer} PRIMARY KEY,
    day_partition {integer} NOT NULL,
    published {integer},
    seen {integer},
    keys {binary} NOT NULL
){by_number};
CREATE INDEX article_keys_partition ON article_keys (day_partition);
CREATE TABLE partition_days (
    day {integer},
    day_partition {integer},
    PRIMARY KEY (day, day_partition)
){keyed};
CREATE TABLE arrivals (number {integer} PRIMARY KEY, day {integer} NOT NULL, source TEXT);
CREATE TABLE edges (
    a {integer} NOT NULL,
    b {integer} NOT NULL,
    relation TEXT NOT NULL,
    rule TEXT NOT NULL,
    confidence {real} NOT NULL,
    duplicate {integer} NOT NULL,
    reason TEXT NOT NULL,
    flags TEXT NOT NULL,
    event_score {real} NOT NULL,
    overlap {real},
    on_demand {integer} NOT NULL,
    same_story {integer} NOT NULL,
    PRIMARY KEY (a, b)
){by_newer}{keyed};
CREATE INDEX edges_b ON edges (b);
CREATE TABLE stories (id {name} PRIMARY KEY, why TEXT NOT NULL){keyed};
CREATE TABLE redirects (story {name} PRIMARY KEY, to_story TEXT NOT NULL){keyed};
CREATE TABLE members (
    number {integer} PRIMARY KEY,
    story {name} NOT NULL,
    place {integer} NOT NULL,
    relation TEXT,
    confidence {real} NOT NULL,
    rule TEXT NOT NULL,
    reason TEXT NOT NULL,
    source TEXT,
    score {real} NOT NULL,
    why TEXT NOT NULL,
    duplicate_of TEXT
);
CREATE INDEX members_story ON members (story);
CREATE TABLE feedback (
    a {name} NOT NULL,
    b {name} NOT NULL,
    same {integer} NOT NULL,
    relation TEXT NOT NULL,
    note TEXT NOT NULL,
    given_at {integer} NOT NULL,
    predicted_relation TEXT NOT NULL,
    predicted_rule TEXT NOT NULL,
    predicted_confidence {real} NOT NULL,
    predicted_duplicate {integer} NOT NULL,
    predicted_event_score {real} NOT NULL,
    predicted_overlap {real},
    evidence TEXT NOT NULL,
    PRIMARY KEY (a, b)
){keyed};
CREATE INDEX feedback_b ON feedback (b);
CREATE TABLE actions (number {integer} PRIMARY KEY, keeps {name}, action TEXT NOT NULL);
CREATE INDEX actions_keeps ON actions (keeps) WHERE keeps IS NOT NULL;
CREATE TABLE latencies (
    day {integer} NOT NULL,
    operation TEXT NOT NULL,
    bucket {integer} NOT NULL,
    count {integer} NOT NULL,
    PRIMARY KEY (day, operation, bucket)
){keyed};
CREATE VIEW article_fingerprints AS
SELECT articles.id AS content_id, simhash, minhash, {computed_at}
FROM fingerprints JOIN articles USING (number)
"""
CREATED = re.compile(r"CREATE (?:UNIQUE )?(TABLE|INDEX|VIEW) (?:IF NOT EXISTS )?(\w+)")


class Migration(NamedTuple):
    """Statements to go to a schema version, and those to go back."""

    number: int
    name: str
    up: tuple[str, ...]
    down: tuple[str, ...]


def migrations_for(dialect: Dialect) -> tuple[Migration, ...]:
    """All migrations, first to last."""
    script = TABLES.format(**dialect._asdict())
    up = tuple(statement.strip() for statement in script.split(";"))
    created = [match for match in CREATED.findall(script) if match[0] != "INDEX"]
    down = tuple(f"DROP {kind} {name}" for kind, name in reversed(created))
    return (Migration(1, "all tables", up, down),)


def index_names_of(migrations: Iterable[Migration]) -> set[str]:
    """The indexes that migrations create, in the default pool."""
    statements = (statement for migration in migrations for statement in migration.up)
    created = (match for statement in statements for match in CREATED.findall(statement))
    return {name for kind, name in created if kind == "INDEX"}


NAMES = {
    name for d in (SQLITE, POSTGRES) for _, name in CREATED.findall(TABLES.format(**d._asdict()))
}
NAMED = re.compile(rf"\b(?:{'|'.join(sorted({*NAMES, LEDGER}))})\b")


def table_name(table: str, pool: str) -> str:
    """The name of a table in a pool.

    >>> table_name("articles", "sport"), table_name("articles", "default")
    ('articles@sport', 'articles')
    """
    return table if pool == DEFAULT_POOL else f"{table}{POOL_MARK}{pool}"


@lru_cache(maxsize=4096)
def with_pool(statement: str, pool: str) -> str:
    """The statement with the table names of a pool.

    >>> with_pool("SELECT id FROM articles WHERE articles.number = ?", "sport")
    'SELECT id FROM "articles@sport" WHERE "articles@sport".number = ?'
    """
    if pool == DEFAULT_POOL:
        return statement
    return NAMED.sub(lambda match: f'"{table_name(match[0], pool)}"', statement)


def pools_of(tables: Iterable[str]) -> list[str]:
    """The pools whose ledgers are among these tables.

    >>> pools_of(["articles", "migrations@sport", "migrations"])
    ['default', 'sport']
    """
    names = [name.partition(POOL_MARK) for name in tables]
    return sorted(pool or DEFAULT_POOL for table, _, pool in names if table == LEDGER)
