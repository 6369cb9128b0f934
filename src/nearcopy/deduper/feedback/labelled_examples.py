"""Labelled examples: the feedback on pairs beside their evidence, for tuning a policy."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nearcopy.deduper.matches import judge_fingerprints
from nearcopy.deduper.session import Session
from nearcopy.models import Evidence, Relation
from nearcopy.models.feedback import Feedback

BATCH_SIZE = 512


class Example(NamedTuple):
    """The evidence between two articles, and their labels; None where there is none."""

    a: str
    b: str
    evidence: Evidence
    duplicate: bool
    one_story: bool | None = None


def labelled_examples(session: Session) -> Iterator[Example]:
    """All feedback as examples; evidence is measured again where both articles are stored."""
    feedback = session.store.all_feedback()
    for start in range(0, len(feedback), BATCH_SIZE):
        batch = feedback[start : start + BATCH_SIZE]
        measured = _measure(session, batch)
        for label in batch:
            duplicate = label.same and label.relation is not Relation.SAME_EVENT
            evidence = measured.get(label.pair, label.prediction.evidence)
            yield Example(label.a, label.b, evidence, duplicate, label.same)


def _measure(session: Session, batch: Sequence[Feedback]) -> dict[tuple[str, str], Evidence]:
    prints = session.store.fingerprints({id_ for label in batch for id_ in label.pair})
    stored = [label.pair for label in batch if label.a in prints and label.b in prints]
    pairs = [(prints[a], prints[b]) for a, b in stored]
    judgements = judge_fingerprints(session.store, pairs, *session.settings)
    return {pair: judgement.evidence for pair, judgement in zip(stored, judgements, strict=True)}
