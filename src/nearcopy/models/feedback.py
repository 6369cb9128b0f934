"""What users decide: feedback on pairs of articles, and actions on stories in the audit log."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from nearcopy.models.article import Fact
from nearcopy.models.decision import COPIES, Decision, Edge, Evidence, Relation

Pair = tuple[str, str]

FEEDBACK_SAME = "feedback-same"
FEEDBACK_EVENT = "feedback-same-event"
FEEDBACK_DIFFERENT = "feedback-different"
FEEDBACK_RULES = frozenset({FEEDBACK_SAME, FEEDBACK_EVENT, FEEDBACK_DIFFERENT})
NOT_COPIES = frozenset({Relation.RELATED, Relation.DISTINCT})
LABELS = {
    FEEDBACK_SAME: "duplicates",
    FEEDBACK_EVENT: "the same event",
    FEEDBACK_DIFFERENT: "different",
}
Mistake = Literal["false alarm", "miss"]
QUOTES = ("title_swap", "contrast")  # the fields of the evidence that quote the articles
FACTS = ("agreements", "clashes", "moved")


class Prediction(NamedTuple):
    """What the policy decided before the feedback, with the evidence but without quoted words."""

    relation: Relation
    rule: str
    confidence: float
    duplicate: bool
    event_score: float
    overlap: float | None
    evidence: Evidence

    @property
    def same_story(self) -> bool:
        """Whether the policy put the two into one story."""
        return self.duplicate or self.relation is Relation.SAME_EVENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A user's label of two articles, `a` before `b`; later feedback replaces it."""

    a: str
    b: str
    same: bool
    relation: Relation  # with `same`, same_event means one story but no copies
    note: str = ""
    when: datetime
    prediction: Prediction

    @property
    def pair(self) -> Pair:
        """The two ids."""
        return self.a, self.b

    @property
    def rule(self) -> str:
        """The name of the rule in decisions by this feedback."""
        if not self.same:
            return FEEDBACK_DIFFERENT
        return FEEDBACK_EVENT if self.relation is Relation.SAME_EVENT else FEEDBACK_SAME

    @property
    def decision(self) -> Decision:
        """The decision that overrides the policy's."""
        rule = self.rule
        reason = f"labelled {LABELS[rule]} by a user on {self.when:%Y-%m-%d}"
        reason = f"{reason}: {self.note}" if self.note else reason
        return Decision(self.relation, rule, 1.0, rule == FEEDBACK_SAME, reason)

    @property
    def edge(self) -> Edge:
        """The edge that replaces the measured one."""
        return Edge(self.a, self.b, self.decision, float(self.same), self.prediction.overlap)

    @property
    def mistake(self) -> Mistake | None:
        """The mistake of the policy, if it made one."""
        if self.rule == FEEDBACK_SAME:
            return None if self.prediction.duplicate else "miss"
        if self.rule == FEEDBACK_EVENT and not self.prediction.same_story:
            return "miss"
        event = self.rule == FEEDBACK_EVENT
        false_alarm = self.prediction.duplicate if event else self.prediction.same_story
        return "false alarm" if false_alarm else None


def feedback_relation(same: bool, relation: Relation | None, measured: Relation) -> Relation:
    """The relation of the feedback: as given, else as measured if consistent, else the loosest."""
    if relation is not None:
        return relation
    if measured in (COPIES if same else NOT_COPIES):
        return measured
    return Relation.SAME_TITLE if same else Relation.DISTINCT


def is_consistent(same: bool, relation: Relation) -> bool:
    """Whether the relation is one of articles that are the same, or different."""
    return relation in ({*COPIES, Relation.SAME_EVENT} if same else NOT_COPIES)


def without_quotes(evidence: Evidence) -> Evidence:
    """The evidence without any words of the articles; every policy decides it alike."""
    blank: dict[str, Any] = {name: "..." for name in QUOTES if getattr(evidence, name)}
    for name in FACTS:
        pairs = getattr(evidence, name)
        blank[name] = tuple((Fact(a.kind, ""), Fact(b.kind, "")) for a, b in pairs)
    return evidence._replace(**blank)


def evidence_to_json(evidence: Evidence) -> str:
    """The measured fields of the evidence."""
    defaults = Evidence._field_defaults
    measured = {n: v for n, v in evidence._asdict().items() if v != defaults[n]}
    return json.dumps(measured, separators=(",", ":"))


def evidence_from_json(text: str) -> Evidence:
    """The evidence; fields that no longer exist are dropped."""
    stored: dict[str, Any] = json.loads(text)
    for name in FACTS:
        if name in stored:
            stored[name] = tuple((Fact(*a), Fact(*b)) for a, b in stored[name])
    return Evidence(**{name: stored[name] for name in Evidence._fields if name in stored})


class ActionKind(StrEnum):
    """What a user can do to a story."""

    KEEP = "keep"  # another copy than the rules would
    SPLIT = "split"  # a member off
    MERGE = "merge"  # with another story


class MovedArticle(NamedTuple):
    """An article that an action moved to another story."""

    id: str
    story_id: str
    story_before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAction:
    """An entry of the audit log: who did what to a story, when, and whether it was undone."""

    number: int  # ascending
    kind: ActionKind
    article: str
    other: str | None = None  # the kept copy of the story that it was merged with
    by: str = ""
    note: str = ""
    when: datetime
    pairs: tuple[Pair, ...] = ()  # the feedback it gave: same for a merge, else different
    moved: tuple[MovedArticle, ...] = ()
    undone: datetime | None = None
    undone_by: str = ""

    @property
    def keeps(self) -> str | None:
        """The article that this action makes the kept copy, unless it was undone."""
        return self.article if self.kind is ActionKind.KEEP and self.undone is None else None


def action_to_json(action: StoryAction) -> str:
    """The action as one line of ASCII."""
    fields = {name: getattr(action, name) for name in action.__dataclass_fields__}
    times = {name: fields[name] and fields[name].isoformat() for name in ("when", "undone")}
    return json.dumps(fields | times, separators=(",", ":"))


def action_from_json(text: str | bytes) -> StoryAction:
    """The action of such a line."""
    action = StoryAction(**json.loads(text))
    return replace(
        action,
        kind=ActionKind(action.kind),
        when=datetime.fromisoformat(str(action.when)),
        undone=datetime.fromisoformat(str(action.undone)) if action.undone else None,
        pairs=tuple((a, b) for a, b in action.pairs),
        moved=tuple(MovedArticle(*moved) for moved in action.moved),
    )
