"""Evidence: what is measured between two articles, whichever of them comes first."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearcopy import (
    POLICIES,
    RECIPES,
    Article,
    BadArticle,
    BadRecipe,
    Evidence,
    Fingerprint,
    compare,
    decide,
    fingerprints,
)
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import MEASURES, Overlap, compare_pairs, overlap
from nearcopy.match.decide import decide_pairs

TITLES = st.sampled_from(
    [
        "",
        "Breaking news",
        "Ferry sinks off Lindholm, 12 killed",
        "Ferry sinks off Lindholm, 19 killed",
        "Port suspends ferry service for 3 days",
        "Port resumes ferry service after 3 days",
        "UPDATE 2-Volt raises $10 million in Series A",
        "Volt raises $50 million in Series B - The Harbour Times",
        "岚州一旅游大巴侧翻 已致4人死亡",
        "Your horoscope for Monday",
    ]
) | st.text(max_size=40)
WORDS = st.lists(
    st.sampled_from(
        ["storm", "ferry", "port", "12", "19", "May", "june", "killed", "the", "of", "a"]
    ),
    max_size=90,
)
TIMES = st.none() | st.datetimes(
    min_value=datetime(2026, 1, 1), max_value=datetime(2026, 3, 1), timezones=st.just(UTC)
)
ARTICLES = st.builds(
    Article,
    id=st.sampled_from("ab"),
    title=TITLES,
    text=WORDS.map(" ".join) | st.text(max_size=60),
    html=st.booleans(),
    url=st.none()
    | st.sampled_from(["https://a.example/x", "http://www.a.example/x/", "//b.example"]),
    canonical_url=st.none() | st.sampled_from(["https://a.example/x", "/y", "https://b.example/"]),
    source=st.none() | st.sampled_from(["Harbour Times", "a.example", ""]),
    published=TIMES,
    tier=st.none() | st.integers(1, 4),
)
PRESETS = st.sampled_from(sorted(POLICIES))
SHARES = [
    name for name in Evidence._fields if name.startswith(("title_", "overlap", "containment"))
]
PAIRS = ("agreements", "clashes", "moved")


def flipped(evidence: Evidence) -> Evidence:
    """The evidence as seen from the other article."""

    def turned(words: str | None) -> str | None:
        return " / ".join(reversed(words.split(" / "))) if words else None

    return evidence._replace(
        contrast=turned(evidence.contrast),
        title_swap=turned(evidence.title_swap),
        **{name: tuple((b, a) for a, b in getattr(evidence, name)) for name in PAIRS},
    )


def in_any_order(evidence: Evidence) -> Evidence:
    return evidence._replace(**{name: frozenset(getattr(evidence, name)) for name in PAIRS})


@given(a=ARTICLES, b=ARTICLES, preset=PRESETS)
def test_evidence_is_the_same_from_both_sides(a, b, preset):
    left, right = fingerprints([a, b], RECIPES[preset])
    forward, back = compare(left, right), compare(right, left)
    assert in_any_order(forward) == in_any_order(flipped(back))


@given(a=ARTICLES, b=ARTICLES, preset=PRESETS)
def test_presets_never_raise_and_decide_the_same_from_both_sides(a, b, preset):
    left, right = fingerprints([a, b], RECIPES[preset])
    forward, back = (
        decide(compare(*pair), POLICIES[preset]) for pair in ((left, right), (right, left))
    )
    assert (forward.relation, forward.rule, forward.confidence) == (
        back.relation,
        back.rule,
        back.confidence,
    )


@given(a=ARTICLES)
def test_an_article_is_its_own_copy(a):
    one = next(iter(fingerprints([a])))
    evidence = compare(one, one)
    assert evidence.same_text in (True, None)
    assert evidence.overlap in (1.0, None)
    assert evidence.distance in (0, None)
    assert evidence.title_soft in (1.0, None)
    assert evidence.profile in (1.0, None)
    assert evidence.title_ratio in (1.0, None)
    assert not evidence.clashes
    assert not evidence.moved
    assert evidence.contrast is None


@given(a=ARTICLES, b=ARTICLES)
def test_shares_lie_between_nothing_and_all(a, b):
    evidence = compare(*fingerprints([a, b]))
    for name in SHARES:
        value = getattr(evidence, name)
        assert not isinstance(value, float) or 0 <= value <= 1, name
    assert evidence.distance is None or 0 <= evidence.distance <= 64


@given(st.lists(ARTICLES, max_size=6), PRESETS)
@settings(max_examples=30)
def test_pairs_together_measure_as_they_do_alone(articles, preset):
    policy = POLICIES[preset]
    prints = list(fingerprints(articles, RECIPES[preset]))
    pairs = [(a, b) for a in prints for b in prints]
    together = compare_pairs(RowPairs.of(pairs), measures=policy.measures)
    alone = [decide(compare(a, b), policy) for a, b in pairs]
    assert [decide(evidence, policy) for evidence in together] == alone
    assert list(decide_pairs(together, policy)) == alone


def test_no_pairs_have_no_evidence():
    assert list(compare_pairs(RowPairs.of([]))) == []


def test_estimates_say_so_and_counts_replace_them():
    text = "the council voted on tuesday to close the harbour for the winter season " * 5
    a, b = Article(id="a", text=text), Article(id="b", text=text + "and reopen it in spring")
    left, right = fingerprints([a, b])
    estimated, counted = compare(left, right), compare(left, right, counted=overlap(a, b))
    assert not estimated.exact
    assert counted.exact
    assert counted.overlap == overlap(a, b).jaccard
    assert counted.containment == 1.0
    assert estimated.overlap == pytest.approx(counted.overlap, abs=0.15)


def test_what_cannot_be_measured_is_none():
    evidence = compare(Fingerprint(id="a"), Fingerprint(id="b"))
    measured = {
        name: value for name, value in evidence._asdict().items() if value not in (None, ())
    }
    assert measured == {
        "exact": False,
        "words": 0,
        "title_chars": 0,
        "title_words": 0,
        "name_swap": False,
        "refiled": False,
    }


def test_scores_that_a_policy_does_not_read_are_not_measured():
    fingerprint = Fingerprint(id="a", title="port closes for winter", gist="port closes for winter")
    pair = RowPairs.of([(fingerprint, fingerprint)])
    (evidence,) = compare_pairs(pair, measures=POLICIES["default"].measures)
    assert evidence.title_partial is None
    assert evidence.title_soft == 1.0
    assert POLICIES["tracker"].measures == {"token_set", "token_sort", "partial", "names"}
    assert POLICIES["default"].measures == {"event", "profile"}
    assert POLICIES["digest"].measures == {"indel", "cosine"}
    assert POLICIES["feed"].measures == {"ratio"}
    assert all(policy.measures <= MEASURES for policy in POLICIES.values())


def test_addresses_are_compared_as_pages():
    a = Article(id="a", url="http://www.example.org/a/?utm_source=x")
    b = Article(id="b", url="https://example.org/a")
    home = Article(id="c", url="https://example.org/")
    prints = {fingerprint.id: fingerprint for fingerprint in fingerprints([a, b, home])}
    assert compare(prints["a"], prints["b"]).same_url is True
    assert compare(prints["a"], prints["c"]).same_url is None
    assert compare(prints["c"], prints["c"]).same_url is None


def test_a_declared_address_counts_as_such():
    a = Article(id="a", url="https://example.org/a")
    b = Article(id="b", url="https://mirror.example/b", canonical_url="https://example.org/a")
    left, right = fingerprints([a, b])
    evidence = compare(left, right)
    assert (evidence.same_url, evidence.same_declared_url) == (False, True)


def test_a_declared_address_shared_by_different_bodies_does_not_count():
    words = ["storm", "ferry", "port", "harbour", "council", "winter", "bridge", "engine"]
    one, other = " ".join(words * 20), " ".join(f"{word}s" for word in reversed(words * 20))
    declared = "https://example.org/a"
    a = Article(id="a", url="https://example.org/1", canonical_url=declared, text=one)
    b = Article(id="b", url="https://example.org/2", canonical_url=declared, text=other)
    evidence = compare(*fingerprints([a, b]))
    assert evidence.same_declared_url
    assert not decide(evidence, POLICIES["default"]).duplicate


def test_sources_are_compared_by_site_where_there_is_one():
    a = Article(id="a", url="https://www.example.co.uk/a")
    b = Article(id="b", source="example.co.uk")
    c = Article(id="c", source="The Harbour Times")
    d = Article(id="d", source="the harbour times ")
    prints = {fingerprint.id: fingerprint for fingerprint in fingerprints([a, b, c, d])}
    assert compare(prints["a"], prints["b"]).same_source is True
    assert compare(prints["c"], prints["d"]).same_source is True
    assert compare(prints["a"], prints["c"]).same_source is False


def test_hours_apart_have_no_sign_and_no_time_zone():
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    a = Fingerprint(id="a", published=noon)
    b = Fingerprint(id="b", published=(noon + timedelta(hours=5)).astimezone())
    assert compare(a, b).hours_apart == compare(b, a).hours_apart == 5
    assert compare(a, replace(b, published=None)).hours_apart is None


def test_every_field_of_a_fingerprint_is_plain():
    plain = (str, bytes, int, float, bool, tuple, datetime, type(None))
    fingerprint = next(
        iter(fingerprints([Article(id="a", title="12 dead", text="words of the text")]))
    )
    assert all(isinstance(getattr(fingerprint, field.name), plain) for field in fields(fingerprint))


def test_overlap_from_counts():
    assert Overlap(10, 20, 5).jaccard == pytest.approx(0.2)
    assert Overlap(10, 20, 5).containment == 0.5


def test_fingerprints_of_two_recipes_do_not_compare():
    article = Article(id="a", text="the council voted to close the harbour")
    (one,), (other,) = (fingerprints([article], RECIPES[name]) for name in ("default", "digest"))
    with pytest.raises(BadRecipe, match="fingerprints compare only within one recipe"):
        compare(one, other)


def test_articles_are_no_fingerprints():
    article = Article(id="a")
    with pytest.raises(BadArticle, match=r"expected a Fingerprint, got Article: compute it with"):
        compare(article, article)  # type: ignore[arg-type]
    with pytest.raises(BadArticle, match="put it in a list"):
        fingerprints(article)  # type: ignore[arg-type]
