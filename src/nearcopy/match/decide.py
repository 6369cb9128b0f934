"""Decisions: the relation of each two articles, from their evidence and a policy alone.

The rules are ordered surest first: the first that holds and is not vetoed decides.
"""

from collections.abc import Callable, Sequence
from enum import IntFlag
from functools import cached_property
from operator import attrgetter
from sys import intern
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Policy
from nearcopy.match.confidence import (
    Shares,
    by_address,
    by_containment,
    by_event,
    by_event_score,
    by_identity,
    by_like_titles,
    by_revision,
    by_rewording,
    by_subject,
    by_text,
    by_title,
    calibrate,
    distinct,
)
from nearcopy.match.evidence_table import EvidenceTable, Mask, Table
from nearcopy.match.reason_sentences import SENTENCES
from nearcopy.match.thresholds import PASSAGE_WORDS, Conditions, at_least, at_most, title_mix, yes
from nearcopy.match.vetoes import Reason, Reasons, Vetoes, veto_sentence
from nearcopy.models import Decision, Evidence, Relation

VETOED_CONFIDENCE = 0.9


class Needs(IntFlag):
    """The evidence that a rule requires."""

    NOTHING = 0
    ADDRESS = 1  # a shared one
    TEXTS = 2  # both long enough
    TITLES = 4  # both long enough


class Rule(NamedTuple):
    """A sufficient condition of a relation, unless its veto applies."""

    name: str
    relation: Relation
    needs: Needs
    holds: Callable[[Conditions], Mask]
    confidence: Callable[[EvidenceTable], Shares]
    vetoed_by: Literal["base", "text", "containment", "form", "title", "event", "stub"] | None


def decide(evidence: Evidence, policy: Policy) -> Decision:
    """The decision of the first rule that holds and is not vetoed.

    >>> from nearcopy import Evidence, Policy, decide
    >>> decide(Evidence(same_text=True, words=200), Policy()).relation
    <Relation.SAME_TEXT: 'same_text'>

    Args:
        evidence: What `compare` measured between the two articles.
        policy: The thresholds, and the relations that count as duplicates.
    """
    return decide_pairs(EvidenceTable.of([evidence]), policy)[0]


def decide_pairs(evidence: EvidenceTable, policy: Policy) -> "DecisionTable":
    """The decision on each pair, as `decide` makes it."""
    if policy.compares == "text":
        evidence = evidence.texts_only()
    conditions = Conditions(evidence, policy)
    vetoes, requirements = Vetoes(conditions), _requirements(conditions)
    rules = np.full(len(evidence), NO_RULE, np.int8)
    reasons = np.zeros(len(evidence), np.int8)
    for number, rule in enumerate(RULES):
        possible = (rules == NO_RULE) & requirements[rule.needs]
        if not possible.any() or not (holds := possible & rule.holds(conditions)).any():
            continue
        if rule.vetoed_by:
            against = getattr(vetoes, rule.vetoed_by)
            reasons = np.where(holds & (reasons == Reason.NONE), against, reasons)
            holds &= against == Reason.NONE
        rules[holds] = number
    return DecisionTable(conditions, rules, reasons)


def _requirements(c: Conditions) -> dict[Needs, Mask]:
    return {
        Needs.NOTHING: np.ones(len(c.evidence), np.bool_),
        Needs.ADDRESS: yes(c.evidence.same_url) | yes(c.evidence.same_declared_url),
        Needs.TEXTS: c.long_enough,
        Needs.TITLES: c.titles_long_enough,
    }


