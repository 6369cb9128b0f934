"""Corpora for the tests of batch jobs."""

import json
import os
from dataclasses import asdict
from pathlib import Path

from tests.support.synthetic_news import news

from nearcopy import Article

WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"

COUNT = 5000 if WHOLE else 300

PRESETS = ("copies", "default", "similarity", "digest") if WHOLE else ("copies", "default")

ARTICLES = news(COUNT)


def lines(articles: list[Article]) -> list[str]:
    """The articles as lines of JSON, as files have them."""
    json_lines = []
    for article in articles:
        values = {name: value for name, value in asdict(article).items() if value is not None}
        for name in ("published", "seen"):
            if name in values:
                values[name] = values[name].isoformat()
        json_lines.append(json.dumps(values) + "\n")
    return json_lines


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
