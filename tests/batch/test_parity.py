"""One answer: `dedupe` and `corpus` give every row the same values in all columns."""

import json
from dataclasses import replace
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from tests.support.corpora import ARTICLES, lines, read

from nearcopy import POLICIES, RECIPES, Article
from nearcopy.batch import DedupeJob, dedupe_files
from nearcopy.batch.local import CorpusJob, deduplicate
from nearcopy.io.files import read_articles
from nearcopy.io.serializers import VERDICT_COLUMNS

DEMO = Path(__file__).parents[2] / "examples" / "wire.jsonl"
UNDATED = [replace(article, published=None) for article in ARTICLES[:200]]
WORDS = [f"word{place}" for place in range(60)]


def edited(count: int) -> list[Article]:
    """Texts that share much with their neighbours and little with those farther off."""
    texts = (
        " ".join([*WORDS[6 * n % 60 :], *(f"own{n}" for _ in range(6 * n % 60))])
        for n in range(count)
    )
    return [Article(id=f"e{n % 7}-{n}", text=text) for n, text in enumerate(texts)]


WALL = "You have read all free articles. If you are a subscriber, sign in to continue reading."
WALLS = [Article(id="wall", title="Sign in", text=WALL), *ARTICLES[:20]]


@pytest.fixture(params=["demo", "news", "undated", "edited", "walls"])
def file(request, tmp_path) -> Path:
    articles: dict[str, list[Article]] = {
        "news": ARTICLES,
        "undated": UNDATED[::-1],
        "walls": WALLS,
        "edited": edited(60),
    }
    if request.param == "demo":  # in UTC, in which texts alone are explained
        articles["demo"] = [
            replace(article, published=article.published and article.published.astimezone(UTC))
            for article in read_articles(DEMO)
        ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(lines(articles[request.param])), encoding="utf-8")
    return path


def columns(path: Path) -> list[dict]:
    return [{name: row[name] for name in ("id", *VERDICT_COLUMNS)} for row in read(path)]


POLICY = POLICIES["default"]
TEXTS = POLICIES["copies"]
CHOICES = {
    "default": (RECIPES["default"], POLICY),
    "short window": (RECIPES["default"], replace(POLICY, window=timedelta(days=2))),
    "small stories": (RECIPES["default"], replace(POLICY, max_story_size=2)),
    "copies": (RECIPES["copies"], TEXTS),
    "related copies": (RECIPES["copies"], replace(TEXTS, related_overlap=0.2, near_overlap=0.7)),
    "close copies": (RECIPES["copies"], replace(TEXTS, near_overlap=0.8)),
    "longest copies": (RECIPES["copies"], replace(TEXTS, keep=("longest", "latest"))),
}


def test_the_default_is_the_same(tmp_path):
    dedupe_files(DedupeJob(files=(str(DEMO),), output=str(tmp_path / "out.jsonl")))
    deduplicate(CorpusJob(DEMO, tmp_path / "marked.jsonl"))
    assert columns(tmp_path / "out.jsonl") == columns(tmp_path / "marked.jsonl")


@pytest.mark.usefixtures("unlimited_candidates")
@pytest.mark.parametrize("choice", CHOICES)
def test_dedupe_and_corpus_agree_on_every_column(file, tmp_path, choice):
    recipe, policy = CHOICES[choice]
    out = tmp_path / "out.jsonl"
    dedupe_files(DedupeJob(files=(str(file),), output=str(out), recipe=recipe, policy=policy))
    deduplicate(CorpusJob(file, tmp_path / "marked.jsonl", recipe=recipe, policy=policy))
    for one, other in zip(columns(out), columns(tmp_path / "marked.jsonl"), strict=True):
        if policy.compares == "text":  # block pages are not named in columns
            for row in (one, other):
                row["reasons"] = [why for why in row["reasons"] if "no article" not in why]
        assert json.dumps(one, indent=1) == json.dumps(other, indent=1)
