"""The nouns: frozen, checked once where they are made."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from nearcopy.errors import BadArticle


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """What the caller has. `text` is plain, or HTML where `html` says so.

    `canonical_url` is what the page itself declares (rel=canonical); `tier` is how far the source
    is trusted, 1 first; `seen` is when it was taken in.
    """

    id: str
    title: str = ""
    text: str = ""
    html: bool = False
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: datetime | None = None
    language: str | None = None
    tier: int | None = None
    seen: datetime | None = None

    def __post_init__(self) -> None:
        _check(self, "id", str)
        if not self.id:
            raise BadArticle("article id is empty: give every article an id of its own")
        _check(self, "title", str)
        _check(self, "text", str)
        _check(self, "html", bool)
        _check(self, "url", str, type(None))
        _check(self, "canonical_url", str, type(None))
        _check(self, "source", str, type(None))
        _check(self, "published", datetime, type(None))
        _check(self, "language", str, type(None))
        _check(self, "tier", int, type(None))
        _check(self, "seen", datetime, type(None))
        _check_aware(self, "published", self.published)
        _check_aware(self, "seen", self.seen)


class Fact(NamedTuple):
    """One fact of a title: a figure, a date, a round, a name. Equal facts have equal values."""

    kind: str  # "money", "percent", "count", "ordinal", "date", "name", ...
    value: str  # the normal form: "INR 50000000000", "2025-10-30", "series a"
    amount: float | None = None  # the number in it, to tell a rounding from a clash
    about: str = ""  # what it counts or belongs to: "deals", "week", "dead"
    before: str = ""  # the words next to it, folded, to tell which facts stand in one place
    after: str = ""
    start: int = 0  # where it stands in the title; 0 to 0 where it is read of the folded title
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """All we remember of an article to compare it by.

    A text with no words has no digest, simhash and minhash, so that it can match nothing; a title
    that says nothing ("Breaking news") is empty for the same reason.
    """

    id: str
    recipe: str = ""  # the id of the recipe that made it
    words: int = 0
    digest: bytes | None = None
    simhash: int | None = None
    minhash: bytes | None = None
    numerals: bytes = b""  # the figures of the text and their neighbours, hashed
    profile: bytes = b""  # the heaviest terms of title and text, hashed
    details: int = 0  # technical details in the text, at most five are counted
    title: str = ""  # cleaned and folded
    gist: str = ""  # the title without its facts
    facts: tuple[Fact, ...] = ()  # those that can clash
    names: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()  # the title's words for a stage or a side: "suspends"
    column: str | None = None  # the recurring column it belongs to, such as a horoscope
    refiled: bool = False  # marked as filed again: CORRECTED, UPDATE 2
    url: str | None = None  # canonical; None where it names no page of its own
    declared_url: str | None = None  # what the page declares to be its address, where plausible
    source: str | None = None  # the outlet, or the site of the address
    published: datetime | None = None
    tier: int | None = None
    junk: str | None = None  # why this is no article: a consent wall, a block page
    seen: datetime | None = None  # when it was taken in


class Relation(StrEnum):
    """What two articles are to each other, surest first."""

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


SUREST = {relation: place for place, relation in enumerate(Relation)}
FactPair = tuple[Fact, Fact]  # a fact of the one article, and of the other


class Evidence(NamedTuple):
    """What was measured between two articles, no opinion; None where it could not be."""

    same_url: bool | None = None
    same_declared_url: bool | None = None  # an address that one of the two pages declares
    same_text: bool | None = None
    distance: int | None = None  # SimHash bits that differ, of 64
    overlap: float | None = None  # Jaccard
    containment: float | None = None  # how much of the shorter text the longer one holds
    exact: bool = False  # whether overlap and containment were counted, or are estimates
    words: int = 0  # of the shorter text
    numerals_shared: float | None = None  # of the text with fewer
    numerals_changed: int | None = None  # in the same context with another value
    title_ratio: float | None = None  # 1 - Levenshtein distance / the longer length
    title_indel: float | None = None  # the same with letters put in and taken out alone
    title_cosine: float | None = None
    title_token_set: float | None = None
    title_token_sort: float | None = None
    title_partial: float | None = None
    title_soft: float | None = None  # soft cosine of the gists, rare words weighing more
    title_news: float | None = None  # 0..1: that the titles report one piece of news
    title_grade: float | None = None  # 0..1: how alike in meaning the titles are
    title_chars: int = 0  # of the shorter title
    title_words: int = 0
    title_swap: str | None = None  # the words that titles else alike differ in: "income / growth"
    name_swap: bool = False  # whether these look like names
    contrast: str | None = None  # words of another stage or the opposite: "suspends / resumes"
    column: str | None = None  # the recurring column that either belongs to
    agreements: tuple[FactPair, ...] = ()
    clashes: tuple[FactPair, ...] = ()
    moved: tuple[FactPair, ...] = ()  # figures that an update would move, such as a toll
    names_shared: float | None = None
    profile: float | None = None  # cosine of the heaviest terms, rare ones weighing more
    title_told: float | None = None  # of the one title, by rare words, that the other article has
    terms_most: float | None = None  # of the one's terms that the other has, the larger share
    terms_least: float | None = None  # and the smaller
    news: float | None = None  # how likely they report the same news, by all of this
    meaning: float | None = None  # cosine of static vectors, where the policy embeds
    refiled: bool = False
    same_source: bool | None = None
    hours_apart: float | None = None
    junk: str | None = None


class Decision(NamedTuple):
    """What two articles are to each other, by which rule, and how sure we are."""

    relation: Relation
    rule: str
    confidence: float
    duplicate: bool
    reason: str  # the rule in one sentence
    flags: tuple[str, ...] = ()  # "short", "junk"


class Edge(NamedTuple):
    """What was decided between two articles, in whichever order they are named."""

    a: str
    b: str
    decision: Decision
    news: float = 0.0  # 0..1: that they report the same news
    copy: float | None = None  # 0..1: how much text they share
    asked: bool = False  # when stories were told, and not found by what the two have in common

    @property
    def join(self) -> "Join":
        """The same in short."""
        return Join(self.a, self.b, self.decision.duplicate, self.news)

    @property
    def joins(self) -> bool:
        """Whether two articles are of one story by this.

        What was asked is true of the two, but only as long as others link them.
        """
        how = self.decision
        return not self.asked and (how.duplicate or how.relation is Relation.SAME_EVENT)


class Join(NamedTuple):
    """That two articles are of one story."""

    a: str
    b: str
    duplicate: bool  # else they report the same event
    news: float


@dataclass(frozen=True, slots=True)
class Member:
    """An article of a story: what it is to the kept copy, and its own score."""

    id: str
    relation: Relation | None  # None for the kept copy itself
    confidence: float
    rule: str  # "kept" for the kept copy itself
    reason: str = ""  # of the rule, in one sentence
    source: str | None = None
    published: datetime | None = None
    score: float = 0.0
    why: str = ""  # the score, in one sentence
    duplicate_of: str | None = None  # the kept copy that it is a copy of; None for kept ones


@dataclass(frozen=True, slots=True)
class Story:
    """One piece of news: the kept copy and why, and all members, the kept copy first."""

    id: str
    kept: str
    why: str
    members: tuple[Member, ...]
    first_seen: datetime | None = None
    last_seen: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an article is to those already there: one for every article, also for the new ones.

    Relation, rule, confidence and what was measured are between the article and its `match`.
    """

    id: str
    relation: Relation = Relation.DISTINCT
    is_duplicate: bool = False
    duplicate_of: str | None = None  # the kept copy; None for what is kept
    match: str | None = None  # the article that it is most surely something to
    story_id: str | None = None  # None where it was looked at only and belongs to none
    confidence: float = 1.0
    rule: str = "nothing-in-common"
    reasons: tuple[str, ...] = ()
    news: float | None = None  # 0..1: that it reports the same news as the match
    copy: float | None = None  # 0..1: how much text the two share
    flags: tuple[str, ...] = ()
    evidence: Evidence | None = None

    @property
    def reason(self) -> str | None:
        """Why it is a duplicate, in a word that programs read; None where it is none."""
        if not self.is_duplicate:
            return None
        return REASON.get(self.rule) or REASON.get(self.relation, self.relation.value)


