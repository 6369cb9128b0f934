"""The shapes of answers, for the OpenAPI document: those of nearcopy.formats.answers."""

from typing import Any, Literal

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


class Judged(Shape):
    """What two articles are to each other."""

    a: str
    b: str
    relation: str
    confidence: Share
    is_duplicate: bool
    news: Share
    copy_: Share | None = Field(alias="copy")
    rule: str
    reasons: list[str]
    flags: list[str]


class Explained(Judged):
    """The same with all that it rests on; places are those of the original texts."""

    evidence: dict[str, Any]
    passages: list[dict[str, Any]]
    facts: dict[str, list[dict[str, Any]]]
    names: dict[str, list[str]]
    figures: list[dict[str, Any]]


class ReviewPair(Judged):
    """A pair near a line."""

    margin: Share
    line: str


class ReviewPage(Shape):
    """Pairs worth a look, and where the next page begins."""

    pairs: list[ReviewPair]
    after: str | None


class FeedbackShape(Shape):
    """What people said of two articles, and what the policy had said."""

    a: str
    b: str
    same: bool
    relation: str
    note: str
    when: str
    mistake: str | None
    said_relation: str
    said_rule: str
    said_confidence: Share
    said_duplicate: bool
    said_news: Share
    said_copy: Share | None
    evidence: dict[str, Any]


class CorrectionShape(FeedbackShape):
    """The same, and what changed by it."""

    taken_back: bool
    changes: list[dict[str, Any]]


class FeedbackList(Shape):
    """All that people said, first to last."""

    feedback: list[FeedbackShape]


class ActShape(Shape):
    """What somebody did to a story."""

    number: int
    act: str
    article: str
    other: str | None
    by: str
    note: str
    when: str
    pairs: list[list[str]]
    undone: str | None
    undone_by: str


class DoneShape(ActShape):
    """The same, and what changed by it."""

    changes: list[dict[str, Any]]


class Journal(Shape):
    """What people did, the last first; `before` begins the next page."""

    acts: list[ActShape]
    before: int | None


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


# What is sent.


class ArticleIn(BaseModel):
    """An article. Fields go by their usual names too, such as `headline` and `body`."""

    model_config = ConfigDict(extra="allow")
    id: str | None = Field(None, description="Yours; without one, the address or a digest.")
    title: str | None = None
    text: str | None = Field(None, description="Plain, or HTML where `html` is true.")
    html: bool | None = None
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: str | None = Field(None, description="ISO 8601, or as feeds write it.")
    language: str | None = None
    tier: int | None = None


class FeedbackIn(BaseModel):
    """What somebody says of two articles."""

    model_config = ConfigDict(extra="forbid")
    a: str
    b: str
    same: bool
    relation: str | None = None
    note: str = Field("", max_length=10_000)


class ActIn(BaseModel):
    """What somebody does to a story."""

    model_config = ConfigDict(extra="forbid")
    act: Literal["keep", "split", "merge"]
    article: str = Field(description="The article; of a merge also a story.")
    other: str | None = Field(None, description="The story, or an article in it, to merge with.")
    note: str = Field("", max_length=10_000)


class Accept(BaseModel):
    """The policy that was shown, and is to be written."""

    model_config = ConfigDict(extra="forbid")
    digest: str


class Accepted(Shape):
    """Where a policy was written, and how to use it."""

    written: str
    use: str


class TuningShape(Shape):
    """What tuning would change, and what that gains on held-out pairs."""

    pairs: int
    duplicates: int
    folds: int
    before: dict[str, Share | None]
    after: dict[str, Share | None]
    gain: float
    worth_it: bool
    shifts: list[dict[str, Any]]
    calibrated: bool
    calibration: list[list[float]]
    changes: list[dict[str, Any]]
    looked_at: int
    digest: str


class Tried(Shape):
    """A line of an answer to a file: the verdict on an article, and where its match is."""

    number: int
    total: int
    title: str
    source: str | None
    among: str | None
    match_title: str | None
    verdict: VerdictShape
