"""The output: every row in its place, with its annotation."""

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.corpora import ARTICLES, lines, read

from nearcopy import POLICIES, RECIPES, Article
from nearcopy.batch.local import (
    CorpusJob,
    deduplicate,
    verify,
)
from nearcopy.errors import BadCorpus, TooManyDuplicates
from nearcopy.io.serializers import VERDICT_COLUMNS

TEXT = " ".join(f"The harbour office counted {n} ships on day {n}." for n in range(12))


def test_output_files_can_be_verified(wire, tmp_path):
    deduplicate(CorpusJob(wire, tmp_path / "out"))
    assert verify(tmp_path / "out") == []
    with (tmp_path / "out" / "wire.jsonl").open("ab") as file:
        file.write(b"{}\n")
    assert verify(tmp_path / "out") == ["wire.jsonl"]


def test_every_row_is_unchanged_but_for_its_annotation(wire, annotated):
    before, after = wire.read_bytes().splitlines(), annotated.splitlines()
    assert len(before) == len(after)
    assert all(b.startswith(a.rstrip()[:-1]) for a, b in zip(before, after, strict=True))
    row = json.loads(after[0])
    assert list(row)[-len(VERDICT_COLUMNS) :] == list(VERDICT_COLUMNS)


def test_a_clean_corpus_holds_the_kept_rows_unchanged(wire, tmp_path, annotated, settings):
    removed = tmp_path / "removed"
    job = CorpusJob(wire, tmp_path / "out", form="clean", removed=removed, **settings)
    summary = deduplicate(job, confirm=lambda _: True)
    kept = [not json.loads(line)["is_duplicate"] for line in annotated.splitlines()]
    lines = zip(wire.read_bytes().splitlines(), kept, strict=True)
    expected = [line for line, stays in lines if stays]
    assert (tmp_path / "out" / "wire.jsonl").read_bytes().splitlines() == expected
    assert summary.kept == len(expected)
    copies = zip(annotated.splitlines(), kept, strict=True)
    assert (removed / "wire.jsonl").read_bytes().splitlines() == [
        line for line, stays in copies if not stays
    ]


def test_a_large_removal_is_to_be_confirmed(tmp_path):
    rows = [{"id": str(number), "text": TEXT} for number in range(9)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    job = CorpusJob(tmp_path / "in.jsonl", tmp_path / "out", form="clean")
    with pytest.raises(TooManyDuplicates, match=r"8 of 9 articles are duplicates .*nothing was"):
        deduplicate(job)
    assert not (tmp_path / "out").exists()
    summary = deduplicate(job, confirm=lambda warning: "8 of 9" in warning)
    assert (summary.kept, summary.largest_story.members) == (1, 9)
    assert summary.warning is not None
    assert deduplicate(replace(job, form="annotations")).warning == summary.warning


def test_removed_rows_need_a_clean_corpus(wire, tmp_path):
    with pytest.raises(BadCorpus, match="--removed needs --format clean"):
        CorpusJob(wire, tmp_path / "out", removed=tmp_path / "removed")


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
def test_folders_of_all_formats_keep_their_layout(tmp_path, preset):
    articles = ARTICLES[:260]
    shards(tmp_path / "in", articles)
    one = tmp_path / "one.jsonl"
    order = [*range(50, 120), *range(120, 200), *range(200, 260), *range(50)]
    one.write_text("".join(lines([articles[place] for place in order])))
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    deduplicate(CorpusJob(one, tmp_path / "single", **settings))
    expected = {row["id"]: row for row in read(tmp_path / "single" / "one.jsonl")}
    summary = deduplicate(CorpusJob(tmp_path / "in", tmp_path / "out", **settings))
    assert [shard.name for shard in summary.shards] == [
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


def test_repeated_ids_become_unique(tmp_path):
    rows = [{"id": "a", "text": "one"}, {"id": "a", "text": "two"}, {"id": "a#2", "text": "three"}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary = deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    assert [row["id"] for row in read(tmp_path / "out" / "in.jsonl")] == ["a", "a#2", "a#2#2"]
    assert summary.repeated_ids == 2


def test_rows_without_an_id_get_one_and_earlier_annotations_are_replaced(tmp_path):
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


def test_irregular_lines_are_read_as_by_other_commands(tmp_path):
    odd = [
        '\ufeff{"id": "a", "text": "x y"}  \r\n',
        "\n",
        '{"id": "b", "text": "half \\ud800 a pair"}\n',
        '{"id": "c", "text": "no number", "n": NaN}\n',
        '{"id": 123456789012345678901234567890, "text": "x y"}',
    ]
    (tmp_path / "in.jsonl").write_bytes("".join(odd).encode("utf-8"))
    settings = {"recipe": RECIPES["copies"], "policy": POLICIES["copies"]}
    deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out", **settings))
    rows = read(tmp_path / "out" / "in.jsonl")
    assert [row["id"] for row in rows] == ["a", "b", "c", 123456789012345678901234567890]
    assert rows[0]["duplicate_of"] == str(rows[3]["id"])  # of undated copies the first by id


def test_rejected_rows_stop_the_job_or_are_set_aside(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n[]\n{"id": "b", "text": 5}\n')
    with pytest.raises(BadCorpus, match=r"2 of 3 rows .*\n.*in.jsonl:2: expected an object"):
        deduplicate(CorpusJob(path, tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    summary = deduplicate(CorpusJob(path, tmp_path / "out", rejected=tmp_path / "bad.jsonl"))
    assert [row["line"] for row in read(tmp_path / "bad.jsonl")] == [2, 3]
    assert summary.rows == 1


def test_an_empty_file_has_no_rows(tmp_path):
    (tmp_path / "in.jsonl").write_text("")
    summary = deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out"))
    assert summary.rows == 0
    assert (tmp_path / "out" / "in.jsonl").read_text() == ""


def test_rejected_rows_do_not_overwrite_the_output(wire, tmp_path):
    place = tmp_path / "out.jsonl"
    with pytest.raises(BadCorpus, match="both output and removed or rejected rows: name others"):
        deduplicate(CorpusJob(wire, place, rejected=place))
