"""What is decided about articles: evidence and decision of two, verdict of one, story of many."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
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
        Relation.SAME_URL,
        Relation.SAME_TEXT,
        Relation.NEAR_TEXT,
        Relation.CONTAINED,
        Relation.REVISION,
        Relation.SAME_TITLE,
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
MEASUREMENTS = {
    "same_url": Measurement("Same address", "yes/no", "both have the same canonical address"),
    "same_declared_url": Measurement(
        "Same declared address", "yes/no", "one page declares the other's address (rel=canonical)"
    ),
    "same_text": Measurement("Same text", "yes/no", "the normalised texts are identical"),
    "distance": Measurement("Hamming distance", "count", "SimHash bits of 64 that differ"),
    "overlap": Measurement("Overlap", "share", "Jaccard overlap of the word shingles"),
    "containment": Measurement(
        "Containment", "share", "of the shorter text that is found in the longer"
    ),
    "exact": Measurement(
        "Counted exactly", "yes/no", "overlap and containment are exact, not MinHash estimates"
    ),
    "words": Measurement("Words", "count", "words of the shorter text"),
    "numerals_shared": Measurement(
        "Figures shared", "share", "of the figures of the text with fewer that are in both"
    ),
    "numerals_changed": Measurement(
        "Figures changed", "count", "figures with another value in the same context"
    ),
    "title_ratio": Measurement(
        "Title ratio", "share", "1 - Levenshtein distance / the longer length"
    ),
    "title_indel": Measurement("Title indel ratio", "share", "insertions and deletions only"),
    "title_cosine": Measurement("Title cosine", "share", "cosine of the word counts"),
    "title_token_set": Measurement("Title token set", "share", "ratio of the words in common"),
    "title_token_sort": Measurement("Title token sort", "share", "ratio of the sorted words"),
    "title_partial": Measurement(
        "Title partial ratio", "share", "the shorter title within the longer"
    ),
    "title_soft": Measurement(
        "Title similarity", "share", "soft cosine of the titles, rare words weigh more"
    ),
    "title_event_score": Measurement(
        "Title event score", "share", "likelihood that the titles report the same event"
    ),
    "title_grade": Measurement(
        "Title grade", "share", "similarity in meaning of the titles, fitted to human grades"
    ),
    "title_chars": Measurement("Title characters", "count", "characters of the shorter title"),
    "title_words": Measurement("Title words", "count", "words of the shorter title"),
    "title_swap": Measurement(
        "Words swapped", "words", "the words in which otherwise equal titles differ"
    ),
    "name_swap": Measurement("Names swapped", "yes/no", "the swapped words look like names"),
    "contrast": Measurement("Contrast", "words", "words for another stage or for the opposite"),
    "column": Measurement("Recurring column", "words", "the recurring column of either article"),
    "agreements": Measurement("Facts that agree", "facts", "facts of the titles that agree"),
    "clashes": Measurement("Facts that clash", "facts", "facts of the titles that clash"),
    "moved": Measurement("Figures that moved", "facts", "figures that updates move, such as tolls"),
    "names_shared": Measurement(
        "Names shared", "share", "of the names of the title with fewer that are in both"
    ),
    "profile": Measurement(
        "Term profile", "share", "cosine of the heaviest terms, rare terms weigh more"
    ),
    "title_coverage": Measurement(
        "Title coverage", "share", "of one title's rare words that the other article has"
    ),
    "term_coverage_max": Measurement(
        "Term coverage, larger", "share", "of one article's terms that the other has"
    ),
    "term_coverage_min": Measurement(
        "Term coverage, smaller", "share", "of one article's terms that the other has"
    ),
    "event_score": Measurement(
        "Event score", "share", "likelihood that both report the same event, from all of this"
    ),
    "embedding_cosine": Measurement(
        "Embedding cosine", "share", "cosine of the static embeddings of title and first words"
    ),
    "refiled": Measurement("Filed again", "yes/no", "a title is marked CORRECTED, UPDATE 2, ..."),
    "same_source": Measurement("Same source", "yes/no", "both are of the same outlet or site"),
    "hours_apart": Measurement("Hours apart", "hours", "hours between the publication times"),
    "block_page": Measurement(
        "Block page", "words", "why one is no article: a consent wall, a block page"
    ),
}


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
