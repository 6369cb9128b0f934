"""Input files of commands: rows of articles, rejected rows, and tables of labels."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from nearcopy.cli.options import STORE, PoolOption, StoreOptions, environment_store, option
from nearcopy.cli.terminal import note
from nearcopy.config import Recipe
from nearcopy.config.policy_file import suggest
from nearcopy.errors import BadArticle, NearcopyError
from nearcopy.io.files import (
    Columns,
    Place,
    Rejected,
    Row,
    Source,
    assign_unique_ids,
    format_of,
    open_sources,
    open_writer,
    read,
    read_articles,
)
from nearcopy.io.files.csv import read_csv, read_tsv
from nearcopy.io.files.decompress import Stream, not_utf8
from nearcopy.io.files.json import Record, read_json, read_jsonl
from nearcopy.io.files.rows import join_names, read_row
from nearcopy.models import Article

MAX_LISTED = 20  # rejected rows in an error message
CLUSTER_COLUMNS = ("cluster", "story", "label")

LabelRows = list[tuple[int, dict[str, Any]]]  # line and values


def refuse_overwrite(inputs: Iterable[str | Path | None], *outputs: str | Path | None) -> None:
    """Raise where a file to be written is also read, under whatever name."""
    files = [Path(file) for file in inputs if file is not None]
    for output in outputs:
        if output is not None and any(_is_same_file(Path(output), file) for file in files):
            raise NearcopyError(f"{output} is also read: write to another file")


def _is_same_file(one: Path, other: Path) -> bool:
    """Whether both are the same regular file; devices and pipes can be read and written."""
    return one.is_file() and other.is_file() and one.samefile(other)


# Rows of articles.


@contextmanager
def open_inputs(files: Sequence[str], rejected: Path | None = None) -> Iterator[list[Source]]:
    """The files, after a first pass; rows that cannot be read go to `rejected`, or raise."""
    refuse_overwrite(files, rejected)
    with open_sources(files) as sources:
        rows = watch_rows((row for source in sources for row in read(source)), sources)
        reject_rows((row for row in rows if isinstance(row, Rejected)), rejected)
        yield sources


def read_rows(sources: Iterable[Source]) -> Iterator[Row]:
    """The rows that can be read, with unique ids."""
    rows = assign_unique_ids(row for source in sources for row in read(source))
    return (row for row in rows if not isinstance(row, Rejected))


def watch_rows(
    rows: Iterable[Row | Rejected],
    sources: Iterable[Source],
    warn: Callable[[str], None] = note,
) -> Iterator[Row | Rejected]:
    """The rows; at the end warn of files without rows, and of columns that were not recognised."""
    empty_files = dict.fromkeys(source.name for source in sources)
    first: Row | None = None
    has_content = has_title = False
    for row in rows:
        empty_files.pop(row.place.file, None)
        if not isinstance(row, Rejected):
            first = first or row
            has_content = has_content or _has_content(row.article)
            has_title = has_title or _has_title(row)
        yield row
    for name in empty_files:
        warn(f"warning: {name} has no rows")
    if first and not has_content:
        warn(
            "warning: no row has anything in a column that looks like a title, text or url, so "
            f"none is a duplicate: the columns are {join_names(first.values)}"
        )
    elif first and not has_title and _unused_columns(first):
        warn(
            "warning: no column was taken for the title: the columns are "
            f"{join_names(first.values)}; call one of them title, or name it to `dedupe` "
            "with --title-field"
        )


def _has_title(row: Row) -> bool:
    """Whether the row has a title, or a column for one."""
    return bool(row.article.title or Columns().places(tuple(row.values))["title"])


def _unused_columns(row: Row) -> list[str]:
    """Columns of text that are neither part of the article nor part of a verdict."""
    from nearcopy.io.serializers import VERDICT_COLUMNS

    places, parts = Columns().places(tuple(row.values)), astuple(row.article)
    used = {*VERDICT_COLUMNS, *(name for names in places.values() for name in names)}
    texts = ((name, value) for name, value in row.values.items() if isinstance(value, str))
    return [
        name for name, value in texts if value.strip() and name not in used and value not in parts
    ]


def _has_content(article: Article) -> bool:
    texts = (article.title, article.text, article.url, article.canonical_url)
    return any(text and not text.isspace() for text in texts)


def reject_rows(rejected: Iterable[Rejected], to: Path | None) -> None:
    """Write rejected rows to a file; without one, raise an error that lists them."""
    if to is not None:
        with open_writer(to) as file:
            for row in rejected:
                name, line = row.place
                file.write({"file": name, "line": line, "why": row.why, "raw": row.raw})
        return
    lines: list[str] = []
    count = 0
    for count, row in enumerate(rejected, start=1):
        if count <= MAX_LISTED:
            lines.append(f"  {row.place}: {row.why}")
    if count:
        more = [f"  and {count - MAX_LISTED} more"] if count > MAX_LISTED else []
        total = "1 row cannot be read" if count == 1 else f"{count} rows cannot be read"
        raise BadArticle(
            "\n".join([f"{total}; --rejected FILE sets such rows aside:", *lines, *more])
        )


# Tables of labels.


def read_table(file: str) -> LabelRows:
    """The lines and values of all rows of a table; raises on a row that cannot be read."""
    rows: LabelRows = []
    with open_sources([file], format_of(file) or "csv") as (source,):
        for record in _read_records(source):
            if isinstance(record, Rejected):
                raise NearcopyError(f"{record.place}: {record.why}")
            rows.append((record[0].line, record[1]))
    if not rows:
        raise NearcopyError(f"{file} has no rows")
    return rows


def _read_records(source: Source) -> Iterator[Record]:
    readers = {"csv": read_csv, "tsv": read_tsv, "jsonl": read_jsonl, "json": read_json}
    if source.format not in readers:
        raise NearcopyError(f"{source.name}: give CSV, TSV or JSON, not {source.format}")
    with Stream(source.path) as stream:
        yield from readers[source.format](stream, source.name)


def split_values(values: str | None) -> tuple[str, ...]:
    """The values of an option that takes several, separated by commas."""
    return tuple(value.strip() for value in (values or "").split(",") if value.strip())


def read_clusters(file: str, label: str | None) -> dict[str, str]:
    """The cluster of each id; raises where an id is in two clusters."""
    rows = read_table(file)
    names = tuple(rows[0][1])
    column = label or next((name for name in CLUSTER_COLUMNS if name in names), None)
    if "id" not in names or column is None or column not in names:
        raise NearcopyError(
            f"{file} has the columns {', '.join(names)}: give id and cluster, or name the latter "
            "with --label"
        )
    clusters: dict[str, str] = {}
    for line, values in rows:
        id_, cluster = str(values.get("id")), str(values.get(column))
        if clusters.setdefault(id_, cluster) != cluster:
            raise NearcopyError(f"{file}:{line}: {id_} is in {clusters[id_]} and in {cluster}")
    return clusters


STDIN = "-"
MAX_IDS_SHOWN = 5
MAX_IDS_SEARCHED = 10_000  # for a similar id
TITLE = re.compile(r"<title\b[^<>]{0,500}>([^<]{0,2000})", re.IGNORECASE)
HTML_STARTS = ("<!doctype", "<html", "<?xml", "<head", "<body", "<article", "<div", "<p>")


class ArticlePair(NamedTuple):
    """Two articles to compare."""

    a: Article
    b: Article


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """Where the two articles are, if they are not files."""

    inside: Path | None = option(
        "FILE", "A and B are ids in this file: any format, or -.", names=("--in",)
    )
    store: str | None = option(
        "ADDRESS", f"A and B are ids in this store; else {STORE}, if not files."
    )
    pool: PoolOption = None

    def load(self, a: str, b: str) -> tuple[ArticlePair, Recipe | None]:
        """The articles, by id in the file or the store, else a file each; the store's recipe."""
        pair, recipe = self._load(a, b)
        if pair.a.id == pair.b.id and pair.a != pair.b:  # two files may hold the same id
            pair = pair._replace(b=replace(pair.b, id=f"{pair.b.id}#2"))
        return pair, recipe

    def _load(self, a: str, b: str) -> tuple[ArticlePair, Recipe | None]:
        if self.inside is not None:
            return _find_in_file(self.inside, a, b), None
        if self.store is None and a == b == STDIN:
            raise BadArticle("stdin holds one article here: give - for A or for B")
        if self.store is None and _is_file(a) and _is_file(b):
            return ArticlePair(load_article(a), load_article(b)), None
        address = self.store or environment_store()
        if address is None:
            missing = b if _is_file(a) else a
            raise BadArticle(
                f"no file {missing!r:.200}: give two files, or two ids and where they are, "
                "with --in FILE or --store ADDRESS"
            )
        from nearcopy.cli.open_store import open_existing

        with open_existing(StoreOptions(store=address, pool=self.pool)) as deduper:
            return ArticlePair(deduper.article(a), deduper.article(b)), deduper.recipe


