"""Template filters: numbers, times, titles and relations in words."""

from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

MAX_TITLE = 240  # characters
ACTION_NAMES = {"keep": "Kept another copy", "split": "Split off", "merge": "Merged"}


def number(value: float | None) -> str:
    """A whole number with thousands separators.

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
    """A number with a fixed number of decimals."""
    return "–" if value is None else f"{value:.{digits}f}"


def milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f} ms" if value < 100 else f"{value:,.0f} ms"


def when(value: str | None) -> Markup:
    """A time in UTC as a `time` element."""
    if not value:
        return Markup('<span class="quiet">no date</span>')
    moment = datetime.fromisoformat(value).astimezone(UTC)
    text = f"{moment.day} {moment:%b %Y}, {moment:%H:%M}"
    return Markup('<time datetime="{}" title="UTC">{}</time>').format(moment.isoformat(), text)


def day(value: str) -> str:
    """A day and month.

    >>> day("2026-05-04")
    '4 May'
    """
    moment = datetime.fromisoformat(value)
    return f"{moment.day} {moment:%b}"


def after(hours: float | None) -> str:
    """The time after the first article.

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


def short(text: str | None, max_chars: int = MAX_TITLE) -> str:
    """The beginning of a text."""
    text = text or ""
    return text if len(text) <= max_chars else text[:max_chars].rstrip() + "…"


def capitalized(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def title(text: str | None, language: str | None = None) -> Markup:
    """A title in its own language and text direction."""
    shortened = short(text)
    if not shortened.strip():
        return Markup('<span class="quiet">untitled</span>')
    attribute = Markup(' lang="{}"').format(language[:35]) if language else Markup("")
    return Markup('<bdi dir="auto"{}>{}</bdi>').format(attribute, shortened)


def relation(name: str | None) -> Markup:
    """A relation as a label; None is the kept copy."""
    if name is None:
        return Markup('<span class="mark kept">kept copy</span>')
    return Markup('<span class="mark {}">{}</span>').format(name, spaced(name))


def spaced(name: str) -> str:
    """A name in words.

    >>> spaced("near_text")
    'near text'
    """
    return name.replace("_", " ")


def plural(count: int, singular: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> plural(1, "article"), plural(1200, "story", "stories")
    ('1 article', '1,200 stories')
    """
    return f"{number(count)} {singular if count == 1 else many or singular + 's'}"


def action_name(action: dict[str, Any]) -> str:
    return ACTION_NAMES[action["kind"]]


FILTERS = {
    "number": number,
    "share": share,
    "decimal": decimal,
    "ms": milliseconds,
    "when": when,
    "day": day,
    "after": after,
    "short": short,
    "capitalized": capitalized,
    "heading": title,
    "relation": relation,
    "plural": plural,
    "action_name": action_name,
}
