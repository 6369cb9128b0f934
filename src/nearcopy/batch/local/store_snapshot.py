"""Known: the articles of a store as a file, to compare a corpus with."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from os import fsencode
from pathlib import Path

from nearcopy.batch.local.paths import has_job
from nearcopy.io.files.atomic_write import open_atomic
from nearcopy.io.files.cell_values import as_json
from nearcopy.io.serializers.answers import article_row
from nearcopy.models.model import Article
from nearcopy.stores import Store, open_store

AT_ONCE = 500  # articles
SQLITE = "sqlite:///"


def is_store(name: str) -> bool:
    """Whether a name is that of a store, and not of files."""
    return "://" in name or name.endswith((".db", ".sqlite", ".sqlite3"))


def store_file(name: str) -> Path | None:
    """The file of a store, None where a name is that of another store, or of none."""
    address = _address(name)
    return Path(address.removeprefix(SQLITE)) if address.startswith(SQLITE) else None


def write_store(name: str, work: Path) -> Path:
    """The file in the folder of the work with the articles of a store, a line each.

    They are those that the store has now, or had when the work was begun that is gone on with.
    """
    path = work / f"known-{_digest(name)}.jsonl"
    if not (path.exists() and has_job(work)):
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(open_store(_address(name), None), path)
    return path


def _address(name: str) -> str:
    return f"{SQLITE}{name}" if is_store(name) and "://" not in name else name


def _digest(name: str) -> str:
    """What tells a store from others, by whatever name its file goes."""
    file = store_file(name)
    return sha256(fsencode(file.resolve() if file is not None else name)).hexdigest()[:16]


def _write(store: Store, path: Path) -> None:
    try:
        with store.reading(), open_atomic(path) as out:
            out.writelines(as_json(article_row(article)) + b"\n" for article in _articles(store))
    finally:
        store.close()


def _articles(store: Store) -> Iterator[Article]:
    ids = store.ids()
    while batch := list(islice(ids, AT_ONCE)):
        articles = store.articles(batch)
        yield from (articles[name] for name in batch if name in articles)
