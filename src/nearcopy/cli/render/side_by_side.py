"""Two articles side by side on a terminal: shared passages in colour and numbered."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.render.evidence import Measure, facts_told, measures
from nearcopy.cli.render.tables import render_cell
from nearcopy.cli.terminal import one_line, printable
from nearcopy.match.alignment import Piece, align, title_pieces
from nearcopy.match.explain import Explanation
from nearcopy.models import Article

COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "bright_green", "bright_cyan")
CLASH = "bold red"


def side_by_side(explanation: Explanation, a: Article, b: Article) -> RenderableType:
    """The decision, its evidence, and the two texts in columns."""
    legend = _legend(explanation)
    return Group(
        summary(explanation), _texts(explanation, a, b), *([Text(legend, "dim")] if legend else [])
    )


def summary(explanation: Explanation) -> Group:
    """The decision and its evidence."""
    return Group(
        _decision(explanation), _measures(measures(explanation.evidence)), *_facts(explanation)
    )


def _decision(explanation: Explanation) -> Text:
    decision = explanation.decision
    kind = "duplicate" if decision.duplicate else "no duplicate"
    return Text.assemble(
        (str(decision.relation), "bold green" if decision.duplicate else "bold"),
        f", {kind}, confidence {decision.confidence:.2f}, rule {decision.rule}\n",
        printable(decision.reason),
    )


def _measures(measured: Sequence[Measure]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value, meaning in measured:
        table.add_row(render_cell(f"  {name}"), Text(value, justify="right"), Text(meaning, "dim"))
    return table


def _facts(explanation: Explanation) -> Iterable[Text]:
    """A line for the facts that clash and one for those that agree."""
    for line, style in facts_told(explanation):
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
