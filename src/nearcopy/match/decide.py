"""Decisions: the relation of each two articles, from their evidence and a policy alone.

The rules are ordered surest first: the first that holds and is not vetoed decides.
"""

from collections.abc import Callable, Sequence
from enum import IntFlag
from functools import cached_property
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
from nearcopy.match.thresholds import (
    PASSAGE_WORDS,
    at_least,
    at_most,
    bodies_differ,
    contained,
    is_update,
    long_enough,
    near,
    page_rewritten,
    reworded,
    texts_differ,
    title_mix,
    titles_decide,
    titles_long_enough,
    titles_similar,
    yes,
)
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
    holds: Callable[[EvidenceTable, Policy], Mask]
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
    vetoes, requirements = Vetoes(evidence, policy), _requirements(evidence, policy)
    rules = np.full(len(evidence), NO_RULE, np.int8)
    reasons = np.zeros(len(evidence), np.int8)
    for number, rule in enumerate(RULES):
        holds = (rules == NO_RULE) & requirements[rule.needs] & rule.holds(evidence, policy)
        if not holds.any():
            continue
        if rule.vetoed_by:
            against = getattr(vetoes, rule.vetoed_by)
            reasons = np.where(holds & (reasons == Reason.NONE), against, reasons)
            holds &= against == Reason.NONE
        rules[holds] = number
    return DecisionTable(evidence, policy, rules, reasons)


def _requirements(e: EvidenceTable, p: Policy) -> dict[Needs, Mask]:
    return {
        Needs.NOTHING: np.ones(len(e), np.bool_),
        Needs.ADDRESS: yes(e.same_url) | yes(e.same_declared_url),
        Needs.TEXTS: long_enough(e, p),
        Needs.TITLES: titles_long_enough(e, p),
    }


class DecisionTable(Table[Decision]):
    """The decisions on pairs.

    `rules` has the place of the deciding rule in `RULES`, `reasons` the veto of a surer one.
    """

    def __init__(
        self, evidence: EvidenceTable, policy: Policy, rules: NDArray[np.int8], reasons: Reasons
    ) -> None:
        self.rules, self.reasons = rules, reasons
        self._evidence, self._policy = evidence, policy

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
            sentence = SENTENCES[RULES[number].name]
            (chosen,) = np.nonzero(rules == number)
            if isinstance(sentence, str):
                said = [sentence] * len(chosen)
            else:
                first = sentence.holds(self._evidence, self._policy)[places[chosen]].tolist()
                said = [sentence.sentence if yes else sentence.otherwise for yes in first]
            for place, words in zip(chosen.tolist(), said, strict=True):
                sentences[place] = words
        (vetoed,) = np.nonzero(reasons != Reason.NONE)
        against = zip(reasons[vetoed].tolist(), places[vetoed].tolist(), strict=True)
        for place, (reason, pair) in zip(vetoed.tolist(), against, strict=True):
            veto, rule = veto_sentence(REASONS[reason], self._evidence, pair), sentences[place]
            sentences[place] = f"{rule}; not a surer relation: {veto}" if rule else veto
        return [sentence or NOTHING_RELEVANT for sentence in sentences]

    def _flags(self, places: NDArray[np.int64]) -> list[tuple[str, ...]]:
        short = self._evidence.words[places] < self._policy.min_words
        return [
            FLAGS[number] for number in (short + 2 * self._evidence.block_page[places]).tolist()
        ]


FLAGS: tuple[tuple[str, ...], ...] = ((), ("short",), ("block_page",), ("short", "block_page"))
NOTHING_RELEVANT = "they have nothing relevant in common"


# The conditions of single rules.


def _same_text(e: EvidenceTable, _: Policy) -> Mask:
    return yes(e.same_text)


def _same_address(e: EvidenceTable, p: Policy) -> Mask:
    return yes(e.same_url) & ~page_rewritten(e, p)


def _updated_page(e: EvidenceTable, p: Policy) -> Mask:
    return yes(e.same_url) & page_rewritten(e, p)


def _declares(e: EvidenceTable, p: Policy) -> Mask:
    return yes(e.same_declared_url) & ~(texts_differ(e) & bodies_differ(e, p))


def _filed_again(e: EvidenceTable, p: Policy) -> Mask:
    alike = near(e, p) | contained(e, p) | _much_shared(e, p)
    return is_update(e, p) & (yes(e.same_source) | e.moved) & alike


def _rewritten(e: EvidenceTable, p: Policy) -> Mask:
    return _much_shared(e, p) & titles_long_enough(e, p) & titles_similar(e, p)


def _much_shared(e: EvidenceTable, p: Policy) -> Mask:
    return yes(e.same_source) & at_least(e.overlap, p.revision_overlap)


def _toll_moved(e: EvidenceTable, p: Policy) -> Mask:
    """For texts too short for the rules above: one source, and a toll that moved."""
    return e.moved & p.facts & (e.words >= PASSAGE_WORDS) & _much_shared(e, p)


def _figure_moved(e: EvidenceTable, p: Policy) -> Mask:
    return e.moved & p.facts & titles_similar(e, p) & titles_decide(e, p)


def _same_title(e: EvidenceTable, p: Policy) -> Mask:
    return titles_similar(e, p) & titles_decide(e, p)


def _facts_agree(e: EvidenceTable, p: Policy) -> Mask:
    return e.agreements & at_least(e.title_soft, p.title_and_facts) & titles_decide(e, p)


def _same_event_titles(e: EvidenceTable, p: Policy) -> Mask:
    return at_least(e.title_soft, p.event_soft)


def _same_event(e: EvidenceTable, p: Policy) -> Mask:
    return at_least(e.event_score, p.event_score)


def _related_titles(e: EvidenceTable, p: Policy) -> Mask:
    related = at_least(e.title_soft, p.related_soft)
    return related if p.related_mix is None else related | at_least(title_mix(e), p.related_mix)


def _related_texts(e: EvidenceTable, p: Policy) -> Mask:
    return (
        at_least(e.overlap, p.related_overlap)
        | at_most(e.distance, p.related_max_hamming)
        | at_least(e.event_score, p.related_score)
    )


# Surest first.
RULES = (
    Rule("same-address", Relation.SAME_URL, Needs.ADDRESS, _same_address, by_address, None),
    Rule("identical-text", Relation.SAME_TEXT, Needs.NOTHING, _same_text, by_identity, "stub"),
    Rule("updated-page", Relation.REVISION, Needs.ADDRESS, _updated_page, by_address, None),
    Rule("declared-address", Relation.SAME_URL, Needs.ADDRESS, _declares, by_address, "base"),
    Rule("filed-again", Relation.REVISION, Needs.TEXTS, _filed_again, by_revision, "text"),
    Rule("near-text", Relation.NEAR_TEXT, Needs.TEXTS, near, by_text, "text"),
    Rule("contained", Relation.CONTAINED, Needs.TEXTS, contained, by_containment, "containment"),
    Rule("reworded", Relation.NEAR_TEXT, Needs.TEXTS, reworded, by_rewording, "title"),
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
