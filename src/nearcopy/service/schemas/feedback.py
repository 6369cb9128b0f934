"""The shapes of answers about pairs, and about what people said and did of them."""

from typing import Any

from pydantic import Field

from nearcopy.service.schemas.responses import Shape, Share


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
