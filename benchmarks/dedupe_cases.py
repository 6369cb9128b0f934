"""De-duplicating a file of articles with the library, in a process of its own."""

import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import process_usage
from nearcopy import Article, Deduper, fingerprints


def batch(path: str) -> dict[str, Any]:
    """All at once in memory: seconds by the clock and the processor, how many are duplicates."""
    articles = read(path)
    list(fingerprints(articles[:1]))
    wall, cpu = time.perf_counter(), time.process_time()
    count = duplicates(articles)
    return {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "duplicates": count,
    }


def duplicates(articles: list[Article]) -> int:
    """How many of the articles are duplicates, once all have been seen."""
    with Deduper() as deduper:
        for _ in deduper.run(articles):
            pass
        return sum(verdict.is_duplicate for verdict in deduper.verdicts(a.id for a in articles))


def read(path: str) -> list[Article]:
    """The articles of a JSONL file."""
    with Path(path).open(encoding="utf-8") as lines:
        return [article(json.loads(line)) for line in lines]


def article(row: dict[str, Any]) -> Article:
    """An article of such a file."""
    return Article(**row | {"published": datetime.fromisoformat(row["published"])})


if __name__ == "__main__":
    process_usage.answer(globals())
