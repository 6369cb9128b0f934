"""A store that has lived: several runs, revisions, merged stories, corrections, removals."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nearcopy import Article, Deduper, Recipe
from nearcopy.formats import read_articles

WIRE = Path(__file__).parents[1] / "examples" / "wire.jsonl"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
QUAY = "The harbour council voted on {} to close the old quay after divers found {} in its piles. "


def articles() -> list[Article]:
    """Those of the examples, and some more that link, replace and merge."""
    return list(read_articles(WIRE))


def harbour(name: str, day: str = "Tuesday", found: str = "shipworm", **given) -> Article:
    """An article about a quay, a copy of any other with the same words."""
    said = QUAY.format(day, found) * 6
    return Article(**{"id": name, "title": f"Council closes quay {name}", "text": said} | given)


def clock() -> Iterator[datetime]:
    moment = NOON
    while True:
        yield moment
        moment += timedelta(minutes=7)


def live(address: str, pool: str | None = None, recipe: Recipe | None = None) -> None:
    """Fill a store in four runs."""
    ticks = clock()

    def opened() -> Deduper:
        return Deduper(address, recipe, clock=lambda: next(ticks), pool=pool)

    live_through(opened)


def live_through(opened, again=None) -> None:
    """The four runs; `again` opens the store for the later ones."""
    later, wire = again or opened, articles()
    with opened() as deduper:
        list(deduper.run(wire[:40]))
        deduper.add(harbour("q1", "Tuesday", "shipworm"))
        deduper.add(harbour("q2", "Friday", "rot and rust and cracks from end to end"))
    with later() as deduper:
        list(deduper.run(wire[40:]))
        deduper.add(harbour("q3", published=NOON, source="Post"))
        deduper.add(harbour("a\0b ü", tier=2, language="en", url="https://example.org/quay?a=1"))
        deduper.check(harbour("never"))
        deduper.add(replace(wire[3], text=wire[3].text + " More to come."))
        deduper.add(replace(wire[3], text=wire[3].text + " More to come, they said."))
        deduper.add(replace(wire[5], title="Another title"))
    with later() as deduper:
        deduper.feedback("q1", "q2", same=True, note="both are the quay")
        deduper.feedback(wire[0].id, wire[1].id, same=False)
        deduper.forget([wire[7].id, wire[20].id])
        deduper.add(harbour("q4", text="<p>" + QUAY.format("Monday", "rot") * 6, html=True))
    with later() as deduper:
        deduper.learn()
        deduper.feedback("q3", wire[30].id, same=True, relation="same_event")
        deduper.forget([wire[30].id])
        deduper.add(harbour("q5", "Friday", "rot and rust and cracks from end to end"))
        deduper.add(Article(id="junk", text="\ud800 half", title="", seen=NOON))
