"""The main measurements between two articles, in words."""

from collections.abc import Iterator
from typing import NamedTuple

from nearcopy.extract.facts import describe_fact
from nearcopy.match.explain import Explanation
from nearcopy.models import Evidence, FactPair


class Measure(NamedTuple):
    """One measurement: its name in the evidence, its value, and what it is."""

    name: str
    value: str
    meaning: str


SHARES = {
    "overlap": "of all word shingles stand in both texts",
    "containment": "of the shorter text stands in the longer",
    "profile": "likeness of their heaviest terms",
    "meaning": "likeness in meaning of title and beginning",
    "title_soft": "likeness of the titles, rare words weighing more",
    "title_news": "likelihood that the titles report one piece of news",
    "title_grade": "likeness of the titles in meaning, by people's grades",
    "numerals_shared": "of the figures are shared",
    "names_shared": "of the names in the titles are shared",
}
YES = {
    "same_url": "they stand at one address",
    "same_declared_url": "one page names the other's address as its own",
    "same_text": "the texts are the same, word for word",
    "same_source": "they are of one source",
    "refiled": "a title says that it was filed again",
}


def measures(evidence: Evidence) -> list[Measure]:
    """What was measured and says something, surest first."""
    return [*_held(evidence), *_shares(evidence), *_counts(evidence)]


def facts_told(found: Explanation) -> Iterator[tuple[str, str]]:
    """What the facts say, each with its style: clashes, figures moved, agreements."""
    if found.clashes:
        yield f"Facts that clash: {_pairs(found.clashes)}", "red"
    if found.figures:
        differ = ", ".join(f"{one.value} / {other.value}" for one, other in found.figures[:12])
        yield f"Figures that differ in the same place: {differ}", "red"
    if found.evidence.moved:
        yield f"Figures that an update moves: {_pairs(found.evidence.moved)}", "yellow"
    if found.agreements:
        yield (
            f"Facts that agree: {'; '.join(describe_fact(a) for a, _ in found.agreements)}",
            "green",
        )


def _pairs(pairs: tuple[FactPair, ...]) -> str:
    return "; ".join(f"{describe_fact(a)} / {describe_fact(b)}" for a, b in pairs)


def _held(evidence: Evidence) -> Iterator[Measure]:
    for name, meaning in YES.items():
        if getattr(evidence, name):
            yield Measure(name, "yes", meaning)
    for name, meaning in (("junk", "no article"), ("contrast", "another stage, or the opposite")):
        if getattr(evidence, name):
            yield Measure(name, "yes", f"{meaning}: {getattr(evidence, name)}")


def _shares(evidence: Evidence) -> Iterator[Measure]:
    for name, meaning in SHARES.items():
        value = getattr(evidence, name)
        if value is not None:
            yield Measure(name, f"{value:.2f}", meaning)


def _counts(evidence: Evidence) -> Iterator[Measure]:
    if evidence.distance is not None:
        yield Measure("distance", str(evidence.distance), "SimHash bits of 64 that differ")
    if evidence.hours_apart is not None:
        yield Measure("hours_apart", f"{evidence.hours_apart:.1f}", "between the two")
