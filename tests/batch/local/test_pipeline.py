"""Whole corpora: the same answer as one by one, whatever the files, the memory and the faults."""

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.synthetic_news import news
from typer.testing import CliRunner

from nearcopy import POLICIES, RECIPES, Article, Deduper, Policy
from nearcopy.batch.local import (
    Boilerplate,
    CorpusJob,
    Repeated,
    compare,
    deduplicate,
    estimate,
    line_counts,
    pipeline,
    read_lines,
    repeated,
    verify,
    work_folder,
)
from nearcopy.batch.local.boilerplate import write_lines
from nearcopy.batch.local.clusters import read_article_edges
from nearcopy.batch.local.inputs import find_inputs
from nearcopy.batch.rank import Ranking
from nearcopy.batch.settings import Settings
from nearcopy.batch.shared_keys import (
    LEADING_ROWS,
    PRECEDING_ROWS,
    distinct_pairs,
    pair_neighbours,
    sorted_keys,
)
from nearcopy.batch.text_relations import RELATIONS, TextMeasures, relations
from nearcopy.cli import app
from nearcopy.cluster.kept_copy import rank_copies
from nearcopy.config.units import from_micros
from nearcopy.errors import BadCorpus, NearcopyError
from nearcopy.kernels import words
from nearcopy.match import candidate_index as shelves
from nearcopy.match.decide import decide
from nearcopy.match.eligibility import NO_TIME
from nearcopy.models import Evidence, Fingerprint

WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"
COUNT = 5000 if WHOLE else 300
PRESETS = ("copies", "default", "similarity", "digest") if WHOLE else ("copies", "default")
ARTICLES = news(COUNT)


TIMES = st.sampled_from([NO_TIME, 1, 2, 3])


