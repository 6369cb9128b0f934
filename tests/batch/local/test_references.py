"""References: files and stores that a corpus is compared with."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch.local.conftest import Stop
from tests.support.corpora import ARTICLES, lines, read
from typer.testing import CliRunner

from nearcopy import POLICIES, RECIPES, Article, Deduper
from nearcopy.batch.local import (
    CorpusJob,
    deduplicate,
    pipeline,
)
from nearcopy.cli import app
from nearcopy.errors import BadCorpus


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_duplicates_of_reference_files_are_duplicates(tmp_path, preset):
    reference, new = tmp_path / "known.jsonl", tmp_path / "new.jsonl"
    reference.write_text("".join(lines(ARTICLES[:100])))
    later = [
        replace(article, id=f"new {article.id}", published=None, url=None) for article in ARTICLES
    ]
    new.write_text("".join(lines(later[:50] + later[100:150])))
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    summary = deduplicate(CorpusJob(new, tmp_path / "out", reference=reference, **settings))
    rows = read(tmp_path / "out" / "new.jsonl")
    assert summary.rows == len(rows) == 100
    assert all(row["is_duplicate"] for row in rows[:50])
    assert all(not row["duplicate_of"].startswith("new") for row in rows[:50])
    assert not all(row["is_duplicate"] for row in rows[50:])


def test_duplicates_of_a_store_are_duplicates(tmp_path):
    store = tmp_path / "seen.db"
    with Deduper(f"sqlite:///{store}") as deduper:
        list(deduper.run(ARTICLES[:40]))
    new = tmp_path / "new.jsonl"
    later = [replace(article, id=f"new {article.id}") for article in ARTICLES[:60]]
    new.write_text("".join(lines(later)))
    deduplicate(CorpusJob(new, tmp_path / "out", reference=store))
    rows = read(tmp_path / "out" / "new.jsonl")
    assert all(not row["duplicate_of"].startswith("new") for row in rows[:40])
    assert not all(row["is_duplicate"] for row in rows[40:])


@pytest.fixture
def stores(tmp_path) -> tuple[Path, Path]:
    """A store with ten articles, and one with the next ten."""
    paths = tmp_path / "a.db", tmp_path / "b.db"
    fill(paths[0], ARTICLES[:10])
    fill(paths[1], ARTICLES[10:20])
    return paths


def fill(store: Path, articles: list[Article]) -> None:
    with Deduper(f"sqlite:///{store}") as deduper:
        list(deduper.run(articles))


@pytest.fixture
def new(tmp_path) -> Path:
    """What the stores have, under other ids."""
    path = tmp_path / "new.jsonl"
    path.write_text(
        "".join(lines([replace(article, id=f"new {article.id}") for article in ARTICLES[:20]]))
    )
    return path


def known(path: Path) -> list[bool]:
    """Of each row whether it is a copy of what is not new."""
    return [not (row["duplicate_of"] or "new").startswith("new") for row in read(path)]


def stop(monkeypatch, *words, **more) -> None:
    """Does all but to put files in their places."""
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "publish", lambda _: (_ for _ in ()).throw(Stop))
        with pytest.raises(Stop):
            deduplicate(CorpusJob(*words, **more))


def test_a_new_job_takes_a_new_snapshot_of_the_store(tmp_path, stores, new):
    (tmp_path / "out.jsonl").write_text("last week's")
    words = ["corpus", str(new), "-o", str(tmp_path / "out.jsonl"), "--reference", str(stores[0])]
    assert "already exists" in CliRunner().invoke(app, words).stderr
    fill(stores[0], ARTICLES[10:20])
    assert CliRunner().invoke(app, [*words, "--yes", "--quiet", "-j", "1"]).exit_code == 0
    assert all(known(tmp_path / "out.jsonl"))


def test_a_resumed_job_keeps_its_snapshot_of_the_store(tmp_path, stores, new, monkeypatch):
    stop(monkeypatch, new, tmp_path / "out", reference=stores[0])
    fill(stores[0], ARTICLES[10:20])
    deduplicate(CorpusJob(new, tmp_path / "out", reference=f"sqlite:///{stores[0]}"))
    assert not all(known(tmp_path / "out" / "new.jsonl"))
    assert not (tmp_path / ".out.nearcopy").exists()


def test_a_job_against_another_store_is_not_resumed(tmp_path, stores, new, monkeypatch):
    stop(monkeypatch, new, tmp_path / "out", reference=stores[0])
    with pytest.raises(BadCorpus, match="other files"):
        deduplicate(CorpusJob(new, tmp_path / "out", reference=stores[1]))


def test_references_are_not_overwritten(tmp_path, stores, new):
    files = [tmp_path / "known.jsonl", stores[0]]
    files[0].write_text("".join(lines(ARTICLES[:10])))
    before = [file.read_bytes() for file in files]
    for file in files:
        for places in ({"output": file}, {"output": tmp_path / "out", "rejected": file}):
            with pytest.raises(BadCorpus, match="overwritten"):
                deduplicate(CorpusJob(new, reference=file, **places))
    with pytest.raises(BadCorpus, match="overwritten"):
        deduplicate(CorpusJob(new, files[0], reference=tmp_path / "known*"))
    assert [file.read_bytes() for file in files] == before


def test_a_store_in_the_work_folder_is_refused(tmp_path, stores, new, monkeypatch):
    work = tmp_path / "work"
    stop(monkeypatch, new, tmp_path / "out", work=work)
    stores[0].rename(work / "a.db")
    for reference in (work / "a.db", f"sqlite:///{work}/a.db"):
        with pytest.raises(BadCorpus, match="overwritten"):
            deduplicate(CorpusJob(new, tmp_path / "out", work=work, reference=reference))