class DecisionTable(Table[Decision]):
    """The decisions on pairs.

    `rules` has the place of the deciding rule in `RULES`, `reasons` the veto of a surer one.
    """

    def __init__(self, conditions: Conditions, rules: NDArray[np.int8], reasons: Reasons) -> None:
        self.rules, self.reasons = rules, reasons
        self._conditions = conditions
        self._evidence, self._policy = conditions.evidence, conditions.policy

    def __len__(self) -> int:
        return len(self.rules)

    @cached_property
    def relation(self) -> NDArray[np.int8]:
        """The place of each relation in `Relation`."""
        return RELATION_OF[self.rules]

    @cached_property
    def duplicate(self) -> Mask:
        """Whether each decision makes one article a duplicate of the other."""
        duplicates = [relation in self._policy.duplicates for relation in Relation]
        return np.array(duplicates, np.bool_)[self.relation]

    @property
    def one_story(self) -> Mask:
        """Whether each decision puts the two articles into one story."""
        same_event: Mask = self.relation == RELATIONS.index(Relation.SAME_EVENT)
        return self.duplicate | same_event

    @cached_property
    def decided(self) -> Mask:
        """Whether a rule decided."""
        mask: Mask = self.rules != NO_RULE
        return mask

    @property
    def vetoed(self) -> Mask:
        """Whether no rule decided, because of a veto."""
        mask: Mask = ~self.decided & (self.reasons != Reason.NONE)
        return mask

    @property
    def nothing_in_common(self) -> Mask:
        """Whether no rule held."""
        mask: Mask = ~self.decided & (self.reasons == Reason.NONE)
        return mask

    @cached_property
    def confidence(self) -> Shares:
        """How sure each decision is."""
        sure = distinct(self._evidence)
        for number in np.unique(self.rules[self.rules != NO_RULE]).tolist():
            chosen = self.rules == number
            sure[chosen] = RULES[number].confidence(self._evidence)[chosen]
        sure = np.where(self.vetoed, VETOED_CONFIDENCE, np.round(sure, 4))
        return np.where(self.duplicate, calibrate(sure, self._policy.calibration), sure)

    def rows(self, places: Sequence[int]) -> list[Decision]:
        chosen = np.array(places, np.int64)
        columns = (
            [RELATIONS[number] for number in self.relation[chosen].tolist()],
            [NAMES[number] for number in (self.rules + self.vetoed)[chosen].tolist()],
            self.confidence[chosen].tolist(),
            self.duplicate[chosen].tolist(),
            self._sentences(chosen),
            self._flags(chosen),
        )
        return list(map(Decision, *columns))

    def _sentences(self, places: NDArray[np.int64]) -> list[str]:
        """The rule, or the veto, in one sentence for each of these pairs."""
        rules, reasons = self.rules[places], self.reasons[places]
        sentences = [""] * len(places)
        for number in np.unique(rules[rules != NO_RULE]).tolist():
            choice = SENTENCES[RULES[number].name]
            (chosen,) = np.nonzero(rules == number)
            if isinstance(choice, str):
                said = [choice] * len(chosen)
            else:
                first = choice.holds(self._conditions)[places[chosen]].tolist()
                said = [choice.sentence if yes else choice.otherwise for yes in first]
            for place, words in zip(chosen.tolist(), said, strict=True):
                sentences[place] = words
        (vetoed,) = np.nonzero(reasons != Reason.NONE)
        against = zip(reasons[vetoed].tolist(), places[vetoed].tolist(), strict=True)
        for place, (reason, pair) in zip(vetoed.tolist(), against, strict=True):
            veto, rule = veto_sentence(REASONS[reason], self._evidence, pair), sentences[place]
            sentence = f"{rule}; not a surer relation: {veto}" if rule else veto
            sentences[place] = intern(sentence)  # many are kept, few are distinct
        return [sentence or NOTHING_RELEVANT for sentence in sentences]

    def _flags(self, places: NDArray[np.int64]) -> list[tuple[str, ...]]:
        short = self._evidence.words[places] < self._policy.min_words
        return [
            FLAGS[number] for number in (short + 2 * self._evidence.block_page[places]).tolist()
        ]


FLAGS: tuple[tuple[str, ...], ...] = ((), ("short",), ("block_page",), ("short", "block_page"))
NOTHING_RELEVANT = "they have nothing relevant in common"


# The conditions of single rules.

_near, _contained, _reworded = map(attrgetter, ("near", "contained", "reworded"))


def _same_text(c: Conditions) -> Mask:
    return yes(c.evidence.same_text)


def _same_address(c: Conditions) -> Mask:
    return yes(c.evidence.same_url) & ~c.page_rewritten


def _updated_page(c: Conditions) -> Mask:
    return yes(c.evidence.same_url) & c.page_rewritten


def _declares(c: Conditions) -> Mask:
    return yes(c.evidence.same_declared_url) & ~(c.texts_differ & c.bodies_differ)


def _filed_again(c: Conditions) -> Mask:
    alike = c.near | c.contained | _much_shared(c)
    return c.is_update & (yes(c.evidence.same_source) | c.evidence.moved) & alike


