"""What there is to check of a SQLite store."""

from nearcopy.model import Check
from nearcopy.stores.schema import LATEST, MIGRATIONS
from nearcopy.stores.sqlite_file import SqliteFile

INDEXES = {
    "articles_id",
    "articles_seen",
    "articles_deleted_seen",
    "articles_published",
    "article_keys_shelf",
    "edges_b",
    "feedback_b",
    "members_story",
}
ORPHANS = """
SELECT count(*) FROM articles LEFT JOIN fingerprints USING (number)
LEFT JOIN article_keys USING (number)
LEFT JOIN arrivals USING (number)
WHERE deleted = 0 AND (
    fingerprints.number IS NULL OR article_keys.number IS NULL OR arrivals.number IS NULL
)
"""
STRAYS = """
SELECT count(*) FROM {} WHERE number NOT IN (SELECT number FROM articles WHERE deleted = 0)
"""


def checks(file: SqliteFile) -> list[Check]:
    """Each thing looked at, and whether it is as it should be."""
    return [_whole(file), _durable(file), _schema(file), _indexes(file), _complete(file)]


def _whole(file: SqliteFile) -> Check:
    found = [line for (line,) in file.run("PRAGMA quick_check(5)")]
    return Check("file", found == ["ok"], "quick_check: " + "; ".join(found))


def _durable(file: SqliteFile) -> Check:
    (journal,), (level,) = file.one("PRAGMA journal_mode"), file.one("PRAGMA synchronous")
    sure = journal == "wal" and level >= 2
    return Check("durability", sure, f"journal {journal}, synchronous {level} (2 is full)")


def _schema(file: SqliteFile) -> Check:
    done = [number for (number,) in file.run("SELECT number FROM migrations ORDER BY number")]
    wanted = [each.number for each in MIGRATIONS]
    return Check("migrations", done == wanted, f"{len(done)} of {LATEST} in the ledger")


def _indexes(file: SqliteFile) -> Check:
    rows = file.run("SELECT name FROM sqlite_master WHERE type = 'index'")
    missing = sorted(INDEXES - {name for (name,) in rows})
    detail = "missing: " + ", ".join(missing) if missing else ", ".join(sorted(INDEXES))
    return Check("indexes", not missing, detail)


def _complete(file: SqliteFile) -> Check:
    (articles,) = file.one("SELECT count(*) FROM articles WHERE deleted = 0")
    (without,) = file.one(ORPHANS)
    parts = ("fingerprints", "article_keys", "arrivals", "members")
    strays = sum(file.one(STRAYS.format(part))[0] for part in parts)
    return Check(
        "articles",
        without == strays == 0,
        f"{articles} articles, {without} without fingerprint or keys, {strays} rows of none",
    )