REASON: dict[str, str] = {
    "told-same": "told",
    Relation.SAME_URL: "exact_url",
    Relation.SAME_TEXT: "content_hash",
    Relation.NEAR_TEXT: "content_hash",
    Relation.SAME_TITLE: "title_similarity",
}


class Match(NamedTuple):
    """An article that is like another one, and how like."""

    id: str
    title: str
    host: str | None
    score: float  # 0..1, the more of the text or the news they share
    relation: Relation
    confidence: float
    news: float
    copy: float | None


class Check(NamedTuple):
    """One thing that was looked at in a store, and whether it is as it should be.

    A warning is no fault, but something to see to.
    """

    name: str
    passed: bool
    detail: str
    warning: bool = False


def ordered(a: str, b: str) -> tuple[str, str]:
    """Two ids, in the one order that stands for both."""
    return (a, b) if a < b else (b, a)


def _check(article: Article, field: str, *allowed: type) -> None:
    value: Any = getattr(article, field)
    if not isinstance(value, allowed):
        wanted = " or ".join("None" if t is type(None) else t.__name__ for t in allowed)
        who = f"article {article.id!r}: " if field != "id" else "article "
        raise BadArticle(
            f"{who}{field} must be {wanted}, got {type(value).__name__}: {value!r:.60}"
            f"{_to_do(value, allowed)}"
        )


def _to_do(value: object, allowed: tuple[type, ...]) -> str:
    if datetime in allowed and isinstance(value, str):
        return "; read it first, as datetime.fromisoformat does"
    if datetime in allowed and isinstance(value, int | float):
        return "; make it a time, as datetime.fromtimestamp(..., timezone.utc) does"
    if str in allowed and isinstance(value, bytes):
        return "; decode it first"
    return "; give str(...) of it" if str in allowed and isinstance(value, int) else ""


def _check_aware(article: Article, field: str, when: datetime | None) -> None:
    if when is not None and when.utcoffset() is None:
        raise BadArticle(
            f"article {article.id!r}: {field} is {when.isoformat()} without a time zone: "
            "make it aware, for instance with .replace(tzinfo=timezone.utc)"
        )
