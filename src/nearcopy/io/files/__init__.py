"""Files of articles: JSON lines, JSON, CSV, TSV, Parquet and WARC in; all but WARC out."""

from nearcopy.io.files.dates import read_time
from nearcopy.io.files.read import (
    FORMATS,
    READ_ONLY,
    Format,
    Source,
    UniqueIds,
    assign_unique_ids,
    check_output_suffix,
    format_of,
    open_sources,
    read,
    read_articles,
)
from nearcopy.io.files.rows import Columns, Place, Rejected, Row, article_from_extractor
from nearcopy.io.files.write import RowWriter, open_writer

__all__ = [
    "FORMATS",
    "READ_ONLY",
    "Columns",
    "Format",
    "Place",
    "Rejected",
    "Row",
    "RowWriter",
    "Source",
    "UniqueIds",
    "article_from_extractor",
    "assign_unique_ids",
    "check_output_suffix",
    "format_of",
    "open_sources",
    "open_writer",
    "read",
    "read_articles",
    "read_time",
]
