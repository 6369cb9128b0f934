"""Fingerprints in columns."""

from datetime import UTC, datetime, timedelta

from nearcopy import Article, Fingerprint, fingerprints
from nearcopy.fingerprint.fingerprint_table import FingerprintTable, RowPairs

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_a_fingerprint_keeps_its_row():
    made = list(fingerprints(Article(id=str(n), text=f"ferry {n}") for n in range(200)))
    table = FingerprintTable()
    first = table.rows(made[:3]).tolist()
    assert first == [0, 1, 2]
    assert table.rows([*made, made[0]]).tolist() == [*range(200), 0]
    assert len(table) == 200
    assert table["words"].tolist() == [2] * 200


def test_equal_fingerprints_of_two_articles_have_rows_of_their_own():
    one, other = Fingerprint(id="a"), Fingerprint(id="a")
    assert FingerprintTable().rows([one, other]).tolist() == [0, 1]


def test_the_older_comes_first_then_by_id_and_the_undated_last():
    old = Fingerprint(id="z", published=NOON)
    new = Fingerprint(id="a", published=NOON + timedelta(hours=1))
    seen = Fingerprint(id="b", seen=NOON + timedelta(hours=1))
    undated = Fingerprint(id="0")
    pairs = RowPairs.of([(new, old), (seen, new), (undated, new), (old, undated)])
    ids = [(a.id, b.id) for a, b in pairs.older_first().fingerprints()]
    assert ids == [("z", "a"), ("a", "b"), ("a", "0"), ("z", "0")]


def test_facts_in_chinese_characters_are_read():
    title = "台 风 造 成 三 人 死 亡"
    (pair,) = RowPairs.of([(Fingerprint(id="a", title=title, gist=title),) * 2]).fingerprints()
    assert pair[0].facts