def _is_file(name: str) -> bool:
    return name == STDIN or Path(name).is_file()


def _find_in_file(file: Path, *ids: str) -> ArticlePair:
    """The articles with these ids; the file is read until both are found."""
    articles: dict[str, Article] = {}
    file_ids: list[str] = []
    for article in read_articles(file):
        file_ids.append(article.id)
        if article.id in ids:
            articles[article.id] = article
        if len(articles) == len(set(ids)):
            break
    for id_ in ids:
        if id_ not in articles:
            hint = suggest(id_, file_ids[:MAX_IDS_SEARCHED])
            raise BadArticle(f"no article {id_!r:.200} in {file}{hint}: {_list_ids(file_ids)}")
    a, b = ids
    return ArticlePair(articles[a], articles[b])


def _list_ids(ids: list[str]) -> str:
    if not ids:
        return "it has no articles"
    first = ", ".join(f"{id_:.60}" for id_ in ids[:MAX_IDS_SHOWN])
    return f"its ids are {first}{', ...' if len(ids) > MAX_IDS_SHOWN else ''}"


# One article in a file.


def load_article(file: str) -> Article:
    """The article in a file: a JSON object, an HTML page, or text with its title in line one."""
    data = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    name = "stdin" if file == STDIN else file
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadArticle(f"{name} is {not_utf8(error)}") from None
    suffix, start = Path(file).suffix.lower(), text.lstrip()[:20].lower()
    if suffix in (".json", ".jsonl") or (file == STDIN and start.startswith("{")):
        return _parse_json(text, name)
    if suffix in (".html", ".htm", ".xhtml") or (file == STDIN and start.startswith(HTML_STARTS)):
        return _parse_html(text, name)
    return _parse_text(text, name)


def _parse_json(text: str, name: str) -> Article:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArticle(f"{name} is not one JSON object: {error}") from None
    if not isinstance(values, dict):
        raise BadArticle(f"{name} holds no JSON object; for ids in a list give --in {name}")
    return parse_article(values, name)


def parse_article(values: dict[str, Any], name: str) -> Article:
    """The values as an article; without an id it gets this name."""
    row = read_row(Place(name, 1), values, Columns().places(tuple(values)))
    if isinstance(row, Rejected):
        raise BadArticle(f"{name}: {row.why}")
    has_id = row.id_column is not None and values[row.id_column] not in (None, "")
    return row.article if has_id else replace(row.article, id=name)


def _parse_html(text: str, name: str) -> Article:
    title = TITLE.search(text)
    return Article(id=name, title=unescape(title[1]).strip() if title else "", text=text, html=True)


def _parse_text(text: str, name: str) -> Article:
    title, _, body = text.lstrip().partition("\n")
    return Article(id=name, title=title.strip(), text=body.strip())
