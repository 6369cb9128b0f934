"""Explaining: why two articles are what they are to each other, as data to show."""

from dataclasses import dataclass, replace

from nearcopy.config import Policy, Recipe, check_policy
from nearcopy.extract.facts import add_chinese_facts
from nearcopy.extract.numerals import Numeral, changed
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.kernels import TermWeights
from nearcopy.kernels.result_types import Passage
from nearcopy.match.compare import passages
from nearcopy.match.judgement import Judgement, judge_pairs
from nearcopy.models import Article, Decision, Evidence, Fact, FactPair

SHOWN = frozenset(("grade",))  # measures that no policy reads, and people do


@dataclass(frozen=True, slots=True)
class Explanation:
    """The decision with all that it rests on; places are those of the original texts."""

    a: str
    b: str
    judgement: Judgement
    passages: tuple[Passage, ...]  # of min_words or more, that stand in both texts
    facts_a: tuple[Fact, ...]
    facts_b: tuple[Fact, ...]
    names_a: tuple[str, ...]
    names_b: tuple[str, ...]
    figures: tuple[tuple[Numeral, Numeral], ...]  # that differ in the same place of the texts

    @property
    def decision(self) -> Decision:
        """What was decided, and by which rule."""
        return self.judgement.decision

    @property
    def evidence(self) -> Evidence:
        """What was measured."""
        return self.judgement.evidence

    @property
    def agreements(self) -> tuple[FactPair, ...]:
        """The facts in which the titles agree."""
        return self.evidence.agreements

    @property
    def clashes(self) -> tuple[FactPair, ...]:
        """The facts in which the titles contradict each other."""
        return self.evidence.clashes

    @property
    def sentence(self) -> str:
        """The rule in one sentence."""
        return f"{self.decision.relation}: {self.decision.reason}"


def explain(
    a: Article,
    b: Article,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    *,
    min_words: int = 8,
    weights: TermWeights | None = None,
) -> Explanation:
    """What two articles are to each other and why, with what they share and where they clash.

    `weights` tell how much terms count where a store has counted them.
    """
    recipe, policy = recipe or Recipe(), check_policy(policy)
    other = replace(b, id=f"{b.id}#2") if a.id == b.id else b
    left, right = fingerprints([a, other], recipe)
    at_hand = {a.id: a, other.id: other}
    (judgement,) = judge_pairs(
        [(left, right)], recipe, policy, lambda _: at_hand, also=SHOWN, weights=weights
    )
    return Explanation(
        a.id,
        b.id,
        judgement,
        tuple(passages(a, b, min_words=min_words)),
        add_chinese_facts(left).facts,
        add_chinese_facts(right).facts,
        left.names,
        right.names,
        tuple(changed(a.text, b.text, html_a=a.html, html_b=b.html)),
    )
