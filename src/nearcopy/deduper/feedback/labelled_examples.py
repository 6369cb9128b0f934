"""Examples: what people say of pairs, beside what is measured of them, to tune by."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from nearcopy.cluster.kept_copy import by_age
from nearcopy.config import Policy, Recipe
from nearcopy.fingerprint.term_weights import kept_weights
from nearcopy.match.judge_pairs import judged
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Evidence, Relation
from nearcopy.stores import Store

BATCH = 512


class Example(NamedTuple):
    """What was measured of two articles, and what people say they are; None: they do not say."""

    a: str
    b: str
    evidence: Evidence
    duplicate: bool
    one_story: bool | None = None


def feedback_examples(
    store: Store, told: Iterable[Feedback], recipe: Recipe, policy: Policy
) -> Iterator[Example]:
    """What people said of pairs, measured anew where both are stored, else as it was then."""
    rest = iter(told)
    while some := list(islice(rest, BATCH)):
        now = _measured(store, some, recipe, policy)
        for each in some:
            copies = each.same and each.relation is not Relation.SAME_EVENT
            evidence = now.get(each.pair, each.said.evidence)
            yield Example(each.a, each.b, evidence, copies, each.same)


def _measured(
    store: Store, told: Sequence[Feedback], recipe: Recipe, policy: Policy
) -> dict[tuple[str, str], Evidence]:
    made = store.fingerprints({name for each in told for name in each.pair})
    here = [each.pair for each in told if each.a in made and each.b in made]
    pairs = [sorted((made[a], made[b]), key=by_age) for a, b in here]
    both = [(one, two) for one, two in pairs]
    weights = kept_weights(store.term_counts())
    found = judged(both, recipe, policy, store.articles, weights=weights)
    return {pair: each.evidence for pair, each in zip(here, found, strict=True)}
