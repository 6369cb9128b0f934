"""What two titles' facts say of each other: agree, clash, moved on, or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.facts import read_facts
from nearcopy.match.fact_clash import Comparison, compare_facts, names_shared
from nearcopy.models import Fact


def compared(a: str, b: str) -> Comparison:
    return compare_facts(read_facts(a).facts, read_facts(b).facts)


def kinds(pairs: tuple[tuple[Fact, Fact], ...]) -> list[str]:
    return [fact.kind for fact, _ in pairs]


AGREE = [
    ("UPC Volt sets up Rs 5k cr data centre", "UPC Volt to invest 5000 crore in data centre"),
    ("Claude 3.5 Sonnet 新發布", "Claude 3.5 Sonnet 發布"),
    ("Cursor AI 編輯器 v0.40 發布新功能", "Cursor v0.40：AI 編輯器新功能發布"),
    ("Acme buys Globex for $18bn", "Acme strikes €16bn deal for Globex"),
    ("Acme buys Globex for $2B", "Acme buys Globex for 2 billion dollars"),
    ("Union agrees 12th sanctions package", "Union agrees twelfth sanctions package"),
    ("One dead after boat sinks", "1 dead as boat sinks"),
    ("Leak hits 1.5m customers", "Leak hits 1.5 million customers"),
    ("42-year-old held over fire", "Man aged 42 held over fire"),
    ("Summit opens Oct. 30", "Summit to open on 30 October 2025"),
    ("Update to iOS 17.1 and iPadOS 17.1 out", "Update to iOS 17.1 out"),
    ("Rovers lose 1-2 to City", "City beat Rovers 2-1"),
]


@pytest.mark.parametrize(("a", "b"), AGREE)
def test_facts_agree(a, b):
    comparison = compared(a, b)
    assert comparison.agreements
    assert not comparison.clashes
    assert not comparison.moved


CLASH = [
    ("Startup X raises Series A $10M", "Startup X raises Series B $50M", "series"),
    ("Lab opens GPT-4 to all", "Lab opens GPT-4o to all", "version"),
    ("iOS 17.1 is out", "iOS 17.2 is out", "version"),
    ("Editor v0.40 is out", "Editor v0.41 is out", "version"),
    ("Union agrees 11th sanctions package", "Union agrees 12th sanctions package", "ordinal"),
    ("Quiz recap: Week 4", "Quiz recap: Week 6", "series"),
    ("Word puzzle #896", "Word puzzle #899", "series"),
    ("第11次会议召开", "第12次会议召开", "series"),
    ("Volcano update for July 3", "Volcano update for July 9", "date"),
    ("Launch set for Friday", "Launch set for Monday", "weekday"),
    ("Polls close at 8pm", "Polls close at 9pm", "clock"),
    ("City 2-1 Rovers: report", "City 3-0 Rovers: report", "score"),
    ("Best films of 2025", "Best films of 2026", "year"),
    ("Profit up in Q3", "Profit up in Q4", "quarter"),
    ("Buyers' guide for June", "Buyers' guide for October", "month"),
    ("Magnitude 6.3 quake", "Magnitude 5.1 quake", "magnitude"),
    ("Home loan rate falls to 6.18%", "Home loan rate falls to 6.35%", "percent"),
    ("Acme raises $10M for trucks", "Acme raises $50M for trucks", "money"),
    ("4 handy tools for the shed", "7 handy tools for the shed", "count"),
    ("8 tricks for a long walk", "10 songs for a long walk", "count"),
    ("Air force orders F-16 jets", "Air force orders F-35 jets", "name"),
    ("42-year-old held over fire", "57-year-old held over fire", "age"),
]


@pytest.mark.parametrize(("a", "b", "kind"), CLASH)
def test_facts_clash(a, b, kind):
    assert kind in kinds(compared(a, b).clashes)


MOVED = [
    ("Landslide kills at least 12", "Landslide kills 19"),
    ("Landslide death toll rises to 131", "Landslide death toll rises to 177"),
    ("80 dead including 28 children", "90 dead including 28 children"),
    ("99 new cases of fever in the north", "Fever cases in the north reach 558"),
    ("Fourth person dies of fever", "Fifth person dies of fever"),
]


@pytest.mark.parametrize(("a", "b"), MOVED)
def test_tolls_move_and_do_not_clash(a, b):
    comparison = compared(a, b)
    assert comparison.moved
    assert not comparison.clashes


SILENT = [
    ("rounded", "Acme raises $1.5bn for trucks", "Acme raises $1.48 billion for trucks"),
    ("near", "Acme buys Globex for $40bn", "Acme buys Globex for $48.7bn"),
    ("sums in other places", "Acme to pay $3,000 a book", "Court: $1.5bn for authors by Acme"),
    ("unlike kinds of dates", "Summit on Thursday", "Summit on Oct. 30"),
    ("other series", "Camp notes: Week 1", "Camp notes: Day 2"),
    ("rounded percentages", "Prices rise 6.2% in a year", "Prices rise 6.18% in a year"),
    ("near whole percentages", "Gas up 25% on strike", "Gas up over 20% on strike"),
    ("points of a market", "Index down 800 points", "Index down 700 points"),
    ("deals counted", "40+ deals for the garden", "37+ deals for the garden"),
    ("rounded counts", "Some 1,200 flights cancelled", "Some 1,217 flights cancelled"),
    ("on one side only", "Third man held over fire", "Man held over fire"),
    ("ordinals of other nouns", "First boat in the bay", "Second storm in the bay"),
]


@pytest.mark.parametrize(("a", "b"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT])
def test_facts_say_nothing(a, b):
    comparison = compared(a, b)
    assert not comparison.clashes
    assert not comparison.moved


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        ("The mayor meets Jane Doe", "Talks with Jane Doe held by mayor", 1.0),
        ("The mayor meets Jane Doe", "Crowds hail Doe in the town", 1.0),
        ("The mayor meets Jane Doe", "The mayor meets John Roe", 0.0),
        ("The mayor meets Jane Doe in Springfield", "The mayor of Springfield meets Roe", 0.5),
        ("The mayor meets Jane Doe", "the mayor meets nobody", None),
        ("The mayor meets Jane Doe", "A visit by the US is over", None),
    ],
)
def test_names_shared(a, b, share):
    assert names_shared(read_facts(a).names, read_facts(b).names) == share
    assert names_shared(read_facts(b).names, read_facts(a).names) == share


@pytest.mark.parametrize("shared", ["Thursday", "8 p.m.", "2026", "March", "Q3", "2025-26"])
def test_what_any_two_titles_share_is_no_agreement(shared):
    assert compared(f"Vote in {shared}", f"Fair in {shared}") == Comparison()


def test_nothing_is_said_without_facts():
    assert compare_facts((), read_facts("Landslide kills 12").facts) == Comparison()
    assert compare_facts(read_facts("Landslide kills 12").facts, ()) == Comparison()


PIECES = """12 13 $5m $9m €4m 7% 9% Oct. 30 31 2025 2026 killed injured Series A B GPT-4 GPT-4o v0.4
v0.5 first second boat boats Thursday Friday 2-1 3-1 F-16 F-35 Jane Doe Roe in after #5 #6 7,5"""
TITLES = st.one_of(st.text(), st.lists(st.sampled_from(PIECES.split()), max_size=14).map(" ".join))


@given(TITLES)
def test_nothing_clashes_with_itself(title):
    facts = read_facts(title)
    comparison = compare_facts(facts.facts, facts.facts)
    assert not comparison.clashes
    assert not comparison.moved
    assert names_shared(facts.names, facts.names) in (None, 1.0)


@given(TITLES, TITLES)
def test_comparing_is_symmetric(a, b):
    forward, back = compared(a, b), compared(b, a)
    for pairs, flipped in zip(forward[:3], back[:3], strict=True):
        assert {(y, x) for x, y in flipped} == set(pairs)
    names_a, names_b = read_facts(a).names, read_facts(b).names
    assert names_shared(names_a, names_b) == names_shared(names_b, names_a)


@given(TITLES, TITLES)
def test_pairs_are_of_one_kind_and_names_a_share(a, b):
    comparison = compared(a, b)
    for fact_a, fact_b in (*comparison.agreements, *comparison.clashes, *comparison.moved):
        assert fact_a.kind == fact_b.kind
    assert 0 <= (names_shared(read_facts(a).names, read_facts(b).names) or 0) <= 1