def lines(articles: list[Article]) -> list[str]:
    """The articles as lines of JSON, as files have them."""
    made = []
    for article in articles:
        values = {name: value for name, value in asdict(article).items() if value is not None}
        for name in ("published", "seen"):
            if name in values:
                values[name] = values[name].isoformat()
        made.append(json.dumps(values) + "\n")
    return made


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def wire(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "wire.jsonl"
    path.write_text("".join(lines(ARTICLES)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def marked(wire) -> bytes:
    """What is written of the wire in one go."""
    out = wire.parent / "marked"
    deduplicate(CorpusJob(wire, out))
    return (out / "wire.jsonl").read_bytes()


# One answer.


@pytest.fixture
def nothing_left_out(monkeypatch):
    """All that share a key are looked at, however many they are."""
    monkeypatch.setattr(shelves, "PAIRS", COUNT * COUNT)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.usefixtures("nothing_left_out")
def test_a_corpus_is_told_as_one_by_one(wire, tmp_path, preset):
    recipe, policy = RECIPES[preset], POLICIES[preset]
    ids = [article.id for article in ARTICLES]
    with Deduper(recipe=recipe, policy=policy) as deduper:
        arrived = list(deduper.run(ARTICLES, cluster=False))
        deduper.recluster()
        told = list(deduper.verdicts(ids))
    deduplicate(CorpusJob(wire, tmp_path / "out", recipe=recipe, policy=policy))
    rows = read(tmp_path / "out" / "wire.jsonl")
    assert not any("crowded" in verdict.flags for verdict in arrived)
    assert [row["id"] for row in rows] == ids
    assert [(row["duplicate_of"], row["story_id"]) for row in rows] == [
        (verdict.duplicate_of, verdict.story_id) for verdict in told
    ]
    copies = [verdict for verdict in told if verdict.is_duplicate]
    assert copies
    assert [row["relation"] for row in rows if row["is_duplicate"]] == [
        verdict.relation for verdict in copies
    ]


@pytest.mark.usefixtures("nothing_left_out")
def test_all_that_is_between_rows_is_found(wire, tmp_path):
    recipe, policy = RECIPES["default"], POLICIES["default"]
    job = CorpusJob(wire, tmp_path / "out", recipe=recipe, policy=policy)
    deduplicate(job, keep_work=True)
    found = {frozenset(edge[:2]): edge[2:5] for edge in read_article_edges(job).values()}
    with Deduper(recipe=recipe, policy=policy) as deduper:
        list(deduper.run(ARTICLES, cluster=False))
        kept = deduper._store.edges([article.id for article in ARTICLES])
    assert found == {frozenset(edge[:2]): edge[2:5] for edge in kept}


def test_what_is_near_shares_as_much_as_it_says(marked):
    """Counted once more with sets of words, without any hash."""

    def runs(text: str) -> set[tuple[str, ...]]:
        found = words(text)
        return {tuple(found[at : at + 5]) for at in range(max(1, len(found) - 4))}

    rows = {row["id"]: row for row in map(json.loads, marked.splitlines())}
    near = [row for row in rows.values() if row["relation"] == "near_text"]
    assert near
    for row in near:
        ours, theirs = runs(row["text"]), runs(rows[row["duplicate_of"]]["text"])
        share = len(ours & theirs) / len(ours | theirs)
        assert share >= 0.5
        assert row["overlap"] == pytest.approx(share, abs=1e-4)


def test_texts_alone_are_judged_the_same_with_and_without_columns(
    wire, tmp_path, marked, monkeypatch
):
    monkeypatch.setattr("nearcopy.batch.settings.COLUMN_KEEP_RULES", frozenset())
    assert not Settings(recipe=RECIPES["copies"], policy=POLICIES["copies"]).by_text
    deduplicate(CorpusJob(wire, tmp_path / "out"))
    assert (tmp_path / "out" / "wire.jsonl").read_bytes() == marked


@pytest.mark.parametrize(
    "change", [{"window": timedelta(days=2)}, {"sources": "across"}, {"sources": "within"}]
)
def test_windows_and_sources_hold_in_columns_too(wire, tmp_path, change):
    policy = replace(POLICIES["copies"], **change)
    ids = [article.id for article in ARTICLES]
    with Deduper(recipe=RECIPES["copies"], policy=policy) as deduper:
        list(deduper.run(ARTICLES, cluster=False))
        deduper.recluster()
        told = [verdict.duplicate_of for verdict in deduper.verdicts(ids)]
    deduplicate(CorpusJob(wire, tmp_path / "out", policy=policy))
    rows = read(tmp_path / "out" / "wire.jsonl")
    assert [row["duplicate_of"] for row in rows] == told
    assert len(set(told)) > 5


@given(
    same=st.booleans(),
    words=st.integers(0, 80),
    overlap=st.floats(0, 1),
    held=st.floats(0, 1),
    hamming=st.integers(0, 32),
    policy=st.builds(
        Policy,
        compares=st.just("text"),
        min_words=st.sampled_from([0, 50]),
        near_overlap=st.sampled_from([None, 0.5]),
        max_hamming=st.sampled_from([None, 3]),
        containment=st.sampled_from([None, 0.8]),
        related_overlap=st.sampled_from([None, 0.1]),
        related_max_hamming=st.sampled_from([None, 14]),
    ),
)
def test_columns_are_judged_as_evidence_is(same, words, overlap, held, hamming, policy):
    column = TextMeasures(*(np.array([each]) for each in (same, words, overlap, held, hamming)))
    evidence = Evidence(
        same_text=same,
        words=words,
        overlap=overlap,
        containment=held,
        distance=hamming,
        exact=True,
        same_url=True,
        junk="a wall",
        profile=0.9,
        event_score=0.9,
    )
    (code,) = relations(column, policy)
    assert RELATIONS[code] is decide(evidence, policy).relation


@given(
    st.lists(
        st.tuples(TIMES, TIMES, st.integers(1, 3)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([("earliest",), ("latest",), ("longest", "earliest"), ("longest",)]),
)
def test_the_row_to_keep_is_the_copy_to_keep(rows, keep):
    names = {row: f"n{-row % 7}" for row in range(len(rows))}
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    ranking = Ranking(*columns, lambda some: {row: names[row] for row in some})
    every = np.arange(len(rows))
    (kept,) = ranking.best(np.zeros(len(rows), np.int64), every, keep)
    copies = [
        Fingerprint(
            id=names[row],
            words=words,
            published=None if out == NO_TIME else from_micros(out),
            seen=None if at == NO_TIME else from_micros(at),
        )
        for row, (out, at, words) in enumerate(rows)
    ]
    if all(
        out != NO_TIME or at != NO_TIME for out, at, _ in rows
    ):  # else by row
        first = rank_copies(copies, Policy(keep=keep))[0].copy
        assert names[int(kept)] == first.id


# Keys.


def pairs_under(keys: list[int]) -> set[tuple[int, int]]:
    rows = np.arange(len(keys), dtype=np.uint32)
    hashed = np.array(keys, np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found = distinct_pairs([pair_neighbours(sorted_keys(hashed, rows, 16), 16)[0]])
    return {(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in found}


@given(st.lists(st.integers(1, 6), max_size=40))
def test_rows_under_one_key_are_paired(keys):
    expected = {(i, j) for i in range(len(keys)) for j in range(i) if keys[i] == keys[j]}
    assert pairs_under(keys) == expected


def test_crowded_keys_stay_linked_and_are_told_of():
    count = 2000
    ordered = sorted_keys(np.full(count, 1 << 40, np.uint64), np.arange(count, dtype=np.uint32), 16)
    pairs, oversized = pair_neighbours(ordered, 16)
    assert len(pairs) < count * (PRECEDING_ROWS + LEADING_ROWS)
    assert oversized.keys == 1
    assert oversized.largest == count
    assert oversized.skipped_pairs == count * (count - 1) // 2 - len(distinct_pairs([pairs]))
    assert {int(pair) >> 32 for pair in pairs} == set(range(1, count))


def test_a_template_of_thousands_is_gone_through_in_no_time(tmp_path):
    """Each differs from all others; every two of them would be a million pairs."""
    base = [f"word{place}" for place in range(120)]
    rows = []
    for number in range(1500):
        words = [*base]
        words[number % 120] = f"own{number}"
        rows.append(json.dumps({"id": f"{number:05d}", "text": " ".join(words)}) + "\n")
    (tmp_path / "in.jsonl").write_text("".join(rows))
    started = time.process_time()
    found = deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    assert time.process_time() - started < 30
    assert found.kept == 1
    assert found.oversized_keys.skipped_pairs > 0


# Memory, parts and faults.


@pytest.fixture
def small(wire, tmp_path):
    """The wire in many parts, judged in small blocks."""
    return CorpusJob(wire, tmp_path / "out", unit_bytes=20_000)


def test_the_size_of_parts_and_memory_make_no_difference(small, marked, monkeypatch):
    monkeypatch.setattr(compare, "TEXTS_PER_BATCH", 7)
    monkeypatch.setattr(CorpusJob, "memory_per_process", property(lambda _: 4096))
    deduplicate(small)
    assert (small.paths.output / "wire.jsonl").read_bytes() == marked


class Stop(Exception):
    """The work is stopped here."""


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_work_that_was_stopped_goes_on(wire, tmp_path, monkeypatch, preset):
    """Stopped after every file that is put in its place, once; each time a little more is done."""
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    deduplicate(CorpusJob(wire, tmp_path / "whole", **settings))
    job = CorpusJob(wire, tmp_path / "out", **settings, unit_bytes=wire.stat().st_size // 4)
    put, seen = Path.replace, {"job.json"}

    def once(self, target):
        put(self, target)
        if target.name not in seen:
            seen.add(target.name)
            raise Stop

    stops = 0
    monkeypatch.setattr(Path, "replace", once)
    while True:
        try:
            deduplicate(job)
            break
        except Stop:
            stops += 1
            assert stops < 200
    monkeypatch.undo()
    assert stops > 8
    for name in ("wire.jsonl", "nearcopy.json"):
        assert (job.paths.output / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not job.paths.work.exists()


def test_work_that_was_killed_goes_on(wire, tmp_path, marked):
    program = (
        "import sys; from nearcopy.batch.local import deduplicate\n"
        "if __name__ == '__main__':\n"
        f"    deduplicate(CorpusJob({str(wire)!r}, {str(tmp_path / 'out')!r}, jobs=2))\n"
    )
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, str(tmp_path / "program.py")]
    for wait in (0.4, 0.6, 0.8):
        process = subprocess.Popen(command, start_new_session=True)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 60
    while subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        assert time.monotonic() < deadline  # an orphan may hold the folder for a moment
    assert (tmp_path / "out" / "wire.jsonl").read_bytes() == marked


def test_what_is_damaged_is_made_anew(small, marked, monkeypatch):
    monkeypatch.setattr(pipeline, "publish", lambda _: (_ for _ in ()).throw(Stop))
    with pytest.raises(Stop):
        deduplicate(small)
    for path in [*small.paths.work.rglob("*.pack"), *small.paths.work.rglob("*.jsonl")]:
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
    monkeypatch.undo()
    deduplicate(small)
    assert (small.paths.output / "wire.jsonl").read_bytes() == marked


def test_work_on_something_else_is_not_gone_on_with(small, monkeypatch):
    monkeypatch.setattr(pipeline, "publish", lambda _: (_ for _ in ()).throw(Stop))
    with pytest.raises(Stop):
        deduplicate(small)
    monkeypatch.undo()
    with pytest.raises(BadCorpus, match="other settings"):
        deduplicate(replace(small, policy=replace(small.policy, near_overlap=0.9)))


def test_work_that_was_stopped_before_it_began_goes_on(small, marked, monkeypatch):
    monkeypatch.setattr(work_folder, "write_json", lambda *_: (_ for _ in ()).throw(Stop))
    with pytest.raises(Stop):
        deduplicate(small)
    assert small.paths.work.exists()
    (small.paths.work / ".job.json.ab_c1234.part").write_text("{")
    monkeypatch.undo()
    deduplicate(small)
    assert (small.paths.output / "wire.jsonl").read_bytes() == marked
    assert not small.paths.work.exists()


@pytest.mark.parametrize("name", ["notes.txt", "rows", "job.json", "store-1.jsonl"])
def test_work_is_not_done_among_the_files_of_others(wire, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("mine")
    with pytest.raises(BadCorpus, match=f"mine holds {name}, .* --work"):
        deduplicate(CorpusJob(wire, tmp_path / "out", work=tmp_path / "mine"))
    assert [each.name for each in tmp_path.rglob("*")] == ["mine", name]
    assert (tmp_path / "mine" / name).read_text() == "mine"


@pytest.mark.parametrize("place", ["work", "work/out.jsonl", "work/deep/out.jsonl"])
def test_what_is_written_does_not_go_with_the_work(wire, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadCorpus, match=f"{place} is in the work folder work"):
        deduplicate(CorpusJob(wire, place, work="work"))
    with pytest.raises(BadCorpus, match=f"{place} is in the work folder work"):
        deduplicate(CorpusJob(wire, "out", work="work", rejected=place))
    assert not list(tmp_path.iterdir())


def test_what_others_put_beside_the_work_stays(wire, tmp_path):
    work = tmp_path / "work"
    work.mkdir()

    def put(stage: str, *_: int) -> None:
        if stage == "writing":
            (work / "mine.txt").write_text("mine")

    deduplicate(CorpusJob(wire, tmp_path / "out", work=work), put)
    assert [each.name for each in work.iterdir()] == ["mine.txt"]


def test_files_that_change_meanwhile_are_noticed(wire, tmp_path):
    copy = tmp_path / "in.jsonl"
    copy.write_bytes(wire.read_bytes())
    job = CorpusJob(copy, tmp_path / "out")
    assert len(job.sources) == 1  # found before the change
    os.utime(copy, (1, 1))
    with pytest.raises(BadCorpus, match="has changed"):
        deduplicate(job)


def test_what_was_written_can_be_verified(wire, tmp_path):
    deduplicate(CorpusJob(wire, tmp_path / "out"))
    assert verify(tmp_path / "out") == []
    with (tmp_path / "out" / "wire.jsonl").open("ab") as file:
        file.write(b"{}\n")
    assert verify(tmp_path / "out") == ["wire.jsonl"]


# Files.


def test_every_row_is_as_it_was_and_marked(wire, marked):
    before, after = wire.read_bytes().splitlines(), marked.splitlines()
    assert len(before) == len(after)
    assert all(b.startswith(a.rstrip()[:-1]) for a, b in zip(before, after, strict=True))
    row = json.loads(after[0])
    assert list(row)[-5:] == ["relation", "is_duplicate", "duplicate_of", "story_id", "overlap"]


def test_a_clean_corpus_has_what_is_kept_as_it_was(wire, tmp_path, marked):
    found = deduplicate(CorpusJob(wire, tmp_path / "out", form="clean"))
    kept = [not json.loads(line)["is_duplicate"] for line in marked.splitlines()]
    lines = zip(wire.read_bytes().splitlines(), kept, strict=True)
    expected = [line for line, stays in lines if stays]
    assert (tmp_path / "out" / "wire.jsonl").read_bytes().splitlines() == expected
    assert found.kept == len(expected)


def shards(folder: Path, articles: list[Article]) -> None:
    """The articles in files of many kinds."""
    rows = lines(articles)
    folder.mkdir()
    (folder / "sub").mkdir()
    (folder / "sub" / "a.jsonl").write_text("".join(rows[:50]))
    with gzip.open(folder / "b.jsonl.gz", "wt") as file:
        file.write("".join(rows[50:120]))
    values = [json.loads(row) for row in rows[120:]]
    names = list(dict.fromkeys(name for row in values for name in row))
    with (folder / "c.csv").open("w", newline="") as table:
        writer = csv.DictWriter(table, names)
        writer.writeheader()
        writer.writerows(values[:80])
    (folder / "d.json").write_text(json.dumps(values[80:]))
    (folder / "notes.txt").write_text("no articles")


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_folders_of_any_files_keep_their_layout(tmp_path, preset):
    articles = ARTICLES[:260]
    shards(tmp_path / "in", articles)
    one = tmp_path / "one.jsonl"
    order = [*range(50, 120), *range(120, 200), *range(200, 260), *range(50)]
    one.write_text("".join(lines([articles[place] for place in order])))
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    deduplicate(CorpusJob(one, tmp_path / "single", **settings))
    expected = {row["id"]: row for row in read(tmp_path / "single" / "one.jsonl")}
    found = deduplicate(CorpusJob(tmp_path / "in", tmp_path / "out", **settings))
    assert [shard.name for shard in found.shards] == [
        "b.jsonl.gz",
        "c.csv",
        "d.json",
        "sub/a.jsonl",
    ]
    rows = read(tmp_path / "out" / "sub" / "a.jsonl")
    packed = gzip.decompress((tmp_path / "out" / "b.jsonl.gz").read_bytes())
    rows += map(json.loads, packed.splitlines())
    rows += json.loads((tmp_path / "out" / "d.json").read_text())
    for row in rows:
        assert row["duplicate_of"] == expected[row["id"]]["duplicate_of"]
        assert row["story_id"] == expected[row["id"]]["story_id"]
    with (tmp_path / "out" / "c.csv").open(encoding="utf-8-sig", newline="") as table:
        for row in csv.DictReader(table):
            assert row["story_id"] == expected[row["id"]]["story_id"]
            assert row["duplicate_of"] == (expected[row["id"]]["duplicate_of"] or "")


def test_ids_that_come_again_get_one_of_their_own(tmp_path):
    rows = [{"id": "a", "text": "one"}, {"id": "a", "text": "two"}, {"id": "a#2", "text": "three"}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    assert [row["id"] for row in read(tmp_path / "out" / "in.jsonl")] == ["a", "a#3", "a#2"]
    assert found.repeated_ids == 1


def test_rows_without_an_id_get_one_and_marks_are_made_anew(tmp_path):
    rows = [
        {"text": "no id here at all"},
        {"id": 7, "text": "a number", "relation": "mine", "overlap": 3},
        {"id": "x", "text": 'no "id" here at all', "more": [1.5, None]},
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    first, second, third = read(tmp_path / "out" / "in.jsonl")
    assert first["id"].startswith("t-")
    assert second["id"] == 7
    assert second["relation"] == "distinct"
    assert third["duplicate_of"] == first["id"]
    assert third["more"] == [1.5, None]


def test_odd_lines_are_read_as_they_are_elsewhere(tmp_path):
    odd = [
        '\ufeff{"id": "a", "text": "x y"}  \r\n',
        "\n",
        '{"id": "b", "text": "half \\ud800 a pair"}\n',
        '{"id": "c", "text": "no number", "n": NaN}\n',
        '{"id": 123456789012345678901234567890, "text": "x y"}',
    ]
    (tmp_path / "in.jsonl").write_bytes("".join(odd).encode("utf-8"))
    deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    rows = read(tmp_path / "out" / "in.jsonl")
    assert [row["id"] for row in rows] == ["a", "b", "c", 123456789012345678901234567890]
    assert rows[3]["duplicate_of"] == "a"


def test_rows_that_are_no_articles_stop_it_or_are_put_aside(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n[]\n{"id": "b", "text": 5}\n')
    with pytest.raises(BadCorpus, match=r"2 of 3 rows .*\n.*in.jsonl:2: expected an object"):
        deduplicate(CorpusJob(path, tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    found = deduplicate(CorpusJob(path, tmp_path / "out", rejected=tmp_path / "bad.jsonl"))
    assert [row["line"] for row in read(tmp_path / "bad.jsonl")] == [2, 3]
    assert found.rows == 1


def test_nothing_is_read_from_nothing(tmp_path):
    (tmp_path / "in.jsonl").write_text("")
    found = deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    assert found.rows == 0
    assert (tmp_path / "out" / "in.jsonl").read_text() == ""


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_copies_of_another_corpus_are_copies(tmp_path, preset):
    known, new = tmp_path / "known.jsonl", tmp_path / "new.jsonl"
    known.write_text("".join(lines(ARTICLES[:100])))
    later = [replace(each, id=f"new {each.id}", published=None, url=None) for each in ARTICLES]
    new.write_text("".join(lines(later[:50] + later[100:150])))
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    found = deduplicate(CorpusJob(new, tmp_path / "out", reference=known, **settings))
    rows = read(tmp_path / "out" / "new.jsonl")
    assert found.rows == len(rows) == 100
    assert all(row["is_duplicate"] for row in rows[:50])
    assert all(not row["duplicate_of"].startswith("new") for row in rows[:50])
    assert not all(row["is_duplicate"] for row in rows[50:])


def test_copies_of_what_a_store_has_are_copies(tmp_path):
    store = tmp_path / "seen.db"
    with Deduper(f"sqlite:///{store}") as deduper:
        list(deduper.run(ARTICLES[:40]))
    new = tmp_path / "new.jsonl"
    later = [replace(each, id=f"new {each.id}") for each in ARTICLES[:60]]
    new.write_text("".join(lines(later)))
    deduplicate(CorpusJob(new, tmp_path / "out", reference=store))
    rows = read(tmp_path / "out" / "new.jsonl")
    assert all(not row["duplicate_of"].startswith("new") for row in rows[:40])
    assert not all(row["is_duplicate"] for row in rows[40:])


@pytest.fixture
def stores(tmp_path) -> tuple[Path, Path]:
    """A store with ten articles, and one with the next ten."""
    made = tmp_path / "a.db", tmp_path / "b.db"
    fill(made[0], ARTICLES[:10])
    fill(made[1], ARTICLES[10:20])
    return made


def fill(store: Path, articles: list[Article]) -> None:
    with Deduper(f"sqlite:///{store}") as deduper:
        list(deduper.run(articles))


@pytest.fixture
def new(tmp_path) -> Path:
    """What the stores have, under other ids."""
    path = tmp_path / "new.jsonl"
    path.write_text("".join(lines([replace(each, id=f"new {each.id}") for each in ARTICLES[:20]])))
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


def test_a_store_is_read_as_it_is_now_where_nothing_was_begun(tmp_path, stores, new):
    (tmp_path / "out.jsonl").write_text("last week's")
    words = ["corpus", str(new), "-o", str(tmp_path / "out.jsonl"), "--reference", str(stores[0])]
    assert "already exists" in CliRunner().invoke(app, words).stderr
    fill(stores[0], ARTICLES[10:20])
    assert CliRunner().invoke(app, [*words, "--yes", "--quiet", "-j", "1"]).exit_code == 0
    assert all(known(tmp_path / "out.jsonl"))


def test_work_that_goes_on_compares_with_what_the_store_had(tmp_path, stores, new, monkeypatch):
    stop(monkeypatch, new, tmp_path / "out", reference=stores[0])
    fill(stores[0], ARTICLES[10:20])
    deduplicate(CorpusJob(new, tmp_path / "out", reference=f"sqlite:///{stores[0]}"))
    assert not all(known(tmp_path / "out" / "new.jsonl"))
    assert not (tmp_path / ".out.nearcopy").exists()


def test_work_against_one_store_does_not_go_on_against_another(tmp_path, stores, new, monkeypatch):
    stop(monkeypatch, new, tmp_path / "out", reference=stores[0])
    with pytest.raises(BadCorpus, match="other files"):
        deduplicate(CorpusJob(new, tmp_path / "out", reference=stores[1]))


def test_what_is_compared_with_is_not_written_over(tmp_path, stores, new):
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


def test_a_store_does_not_go_with_the_work(tmp_path, stores, new, monkeypatch):
    work = tmp_path / "work"
    stop(monkeypatch, new, tmp_path / "out", work=work)
    stores[0].rename(work / "a.db")
    for reference in (work / "a.db", f"sqlite:///{work}/a.db"):
        with pytest.raises(BadCorpus, match="overwritten"):
            deduplicate(CorpusJob(new, tmp_path / "out", work=work, reference=reference))


def test_a_sample_is_some_of_the_rows(wire, tmp_path):
    found = deduplicate(CorpusJob(wire, tmp_path / "out", sample=0.1))
    assert 0.05 * COUNT < found.rows < 0.2 * COUNT


def test_what_is_read_is_not_written_over(wire, tmp_path):
    for output in (wire, wire.parent):
        with pytest.raises(NearcopyError, match="overwritten"):
            deduplicate(CorpusJob(wire, output))
    with pytest.raises(NearcopyError, match="there is no"):
        deduplicate(CorpusJob(tmp_path / "none.jsonl", tmp_path / "out"))


@pytest.mark.parametrize("name", ["in.jsonl", "link.jsonl", "lines.jsonl"])
def test_rejected_rows_do_not_replace_what_is_read(tmp_path, name):
    path, lines = tmp_path / "in.jsonl", tmp_path / "lines.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n[]\n')
    lines.write_text("")
    (tmp_path / "link.jsonl").symlink_to(path)
    with pytest.raises(BadCorpus, match="overwritten"):
        deduplicate(CorpusJob(path, tmp_path / "out", boilerplate=lines, rejected=tmp_path / name))
    assert len(path.read_text().splitlines()) == 2


def test_rejected_rows_do_not_replace_the_output(wire, tmp_path):
    place = tmp_path / "out.jsonl"
    with pytest.raises(BadCorpus, match="both output and rejected rows: name two"):
        deduplicate(CorpusJob(wire, place, rejected=place))


def test_files_are_looked_up_once_each(tmp_path, monkeypatch):
    for number in range(30):
        (tmp_path / f"{number}.jsonl").write_text("{}\n")
    looked_up, resolve = [], Path.resolve
    monkeypatch.setattr(Path, "resolve", lambda self: looked_up.append(self) or resolve(self))
    assert len(find_inputs([str(tmp_path)])) == 30
    assert len(looked_up) == 30
    with pytest.raises(BadCorpus, match="named twice"):
        find_inputs([str(tmp_path), str(tmp_path / "7.jsonl")])


# What it would take, and lines to leave out.


def test_an_estimate_is_of_all_rows(wire, tmp_path):
    found = estimate(CorpusJob(wire, tmp_path / "out"))
    assert found.rows == found.sampled == COUNT
    assert found.disk > found.output > 0
    assert found.seconds > 0
    assert 0 < found.duplicates < 1
    assert not list(tmp_path.iterdir())


def page(name: str, text: str, host: str = "example.org", **more) -> Article:
    return Article(id=name, url=f"https://{host}/{name}", text=text, **more)


PAGES = [
    page("a", "Menu of the day\nThe harbour froze\nUpdated 3 hours ago"),
    page("b", "MENU of the day\r\nThe mayor resigned\nUpdated 12 hours ago"),
    page("c", "Trains run again\nMenu of the day\nMenu of the day"),
    page("d", "<p>Menu of the day</p><p>Updated 1 hours ago</p>", html=True),
    page("e", "Menu of the day\nThe harbour froze", "example.net"),
    Article(id="f", text="Menu of the day"),
]


def test_lines_of_many_pages_of_a_host_are_boilerplate():
    found = list(repeated(PAGES, line_counts(PAGES)))
    assert found == [
        Repeated("example.org", "Menu of the day", 4),
        Repeated("example.org", "Updated 3 hours ago", 3),
    ]
    lines = Boilerplate(found)
    assert [lines.strip_from(each) for each in PAGES[:3]] == [
        "The harbour froze",
        "The mayor resigned",
        "Trains run again",
    ]
    assert lines.strip_from(PAGES[3]).strip() == ""
    assert [lines.strip_from(each) for each in PAGES[4:]] == [each.text for each in PAGES[4:]]


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_lines_are_left_out_of_what_is_compared(tmp_path, preset):
    notice = " ".join(f"notice{number}" for number in range(60))
    pages = [page(f"p{n}", f"{notice}\nown{n} words{n} of{n} this{n} page{n}") for n in range(5)]
    path, kept = tmp_path / "in.jsonl", tmp_path / "lines.jsonl"
    path.write_text("".join(lines(pages)))
    write_lines(kept, repeated(pages, line_counts(pages)))
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    assert deduplicate(CorpusJob(path, tmp_path / "with", **settings)).duplicates == 4
    assert (
        deduplicate(CorpusJob(path, tmp_path / "without", boilerplate=kept, **settings)).duplicates == 0
    )
    assert read(tmp_path / "without" / "in.jsonl")[0]["text"] == pages[0].text


def test_other_files_are_no_lines(tmp_path):
    (tmp_path / "lines.jsonl").write_text('{"host": "x"}\n')
    with pytest.raises(BadCorpus, match=r"lines.jsonl:1: not a boilerplate line"):
        read_lines(tmp_path / "lines.jsonl")


@pytest.mark.parametrize("read", ["in.jsonl", ".", "*.jsonl"])
def test_lines_do_not_replace_the_pages_they_are_of(tmp_path, monkeypatch, read):
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(lines(PAGES)))
    result = CliRunner().invoke(app, ["boilerplate", read, "-o", "in.jsonl"])
    assert result.exit_code == 2
    assert "in.jsonl is also read: write to another file" in result.stderr
    assert Path("in.jsonl").read_text() == "".join(lines(PAGES))


# The command.


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["corpus", *map(str, words)])


def test_the_command_tells_what_became_of_every_row(run, wire):
    result = run(wire, "-o", "out", "--json", "-j", 1)
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stderr.splitlines()[-1])
    assert told["rows"] == told["kept"] + told["duplicates"] == COUNT
    assert sum(told["relations"].values()) == COUNT


def test_the_command_does_not_replace_what_is_there(run, wire):
    Path("out").mkdir()
    Path("out/mine").write_text("")
    assert "already exists" in run(wire, "-o", "out").stderr
    assert run(wire, "-o", "out", "--yes", "--quiet", "-j", 1).exit_code == 0
    assert run(wire, "-o", "one.jsonl", "--quiet", "-j", 1).exit_code == 0
    assert Path("one.jsonl").read_bytes() == Path("out/wire.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "odd"), "choose one of annotations, clean"),
        (("--memory", "much"), "is not a size"),
        (("--memory", "1MB"), "at least 256 MB"),
        (("--sample", "2"), "above 0, at most 1"),
        (("--reference", "none.jsonl"), "none.jsonl does not exist"),
        (("--preset", "copis"), "did you mean copies?"),
    ],
)
def test_the_command_says_what_is_wrong(run, wire, words, said):
    result = run(wire, "-o", "out", *words)
    assert result.exit_code == 2
    assert said in result.stderr
