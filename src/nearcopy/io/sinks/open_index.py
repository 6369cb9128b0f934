"""Opening a search index by its address."""

from collections.abc import Iterator
from contextlib import contextmanager

from nearcopy.config import Recipe
from nearcopy.errors import NearcopyError
from nearcopy.io.streams.messages import Sink

SQLITE = "sqlite:///"
WEB = ("http://", "https://")


@contextmanager
def open_index(address: str, recipe: Recipe, authorization: str | None) -> Iterator[Sink]:
    """The index at a URL of Elasticsearch or OpenSearch, or in a SQLite file."""
    if address.startswith(WEB):
        from nearcopy.io.sinks.elasticsearch import BulkSink, bulk_settings

        yield BulkSink(bulk_settings(address, authorization), recipe)
    elif "://" in address and not address.startswith(SQLITE):
        raise NearcopyError(
            "which index? Give http://HOST:9200/NAME, or a SQLite file, such as pages.db"
        )
    else:
        from nearcopy.io.sinks.sqlite_fts import FtsIndex

        index = FtsIndex(address.removeprefix(SQLITE), recipe)
        try:
            yield index
        finally:
            index.close()
