"""Articles for the tests of the pages: the examples, pairs close to a threshold, hostile ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

WIRE = Path(__file__).parents[2] / "examples" / "wire.jsonl"
NOON = "2026-05-04T12:00:00Z"
WORDS = 60
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'></a> & \u202egnp"
HOSTILE_TEXT = (
    "<svg onload=alert(3)> The harbour office wrote to all owners of boats on the quay about the "
    "new rules for berths in winter, </textarea><script>alert(4)</script> and asked them to answer "
    "before the end of the month with the length and the draught of each vessel they keep there."
)


def wire() -> list[dict[str, Any]]:
    """The articles of the examples, added on the days of their publication."""
    rows = (json.loads(line) for line in WIRE.read_text(encoding="utf-8").splitlines())
    return [row | {"seen": row["published"]} for row in rows]


def borderline_pairs(count: int) -> Iterator[dict[str, Any]]:
    """Pairs that share enough text to be copies, the odd ones only just."""
    for number in range(count):
        shared = 44 if number % 2 == 0 else 41
        words = [f"wo{number}rd{place}" for place in range(WORDS)]
        own_words = [f"ot{number}er{place}" for place in range(WORDS - shared)]
        sides = (("a", "Post", words), ("b", "Radio", words[:shared] + own_words))
        for side, source, text in sides:
            yield {
                "id": f"pair{number}{side}",
                "title": f"Note {number} of the harbour office, as the {source} has it",
                "text": " ".join(text),
                "source": source,
                "published": NOON,
            }


def hostile() -> list[dict[str, Any]]:
    """Two articles of one story whose fields contain markup."""
    return [
        {
            "id": f"</a><script>alert({side})</script>/{side}",
            "title": HOSTILE,
            "text": HOSTILE_TEXT + f" {side}",
            "source": f'"><b onmouseover=alert({side})>',
            "url": f"javascript:alert({side})",
            "language": '"><script>',
            "published": NOON,
        }
        for side in (1, 2)
    ]


def fill(address: str, *articles: dict[str, Any], **headers: str) -> None:
    """Add articles to a service."""
    response = httpx.post(
        f"{address}/api/v1/articles", json=list(articles), headers=headers, timeout=60
    )
    response.raise_for_status()
