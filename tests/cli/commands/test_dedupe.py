"""`nearcopy dedupe`: every row comes back beside its verdict, and nothing goes unseen."""

import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app
from nearcopy.deduper.deduper import Deduper
from nearcopy.io.files import open_sources, open_writer, read
from nearcopy.io.serializers import VERDICT_COLUMNS

WIRE = Path(__file__).parents[3] / "examples" / "wire.jsonl"
FERRY = (
    "A ferry with forty people aboard ran onto a sandbank off Port Calder on Monday and was towed "
    "free at high water, the harbour master said. Nobody was hurt. The boat will be lifted out for "
    "inspection, and crossings to the island are served by a smaller vessel until the weekend, the "
    "operator announced. "
)
MUSEUM = (
    "The town museum of Hallin reopens in spring with a hall for its collection of clocks, most of "
    "which have not been shown since the flood. Admission stays free for those who live in the "
    "valley, and the old tower mechanism will strike the hours again after decades of silence. "
)
ROWS = [
    {"id": "a", "title": "Ferry runs aground off Port Calder", "text": FERRY, "views": 5},
    {"id": "b", "title": "Hallin museum shows its clocks", "text": MUSEUM},
    {"id": "c", "title": "Ferry runs aground off Port Calder", "text": FERRY, "rule": "house"},
]


@pytest.fixture
def run():
    return lambda *words, **more: CliRunner().invoke(app, ["dedupe", *map(str, words)], **more)


@pytest.fixture
def put(tmp_path):
    """A file with these rows."""

    def write(name, rows=ROWS):
        with open_writer(tmp_path / name) as out:
            for row in rows:
                out.write(row)
        return tmp_path / name

    return write


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def values(path):
    with open_sources([str(path)]) as (source,):
        return [row.values for row in read(source)]


def test_every_row_is_written_in_order_with_its_verdict(run):
    result = run(WIRE)
    assert result.exit_code == 0, result.stderr
    before, after = lines(WIRE.read_text(encoding="utf-8")), lines(result.stdout)
    assert [row["id"] for row in after] == [row["id"] for row in before]
    assert all(set(VERDICT_COLUMNS) <= row.keys() for row in after)
    for old, new in zip(before, after, strict=True):
        assert {name: new[name] for name in old} == old
    kept = {row["id"] for row in after if not row["is_duplicate"]}
    assert all(
        (row["duplicate_of"] is None) if row["id"] in kept else (row["duplicate_of"] in kept)
        for row in after
    )
    assert f"= read {len(before)}" in result.stderr


def test_the_verdicts_are_those_of_the_library(run):
    with open_sources([str(WIRE)]) as (source,), Deduper() as deduper:
        articles = [row.article for row in read(source)]
        list(deduper.run(articles))
        verdicts = [(v.relation, v.duplicate_of) for v in deduper.verdicts(a.id for a in articles)]
    rows = lines(run(WIRE).stdout)
    assert [(row["relation"], row["duplicate_of"]) for row in rows] == verdicts


def test_verdict_columns_replace_input_columns_of_the_same_name(run, put):
    rows = lines(run(put("a.jsonl")).stdout)
    assert [row["rule"] for row in rows] == ["kept", "nothing-in-common", "identical-text"]
    assert [row["duplicate_of"] for row in rows] == [None, None, "a"]
    assert rows[0]["views"] == 5
    assert list(rows[2])[-len(VERDICT_COLUMNS) :] == list(VERDICT_COLUMNS)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.tsv", "a.parquet", "a.csv.gz"])
def test_the_output_format_follows_the_file_name(run, put, tmp_path, name):
    out = tmp_path / f"out.{name}"
    assert run(put(name), "-o", out).exit_code == 0
    assert [row["id"] for row in values(out)] == ["a", "b", "c"]
    assert str(values(out)[2]["is_duplicate"]).lower() == "true"


