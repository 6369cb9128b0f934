"""The index that `nearcopy consume --index` writes to, by its address."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nearcopy.cli.settings import environment
from nearcopy.cli.stored import SQLITE
from nearcopy.errors import NearcopyError
from nearcopy.streams import Sink

if TYPE_CHECKING:
    from nearcopy.config import Recipe

WEB = ("http://", "https://")
AUTHORIZATION = "NEARCOPY_INDEX_AUTHORIZATION"


@contextmanager
def index(address: str | None, recipe: "Recipe") -> Iterator[list[Sink]]:
    """The index as a sink; none where none is asked for."""
    if address is None:
        yield []
    elif address.startswith(WEB):
        from nearcopy.streams.bulk import BulkSink, bulk_settings

        yield [BulkSink(bulk_settings(address, environment().get(AUTHORIZATION)), recipe)]
    elif "://" in address and not address.startswith(SQLITE):
        raise NearcopyError(
            "which index? Give http://HOST:9200/NAME, or a file of SQLite, such as pages.db"
        )
    else:
        from nearcopy.streams.fts import FtsIndex

        made = FtsIndex(address.removeprefix(SQLITE), recipe)
        try:
            yield [made]
        finally:
            made.close()
