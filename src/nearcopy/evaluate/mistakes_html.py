"""Mistakes of an evaluation as HTML: the decision, the evidence, and the texts side by side."""

from collections.abc import Iterator

from nearcopy.evaluate.result_types import Mistake
from nearcopy.extract.facts import sentence
from nearcopy.match.alignment import align, shorten
from nearcopy.match.alignment_html import escape_text, paint_heading, paint_rows
from nearcopy.models import Article, Evidence

MAX_CHARS = 3000  # of one piece of a text
MAX_TITLE = 160


def render_mistake(mistake: Mistake) -> Iterator[str]:
    """A mistake in one line that opens to all its evidence."""
    outcome, explanation = mistake.outcome, mistake.explanation
    pair, decision = outcome.pair, outcome.judgement.decision
    yield (
        f'<details class="mistake"><summary><b>{mistake.kind}</b> '
        f'<span class="score">{outcome.score:.2f}</span> '
        f"{escape_text(pair.label)} · {escape_text(decision.relation)} "
        f'<span class="titles" dir="auto">{_title(pair.a)}</span>'
        f'<span class="titles" dir="auto">{_title(pair.b)}</span></summary>'
    )
    yield f"<p>rule {escape_text(decision.rule)}: {escape_text(decision.reason)}"
    yield f"; confidence {decision.confidence:.2f}; score {outcome.score:.2f}"
    yield f"; line {pair.line}</p>" if pair.line else "</p>"
    yield from _evidence(outcome.judgement.evidence)
    heading_a = paint_heading(pair.a, [fact for fact, _ in explanation.clashes])
    heading_b = paint_heading(pair.b, [fact for _, fact in explanation.clashes])
    yield f'<div class="texts"><div class="row">{heading_a}{heading_b}</div>'
    rows = align(pair.a, pair.b, explanation.passages, explanation.figures)
    yield from paint_rows(
        shorten(rows, max_unshared=MAX_CHARS, max_shared=MAX_CHARS), pair.a, pair.b
    )
    yield "</div></details>"


def _title(article: Article) -> str:
    return escape_text((article.title or article.text)[:MAX_TITLE] or article.id)


def _evidence(evidence: Evidence) -> Iterator[str]:
    """The measures that differ from their defaults."""
    defaults = Evidence._field_defaults
    yield '<dl class="evidence">'
    for name, value in evidence._asdict().items():
        if value != defaults[name]:
            label = name.replace("_", " ")
            yield f"<div><dt>{label}</dt><dd>{escape_text(_format(value))}</dd></div>"
    yield "</dl>"


def _format(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return "; ".join(f"{sentence(a)} / {sentence(b)}" for a, b in value)
    return str(value)
