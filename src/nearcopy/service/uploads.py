"""Uploads: a file that somebody drops, read as the commands read files, and feeds."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.io.feeds import feed_kind, feed_rows
from nearcopy.io.files import Rejected, Row, UniqueIds, open_sources, read
from nearcopy.io.files.decompress import COMPRESSIONS
from nearcopy.io.files.rows import Place
from nearcopy.service.problems import Problem
from nearcopy.service.request_bodies import check_article, row_of
from nearcopy.service.settings import Settings

REFUSED = (
    *(each.magic for each in COMPRESSIONS),
    b"PAR1",
    b"PK\x03\x04",
)  # may be far larger inside
MOST_OF_A_FEED = 4 << 20  # bytes; what a feed says is read slowly
TABLES = (".jsonl", ".ndjson", ".csv", ".tsv")  # no feeds, whatever their texts are about
SUFFIXES = (*TABLES, ".json")


def uploaded(data: bytes, name: str, settings: Settings, *, own_ids: bool) -> list[Row | Rejected]:
    """Every row of a file, as an article or with the reason why it is none."""
    if data.startswith(REFUSED):
        raise Problem(415, "this file is packed: unpack it, and send JSON lines, CSV, RSS or OPML")
    feed = not name.lower().endswith(TABLES) and feed_kind(data) is not None
    if feed and len(data) > MOST_OF_A_FEED:
        raise Problem(413, f"a feed may have {MOST_OF_A_FEED:,} bytes: send a part of it")
    if not data.strip():
        raise Problem(422, "this file is empty: send one with articles")
    rows = _feed(data, name, settings) if feed else _file(data, name, settings)
    own = UniqueIds()
    return [own(each) if own_ids and isinstance(each, Row) else each for each in rows]


def _feed(data: bytes, name: str, settings: Settings) -> Iterator[Row | Rejected]:
    for number, values in enumerate(feed_rows(data), start=1):
        place = Place(name, number)
        try:
            yield replace(row_of(values, settings, number), place=place)
        except BadArticle as wrong:
            yield Rejected(place, str(wrong), values)


def _file(data: bytes, name: str, settings: Settings) -> Iterator[Row | Rejected]:
    suffix = next((each for each in SUFFIXES if name.lower().endswith(each)), "")
    with TemporaryDirectory(prefix="nearcopy-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(data)
        try:
            with open_sources([str(path)]) as (source,):
                for each in read(replace(source, name=name or "file")):
                    yield _checked(each, settings)
        except NearcopyError as wrong:
            raise Problem(422, _without_options(str(wrong))) from None


def _without_options(told: str) -> str:
    """What is wrong with a file, without what only helps on a command line."""
    for part in ("; name them, for instance with", "; `dedupe` takes", ": give it a name"):
        told = told.partition(part)[0]
    return f"{told}: send JSON lines, CSV, RSS or OPML, with a title, text or url of each article"


def _checked(found: Row | Rejected, settings: Settings) -> Row | Rejected:
    if isinstance(found, Rejected):
        return found
    try:
        check_article(found.article, settings)
    except BadArticle as wrong:
        return Rejected(found.place, str(wrong), found.values)
    return found