def _rewritten(c: Conditions) -> Mask:
    return _much_shared(c) & c.titles_long_enough & c.titles_similar


def _much_shared(c: Conditions) -> Mask:
    return yes(c.evidence.same_source) & at_least(c.evidence.overlap, c.policy.revision_overlap)


def _toll_moved(c: Conditions) -> Mask:
    """For texts too short for the rules above: one source, and a toll that moved."""
    return c.evidence.moved & c.policy.facts & (c.evidence.words >= PASSAGE_WORDS) & _much_shared(c)


def _figure_moved(c: Conditions) -> Mask:
    return c.evidence.moved & c.policy.facts & c.titles_similar & c.titles_decide


def _same_title(c: Conditions) -> Mask:
    return c.titles_similar & c.titles_decide


def _facts_agree(c: Conditions) -> Mask:
    similar = at_least(c.evidence.title_soft, c.policy.title_and_facts)
    return c.evidence.agreements & similar & c.titles_decide


def _same_event_titles(c: Conditions) -> Mask:
    return at_least(c.evidence.title_soft, c.policy.event_soft)


def _same_event(c: Conditions) -> Mask:
    return at_least(c.evidence.event_score, c.policy.event_score)


def _related_titles(c: Conditions) -> Mask:
    related = at_least(c.evidence.title_soft, c.policy.related_soft)
    if c.policy.related_mix is None:
        return related
    return related | at_least(title_mix(c.evidence), c.policy.related_mix)


def _related_texts(c: Conditions) -> Mask:
    return (
        at_least(c.evidence.overlap, c.policy.related_overlap)
        | at_most(c.evidence.distance, c.policy.related_max_hamming)
        | at_least(c.evidence.event_score, c.policy.related_score)
    )


# Surest first.
RULES = (
    Rule("same-address", Relation.SAME_URL, Needs.ADDRESS, _same_address, by_address, None),
    Rule("identical-text", Relation.SAME_TEXT, Needs.NOTHING, _same_text, by_identity, "stub"),
    Rule("updated-page", Relation.REVISION, Needs.ADDRESS, _updated_page, by_address, None),
    Rule("declared-address", Relation.SAME_URL, Needs.ADDRESS, _declares, by_address, "base"),
    Rule("filed-again", Relation.REVISION, Needs.TEXTS, _filed_again, by_revision, "text"),
    Rule("near-text", Relation.NEAR_TEXT, Needs.TEXTS, _near, by_text, "text"),
    Rule(
        "contained",
        Relation.CONTAINED,
        Needs.TEXTS,
        _contained,
        by_containment,
        "containment",
    ),
    Rule("reworded", Relation.NEAR_TEXT, Needs.TEXTS, _reworded, by_rewording, "title"),
    Rule("rewritten", Relation.REVISION, Needs.TEXTS, _rewritten, by_revision, "text"),
    Rule("toll-moved", Relation.REVISION, Needs.NOTHING, _toll_moved, by_revision, "text"),
    Rule("figure-moved", Relation.REVISION, Needs.TITLES, _figure_moved, by_title, "title"),
    Rule("like-titles", Relation.SAME_TITLE, Needs.TITLES, _same_title, by_title, "title"),
    Rule("titles-and-facts", Relation.SAME_TITLE, Needs.TITLES, _facts_agree, by_title, "title"),
    Rule(
        "like-titles-over-different-texts",
        Relation.SAME_EVENT,
        Needs.TITLES,
        _same_event_titles,
        by_like_titles,
        "title",
    ),
    Rule("same-event", Relation.SAME_EVENT, Needs.NOTHING, _same_event, by_event_score, "event"),
    Rule("related-titles", Relation.RELATED, Needs.TITLES, _related_titles, by_event, "form"),
    Rule("related-texts", Relation.RELATED, Needs.NOTHING, _related_texts, by_subject, "text"),
)
RELATIONS, REASONS = tuple(Relation), tuple(Reason)
NO_RULE = len(RULES)
NAMES = (*(rule.name for rule in RULES), "nothing-in-common", "vetoed")  # by rule, and without one
RELATION_OF = np.array(
    [
        RELATIONS.index(relation)
        for relation in (*(rule.relation for rule in RULES), Relation.DISTINCT)
    ],
    np.int8,
)
