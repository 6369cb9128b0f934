"""Explanations: a decision with its evidence, shared passages, facts and changed figures."""

from dataclasses import dataclass, replace

from nearcopy.config import Policy, Recipe, check_policy
from nearcopy.extract.facts import add_chinese_facts
from nearcopy.extract.numerals import changed
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.kernels import TermWeights
from nearcopy.kernels.result_types import Numeral, Passage
from nearcopy.match.compare import passages
from nearcopy.match.judgement import Judgement, judge_pairs
from nearcopy.models import Article, Decision, Evidence, Fact, FactPair

EXTRA_MEASURES = frozenset(("grade",))  # shown, though no policy reads them


@dataclass(frozen=True, slots=True)
class Explanation:
    """The decision with its evidence; positions are those of the original texts."""

    a: str
    b: str
    judgement: Judgement
    passages: tuple[Passage, ...]  # of min_words or more, in both texts
    facts_a: tuple[Fact, ...]
    facts_b: tuple[Fact, ...]
    names_a: tuple[str, ...]
    names_b: tuple[str, ...]
    figures: tuple[tuple[Numeral, Numeral], ...]  # that differ in the same context

    @property
    def decision(self) -> Decision:
        """The decision."""
        return self.judgement.decision

    @property
    def evidence(self) -> Evidence:
        """The evidence."""
        return self.judgement.evidence

    @property
    def agreements(self) -> tuple[FactPair, ...]:
        """The facts of the titles that agree."""
        return self.evidence.agreements

    @property
    def clashes(self) -> tuple[FactPair, ...]:
        """The facts of the titles that clash."""
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
    """The relation of two articles and why, with what they share and where they clash.

    >>> from nearcopy import Article, explain
    >>> a = Article(id="a", title="Nordell raises $10m in Series A")
    >>> b = Article(id="b", title="Nordell raises $50m in Series B")
    >>> explain(a, b).sentence
    'distinct: the facts clash: 10 million dollars / 50 million dollars and 1 more'

    Args:
        a: An article.
        b: Another article.
        recipe: The recipe of the fingerprints; by default `Recipe()`.
        policy: The thresholds; by default `Policy()`.
        min_words: The length of the shortest passage.
        weights: The term weights of a store, if it counted its terms.
    """
    recipe, policy = recipe or Recipe(), check_policy(policy)
    other = replace(b, id=f"{b.id}#2") if a.id == b.id else b
    left, right = fingerprints([a, other], recipe)
    articles = {a.id: a, other.id: other}
    (judgement,) = judge_pairs(
        RowPairs.of([(left, right)]),
        recipe,
        policy,
        lambda _: articles,
        also=EXTRA_MEASURES,
        weights=weights,
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
