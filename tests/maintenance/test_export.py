"""Stores written to files and made again from them."""

import json

import pytest
from tests.support import aged_store as lives
from typer.testing import CliRunner

from nearcopy import Deduper
from nearcopy.cli import app
from nearcopy.io.files import read_articles
from nearcopy.maintenance.store_records import compare_stores
from nearcopy.stores import open_store

ALL = ("articles", "runs", "revisions", "fingerprints", "keys", "redirects", "feedback", "times")
FORGOTTEN = {article.id for n, article in enumerate(read_articles(lives.WIRE)) if n in (7, 20, 30)}
NAMES = ["e.jsonl", "e.jsonl.gz", "e.jsonl.zst", "e.parquet", "e.parquet.zst", "e.json"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A store that has lived."""
    url = f"sqlite:///{tmp_path_factory.mktemp('lived')}/old.db"
    lives.live(url, learn=False)
    return url


@pytest.fixture
def run(tmp_path, monkeypatch, address):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEARCOPY_STORE", address)

    def invoke(*words: str, fails: bool = False, **more):
        result = CliRunner().invoke(app, list(words), **more)
        assert result.exit_code == (2 if fails else 0), result.output
        return result

    return invoke


def test_an_ending_that_tells_no_format_is_refused(run):
    said = run("export", "-o", "out.xlsx", fails=True).stderr
    assert ".xlsx is not an output format" in said
    assert "--format" in said


def stories(deduper: Deduper):
    return sorted(deduper.stories(), key=lambda story: story.id)


def same(one: str, other: str, kinds=ALL) -> str | None:
    a, b = open_store(one), open_store(other)
    try:
        for store in (a, b):
            store.bind(None, store.settings().key_version)
        return compare_stores(a, b, kinds).difference
    finally:
        a.close()
        b.close()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_exported_whole_makes_the_store_again(run, address, name):
    run("export", "--all", "-o", name)
    run("import", name, "--store", "new.db")
    kinds = ALL if "parquet" not in name else [kind for kind in ALL if kind != "articles"]
    with Deduper(address) as old, Deduper("sqlite:///new.db") as new:
        ids = [article.id for article in read_articles(lives.WIRE)]
        kept_ids = [name for name in [*ids, "q1", "q5"] if name not in FORGOTTEN]
        assert list(old.verdicts(kept_ids)) == list(new.verdicts(kept_ids))
        assert stories(old) == stories(new)
        assert old.all_feedback() == new.all_feedback()
        assert [old.article(article_id) for article_id in kept_ids] == [
            new.article(article_id) for article_id in kept_ids
        ]
    if "parquet" not in name:
        assert same(address, "sqlite:///new.db", kinds) is None


def test_into_any_store(run, address, lasting_address):
    run("export", "--all", "-o", "e.jsonl")
    result = run("import", "e.jsonl", "--store", lasting_address, "--json")
    row = json.loads(result.stdout)
    assert (row["whole"], row["articles"], row["skipped"], row["feedback"]) == (True, 70, 0, 3)
    assert same(address, lasting_address) is None


def test_from_any_store(run, address, lasting_address):
    run("copy-store", address, lasting_address)
    run("export", "--all", "-o", "e.jsonl", "--store", lasting_address)
    run("import", "e.jsonl", "--store", "new.db")
    assert same(address, "sqlite:///new.db") is None


def test_what_a_store_has_learned_comes_along(run, tmp_path):
    lives.live(f"sqlite:///{tmp_path}/learned.db")
    run("export", "--all", "-o", "e.parquet", "--store", "learned.db")
    run("import", "e.parquet", "--store", "new.db")
    assert same("sqlite:///learned.db", "sqlite:///new.db", ["terms", "redirects"]) is None
    with Deduper("sqlite:///learned.db") as old, Deduper("sqlite:///new.db") as new:
        assert [s.id for s in stories(old)] == [s.id for s in stories(new)]


def test_through_a_pipe(run, address):
    out = run("export", "--all", "--quiet").stdout_bytes
    run("import", "-", "--store", "new.db", input=out)
    assert same(address, "sqlite:///new.db") is None


def test_every_article_has_its_verdict(run, address):
    result = run("export", "-o", "e.jsonl", "--json")
    assert json.loads(result.stderr)["articles"] == 70
    with open("e.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with Deduper(address) as deduper:
        verdicts = list(deduper.verdicts(row["id"] for row in rows))
    for row, verdict in zip(rows, verdicts, strict=True):
        assert row["relation"] == verdict.relation
        assert row["duplicate_of"] == verdict.duplicate_of
        assert row["story_id"] == verdict.story_id
    assert rows[0]["published"].endswith("+00:00")
    assert not {"run", "revisions", "record"} & rows[0].keys()


def test_articles_alone_are_compared_again_in_one_run(run, address):
    run("export", "-o", "e.parquet")
    row = json.loads(run("import", "e.parquet", "--store", "new.db", "--json").stdout)
    assert (row["whole"], row["articles"]) == (False, 70)
    assert row["duplicates"] > 20
    new = open_store("sqlite:///new.db")
    old = open_store(address)
    try:
        assert list(new.ids()) == list(old.ids())
        assert new.run_count() == 1
    finally:
        new.close()
        old.close()


def test_the_articles_of_a_whole_export_can_be_taken_alone(run):
    run("export", "--all", "-o", "e.jsonl")
    run("import", str(lives.WIRE), "--store", "new.db")
    run("import", "e.jsonl", "--store", "new.db", fails=True)
    result = run("import", "e.jsonl", "--store", "new.db", "--articles-only")
    assert "imported 70 articles" in result.stderr


def test_any_articles_can_be_imported(run):
    result = run("import", str(lives.WIRE), "--store", "new.db")
    assert "imported 66 articles, " in result.stderr
    run("import", "-", "--store", "new.db", input='{"id": 1, "tier": "x"}\n', fails=True)
    words = ("import", "-", "--store", "new.db", "--rejected", "bad.jsonl")
    run(*words, input='{"id": 1, "tier": "x"}\n{"id": 2, "text": "a quay"}\n')


def test_another_preset_makes_other_fingerprints(run):
    run("export", "--all", "-o", "e.jsonl")
    run("import", "e.jsonl", "--store", "new.db", "--preset", "feed")
    assert run("stats", "--store", "new.db").exit_code == 0
    assert (
        "recipe"
        in run(
            "check", str(lives.WIRE), "--store", "new.db", "--preset", "crawler", fails=True
        ).stderr
    )


def test_an_import_that_was_stopped_goes_on(run, address, monkeypatch):
    run("export", "--all", "-o", "e.jsonl")

    def stop(*_):
        raise OSError("no more")

    with monkeypatch.context() as patch:
        patch.setattr("nearcopy.maintenance.rebuild.recluster", stop)
        run("import", "e.jsonl", "--store", "new.db", fails=True)
    assert "incomplete import of" in run("stats", "--store", "new.db", fails=True).stderr
    result = run("import", "e.jsonl", "--store", "new.db")
    assert "skipped 70" in result.stderr
    assert same(address, "sqlite:///new.db") is None


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_a_file_that_is_cut_off_is_refused(run, kept):
    run("export", "--all", "-o", "e.jsonl")
    with open("e.jsonl", encoding="utf-8") as file:
        lines = file.readlines()
    with open("e.jsonl", "w", encoding="utf-8") as file:
        file.writelines(lines[:kept])
    assert "truncated" in run("import", "e.jsonl", "--store", "new.db", fails=True).stderr


@pytest.mark.parametrize(
    ("find", "put", "said"),
    [
        ('\\"format\\": 1', '\\"format\\": 9', "format 9"),
        ('\\"recipe\\"', '\\"repice\\"', "not the head of an export"),
        ('"run": 2', '"run": "x"', "e.jsonl:"),
        ('"seen": "2026', '"seen": "x2026', "e.jsonl:"),
        ('\\"same\\"', '\\"emas\\"', "not a record of an export"),
    ],
)
def test_a_file_that_is_no_export_any_more_is_refused(run, find, put, said):
    run("export", "--all", "-o", "e.jsonl")
    with open("e.jsonl", encoding="utf-8") as file:
        text = file.read()
    assert find in text
    with open("e.jsonl", "w", encoding="utf-8") as file:
        file.write(text.replace(find, put, 1))
    assert said in run("import", "e.jsonl", "--store", "new.db", fails=True).stderr


def test_a_table_cannot_hold_all(run):
    assert (
        "--all cannot be written as csv" in run("export", "--all", "-o", "e.csv", fails=True).stderr
    )
    run("export", "-o", "e.csv")
    run("import", "e.csv", "--store", "new.db")


def test_the_store_itself_is_not_written_over(run, address):
    file = address.removeprefix("sqlite:///")
    assert "is also read" in run("export", "-o", file, fails=True).stderr
