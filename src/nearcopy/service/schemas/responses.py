"""The shapes of answers, for the OpenAPI document: those of nearcopy.io.serializers.answers."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Share = float


class Shape(BaseModel):
    """An answer; it has these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class VerdictShape(Shape):
    """What an article is to those already there."""

    id: str
    relation: str = Field(examples=["near_text"])
    is_duplicate: bool
    duplicate_of: str | None
    match: str | None
    story_id: str | None
    confidence: Share
    rule: str
    reasons: list[str]
    news: Share | None
    copy_: Share | None = Field(alias="copy")
    reason: str | None
    flags: list[str]
    evidence: dict[str, Any] | None = None


class Verdicts(Shape):
    """A verdict for each article, in order."""

    verdicts: list[VerdictShape]


class LineError(Shape):
    """A line of a stream that could not be read, or behind which the stream ended."""

    line: int
    error: str
    status: int


class SimilarOne(Shape):
    """An article like another."""

    id: str
    title: str
    host: str | None
    similarity_score: Share
    match_type: str


class Similar(Shape):
    """The articles like another, most alike first."""

    similar: list[SimilarOne]


class ArticleShape(Shape):
    """An article as it came, and what it is as things stand."""

    id: str
    title: str
    text: str
    html: bool
    url: str | None
    canonical_url: str | None
    source: str | None
    published: str | None
    language: str | None
    tier: int | None
    seen: str | None
    revisions: int
    verdict: VerdictShape


class Forgotten(Shape):
    """What was removed."""

    forgotten: int
    ids: list[str]
    missing: list[str]


class MemberShape(Shape):
    """An article of a story."""

    id: str
    relation: str | None
    confidence: Share
    rule: str
    reason: str
    source: str | None
    published: str | None
    score: float
    why: str
    duplicate_of: str | None


class StoryShape(Shape):
    """One piece of news, the kept copy first."""

    id: str
    kept: str
    why: str
    first_seen: str | None
    last_seen: str | None
    outlets: int
    syndicated: int
    members: list[MemberShape]


class StoriesPage(Shape):
    """Stories, and where the next page begins."""

    stories: list[StoryShape]
    after: str | None


class StatsShape(Shape):
    """The numbers of a store."""

    since: str | None
    articles: int
    duplicates: int
    duplicate_rate: Share | None
    stories: int
    told: int
    false_alarms: int
    misses: int
    relations: dict[str, int]
    relations_by_day: list[dict[str, Any]]
    sizes: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    days: list[dict[str, Any]]
    times: dict[str, Any]
    times_by_day: list[dict[str, Any]]


class Results(Shape):
    """A ranked list without its duplicates; and these, each with what it is a duplicate of."""

    results: list[dict[str, Any]]
    removed: list[dict[str, Any]]


class Session(Shape):
    """Who is asking."""

    name: str
    scopes: list[str]
    pool: str | None


class Health(Shape):
    """Whether the service lives, and is ready."""

    status: str


class ProblemShape(Shape):
    """What is wrong, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str | None
    errors: list[dict[str, Any]] | None = None


class Tried(Shape):
    """A line of an answer to a file: the verdict on an article, and where its match is."""

    number: int
    total: int
    title: str
    source: str | None
    among: str | None
    match_title: str | None
    verdict: VerdictShape
