"""Wording: numbers, times and names as people read them."""

from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup, escape

TITLE = 240  # characters of a title that are shown
DEEDS = {"keep": "Kept another copy", "split": "Split off", "merge": "Merged"}


def number(value: float | None) -> str:
    """A whole number with its thousands marked.

    >>> number(1234567)
    '1,234,567'
    """
    return "–" if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """A share as a percentage.

    >>> share(0.1234), share(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{value * 100:.1f} %"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with so many digits behind the point."""
    return "–" if value is None else f"{value:.{digits}f}"


def milliseconds(value: float | None) -> str:
    """A time that a machine takes."""
    return "–" if value is None else f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def when(value: str | None) -> Markup:
    """A moment in UTC, which programs can read too; nothing is made up where there is none."""
    if not value:
        return Markup('<span class="quiet">no date</span>')
    moment = datetime.fromisoformat(value).astimezone(UTC)
    said = f"{moment.day} {moment:%b %Y}, {moment:%H:%M}"
    return Markup('<time datetime="{}" title="UTC">{}</time>').format(moment.isoformat(), said)


def day(value: str) -> str:
    """A day.

    >>> day("2026-05-04")
    '4 May'
    """
    moment = datetime.fromisoformat(value)
    return f"{moment.day} {moment:%b}"


def after(hours: float | None) -> str:
    """How long after the first.

    >>> after(0), after(0.5), after(30)
    ('first', '+30 min', '+1 d 6 h')
    """
    if hours is None:
        return "–"
    minutes = round(hours * 60)
    if minutes == 0:
        return "first"
    if minutes < 60:
        return f"+{minutes} min"
    if minutes < 24 * 60:
        return f"+{minutes // 60} h {minutes % 60:02} min"
    return f"+{minutes // 1440} d {minutes % 1440 // 60} h"


def short(text: str | None, most: int = TITLE) -> str:
    """The beginning of a text."""
    said = text or ""
    return said if len(said) <= most else said[:most].rstrip() + "…"


def begun(text: str) -> str:
    """A sentence with a capital letter at its head."""
    return text[:1].upper() + text[1:]


def title(text: str | None, language: str | None = None) -> Markup:
    """A title that runs in its own direction and disturbs none around it."""
    said = short(text)
    if not said.strip():
        return Markup('<span class="quiet">untitled</span>')
    spoken = Markup(' lang="{}"').format(language[:35]) if language else Markup("")
    return Markup('<bdi dir="auto"{}>{}</bdi>').format(spoken, said)


def relation(name: str | None) -> Markup:
    """What an article is to another, as a mark with a word in it."""
    if name is None:
        return Markup('<span class="mark kept">kept copy</span>')
    return Markup('<span class="mark {}">{}</span>').format(name, spaced(name))


def spaced(name: str) -> str:
    """The name of a relation, as people write.

    >>> spaced("near_text")
    'near text'
    """
    return name.replace("_", " ")


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> plural(1, "article"), plural(1200, "story", "stories")
    ('1 article', '1,200 stories')
    """
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def sentence(act: dict[str, Any]) -> Markup:
    """What was done to a story."""
    return escape(DEEDS[act["act"]])


FILTERS = {
    "number": number,
    "share": share,
    "decimal": decimal,
    "ms": milliseconds,
    "when": when,
    "day": day,
    "after": after,
    "short": short,
    "begun": begun,
    "heading": title,
    "relation": relation,
    "plural": plural,
    "deed": sentence,
}
