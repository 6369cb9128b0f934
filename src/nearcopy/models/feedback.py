"""Feedback: what people said of two articles, and what the policy had said until then."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from nearcopy.models.model import COPIES, Decision, Edge, Evidence, Fact, Relation

TOLD_SAME = "told-same"
TOLD_EVENT = "told-same-event"
TOLD_APART = "told-different"
TOLD = frozenset({TOLD_SAME, TOLD_EVENT, TOLD_APART})
APART = frozenset({Relation.RELATED, Relation.DISTINCT})
SENTENCE = {
    TOLD_SAME: "to be the same",
    TOLD_EVENT: "to report the same event",
    TOLD_APART: "to be different",
}
Mistake = Literal["false alarm", "miss"]
WORDS = ("title_swap", "contrast")  # what evidence quotes
FACTS = ("agreements", "clashes", "moved")


class Said(NamedTuple):
    """What a policy said of two articles, and by what evidence, without the words it quotes."""

    relation: Relation
    rule: str
    confidence: float
    duplicate: bool
    news: float
    copy: float | None
    evidence: Evidence

    @property
    def one_story(self) -> bool:
        """Whether the two are of one story by this."""
        return self.duplicate or self.relation is Relation.SAME_EVENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What people said of two articles, `a` before `b`. It holds until they say otherwise."""

    a: str
    b: str
    same: bool
    relation: Relation  # same_event: one story and no copies; with `same` any other is a copy
    note: str = ""
    when: datetime
    said: Said

    @property
    def pair(self) -> tuple[str, str]:
        """The two ids."""
        return self.a, self.b

    @property
    def rule(self) -> str:
        """The rule that it makes."""
        if not self.same:
            return TOLD_APART
        return TOLD_EVENT if self.relation is Relation.SAME_EVENT else TOLD_SAME

    @property
    def decision(self) -> Decision:
        """What the two are from now on, whatever is measured."""
        rule = self.rule
        reason = f"told by people on {self.when:%Y-%m-%d} {SENTENCE[rule]}"
        told = f"{reason}: {self.note}" if self.note else reason
        return Decision(self.relation, rule, 1.0, rule == TOLD_SAME, told)

    @property
    def edge(self) -> Edge:
        """The same, as what is between the two."""
        return Edge(self.a, self.b, self.decision, float(self.same), self.said.copy)

    @property
    def mistake(self) -> Mistake | None:
        """What was wrong with what the policy had said, if anything."""
        if self.rule == TOLD_SAME:
            return None if self.said.duplicate else "miss"
        if self.rule == TOLD_EVENT and not self.said.one_story:
            return "miss"
        wrong = self.said.duplicate if self.rule == TOLD_EVENT else self.said.one_story
        return "false alarm" if wrong else None


def relation_told(same: bool, given: Relation | None, measured: Relation) -> Relation:
    """The relation that is told: as given, else as measured where that fits, else the loosest."""
    fits = COPIES if same else APART
    if given is not None:
        return given
    return measured if measured in fits else (Relation.SAME_TITLE if same else Relation.DISTINCT)


def fits(same: bool, relation: Relation) -> bool:
    """Whether two articles that are the same, or different, can be this to each other."""
    return relation in ({*COPIES, Relation.SAME_EVENT} if same else APART)


def without_words(evidence: Evidence) -> Evidence:
    """What was measured, judged alike by every policy, with nothing that the articles say."""
    blank: dict[str, Any] = {name: "..." for name in WORDS if getattr(evidence, name)}
    for name in FACTS:
        pairs = getattr(evidence, name)
        blank[name] = tuple((Fact(a.kind, ""), Fact(b.kind, "")) for a, b in pairs)
    return evidence._replace(**blank)


def evidence_json(evidence: Evidence) -> str:
    """What was measured, and only that, to be read again."""
    nothing = Evidence._field_defaults
    measured = {n: v for n, v in evidence._asdict().items() if v != nothing[n]}
    return json.dumps(measured, separators=(",", ":"))


def evidence_of(text: str) -> Evidence:
    """The evidence again; measurements that are no more taken are left out."""
    given: dict[str, Any] = json.loads(text)
    facts = {
        name: tuple((Fact(*a), Fact(*b)) for a, b in given[name]) for name in FACTS if name in given
    }
    known = {name: value for name, value in given.items() if name in Evidence._fields}
    return Evidence(**known | facts)
