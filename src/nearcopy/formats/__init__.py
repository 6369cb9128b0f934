"""Files to articles and back."""

from nearcopy.formats.columns import Columns
from nearcopy.formats.reading import OwnIds, own_ids, read, read_articles
from nearcopy.formats.results import extracted
from nearcopy.formats.rows import Place, Rejected, Row
from nearcopy.formats.sources import (
    FORMATS,
    READ_ONLY,
    Format,
    Source,
    check_ending,
    format_of,
    opened,
)
from nearcopy.formats.times import read_time
from nearcopy.formats.writing import Rows, writer

__all__ = [
    "FORMATS",
    "READ_ONLY",
    "Columns",
    "Format",
    "OwnIds",
    "Place",
    "Rejected",
    "Row",
    "Rows",
    "Source",
    "check_ending",
    "extracted",
    "format_of",
    "opened",
    "own_ids",
    "read",
    "read_articles",
    "read_time",
    "writer",
]
