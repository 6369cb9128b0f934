"""What is decided about articles: evidence and decision of two, verdict of one, story of many."""

import tomllib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from importlib.resources import files
from typing import Literal, NamedTuple

from nearcopy.models.article import Fact


class Relation(StrEnum):
    """The relation between two articles, surest first."""

    SAME_URL = "same_url"
    SAME_TEXT = "same_text"
    NEAR_TEXT = "near_text"
    CONTAINED = "contained"
    REVISION = "revision"
    SAME_TITLE = "same_title"
    SAME_EVENT = "same_event"
    RELATED = "related"
    DISTINCT = "distinct"


# The relations that make one article a duplicate of another, unless a policy says otherwise.
COPIES = frozenset(
    {
        *(Relation.SAME_URL, Relation.SAME_TEXT, Relation.NEAR_TEXT, Relation.CONTAINED),
        *(Relation.REVISION, Relation.SAME_TITLE),
    }
)
RELATION_RANK = {relation: rank for rank, relation in enumerate(Relation)}
FactPair = tuple[Fact, Fact]  # a fact of one article, and one of the other


class Evidence(NamedTuple):
    """The measurements between two articles (see `MEASUREMENTS`); None: not measured."""

    same_url: bool | None = None
    same_declared_url: bool | None = None
    same_text: bool | None = None
    distance: int | None = None
    overlap: float | None = None
    containment: float | None = None
    exact: bool = False
    words: int = 0
    numerals_shared: float | None = None
    numerals_changed: int | None = None
    title_ratio: float | None = None
    title_indel: float | None = None
    title_cosine: float | None = None
    title_token_set: float | None = None
    title_token_sort: float | None = None
    title_partial: float | None = None
    title_soft: float | None = None
    title_event_score: float | None = None
    title_grade: float | None = None
    title_chars: int = 0
    title_words: int = 0
    title_swap: str | None = None
    name_swap: bool = False
    contrast: str | None = None
    column: str | None = None
    agreements: tuple[FactPair, ...] = ()
    clashes: tuple[FactPair, ...] = ()
    moved: tuple[FactPair, ...] = ()
    names_shared: float | None = None
    profile: float | None = None
    title_coverage: float | None = None
    term_coverage_max: float | None = None
    term_coverage_min: float | None = None
    event_score: float | None = None
    embedding_cosine: float | None = None
    refiled: bool = False
    same_source: bool | None = None
    hours_apart: float | None = None
    block_page: str | None = None


class Measurement(NamedTuple):
    """What a field of the evidence means."""

    label: str
    unit: Literal["yes/no", "share", "count", "hours", "words", "facts"]
    meaning: str


# The one place that says what each measurement means; commands, pages and docs read it.
_MEANINGS = tomllib.loads(files(__package__).joinpath("measurements.toml").read_text("utf-8"))
MAIN_MEASUREMENTS: dict[str, list[str]] = _MEANINGS.pop("main")  # by where they are shown
MEASUREMENTS = {name: Measurement(*meaning) for name, meaning in _MEANINGS.items()}


class Decision(NamedTuple):
    """The relation of two articles, the rule that decided it, and how sure it is."""

    relation: Relation
    rule: str
    confidence: float
    duplicate: bool
    reason: str  # the rule in one sentence
    flags: tuple[str, ...] = ()  # "short", "block_page"


class Edge(NamedTuple):
    """The decision between two articles; their order has no meaning."""

    a: str
    b: str
    decision: Decision
    event_score: float = 0.0  # 0..1: likelihood that they report the same event
    overlap: float | None = None  # 0..1: how much text they share
    on_demand: bool = False  # compared for clustering, not found through shared keys

    @property
    def link(self) -> "StoryLink":
        """The edge in short."""
        return StoryLink(self.a, self.b, self.decision.duplicate, self.event_score)

    @property
    def same_story(self) -> bool:
        """Whether this edge puts the two articles into one story.

        An edge compared on demand holds only while other edges link the two.
        """
        decision = self.decision
        return not self.on_demand and (
            decision.duplicate or decision.relation is Relation.SAME_EVENT
        )


class StoryLink(NamedTuple):
    """Two articles of one story."""

    a: str
    b: str
    duplicate: bool  # else they report the same event
    event_score: float


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a story: its relation to the kept copy, and its score."""

    id: str
    relation: Relation | None  # None for the kept copy itself
    confidence: float
    rule: str  # "kept" for the kept copy itself
    reason: str = ""  # of the rule, in one sentence
    source: str | None = None
    published: datetime | None = None
    score: float = 0.0
    why: str = ""  # the score, in one sentence
    duplicate_of: str | None = None  # the kept copy of its duplicate group; None for kept copies


@dataclass(frozen=True, slots=True)
class Story:
    """The articles about one event: the kept copy and why it is kept, and all members.

    The kept copy is the canonical copy, and the first member.
    """

    id: str
    kept: str
    why: str
    members: tuple[Member, ...]
    first_seen: datetime | None = None
    last_seen: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The relation of one article to the articles already stored.

    Relation, rule, confidence, scores and evidence are those between the article and its `match`.
    """

    id: str
    relation: Relation = Relation.DISTINCT
    is_duplicate: bool = False
    duplicate_of: str | None = None  # the kept copy; None for a kept copy
    match: str | None = None  # the article with the surest relation
    story_id: str | None = None  # None for an article that was only checked and has no story
    confidence: float = 1.0
    rule: str = "nothing-in-common"
    reasons: tuple[str, ...] = ()
    event_score: float | None = None  # 0..1: likelihood that it reports the event of the match
    overlap: float | None = None  # 0..1: how much text the two share
    flags: tuple[str, ...] = ()
    evidence: Evidence | None = None

    @property
    def reason(self) -> str | None:
        """The reason of a duplicate as one machine-readable word; None where it is none."""
        if not self.is_duplicate:
            return None
        return REASON.get(self.rule) or REASON.get(self.relation, self.relation.value)


REASON: dict[str, str] = {
    "feedback-same": "feedback",
    Relation.SAME_URL: "exact_url",
    Relation.SAME_TEXT: "content_hash",
    Relation.NEAR_TEXT: "content_hash",
    Relation.SAME_TITLE: "title_similarity",
}


class Match(NamedTuple):
    """An article similar to another, with the scores."""

    id: str
    title: str
    host: str | None
    score: float  # 0..1: the larger of event score and overlap
    relation: Relation
    confidence: float
    event_score: float
    overlap: float | None


class Check(NamedTuple):
    """One integrity check of a store; a warning does not fail it."""

    name: str
    passed: bool
    detail: str
    warning: bool = False
