"""An explanation on a terminal: the decision, its evidence, and the two texts side by side."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.render.tables import render_cell
from nearcopy.cli.terminal import one_line, printable
from nearcopy.extract.facts import describe_fact
from nearcopy.match.explain import Explanation
from nearcopy.match.side_by_side import Piece, align, title_pieces
from nearcopy.models import MEASUREMENTS, Article, Evidence, FactPair

COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "bright_green", "bright_cyan")
CLASH = "bold red"
MAX_FIGURES = 12  # that differ, in one line
# The main measurements, the most decisive first.
MEASURES = (
    *(
        "same_url",
        "same_declared_url",
        "same_text",
        "same_source",
        "refiled",
        "block_page",
        "contrast",
    ),
    *("overlap", "containment", "profile", "embedding_cosine"),
    *("title_soft", "title_event_score", "title_grade", "numerals_shared", "names_shared"),
    *("distance", "hours_apart"),
)


class Measure(NamedTuple):
    """A measurement: its name in the evidence, its value, and its meaning."""

    name: str
    value: str
    meaning: str


def list_measures(evidence: Evidence) -> Iterator[Measure]:
    """The main measurements that have a value."""
    for name in MEASURES:
        value, meaning = getattr(evidence, name), MEASUREMENTS[name].meaning
        if value is None or value is False or value == "":
            continue
        if isinstance(value, float):
            yield Measure(
                name, f"{value:.1f}" if name == "hours_apart" else f"{value:.2f}", meaning
            )
        elif isinstance(value, str):
            yield Measure(name, "yes", f"{meaning}: {value}")
        else:
            yield Measure(name, "yes" if value is True else str(value), meaning)


def describe_facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Lines with their styles: facts that clash, figures that moved, facts that agree."""
    if explanation.clashes:
        yield f"Facts that clash: {_join_pairs(explanation.clashes)}", "red"
    if explanation.figures:
        pairs = explanation.figures[:MAX_FIGURES]
        figures = ", ".join(f"{one.value} / {other.value}" for one, other in pairs)
        yield f"Figures that differ in the same context: {figures}", "red"
    if explanation.evidence.moved:
        yield f"Figures that an update moves: {_join_pairs(explanation.evidence.moved)}", "yellow"
    if explanation.agreements:
        facts = "; ".join(describe_fact(fact) for fact, _ in explanation.agreements)
        yield f"Facts that agree: {facts}", "green"


def _join_pairs(pairs: tuple[FactPair, ...]) -> str:
    return "; ".join(f"{describe_fact(a)} / {describe_fact(b)}" for a, b in pairs)


def render_explanation(explanation: Explanation, a: Article, b: Article) -> RenderableType:
    """The decision, its evidence, and the two texts in columns."""
    legend = _legend(explanation)
    return Group(
        render_summary(explanation),
        _texts(explanation, a, b),
        *([Text(legend, "dim")] if legend else []),
    )


def render_summary(explanation: Explanation) -> Group:
    """The decision and its evidence."""
    return Group(_decision(explanation), _measures(explanation), *_facts(explanation))


def _decision(explanation: Explanation) -> Text:
    decision = explanation.decision
    kind = "duplicate" if decision.duplicate else "no duplicate"
    return Text.assemble(
        (str(decision.relation), "bold green" if decision.duplicate else "bold"),
        f", {kind}, confidence {decision.confidence:.2f}, rule {decision.rule}\n",
        printable(decision.reason),
    )


def _measures(explanation: Explanation) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value, meaning in list_measures(explanation.evidence):
        table.add_row(render_cell(f"  {name}"), Text(value, justify="right"), Text(meaning, "dim"))
    return table


def _facts(explanation: Explanation) -> Iterable[Text]:
    """A line for the facts that clash and one for those that agree."""
    for line, style in describe_facts(explanation):
        yield Text(one_line(line), style)


def _texts(explanation: Explanation, a: Article, b: Article) -> Table:
    table = Table(expand=True, header_style="", padding=(0, 1))
    for article in (a, b):
        table.add_column(_heading(article), ratio=1, overflow="fold")
    table.add_row(
        _paint(title_pieces(a, [fact for fact, _ in explanation.clashes]), "bold"),
        _paint(title_pieces(b, [fact for _, fact in explanation.clashes]), "bold"),
        end_section=True,
    )
    for row in align(a, b, explanation.passages, explanation.figures):
        table.add_row(_paint(row.left), _paint(row.right))
    return table


def _heading(article: Article) -> Text:
    published = article.published.isoformat(" ", "minutes") if article.published else None
    origin = " · ".join(one_line(part) for part in (article.source, published) if part)
    return Text.assemble((one_line(article.id), "bold"), f"  {origin}" if origin else "")


def _paint(pieces: Iterable[Piece], style: str = "") -> Text:
    """The pieces in colour; numbers and signs carry the same where there is no colour."""
    painted = Text(style=style)
    for text, passage, clash in pieces:
        visible = printable(text) if painted else printable(text).lstrip()
        if passage and not clash:
            colour = COLOURS[(passage - 1) % len(COLOURS)]
            painted.append(f"[{passage}|{visible}]", colour)
        elif clash:
            painted.append(f"≠{visible}", CLASH)
        else:
            painted.append(visible)
    painted.rstrip()
    return painted


def _legend(explanation: Explanation) -> str:
    parts = []
    if explanation.passages:
        parts.append("[1|...] shared passage, with the same number in both")
    if explanation.figures or explanation.clashes:
        parts.append("≠ the other has another figure or fact here")
    return "; ".join(parts)
