"""Pages that hold no article: how many of those in semeval22 are flagged, and what else is.

`block_pages.csv` names them by id and by the digest of their text. They were found without asking
nearcopy: every text of 60 words or fewer, every one of which two fifths stands under other titles
too, and every one of which a quarter and more is in sentences with the words of notices was read.
`other content` is a text, but not the article's: a teaser, a box of the site; `unclear` is a teaser
before a wall, or a page that may be what was meant. Neither counts.
"""

import csv
import hashlib
from collections import Counter
from collections.abc import Iterator
from functools import cache

import corpora
from floors import HERE, Row, share
from nearcopy import Deduper
from relations import article

NEITHER = {"unclear", "other content"}


@cache
def kinds() -> dict[tuple[str, str], str]:
    """What each page is, by its id and the digest of its text."""
    with (HERE / "block_pages.csv").open(encoding="utf-8", newline="") as lines:
        return {(row["id"], row["text"]): row["kind"] for row in csv.DictReader(lines)}


def rows() -> Iterator[Row]:
    """Block pages and articles that a Deduper flags, as they come."""
    read = list(corpora.articles("semeval22"))
    named = [kinds().get((row["id"], digest(row["text"])), "article") for row in read]
    with Deduper() as deduper:
        flags = ["block_page" in verdict.flags for verdict in deduper.run(map(article, read))]
    yield _flagged("block pages flagged", named, flags)
    article_flags = [flag for flag, kind in zip(flags, named, strict=True) if kind == "article"]
    estimate = share(article_flags)
    listed = zip(read, flags, named, strict=True)
    yield Row(
        "block pages", "articles flagged", estimate.value or 0.0, estimate.low, estimate.high,
        f"{len(article_flags):,} articles",
        {"flagged": [row["id"] for row, flag, kind in listed if flag and kind == "article"]},
    )  # fmt: skip


def _flagged(measure: str, named: list[str], flags: list[bool]) -> Row:
    pages = [(k, f) for k, f in zip(named, flags, strict=True) if k not in {*NEITHER, "article"}]
    rate = share(flag for _, flag in pages)
    total, missed = Counter(k for k, _ in pages), Counter(k for k, flag in pages if not flag)
    return Row(
        "block pages", measure, rate.value or 0.0, rate.low, rate.high, f"{len(pages)} pages",
        {"missed": {kind: f"{missed[kind]} of {total[kind]}" for kind in sorted(missed)}},
    )  # fmt: skip


def digest(text: str) -> str:
    """The digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
