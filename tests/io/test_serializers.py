"""Answers: one JSON each, of plain values only."""

import json
from datetime import UTC, datetime

from nearcopy import Article, Evidence, Relation, Story, explain
from nearcopy.io.serializers import evidence_row, explanation_row, match_row, story_row, verdict_row
from nearcopy.models import Fact, Match, Member, Verdict

TEXT = (
    "The council of Port Calder voted on Tuesday to close the old swing bridge for eighteen months "
    "while its bearings are replaced, sending 9,000 drivers a day through the Hallin tunnel. "
)
A = Article(id="a", title="Port Calder closes bridge for 18 months", text=TEXT * 2)
B = Article(id="b", title="Port Calder closes bridge for 20 months", text=TEXT + "It was close.")


def test_evidence_holds_what_was_measured_and_no_more():
    assert evidence_row(Evidence()) == {}
    money, more = Fact("money", "USD 5", 5.0, start=3), Fact("money", "USD 6", 6.0)
    measured = Evidence(same_url=False, overlap=0.0, words=9, clashes=((money, more),))
    assert evidence_row(measured) == {
        "same_url": False,
        "overlap": 0.0,
        "words": 9,
        "clashes": [[{"kind": "money", "value": "USD 5"}, {"kind": "money", "value": "USD 6"}]],
    }


def test_an_explanation_is_plain_json():
    row = explanation_row(explain(A, B))
    assert json.loads(json.dumps(row)) == row
    assert (row["a"], row["b"]) == ("a", "b")
    assert {"relation", "rule", "event_score", "overlap"} <= row.keys()
    assert {"is_duplicate", "reasons", "evidence"} <= row.keys()
    first = row["passages"][0]
    assert A.text[first["a"]["start"] : first["a"]["end"]].startswith("The council")
    assert {fact["kind"] for fact in row["facts"]["a"]}


def test_a_story_lists_its_members():
    when = datetime(2026, 1, 1, tzinfo=UTC)
    members = (
        Member("a", None, 1.0, "kept", published=when),
        Member("b", Relation.SAME_TEXT, 0.9, "identical-text", source="Post"),
    )
    row = story_row(Story("s", "a", "longest", members, when, None))
    assert json.loads(json.dumps(row)) == row
    assert (row["id"], row["kept"], row["last_seen"]) == ("s", "a", None)
    assert row["first_seen"] == "2026-01-01T00:00:00+00:00"
    assert [member["relation"] for member in row["members"]] == [None, "same_text"]
    assert type(row["members"][1]["relation"]) is str


def test_a_verdict_has_its_reasons_and_where_asked_its_evidence():
    verdict = Verdict(
        id="b",
        relation=Relation.SAME_URL,
        is_duplicate=True,
        duplicate_of="a",
        match="a",
        story_id="s",
        reasons=("both stand at the same address",),
        evidence=Evidence(same_url=True),
    )
    row = verdict_row(verdict)
    assert json.loads(json.dumps(row)) == row
    assert (row["relation"], row["reason"], row["flags"]) == ("same_url", "exact_url", [])
    assert "evidence" not in row
    assert verdict_row(verdict, evidence=True)["evidence"] == {"same_url": True}
    assert verdict_row(Verdict(id="c"), evidence=True)["evidence"] is None


def test_a_match_is_named_as_the_similarity_interface_has_it():
    row = match_row(Match("a", "Title", "post.example", 0.9, Relation.NEAR_TEXT, 0.8, 0.7, None))
    assert json.loads(json.dumps(row)) == row
    assert (row["similarity_score"], row["match_type"], row["overlap"]) == (0.9, "near_text", None)