@pytest.mark.parametrize("flag", ["-o", "--removed"])
def test_an_unknown_file_suffix_is_refused(run, put, tmp_path, flag):
    out = tmp_path / "out.xlsx"
    result = run(put("a.jsonl"), "--apply", flag, out)
    assert result.exit_code == 2
    assert ".xlsx is not an output format: use one of the suffixes .jsonl" in result.stderr
    assert "--format" in result.stderr
    assert not out.exists()
    assert run(put("a.jsonl"), "--apply", flag, out, "--format", "csv").exit_code == 0
    assert out.read_bytes().removeprefix(b"\xef\xbb\xbf").startswith(b"id,")


def test_a_file_with_any_suffix_is_cleaned_in_place_in_its_format(run, put, tmp_path):
    path = Path(put("a.jsonl")).rename(tmp_path / "a.txt")
    assert run(path, "--apply", "-o", path).exit_code == 0
    assert [row["id"] for row in lines(path.read_text("utf-8"))] == ["a", "b"]


def test_a_table_has_all_columns_with_the_verdict_last(run, put, tmp_path):
    rows = [*ROWS, {"id": "d", "text": "Short.", "late": "x"}]
    files = ["-o", tmp_path / "kept.csv", "--removed", tmp_path / "gone.csv"]
    assert run(put("a.jsonl", rows[1:]), "--apply", *files).exit_code == 0
    header = ["id", "title", "text", "late", *VERDICT_COLUMNS]
    for name in ("kept.csv", "gone.csv"):  # nothing is in the second
        with (tmp_path / name).open(encoding="utf-8-sig", newline="") as file:
            assert next(csv.reader(file)) == header


def test_without_a_known_suffix_the_input_format_is_used(run, put, tmp_path):
    run(put("a.csv"), "-o", tmp_path / "out")
    with (tmp_path / "out").open(encoding="utf-8-sig", newline="") as file:
        assert [row["duplicate_of"] for row in csv.DictReader(file)] == ["", "", "a"]


def test_stdout_is_json_lines_unless_another_format_is_given(run, put):
    assert lines(run(put("a.csv")).stdout)[2]["duplicate_of"] == "a"
    shown = run(put("a.jsonl"), "--format", "csv").stdout
    assert shown.startswith("id,title,text,views,relation")
    assert run(put("a.jsonl"), "--format", "xls").exit_code == 2


def test_stdin_and_several_files(run, put):
    packed = gzip.compress(put("a.csv", ROWS[:1]).read_bytes())
    rows = lines(run("-", put("b.jsonl", ROWS[1:]), input=packed).stdout)
    assert [row["duplicate_of"] for row in rows] == [None, None, "a"]


def test_stdin_may_differ_in_format_from_stdout(run, put):
    result = run("-", "--format", "csv", input=put("a.jsonl").read_bytes())
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("id,title")


def test_fields_can_be_named(run, put):
    rows = [{"key": row["id"], "tale": row["text"], "text": "x"} for row in ROWS]
    path = put("a.jsonl", rows)
    marked_rows = lines(run(path, "--text-field", "tale", "--id-field", "key").stdout)
    assert [row["duplicate_of"] for row in marked_rows] == [None, None, "a"]
    assert "id" not in marked_rows[0]
    refused = run(path, "--text-field", "saga")
    assert refused.exit_code == 2
    assert "its columns are key, tale, text" in refused.stderr


def test_rows_without_an_id_get_one(run, put):
    rows = lines(run(put("a.jsonl", [{"text": row["text"]} for row in ROWS])).stdout)
    assert rows[0]["id"].startswith("t-")
    assert rows[2]["id"] == rows[0]["id"] + "#2"
    assert rows[2]["duplicate_of"] == rows[0]["id"]
    assert next(iter(rows[0])) == "id"


