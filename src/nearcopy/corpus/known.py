"""Known: the articles of a store as a file, to compare a corpus with."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from nearcopy.formats.answers import article_row
from nearcopy.formats.cells import as_json
from nearcopy.model import Article
from nearcopy.replacing import replaced
from nearcopy.stores import Store, open_store

AT_ONCE = 500  # articles


def is_store(name: str) -> bool:
    """Whether a name is that of a store, and not of files."""
    return "://" in name or name.endswith((".db", ".sqlite", ".sqlite3"))


def write_store(name: str, path: Path) -> None:
    """Writes the articles of a store, as it is now, a line each; a file that is there stays."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the folder of the work
    store = open_store(name if "://" in name else f"sqlite:///{name}", None)
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
