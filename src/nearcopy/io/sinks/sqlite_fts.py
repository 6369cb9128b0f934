"""SQLite full-text search (FTS5): index new articles in a file, and search them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from nearcopy.config import Recipe
from nearcopy.errors import StreamError
from nearcopy.io.sinks import FIELDS, TEXTS, build_documents
from nearcopy.io.streams.messages import Outcome

WAIT_SECONDS = 30.0
MAX_QUERY_WORDS = 50
COLUMNS = ", ".join(f"{name} TEXT" for name in FIELDS if name != "id")
WORDS = ", ".join(TEXTS)
NEW, OLD = (", ".join(f"{which}.{name}" for name in TEXTS) for which in ("new", "old"))
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS pages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, {COLUMNS});
CREATE INDEX IF NOT EXISTS pages_story ON pages (story_id);
CREATE VIRTUAL TABLE IF NOT EXISTS page_words USING fts5
    ({WORDS}, content='pages', content_rowid='number', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER IF NOT EXISTS page_added AFTER INSERT ON pages BEGIN
    INSERT INTO page_words (rowid, {WORDS}) VALUES (new.number, {NEW});
END;
CREATE TRIGGER IF NOT EXISTS page_removed AFTER DELETE ON pages BEGIN
    INSERT INTO page_words (page_words, rowid, {WORDS}) VALUES ('delete', old.number, {OLD});
END;
"""  # noqa: S608  # composed of constants
INSERT = f"INSERT INTO pages ({', '.join(FIELDS)}) VALUES ({', '.join('?' * len(FIELDS))})"  # noqa: S608
FIND = """
SELECT pages.id, title, canonical_url, url, story_id, source FROM
    (SELECT rowid AS number, rank FROM page_words WHERE page_words MATCH ?) AS matches
    JOIN pages USING (number) ORDER BY matches.rank, pages.id
"""


class Hit(NamedTuple):
    """A search result."""

    id: str
    title: str
    url: str | None  # canonical, if known
    story_id: str | None
    source: str | None


class FtsIndex:
    """A full-text index in a file; an article that is written again replaces itself."""

    def __init__(self, path: str | Path, recipe: Recipe) -> None:
        self._recipe = recipe
        try:
            self._base = sqlite3.connect(path, timeout=WAIT_SECONDS, check_same_thread=False)
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.executescript(SCHEMA)
        except sqlite3.Error as exc:
            raise StreamError(f"{path} cannot be an index: {exc}") from exc

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Index the new articles among these, in one transaction."""
        pages = build_documents(outcomes, self._recipe)
        try:
            with self._base:
                self._base.executemany(
                    "DELETE FROM pages WHERE id = ?", [(d["id"],) for d in pages]
                )
                self._base.executemany(INSERT, [tuple(d[name] for name in FIELDS) for d in pages])
        except sqlite3.Error as exc:
            raise StreamError(f"pages could not be indexed: {exc}") from exc

    def search(self, words: str, *, limit: int = 10) -> list[Hit]:
        """The best match of each story that contains all words, best first."""
        clean = words.encode("utf-8", "replace").decode().replace('"', " ").replace("\0", " ")
        query = " ".join(f'"{word}"' for word in clean.split()[:MAX_QUERY_WORDS])
        if not query:
            return []
        hits: dict[str, Hit] = {}
        with closing(self._base.execute(FIND, (query,))) as rows:
            for name, title, canonical, url, story, source in rows:
                hit = Hit(name, title, canonical or url, story, source)
                hits.setdefault(story or name, hit)
                if len(hits) == limit:
                    break
        return list(hits.values())

    def pages(self) -> list[dict[str, Any]]:
        """All documents, in the order they were indexed."""
        listed = ", ".join(FIELDS)
        rows = self._base.execute(f"SELECT {listed} FROM pages ORDER BY number")  # noqa: S608
        return [dict(zip(FIELDS, row, strict=True)) for row in rows]

    def close(self) -> None:
        """Close the file."""
        self._base.close()