def test_repeated_ids_are_numbered(run, put):
    result = run(put("a.jsonl", [{**row, "id": 7} for row in ROWS]), "--json")
    assert [row["id"] for row in lines(result.stdout)] == [7, "7#2", "7#3"]
    assert json.loads(result.stderr)["repeated_ids"] == 2


# Removing.


def test_apply_writes_kept_and_removed_rows(run, put, tmp_path):
    out, removed = tmp_path / "kept.jsonl", tmp_path / "removed.csv"
    result = run(put("a.jsonl"), "--apply", "-o", out, "--removed", removed)
    assert result.exit_code == 0, result.stderr
    assert [row["id"] for row in values(out)] == ["a", "b"]
    assert [row["id"] for row in values(removed)] == ["c"]
    assert "kept 2 + removed 1 + rejected 0 = read 3" in result.stderr


def test_a_file_can_be_cleaned_in_place(run, put):
    path = put("a.jsonl")
    assert run(path, "--apply", "-o", path).exit_code == 0
    assert [row["id"] for row in values(path)] == ["a", "b"]


@pytest.mark.parametrize(
    "words", [["--removed", "r.jsonl"], ["--merge"], ["-o", "x.jl", "--rejected", "x.jl"]]
)
def test_conflicting_options_are_refused(run, put, words):
    result = run(put("a.jsonl"), *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


def test_merge_fills_the_kept_copy_from_its_duplicates(run, put):
    rows = [
        {"id": "a", "title": "Ferry runs aground", "text": FERRY, "author": ""},
        {"id": "b", "title": "Ferry runs aground", "text": FERRY, "author": "I. Tarrow", "page": 3},
    ]
    (kept,) = lines(run(put("a.jsonl", rows), "--apply", "--merge", "--yes").stdout)
    assert (kept["id"], kept["author"], kept["page"], kept["copies"]) == (
        "a",
        "I. Tarrow",
        3,
        ["b"],
    )


MOSTLY_COPIES = [{**ROWS[0], "id": str(n)} for n in range(4)]


def test_the_guard_stops_before_anything_is_written(run, put, tmp_path):
    path, out = put("a.jsonl", MOSTLY_COPIES), tmp_path / "out.jsonl"
    stopped = run(path, "--apply", "-o", out, "--removed", tmp_path / "r.jsonl")
    assert stopped.exit_code == 3
    assert "3 of 4 articles are duplicates (75%)" in stopped.stderr
    assert "--yes" in stopped.stderr
    assert stopped.stdout == ""
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    assert run(path, "--apply").stdout == ""
    assert run(path, "--apply", "--yes", "-o", out).exit_code == 0
    assert len(values(out)) == 1


def test_the_guard_says_whether_a_store_was_changed(run, put, tmp_path):
    path, store = put("a.jsonl", MOSTLY_COPIES), tmp_path / "seen.db"
    assert "(75%): nothing was written; confirm" in run(path, "--apply").stderr
    stopped = run(path, "--apply", "--store", store)
    assert stopped.exit_code == 3
    assert "(75%): no file was written, but the store was filled; confirm" in stopped.stderr
    with Deduper(f"sqlite:///{store}") as deduper:
        assert deduper.stats().articles == 4


def test_without_apply_the_guard_only_warns(run, put):
    result = run(put("a.jsonl", MOSTLY_COPIES))
    assert result.exit_code == 0
    assert "warning: 3 of 4" in result.stderr
    assert len(lines(result.stdout)) == 4


def test_an_oversized_story_stops_the_run(run, put, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text("max_story_size = 2\n")
    rows = [*MOSTLY_COPIES[:3], *({**ROWS[1], "id": f"m{n}", "title": ""} for n in range(1))]
    rows += [{"id": f"x{n}", "text": f"{word} " * 60} for n, word in enumerate("pqrs")]
    stopped = run(put("a.jsonl", rows), "--apply", "--policy", policy)
    assert stopped.exit_code == 3
    assert "the story of 0" in stopped.stderr
    assert "--yes" in stopped.stderr


# Rejected rows.


@pytest.fixture
def spoilt(put):
    path = put("a.jsonl")
    content = path.read_text() + '{"id": "d", "date": "soon"}\n{"broken\n\n{"note": 1}\n'
    path.write_text(content)
    return path


def test_rejected_rows_stop_the_run_with_their_places(run, spoilt, tmp_path):
    result = run(spoilt, "-o", tmp_path / "out.jsonl", "--store", tmp_path / "seen.db")
    assert result.exit_code == 2
    assert "a.jsonl:4: published is not a time" in result.stderr
    assert "a.jsonl:5: not JSON" in result.stderr
    assert "a.jsonl:7: neither an id" in result.stderr
    assert "3 of 6 rows are not articles" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_only_the_first_rejected_rows_are_listed(run, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{\n" * 50)
    result = run(path)
    assert "a.jsonl:20: " in result.stderr
    assert "a.jsonl:21: " not in result.stderr
    assert "and 30 more" in result.stderr


def test_rejected_rows_can_be_set_aside(run, spoilt, tmp_path):
    rejected = tmp_path / "rejected.jsonl"
    result = run(spoilt, "--apply", "--rejected", rejected)
    assert result.exit_code == 0
    assert "kept 2 + removed 1 + rejected 3 = read 6" in result.stderr
    rejects = lines(rejected.read_text())
    assert [row["line"] for row in rejects] == [4, 5, 7]
    assert [row["raw"] for row in rejects] == [{"id": "d", "date": "soon"}, '{"broken', {"note": 1}]
    assert all(row["why"] and row["file"] == str(spoilt) for row in rejects)


# Stores, settings, messages.


def test_a_store_persists_between_runs(run, put, tmp_path):
    store = ["--store", tmp_path / "seen.db"]
    first = lines(run(put("a.jsonl", ROWS[:1]), *store).stdout)
    second = lines(run(put("b.jsonl", ROWS[1:]), *store).stdout)
    assert not first[0]["is_duplicate"]
    assert [row["duplicate_of"] for row in second] == [None, "a"]
    assert second[1]["story_id"] == first[0]["story_id"]


def test_a_second_run_gives_the_same_verdicts(run, put, tmp_path):
    path, store = put("a.jsonl"), ["--store", tmp_path / "seen.db"]
    assert run(path, *store).stdout == run(path, *store).stdout == run(path).stdout


def test_the_window_and_the_kept_copy_are_chosen_by_options(run, put):
    days = [{**ROWS[0], "id": f"day{n}", "date": f"2026-01-{n:02}"} for n in (1, 9)]
    path = put("a.jsonl", days)
    assert [row["is_duplicate"] for row in lines(run(path, "--window", "2d").stdout)] == [False] * 2
    kept = {}
    for rule in ("earliest", "latest"):
        rows = lines(run(path, "--keep", rule).stdout)
        (kept[rule],) = (row["id"] for row in rows if not row["is_duplicate"])
    assert kept == {"earliest": "day1", "latest": "day9"}


def test_presets_and_policies(run, put, tmp_path):
    path = put("a.jsonl")
    assert lines(run(path, "--preset", "feed").stdout)[2]["is_duplicate"]
    policy = tmp_path / "policy.toml"
    policy.write_text('duplicates = ["same_url"]\n')
    assert not lines(run(path, "--policy", policy).stdout)[2]["is_duplicate"]
    assert run(path, "--preset", "odd").exit_code == 2


def test_the_summary_is_printed_to_stderr(run, put):
    result = run(put("a.jsonl"))
    assert "kept 2 + duplicates 1 + rejected 0 = read 3" in result.stderr
    assert "same_text" in result.stderr
    stats = json.loads(run(put("a.jsonl"), "--json").stderr)
    assert (stats["read"], stats["kept"], stats["duplicates"], stats["rejected"]) == (3, 2, 1, 0)
    assert stats["relations"]["same_text"] == 1
    assert stats["largest_story"]["members"] == 2
    assert stats["conserved"] is True
    assert run(put("a.jsonl"), "--quiet").stderr == ""


def test_a_terminal_shows_the_duplicates(run, put, monkeypatch):
    monkeypatch.setattr("nearcopy.cli.commands.dedupe.wants_json_lines", lambda asked: asked)
    shown = run(put("a.jsonl"), env={"COLUMNS": "160"})
    assert "identical, word for word" in shown.stdout
    assert "-o FILE" in shown.stderr
    assert len(lines(run(put("a.jsonl"), "--json").stdout)) == 3
    assert "no duplicates" in run(put("a.jsonl", ROWS[:2])).stderr
    copies = [{**ROWS[0], "id": f"n{n}"} for n in range(60)]
    assert "and 9 more" in run(put("b.jsonl", copies)).stderr


def test_an_interrupted_run_leaves_nothing_behind(run, put, tmp_path, monkeypatch):
    monkeypatch.setattr(Deduper, "run", Mock(side_effect=KeyboardInterrupt))
    assert run(put("a.jsonl"), "-o", tmp_path / "out.jsonl").exit_code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 3)])
def test_on_a_terminal_the_guard_asks(put, tmp_path, answer, code):
    path, out = put("a.jsonl", MOSTLY_COPIES), tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "nearcopy", "dedupe", str(path), "--apply", "-o", str(out)]
    terminal, its_end = os.openpty()
    with subprocess.Popen(command, stdin=its_end, stderr=its_end, close_fds=True) as process:
        os.write(terminal, f"{answer}\n".encode())
        assert process.wait() == code
    prompt = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    os.close(its_end)
    assert "(75%). Remove them?" in prompt
    assert out.exists() == (code == 0)


