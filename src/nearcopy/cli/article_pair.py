"""The two articles of `compare` and `explain`: a file each, or ids in a file or a store."""

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nearcopy.cli.options import (
    IdsFileOption,
    IdsStoreOption,
    PoolOption,
    StoreOptions,
    environment_store,
)
from nearcopy.config.policy_file import suggest
from nearcopy.errors import BadArticle

if TYPE_CHECKING:
    from nearcopy.config import Recipe
    from nearcopy.models import Article

STDIN = "-"
MAX_IDS_SHOWN = 5
MAX_IDS_SEARCHED = 10_000  # for a similar id
TITLE = re.compile(r"<title\b[^<>]{0,500}>([^<]{0,2000})", re.IGNORECASE)
HTML_STARTS = ("<!doctype", "<html", "<?xml", "<head", "<body", "<article", "<div", "<p>")


class ArticlePair(NamedTuple):
    """Two articles, and the recipe of the store they are from, if any."""

    a: "Article"
    b: "Article"
    recipe: "Recipe | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """Where the two articles are, if they are not files."""

    inside: IdsFileOption = None
    store: IdsStoreOption = None
    pool: PoolOption = None

    def load(self, a: str, b: str) -> ArticlePair:
        """The two articles: ids in the file or the store, else a file each."""
        pair = self._load(a, b)
        if pair.a.id == pair.b.id and pair.a != pair.b:  # two files may hold the same id
            return pair._replace(b=replace(pair.b, id=f"{pair.b.id}#2"))
        return pair

    def _load(self, a: str, b: str) -> ArticlePair:
        if self.inside is not None:
            return _find_in_file(self.inside, a, b)
        if self.store is None and a == b == STDIN:
            raise BadArticle("stdin holds one article here: give - for A or for B")
        if self.store is None and _is_file(a) and _is_file(b):
            return ArticlePair(load_article(a), load_article(b))
        address = self.store or environment_store()
        if address is None:
            missing = b if _is_file(a) else a
            raise BadArticle(
                f"no file {missing!r:.200}: give two files, or two ids and where they are, "
                "with --in FILE or --store ADDRESS"
            )
        return _find_in_store(StoreOptions(store=address, pool=self.pool), a, b)


def _is_file(name: str) -> bool:
    return name == STDIN or Path(name).is_file()


def _find_in_file(file: Path, *ids: str) -> ArticlePair:
    """The articles with these ids; the file is read until both are found."""
    from nearcopy.io.files import read_articles

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


def _find_in_store(store: StoreOptions, a: str, b: str) -> ArticlePair:
    from nearcopy.cli.open_store import open_existing

    with open_existing(store) as deduper:
        return ArticlePair(deduper.article(a), deduper.article(b), deduper.recipe)


# One article in a file.


def load_article(file: str) -> "Article":
    """The article in a file: a JSON object, an HTML page, or text with its title in line one."""
    data = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    name = "stdin" if file == STDIN else file
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        from nearcopy.io.files.decompress import not_utf8

        raise BadArticle(f"{name} is {not_utf8(error)}") from None
    suffix, start = Path(file).suffix.lower(), text.lstrip()[:20].lower()
    if suffix in (".json", ".jsonl") or (file == STDIN and start.startswith("{")):
        return _parse_json(text, name)
    if suffix in (".html", ".htm", ".xhtml") or (file == STDIN and start.startswith(HTML_STARTS)):
        return _parse_html(text, name)
    return _parse_text(text, name)


def _parse_json(text: str, name: str) -> "Article":
    import json

    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadArticle(f"{name} is not one JSON object: {error}") from None
    if not isinstance(values, dict):
        raise BadArticle(f"{name} holds no JSON object; for ids in a list give --in {name}")
    return parse_article(values, name)


def parse_article(values: dict[str, Any], name: str) -> "Article":
    """The values as an article; without an id it gets this name."""
    from nearcopy.io.files import Columns, Place, Rejected
    from nearcopy.io.files.rows import read_row

    row = read_row(Place(name, 1), values, Columns().places(tuple(values)))
    if isinstance(row, Rejected):
        raise BadArticle(f"{name}: {row.why}")
    has_id = row.id_column is not None and values[row.id_column] not in (None, "")
    return row.article if has_id else replace(row.article, id=name)


def _parse_html(text: str, name: str) -> "Article":
    from html import unescape

    from nearcopy.models import Article

    title = TITLE.search(text)
    return Article(id=name, title=unescape(title[1]).strip() if title else "", text=text, html=True)


def _parse_text(text: str, name: str) -> "Article":
    from nearcopy.models import Article

    title, _, body = text.lstrip().partition("\n")
    return Article(id=name, title=title.strip(), text=body.strip())
