"""JSON schemas of requests and responses, for the OpenAPI document.

Requests are validated by them; responses are built by `nearcopy.io.serializers`.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = float
Object = dict[str, Any]


class Body(BaseModel):
    """The body of a request or a response, with exactly these fields."""

    model_config = ConfigDict(extra="forbid")


class ArticleIn(BaseModel):
    """An article. Usual other field names are accepted too, such as `headline` and `body`."""

    model_config = ConfigDict(extra="allow")
    id: str | None = Field(None, description="Your id; default: the URL, or a digest.")
    title: str | None = None
    text: str | None = Field(None, description="Plain text, or HTML if `html` is true.")
    html: bool | None = None
    url: str | None = None
    canonical_url: str | None = None
    source: str | None = None
    published: str | None = Field(None, description="ISO 8601, or a date as in feeds.")
    language: str | None = None
    tier: int | None = None


class FeedbackIn(Body):
    """Feedback on two articles."""

    a: str
    b: str
    same: bool
    relation: str | None = None
    note: str = Field("", max_length=10_000)


class ActionIn(Body):
    """An action on a story."""

    kind: Literal["keep", "split", "merge"]
    article: str = Field(description="The article; for a merge also a story.")
    other: str | None = Field(None, description="The story, or an article in it, to merge with.")
    note: str = Field("", max_length=10_000)


class PolicyAcceptance(Body):
    """The proposed policy to write, by its digest."""

    digest: str


class SignIn(Body):
    """A token to sign in with."""

    token: str


class VerdictOut(Body):
    """The relation of an article to those in the store."""

    id: str
    relation: str = Field(examples=["near_text"])
    is_duplicate: bool
    duplicate_of: str | None
    match: str | None
    story_id: str | None
    confidence: Share
    rule: str
    reasons: list[str]
    event_score: Share | None
    overlap: Share | None
    reason: str | None
    flags: list[str]
    evidence: Object | None = None


class VerdictList(Body):
    """A verdict for each article, in order."""

    verdicts: list[VerdictOut]


class LineError(Body):
    """A line of a stream that is invalid, or after which the stream ended."""

    line: int
    error: str
    status: int


class PreviewLine(Body):
    """The verdict on one article of a file, and where its match is."""

    number: int
    total: int
    title: str
    source: str | None
    among: str | None
    match_title: str | None
    verdict: VerdictOut


class SimilarArticle(Body):
    """An article similar to another."""

    id: str
    title: str
    host: str | None
    similarity_score: Share
    match_type: str


class SimilarList(Body):
    """The articles similar to another, the most similar first."""

    similar: list[SimilarArticle]


class ArticleOut(Body):
    """An article as it was added, and its current verdict."""

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
    verdict: VerdictOut


class Forgotten(Body):
    """The articles that were removed."""

    forgotten: int
    ids: list[str]
    missing: list[str]


class MemberOut(Body):
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


class StoryOut(Body):
    """A story, the kept copy first."""

    id: str
    kept: str
    why: str
    first_seen: str | None
    last_seen: str | None
    outlets: int
    syndicated: int
    members: list[MemberOut]


class StoryPage(Body):
    """A page of stories; `after` is the cursor of the next."""

    stories: list[StoryOut]
    after: str | None


class ActionOut(Body):
    """An entry of the audit log."""

    number: int
    kind: str
    article: str
    other: str | None
    by: str
    note: str
    when: str
    pairs: list[list[str]]
    undone: str | None
    undone_by: str


class ActionResultOut(ActionOut):
    """An action, and the changes it made."""

    changes: list[Object]


class AuditLogPage(Body):
    """A page of the audit log, the latest action first; `before` is the cursor of the next."""

    actions: list[ActionOut]
    before: int | None


class JudgementOut(Body):
    """The relation of two articles."""

    a: str
    b: str
    relation: str
    confidence: Share
    is_duplicate: bool
    event_score: Share
    overlap: Share | None
    rule: str
    reasons: list[str]
    flags: list[str]


class ExplanationOut(JudgementOut):
    """The relation of two articles with its evidence; offsets refer to the original texts."""

    evidence: Object
    passages: list[Object]
    facts: dict[str, list[Object]]
    names: dict[str, list[str]]
    figures: list[Object]


class BorderlinePairOut(JudgementOut):
    """A pair close to a threshold."""

    margin: Share
    threshold: str


class ReviewPage(Body):
    """A page of pairs to review; `after` is the cursor of the next."""

    pairs: list[BorderlinePairOut]
    after: str | None


class FeedbackOut(Body):
    """Feedback on two articles, and what the policy had decided."""

    a: str
    b: str
    same: bool
    relation: str
    note: str
    when: str
    mistake: str | None
    predicted_relation: str
    predicted_rule: str
    predicted_confidence: Share
    predicted_duplicate: bool
    predicted_event_score: Share
    predicted_overlap: Share | None
    evidence: Object


class FeedbackResultOut(FeedbackOut):
    """Feedback, and the changes it made."""

    retracted: bool
    changes: list[Object]


class FeedbackList(Body):
    """All feedback, the oldest first."""

    feedback: list[FeedbackOut]


class TuningOut(Body):
    """What tuning would change, and its gain on held-out pairs."""

    pairs: int
    duplicates: int
    folds: int
    before: dict[str, Share | None]
    after: dict[str, Share | None]
    gain: float
    worth_it: bool
    shifts: list[Object]
    calibrated: bool
    calibration: list[list[float]]
    changes: list[Object]
    looked_at: int
    digest: str


class PolicyWritten(Body):
    """Where a policy was written, and how to use it."""

    written: str
    use: str


class StatsOut(Body):
    """Statistics of a pool."""

    since: str | None
    articles: int
    duplicates: int
    duplicate_rate: Share | None
    stories: int
    feedback: int
    false_alarms: int
    misses: int
    relations: dict[str, int]
    relations_by_day: list[Object]
    sizes: list[Object]
    sources: list[Object]
    days: list[Object]
    times: Object
    times_by_day: list[Object]


class SearchResults(Body):
    """A ranked list without its duplicates, and these, each with what it duplicates."""

    results: list[Object]
    removed: list[Object]


class Session(Body):
    """The caller."""

    name: str
    scopes: list[str]
    pool: str | None


class Health(Body):
    """The state of the service."""

    status: str


class ProblemOut(Body):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str | None
    errors: list[Object] | None = None
