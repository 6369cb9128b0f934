"""Mistakes as HTML: two articles side by side, what they share marked, and what was measured."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from nearcopy.evaluate.result_types import Mistake
from nearcopy.extract.facts import sentence
from nearcopy.kernels.reference.html import strip_html_positions
from nearcopy.match.explain import Explanation
from nearcopy.models.model import Article, Evidence

SHOWN = 3000  # characters of a text
HUES = (140, 200, 290, 45, 330, 170, 20, 250)
# Control characters are shown as such; marks that turn the direction of what follows are left out.
HARMLESS: dict[int, str] = {
    **dict.fromkeys((*range(32), *range(127, 160)), "\ufffd"),
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), ""),
    ord("\n"): "\n",
    ord("\t"): " ",
}


class Span(NamedTuple):
    """A stretch to mark, by the number of its passage; 0 is a figure that differs."""

    start: int
    end: int
    number: int


def safe(text: object) -> str:
    """The text with nothing in it that a page would obey."""
    sound = str(text).encode("utf-8", "replace").decode("utf-8")
    return escape(sound.translate(HARMLESS))


def mistake(each: Mistake) -> Iterator[str]:
    """One mistake: in a line, and behind it all that it rests on."""
    pair, decision = each.outcome.pair, each.outcome.judgement.decision
    yield (
        f'<details class="mistake"><summary><b>{each.kind}</b> '
        f'<span class="score">{each.outcome.score:.2f}</span> '
        f"{safe(pair.label)} · {safe(decision.relation)} "
        f'<span class="titles" dir="auto">{_named(pair.a)}</span>'
        f'<span class="titles" dir="auto">{_named(pair.b)}</span></summary>'
    )
    yield f"<p>rule {safe(decision.rule)}: {safe(decision.reason)}"
    yield f"; confidence {decision.confidence:.2f}; score {each.outcome.score:.2f}"
    yield f"; line {pair.line}</p>" if pair.line else "</p>"
    yield from _evidence(each.outcome.judgement.evidence)
    yield '<div class="sides">'
    yield from (_side(article, each.explanation, first) for article, first in _both(each))
    yield "</div></details>"


def _both(each: Mistake) -> tuple[tuple[Article, bool], tuple[Article, bool]]:
    return (each.outcome.pair.a, True), (each.outcome.pair.b, False)


def _named(article: Article) -> str:
    return safe((article.title or article.text)[:160] or article.id)


def _evidence(evidence: Evidence) -> Iterator[str]:
    """What was measured, and only that."""
    nothing = Evidence._field_defaults
    yield '<dl class="evidence">'
    for name, value in evidence._asdict().items():
        if value != nothing[name]:
            yield f"<div><dt>{name.replace('_', ' ')}</dt><dd>{safe(_told(value))}</dd></div>"
    yield "</dl>"


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return "; ".join(f"{sentence(a)} / {sentence(b)}" for a, b in value)
    return str(value)


# The texts.


def _side(article: Article, found: Explanation, first: bool) -> str:
    when = article.published.isoformat(" ", "minutes") if article.published else None
    about = [each for each in (article.id, article.source, when, article.url) if each]
    language = f' lang="{safe(article.language)}"' if article.language else ""
    text, spans = _placed(article, list(_spans(found, first)))
    more = " …" if len(text) > SHOWN else ""
    return (
        f'<div dir="auto"{language}><h4>{safe(article.title)}</h4>'
        f"<small>{safe(' · '.join(about))}</small>"
        f'<div class="text">{"".join(_painted(text[:SHOWN], spans))}{more}</div></div>'
    )


def _spans(found: Explanation, first: bool) -> Iterator[Span]:
    """The passages by number, then the figures, which are painted over them."""
    for number, p in enumerate(found.passages, start=1):
        yield Span(p.a_start, p.a_end, number) if first else Span(p.b_start, p.b_end, number)
    for ours, theirs in found.figures:
        figure = ours if first else theirs
        yield Span(figure.start, figure.end, 0)


def _placed(article: Article, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """The text as people read it, and the places in it of those in the original."""
    if not article.html:
        return article.text, list(spans)
    text, starts, ends = strip_html_positions(article.text)
    moved = []
    for span in spans:
        start = bisect_right(ends, span.start)
        moved.append(Span(start, max(start, bisect_left(starts, span.end)), span.number))
    return text, moved


def _painted(text: str, spans: Iterable[Span]) -> Iterator[str]:
    marks: list[int | None] = [None] * len(text)
    for start, end, number in spans:
        end = min(end, len(text))
        marks[start:end] = [number] * max(0, end - start)
    for mark, places in groupby(range(len(text)), key=marks.__getitem__):
        first, *rest = places
        yield _marked(safe(text[first : (rest[-1] if rest else first) + 1]), mark)


def _marked(shown: str, mark: int | None) -> str:
    if mark is None:
        return shown
    if not mark:
        return f'<span class="clash">{shown}</span>'
    hue = HUES[(mark - 1) % len(HUES)]
    return f'<mark style="--hue: {hue}"><sub>{mark}</sub>{shown}</mark>'
