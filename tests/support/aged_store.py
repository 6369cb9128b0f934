"""A store that has lived: several runs, revisions, merged stories, corrections, removals."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from nearcopy import Article, Deduper, Recipe
from nearcopy.io.files import read_articles

WIRE = Path(__file__).parents[2] / "examples" / "wire.jsonl"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
QUAY = "The harbour council voted on {} to close the old quay after divers found {} in its piles. "
LONGER = "rot and rust and cracks from end to end"


def harbour(name: str, day: str = "Tuesday", found: str = "shipworm", **given) -> Article:
    """An article about a quay, a copy of any other with the same words."""
    said = QUAY.format(day, found) * 6
    return Article(**{"id": name, "title": f"Council closes quay {name}", "text": said} | given)


def live(
    address: str, pool: str | None = None, recipe: Recipe | None = None, *, learn: bool = True
) -> None:
    """Fill a store in four runs."""
    minutes, wire = count(), list(read_articles(WIRE))

    def opened() -> Deduper:
        def clock() -> datetime:
            return NOON + timedelta(minutes=7 * next(minutes))

        return Deduper(address, recipe, clock=clock, pool=pool)

    with opened() as deduper:
        list(deduper.run(wire[:40]))
        deduper.add(harbour("q1"))
        deduper.add(harbour("q2", "Friday", LONGER))
    with opened() as deduper:
        list(deduper.run(wire[40:]))
        deduper.add(harbour("q3", published=NOON, source="Post"))
        deduper.add(harbour("a\0b ü", tier=2, language="en", url="https://example.org/quay?a=1"))
        deduper.check(harbour("never"))
        for more in (" More to come.", " More to come, they said."):
            deduper.add(replace(wire[3], text=wire[3].text + more))
        deduper.add(replace(wire[5], title="Another title"))
    with opened() as deduper:
        deduper.feedback("q1", "q2", same=True, note="both are the quay")
        deduper.feedback(wire[0].id, wire[1].id, same=False)
        deduper.forget([wire[7].id, wire[20].id])
        deduper.add(harbour("q4", text="<p>" + QUAY.format("Monday", "rot") * 6, html=True))
    with opened() as deduper:
        if learn:
            deduper.learn()
        deduper.feedback("q3", wire[30].id, same=True, relation="same_event")
        deduper.forget([wire[30].id])
        deduper.add(harbour("q5", "Friday", LONGER))
        deduper.add(Article(id="half", text="\ud800 half of a pair", url="", seen=NOON))
        deduper.keep("ar-01", by="Ada", note="ours")
        deduper.undo(deduper.split("de-02").action.number)
