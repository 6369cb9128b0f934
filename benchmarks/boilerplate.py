"""Lines that many pages of one host have: what of block pages and of articles is left out by them.

`python benchmarks/boilerplate.py` reads semeval22, with the block pages that block_pages.csv names,
and html-pages, whose bodies are known; it writes its rows into the tables of docs/corpora.md.
"""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import block_pages
import corpora
import corpora_speed
from nearcopy import RECIPES, Article
from nearcopy.batch.local.boilerplate import Boilerplate, line_counts, repeated
from nearcopy.kernels import words
from nearcopy.match import exact_join as joins
from relations import article

Row = dict[str, Any]


def main() -> None:
    """Measure both sets."""
    for row in (*_semeval(), *_html_pages()):
        corpora_speed.keep(row)


def found_in(articles: list[Article]) -> Boilerplate:
    """The lines that three pages of a host or more have."""
    return Boilerplate(repeated(articles, line_counts(articles)))


def _semeval() -> Iterator[Row]:
    read = list(corpora.articles("semeval22"))
    named = [
        block_pages.kinds().get((e["id"], block_pages.digest(e["text"])), "article") for e in read
    ]
    articles = [article(row) for row in read]
    lines = found_in(articles)
    cleaned = [Article(id=e.id, text=lines.strip_from(e), source=e.source) for e in articles]
    for kind, is_article in (("block pages", False), ("articles", True)):
        lengths = [
            (len(words(a.text)), len(words(b.text)))
            for a, b, name in zip(articles, cleaned, named, strict=True)
            if (name == "article") == is_article and name not in block_pages.NEITHER and a.text
        ]
        yield _row(f"semeval22, {kind}", lengths, len(lines))
    for name, texts in (("as they are", articles), ("without these lines", cleaned)):
        pairs = joins.find_similar_pairs(texts, 0.5, recipe=RECIPES["copies"], words="folded")
        blocks = {a.id for a, kind in zip(articles, named, strict=True) if kind != "article"}
        between = [bool({a, b} & blocks) for a, b, _ in pairs]
        yield {
            "kind": "boilerplate",
            "work": f"semeval22, pairs of 0.5, {name}",
            "documents": len(articles),
            "pairs": len(between),
            "with_block_pages": sum(between),
        }


def _html_pages() -> Iterator[Row]:
    """How much of the known bodies is left out, where all of a page is read as its text."""
    folder = corpora.DATA / "html-pages"
    truth = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    pages, bodies = [], []
    for name, entry in truth.items():
        path = folder / "html" / f"{name}.html.gz"
        html = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        pages.append(Article(id=name, text=html, html=True, url=entry.get("url")))
        bodies.append(Article(id=name, text=entry.get("articleBody") or "", url=entry.get("url")))
    lines = found_in(pages)
    lengths = [(len(words(a.text)), len(words(lines.strip_from(a)))) for a in bodies if a.text]
    yield _row("html-pages, bodies", lengths, len(lines))


def _row(work: str, some: list[tuple[int, int]], lines: int) -> Row:
    before, after = sum(a for a, _ in some), sum(b for _, b in some)
    return {
        "kind": "boilerplate",
        "work": work,
        "documents": len(some),
        "lines": lines,
        "left_out": 1 - after / max(1, before),
        "mostly_left_out": sum(b < a / 2 for a, b in some) / max(1, len(some)),
    }


if __name__ == "__main__":
    main()
