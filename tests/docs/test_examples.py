"""The examples: the articles are as described, and the demo runs."""

import csv
import doctest
import json
import random
import re
import subprocess
import sys
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pytest

from nearcopy import (
    Article,
    Policy,
    Recipe,
    Relation,
    compare,
    decide,
    explain,
    fingerprints,
    overlap,
)
from nearcopy.cluster.stories import cluster_articles
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.io.files import read_articles
from nearcopy.models import Edge

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "nearcopy"
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def wire() -> dict[str, Article]:
    return {article.id: article for article in read_articles(EXAMPLES / "wire.jsonl")}


@pytest.fixture(scope="module")
def relations() -> list[dict[str, str]]:
    with (EXAMPLES / "wire_relations.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_wire_covers_the_languages(wire):
    languages = {article.language for article in wire.values()}
    assert languages == {"en", "zh-Hant", "zh-Hans", "ar", "hi", "de"}
    assert len(wire) >= 60


def test_same_text_has_one_fingerprint_in_every_script_and_form(wire, relations):
    pairs = [row for row in relations if row["relation"] == "same_text"]
    assert pairs
    for row in pairs:
        a, b = fingerprints([wire[row["a"]], wire[row["b"]]])
        assert (a.digest, a.simhash, a.minhash) == (b.digest, b.simhash, b.minhash), row


@pytest.mark.parametrize(
    ("relation", "measure", "least", "most"),
    [
        ("near_text", "jaccard", 0.6, 1),
        ("contained", "containment", 0.9, 1),
        ("same_event", "jaccard", 0, 0.15),
    ],
)
def test_relations_measure_as_they_should(wire, relations, relation, measure, least, most):
    pairs = [row for row in relations if row["relation"] == relation]
    assert pairs
    for row in pairs:
        value = getattr(overlap(wire[row["a"]], wire[row["b"]]), measure)
        assert least <= value <= most, row


def test_the_demo_prints_what_the_readme_shows():
    """Duplicates, and what is kept apart; "..." matches anything."""
    demo = [sys.executable, str(EXAMPLES / "demo.py")]
    shown = subprocess.run(
        demo, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    ).stdout.replace(f"{ROOT}/", "")
    assert "the texts are identical, word for word" in shown
    assert "Without a terminal the service stops here" in shown
    (console,) = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    commands = re.search(r"^\$ make demo .*?\n(.*)^\$ make test ", console, re.M | re.S)[1]
    assert doctest.OutputChecker().check_output(f"...{commands}", shown, doctest.ELLIPSIS), shown


def test_the_readme_code_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "copy-7 near_text wire-1 ('the texts are nearly the same',)" in shown.stdout


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


def test_the_curves_are_drawn_from_the_formulas():
    drawn = subprocess.run(
        [sys.executable, "-c", "import draw_curves; print(draw_curves.draw_svg(), end='')"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT / "tools",
    )
    assert drawn.stdout == (ROOT / "docs" / "curves.svg").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / link).exists(), link


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_the_examples_in_the_docs_run(page):
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(SOURCE.rglob("*.py")) if ">>> " in path.read_text("utf-8")],
    ids=lambda path: path.relative_to(SOURCE).as_posix(),
)
def test_the_examples_in_the_docstrings_run(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    module = import_module(".".join(part for part in parts if part != "__init__"))
    assert doctest.testmod(module).failed == 0


def test_no_text_of_the_articles_is_empty():
    lines = (EXAMPLES / "wire.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["text"].strip() for line in lines)


def test_the_default_policy_sees_the_relations_of_the_wire(wire, relations):
    """All but the same news in other words, for which titles and texts alone say too little."""
    for row in relations:
        decision = explain(wire[row["a"]], wire[row["b"]]).decision
        if row["relation"] == "same_event":
            assert not decision.duplicate, row
        elif row["relation"] == "distinct":
            assert decision.relation in (Relation.DISTINCT, Relation.RELATED), row
        else:
            assert decision.relation == row["relation"], (row, decision)


@pytest.mark.parametrize("seed", range(3))
def test_relations_and_stories_do_not_depend_on_the_order_of_the_articles(wire, seed):
    def told(articles):
        prints = list(fingerprints(articles))
        filed: dict[int, list[str]] = {}
        for fingerprint, keys in zip(prints, blocking_keys(prints, Recipe()), strict=True):
            for key in keys.tolist():
                filed.setdefault(key, []).append(fingerprint.id)
        by_id = {fingerprint.id: fingerprint for fingerprint in prints}
        pairs = {pair for ids in filed.values() for pair in combinations(ids, 2)}
        edges = [Edge(a, b, decide(compare(by_id[a], by_id[b]), Policy())) for a, b in pairs]
        relations = {(frozenset((e.a, e.b)), e.decision.relation) for e in edges}
        return relations, cluster_articles(prints, edges, Policy())

    articles = list(wire.values())
    shuffled = random.Random(seed).sample(articles, len(articles))
    assert told(articles) == told(shuffled)
