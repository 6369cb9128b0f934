"""Known: the articles of a store as a file, to compare a corpus with."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from os import fsencode
from pathlib import Path

from nearcopy.corpus.places import is_begun
from nearcopy.formats.answers import article_row
from nearcopy.formats.cells import as_json
from nearcopy.model import Article
from nearcopy.replacing import replaced
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
    if not (path.exists() and is_begun(work)):
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
        with store.reading(), replaced(path) as out:
            out.writelines(as_json(article_row(each)) + b"\n" for each in _articles(store))
    finally:
        store.close()


def _articles(store: Store) -> Iterator[Article]:
    rest = store.ids()
    while some := list(islice(rest, AT_ONCE)):
        found = store.articles(some)
        yield from (found[name] for name in some if name in found)
