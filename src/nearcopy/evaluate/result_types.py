"""What an evaluation gives back: numbers with intervals, tables, curves, the worst mistakes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from nearcopy.evaluate.bootstrap import Measured
from nearcopy.evaluate.pair_metrics import Bin, Line
from nearcopy.match.explain import Explanation
from nearcopy.match.judge_pairs import Judgement
from nearcopy.models.model import Article

Cell = str | int | float | Measured | None
Kind = Literal["pairs", "near_pairs", "clusters"]


class Labelled(NamedTuple):
    """Two articles, and what is said of them."""

    line: int  # of the file; 0 where it stands in none
    a: Article
    b: Article
    label: str
    same: bool | None  # None where a grade has no line drawn through it
    grade: float | None = None
    language: str | None = None


class Outcome(NamedTuple):
    """A labelled pair, and what we make of it."""

    pair: Labelled
    judgement: Judgement
    said: bool  # whether we call it the same
    score: float  # how surely, 0..1


class Mistake(NamedTuple):
    """An outcome that is wrong, with all that it rests on."""

    kind: Literal["false alarm", "miss"]
    outcome: Outcome
    explanation: Explanation


class Bar(NamedTuple):
    """How many pairs of the same, and others, have a score between two bounds."""

    low: float
    high: float
    same: int
    others: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns."""

    name: str  # "by_language"
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All that was measured of one set."""

    kind: Kind
    about: str  # what was judged, in one sentence
    counts: Mapping[str, int]
    scores: Mapping[str, Measured]
    resampled: str  # what was drawn again for the intervals
    tables: tuple[Table, ...] = ()
    lines: tuple[Line, ...] = ()
    best: Line | None = None
    bins: tuple[Bin, ...] = ()
    histogram: tuple[Bar, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    unknown: tuple[str, ...] = ()  # ids that no article has
    settings: Mapping[str, str] = field(default_factory=dict)
