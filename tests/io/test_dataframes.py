"""Frames: every row comes back beside its verdict, in pandas and polars alike."""

from datetime import UTC, datetime

import pytest
from tests.support import servers

import nearcopy
from nearcopy import NearcopyError
from nearcopy.io.files import Columns

pandas, polars = servers.driver("pandas"), servers.driver("polars")
QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
ROWS = {
    "headline": ["Council closes quay", "Council closes quay", "Tea dearer at the auction", None],
    "body": [QUAY * 6, QUAY * 6, None, None],
    "link": ["https://a.example/quay", "https://b.example/quay", None, None],
    "published": [datetime(2026, 5, 4, tzinfo=UTC), None, None, None],
    "clicks": [1.5, None, 3.0, 4.0],
}
ADDED = [
    *("article_id", "relation", "is_duplicate", "duplicate_of", "story_id", "confidence"),
    *("rule", "reasons", "event_score", "overlap", "match"),
]


@pytest.fixture(params=[pandas, polars], ids=["pandas", "polars"])
def library(request):
    return request.param


def column(frame, name):
    values = frame[name].to_list()
    return [None if value != value else value for value in values]


def test_each_row_has_its_verdict(library):
    frame = nearcopy.dedupe(library.DataFrame(ROWS))
    assert list(frame.columns) == [*ROWS, *ADDED]
    assert column(frame, "is_duplicate") == [False, True, False, False]
    assert column(frame, "duplicate_of") == [None, "0", None, None]
    assert column(frame, "article_id") == ["0", "1", "2", None]
    assert column(frame, "relation")[1] == "same_text"
    assert column(frame, "rule")[3] == "unreadable"
    assert "neither an id" in next(iter(column(frame, "reasons")[3]))
    assert column(frame, "clicks") == [1.5, None, 3.0, 4.0]


def test_the_frame_that_was_given_stays_as_it_is(library):
    frame = library.DataFrame(ROWS)
    nearcopy.dedupe(frame)
    assert list(frame.columns) == list(ROWS)


def test_ids_are_the_rows_own_and_those_that_come_again_are_told_apart(library):
    rows = {"id": [7, 7, 8], "title": ["Council closes the old quay of the harbour"] * 3}
    frame = nearcopy.dedupe(library.DataFrame(rows))
    assert column(frame, "article_id") == ["7", "7#2", "8"]
    assert set(column(frame, "duplicate_of")) == {None, "7"}


def test_columns_can_be_named_and_one_that_is_not_there_is_said(library):
    frame = library.DataFrame({"story": [QUAY * 6, QUAY * 6]})
    assert column(nearcopy.dedupe(frame, columns=Columns(text="story")), "is_duplicate")[1]
    with pytest.raises(NearcopyError, match="no column 'body'"):
        nearcopy.dedupe(frame, columns=Columns(text="body"))


def test_a_frame_without_rows_gets_the_columns(library):
    frame = nearcopy.dedupe(library.DataFrame({"title": []}))
    assert list(frame.columns) == ["title", *ADDED]
    assert len(frame) == 0


def test_labels_of_an_index_are_ids():
    rows = {"title": ["Council closes the old quay of the harbour"] * 2}
    frame = nearcopy.dedupe(pandas.DataFrame(rows, index=["x", "y"]))
    assert list(frame.index) == ["x", "y"]
    assert frame.loc["y", "duplicate_of"] == "x"


def test_missing_values_of_all_kinds_are_missing():
    titles = pandas.Series(
        ["Council closes the old quay of the harbour", pandas.NA], dtype="string"
    )
    when = pandas.Series([pandas.NaT, pandas.NaT])
    text = ["", float("nan")]
    frame = pandas.DataFrame({"title": titles, "published": when, "text": text})
    assert column(nearcopy.dedupe(frame), "rule") == ["nothing-in-common", "unreadable"]


def test_a_frame_that_was_annotated_can_be_annotated_again(library):
    frame = nearcopy.dedupe(library.DataFrame(ROWS))
    second_frame = nearcopy.dedupe(frame)
    assert list(second_frame.columns) == list(frame.columns)
    assert column(second_frame, "story_id") == column(frame, "story_id")


class Dataset(list):
    """As much of a dataset of Hugging Face as is needed here."""

    column_names = ("id", "text")

    def add_column(self, name, values):
        return Dataset({**row, name: value} for row, value in zip(self, values, strict=True))


def test_each_row_of_a_dataset_has_its_verdict(monkeypatch):
    monkeypatch.setattr(Dataset, "__module__", "datasets.arrow_dataset")
    rows = [{"id": name, "text": QUAY * 6} for name in "ab"] + [{"id": "c", "text": "Tea."}]
    dataset = nearcopy.dedupe(Dataset(rows))
    assert [row["is_duplicate"] for row in dataset] == [False, True, False]


@pytest.mark.parametrize("given", [None, [], {"title": ["a"]}, polars.LazyFrame({"title": ["a"]})])
def test_what_is_no_frame_is_said(given):
    with pytest.raises(NearcopyError, match="expected a DataFrame"):
        nearcopy.dedupe(given)
