"""An evaluation as one self-contained HTML page: no scripts, all text escaped."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import groupby

from nearcopy.evaluate.metrics import Bin, Estimate, OperatingPoint
from nearcopy.evaluate.outcomes import Bar, Cell, Evaluation, Mistake, Table
from nearcopy.extract.facts import describe_fact
from nearcopy.match.side_by_side import STYLE as ALIGNMENT_STYLE
from nearcopy.match.side_by_side import align, escape_text, paint_heading, paint_rows, shorten
from nearcopy.models import MEASUREMENTS, Article, Evidence

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = files("nearcopy.evaluate").joinpath("html_report.css").read_text("utf-8")


def page(evaluation: Evaluation) -> str:
    """The page."""
    return "\n".join(_lines(evaluation)) + "\n"


def _lines(evaluation: Evaluation) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    title = f"nearcopy eval: {_words(evaluation.kind)}"
    yield f"<title>{title}</title>\n<style>\n{STYLE}{ALIGNMENT_STYLE}</style>\n</head>"
    yield f"<body>\n<h1>{title}</h1>"
    yield f"<p>{escape_text(evaluation.about)}</p>"
    yield f'<p class="quiet">{_counts(evaluation)}</p>'
    yield from _unknown(evaluation)
    yield from _scores(evaluation)
    yield from _plots(evaluation)
    for table in evaluation.tables:
        yield from _table(table)
    yield from _mistakes(evaluation)
    yield "</body>\n</html>"


def _counts(evaluation: Evaluation) -> str:
    counts = [f"{_words(name)} {count:,}" for name, count in evaluation.counts.items()]
    settings = [f"{name} {value}" for name, value in evaluation.settings.items()]
    return escape_text(" · ".join(counts + settings))


def _unknown(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.unknown:
        yield (
            f"<details><summary>{len(evaluation.unknown):,} ids without an article</summary>"
            f"<p>{escape_text(', '.join(evaluation.unknown))}</p></details>"
        )


def _scores(evaluation: Evaluation) -> Iterator[str]:
    yield '<div class="cards">'
    for name, estimate in evaluation.scores.items():
        value = f"<b>{_number(estimate.value)}</b>{_interval(estimate)}"
        yield f'<div class="card">{_words(name)}{value}</div>'
    if evaluation.best is not None:
        best = evaluation.best
        yield f'<div class="card">best f1<b>{_number(best.f1)}</b>'
        yield f"<small>at a score of {best.score:.2f}</small></div>"
    yield "</div>"
    yield f'<p class="quiet">Small: 95 % bootstrap intervals over the {evaluation.resampled}.</p>'


def _plots(evaluation: Evaluation) -> Iterator[str]:
    if not evaluation.lines:
        return
    base = evaluation.counts.get("same", 0) / max(1, evaluation.counts.get("pairs", 0))
    recall, precision = evaluation.scores["recall"].value, evaluation.scores["precision"].value
    point = None if recall is None or precision is None else (recall, precision)
    yield '<h2>Scores</h2>\n<div class="plots">'
    yield _figure(
        precision_recall(evaluation.lines, point, base),
        "Precision against recall: the dot is the operating point of the policy, dashed is chance.",
    )
    yield _figure(
        calibration(evaluation.bins),
        "Calibration: on the dashed line, scores are probabilities; large dots are many pairs.",
    )
    yield _figure(
        histogram(evaluation.histogram),
        'Scores of <span class="key same">positive</span> and '
        '<span class="key others">negative</span> pairs, as shares of each.',
    )
    yield "</div>"


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _table(table: Table) -> Iterator[str]:
    yield f'<h2>{escape_text(table.title)}</h2>\n<div class="wide"><table>\n<tr>'
    yield from (f"<th>{escape_text(_words(name))}</th>" for name in table.columns)
    yield "</tr>"
    for row in table.rows:
        yield f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row)}</tr>"
    yield "</table></div>"


def _cell(value: Cell) -> str:
    if isinstance(value, Estimate):
        return f"{_number(value.value)}{_interval(value)}"
    if isinstance(value, float):
        return _number(value)
    return f"{value:,}" if isinstance(value, int) else escape_text(value or "")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"<small>{estimate.low:.3f} to {estimate.high:.3f}</small>"


def _mistakes(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.mistakes:
        yield "<h2>The worst mistakes</h2>"
        yield '<p class="quiet">False alarms by falling score, then misses by rising score.</p>'
    for mistake in evaluation.mistakes:
        yield from render_mistake(mistake)


def _words(name: str) -> str:
    return name.replace("_", " ")


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
            label = MEASUREMENTS[name].label
            yield f"<div><dt>{label}</dt><dd>{escape_text(_format(value))}</dd></div>"
    yield "</dl>"


def _format(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return "; ".join(f"{describe_fact(a)} / {describe_fact(b)}" for a, b in value)
    return str(value)


WIDTH, HEIGHT = 340, 300
LEFT, TOP, RIGHT, BOTTOM = 44, 12, 12, 40  # the margins
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
GREY = "#8888"  # like all colours here, the default without a style sheet
COLOURS = {"same": "#1b7f5c", "others": "#c2571a"}
Point = tuple[float, float]  # both 0..1


def precision_recall(curve: Sequence[OperatingPoint], point: Point | None, base: float) -> str:
    """The precision-recall curve, and the operating point of the policy."""
    path = [(threshold.recall, threshold.precision) for threshold in curve]
    parts = [_stroke("dashed", (0, base), (1, base)), _path(path)]
    if point is not None:
        tip = f"the policy: recall {point[0]:.3f}, precision {point[1]:.3f}"
        parts.append(_dot(point, 5, "point", tip))
    return _svg("Precision against recall", "recall", "precision", parts)


def calibration(bins: Sequence[Bin]) -> str:
    """The calibration curve: the share of positive pairs against the mean score of each bin."""
    most = max((bin_.pairs for bin_ in bins), default=0)
    parts = [_stroke("dashed", (0, 0), (1, 1))]
    for bin_ in bins:
        if bin_.score is not None and bin_.share is not None:
            size = 3 + 7 * (bin_.pairs / most) ** 0.5
            tip = f"{bin_.pairs:,} pairs of mean score {bin_.score:.2f}: {bin_.share:.0%} positive"
            parts.append(_dot((bin_.score, bin_.share), size, "bin", tip))
    return _svg("Calibration", "mean score", "share that is the same", parts)


def histogram(bars: Sequence[Bar]) -> str:
    """The histograms of the scores of positive and negative pairs, as shares."""
    same, others = sum(bar.same for bar in bars), sum(bar.others for bar in bars)
    shares = [(bar, bar.same / (same or 1), bar.others / (others or 1)) for bar in bars]
    most = max((max(yes, no) for _, yes, no in shares), default=0) or 1
    parts = []
    for bar, yes, no in shares:
        half = (bar.low + bar.high) / 2
        tip = f"{bar.low:.2f} to {bar.high:.2f}: {bar.same:,} positive, {bar.others:,} negative"
        parts += [_bar(bar.low, half, yes / most, "same", tip)]
        parts += [_bar(half, bar.high, no / most, "others", tip)]
    return _svg("Scores of positive and negative pairs", "score", f"share, 1 is {most:.0%}", parts)


# Elements.


def _svg(title: str, across: str, up: str, parts: Iterable[str]) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return "".join(
        [
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" '
            'font-size="11" fill="currentColor">',
            *_axes(),
            *parts,
            f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{across}</text>',
            f'<text transform="translate(12 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
            f"{up}</text></svg>",
        ]
    )


def _axes() -> Iterator[str]:
    for tick in TICKS:
        x, y = _place((tick, tick))
        yield _stroke("grid", (tick, 0), (tick, 1))
        yield _stroke("grid", (0, tick), (1, tick))
        yield f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{tick:g}</text>'
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{tick:g}</text>'


def _path(points: Sequence[Point]) -> str:
    """A curve without repeated points."""
    places = [place for place, _ in groupby(map(_place, points))]
    coordinates = " ".join(f"{x},{y}" for x, y in places)
    return f'<polyline class="curve" fill="none" stroke="currentColor" points="{coordinates}"/>'


def _stroke(kind: str, start: Point, end: Point) -> str:
    (x1, y1), (x2, y2) = _place(start), _place(end)
    return f'<line class="{kind}" stroke="{GREY}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _dot(at: Point, size: float, kind: str, tip: str) -> str:
    x, y = _place(at)
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="{size:.1f}"><title>{tip}</title></circle>'


def _bar(low: float, high: float, up: float, kind: str, tip: str) -> str:
    (x1, y), (x2, base) = _place((low, up)), _place((high, 0))
    wide, tall = round(x2 - x1, 1), round(base - y, 1)
    return (
        f'<rect class="{kind}" fill="{COLOURS[kind]}" x="{x1}" y="{y}" '
        f'width="{wide}" height="{tall}"><title>{tip}</title></rect>'
    )


def _place(at: Point) -> Point:
    x = LEFT + at[0] * (WIDTH - LEFT - RIGHT)
    y = HEIGHT - BOTTOM - at[1] * (HEIGHT - TOP - BOTTOM)
    return round(x, 1), round(y, 1)