def test_a_file_that_changes_during_the_run_is_an_error(run, put, monkeypatch):
    path = put("a.jsonl")
    add_all = Deduper.run

    def meddle(self, articles, **how):
        yield from add_all(self, articles, **how)
        path.write_text('{"id": "other"}\n')

    monkeypatch.setattr(Deduper, "run", meddle)
    result = run(path)
    assert result.exit_code == 2
    assert "has changed while it was read" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no-such-file.jsonl"], "no-such-file.jsonl"),
        ([os.devnull, "-o", "/no/such/folder/x.csv"], "/no/such/folder"),
    ],
)
def test_errors_are_one_line_and_code_2(run, words, message):
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_empty_input_gives_empty_output(run):
    result = run("-", input=b"")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "= read 0" in result.stderr


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m nearcopy dedupe --quiet {WIRE} | head -c 10"
    shown = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert len(shown.stdout) == 10
    assert shown.stderr == ""


def test_pyarrow_is_imported_only_when_needed():
    code = (
        "import sys; from nearcopy.cli import app; from nearcopy.cli.commands import dedupe; "
        "sys.exit('pyarrow' in sys.modules or 'zstandard' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_unknown_columns_are_warned_of(run, put, name):
    path = put(name, [{"id": letter, "Schlagzeile": "Fähre", "Inhalt": FERRY} for letter in "ab"])
    guessed = run(path)
    assert guessed.exit_code == 0
    assert "none is a duplicate: the columns are id, Schlagzeile, Inhalt" in guessed.stderr
    named = run(path, "--text-field", "Inhalt")
    assert "warning: no row" not in named.stderr
    assert [row["is_duplicate"] for row in lines(named.stdout)] == [False, True]


def test_a_nested_ranked_list_is_warned_of(put):
    path = put("a.jsonl", [{"_id": letter, "_source": {"title": "Ferry"}} for letter in "ab"])
    result = CliRunner().invoke(app, ["search-results", str(path)])
    assert "the columns are _id, _source" in result.stderr
