"""What there is to check of every SQL store."""

from collections.abc import Sequence

from nearcopy.models.model import Check
from nearcopy.stores.integrity import copies
from nearcopy.stores.sql.database import Database
from nearcopy.stores.sql.migrations import Migration

ORPHANS = """
SELECT count(*) FROM articles LEFT JOIN fingerprints USING (number)
LEFT JOIN article_keys USING (number)
LEFT JOIN arrivals USING (number)
WHERE deleted = 0 AND (
    fingerprints.number IS NULL OR article_keys.number IS NULL OR arrivals.number IS NULL
)
"""
STRAYS = """
SELECT count(*) FROM {0} WHERE NOT EXISTS (
    SELECT 1 FROM articles WHERE articles.number = {0}.number AND deleted = 0
)
"""
# A copy names what is kept in its own story, and is itself no copy.
LOST = """
SELECT articles.id FROM members JOIN articles USING (number)
LEFT JOIN (
    SELECT articles.id AS name, members.story AS home FROM members JOIN articles USING (number)
    WHERE deleted = 0 AND duplicate_of IS NULL
) AS kept ON kept.name = members.duplicate_of AND kept.home = members.story
WHERE members.duplicate_of IS NOT NULL AND kept.name IS NULL
"""


def schema(database: Database, migrations: Sequence[Migration]) -> Check:
    """Whether all migrations are done."""
    done = [number for (number,) in database.run("SELECT number FROM migrations ORDER BY number")]
    expected = [migration.number for migration in migrations]
    return Check("migrations", done == expected, f"{len(done)} of {len(expected)} in the ledger")


def indexes(present: set[str], expected: set[str]) -> Check:
    """Whether these indexes are there."""
    missing = sorted(expected - present)
    detail = "missing: " + ", ".join(missing) if missing else ", ".join(sorted(expected))
    return Check("indexes", not missing, detail)


def complete(database: Database, parts: Sequence[str]) -> Check:
    """Whether all articles have what they need, and nothing is left of others."""
    (articles,) = database.one("SELECT count(*) FROM articles WHERE deleted = 0")
    (without,) = database.one(ORPHANS)
    strays = sum(database.one(STRAYS.format(part))[0] for part in parts)
    return Check(
        "articles",
        without == strays == 0,
        f"{articles} articles, {without} without fingerprint or keys, {strays} rows of none",
    )


def copied(database: Database) -> Check:
    """Whether each copy is one of an article that is kept, in the same story."""
    (count,) = database.one("SELECT count(*) FROM members WHERE duplicate_of IS NOT NULL")
    return copies(count, [name for (name,) in database.run(LOST)])
