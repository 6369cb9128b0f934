"""`dedupe` over files, called from Python."""

import json

import pytest

from nearcopy import NearcopyError
from nearcopy.batch import DedupeJob, dedupe_files
from nearcopy.io.dataframes import dedupe

TEXT = " ".join(f"The harbour office counted {n} ships on day {n}." for n in range(12))


def test_every_row_is_written_and_counted(tmp_path):
    rows = [{"id": "a", "text": TEXT}, {"id": "b", "text": TEXT}, {"id": "c", "text": TEXT[::-1]}]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary = dedupe_files(DedupeJob(files=(str(source),), output=str(output)))
    assert (summary.read, summary.kept, summary.duplicates) == (3, 2, 1)
    written = [json.loads(line) for line in output.read_text().splitlines()]
    assert [(row["id"], row["is_duplicate"]) for row in written] == [
        *(("a", False), ("b", True), ("c", False))
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: dedupe_files("in.jsonl"), r"expected a DedupeJob, got str: give nearcopy\.batch"),
        (lambda: DedupeJob(files="in.jsonl"), r"files is .in\.jsonl.: give a list of names"),
        (lambda: dedupe([{"id": "a"}]), r"got list: for articles in Python use nearcopy\.Deduper"),
    ],
)
def test_what_is_given_instead_is_named_with_what_to_do(call, said):
    with pytest.raises(NearcopyError, match=said):
        call()
