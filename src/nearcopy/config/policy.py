"""Policies: where lines are drawn. Changing one is free; fingerprints stay as they are.

Every threshold is a least value, so higher is stricter, everywhere; None switches its rule off.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from itertools import pairwise
from typing import Literal, get_args

from nearcopy.config.field_docs import KEEP_RULES
from nearcopy.errors import BadPolicy
from nearcopy.models.model import COPIES, Relation

Keep = Literal["best", "earliest", "latest", "longest", "source-rank"]
KEEP: tuple[Keep, ...] = get_args(Keep)
LikeTitles = Literal["one", "two"]
Sources = Literal["any", "across", "within"]
Compares = Literal["all", "text"]
LEAST_BITS = 40  # two unlike texts share about 32 of 64 SimHash bits


def _number(name: str, value: object, low: float, high: float) -> None:
    whole = isinstance(low, int)
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise BadPolicy(f"{name} is {value!r}: give {kind} from {low} to {high}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How the best version is chosen: the points there are for each virtue."""

    length: float = 30.0
    details: float = 40.0
    detail: float = 8.0  # each
    tiers: tuple[float, ...] = (20.0, 15.0, 10.0)  # for tier 1, 2, 3; an unknown one has the last
    freshness: float = 10.0
    stale_per_day: float = 0.42
    longer: float = 0.2  # this much longer is longer; less is the same length

    def __post_init__(self) -> None:
        if not isinstance(self.tiers, tuple):
            raise BadPolicy(f"scoring tiers is {self.tiers!r}: give the points of tier 1, 2, ...")
        for name, value in (("tiers", each) for each in self.tiers):
            _number(f"scoring {name}", value, 0.0, 1000.0)
        for field in fields(self):
            if field.name != "tiers":
                _number(f"scoring {field.name}", getattr(self, field.name), 0.0, 1000.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which relations count as duplicates, and what each of them takes.

    >>> Policy().near_overlap, POLICIES["feed"].near_bits
    (0.5, 61)
    """

    duplicates: frozenset[Relation] = COPIES
    window: timedelta | None = timedelta(days=14)  # None: however far apart
    sources: Sources = "any"  # "across": never two of one source; "within": no others
    compares: Compares = "all"  # "text": titles, addresses, figures and junk are of no account
    calibration: tuple[tuple[float, float], ...] = ()  # confidence in duplicates: given, right

    # The text.
    min_words: int = 50  # shorter texts are judged by identity, title and facts alone
    unchanged: float | None = 0.9  # with less overlap, the page at one address was rewritten
    near_overlap: float | None = 0.5
    near_bits: int | None = 61  # equal SimHash bits of 64: within 3 bits of each other
    reworded: float | None = 0.19  # the overlap of a copy with a third of its words changed, and
    reworded_profile: float | None = 0.7  # how alike the profiles of such a copy are, both counting
    contained: float | None = 0.8
    revised: float | None = 0.2  # the overlap of a new version by the same source
    site_overlap: float | None = 0.9  # of two pages of one site whose titles are not alike
    site_title: float | None = 0.4  # titles less alike are not, on one site or over a stub

    # The titles: any one of these is enough.
    title_ratio: float | None = None
    title_token_set: float | None = None
    title_partial: float | None = None
    title_average: float | None = None
    title_mix: float | None = None
    title_soft: float | None = 0.9
    title_news: float | None = 0.42  # likelihood of one piece of news, from all that is measured
    title_and_facts: float | None = None  # enough, as title_soft, when facts agree
    title_later: float | None = 0.9  # asked of titles, as title_soft, once title_days have passed
    title_days: timedelta = timedelta(days=3)
    min_title_chars: int = 10
    min_title_words: int = 4

    # Like titles over different bodies: one item, or two?
    like_titles: LikeTitles = "two"
    title_certain: float | None = None  # a title mix that decides whatever the bodies are
    body_overlap: float = 0.4  # bodies are different when less of the shorter is shared
    body_bits: int = 58  # the same by SimHash, where there is no overlap

    # The veto by facts.
    facts: bool = True
    stages: bool = True  # stages, columns, opinion, names in each other's place part like titles
    names_shared: float | None = None  # fewer shared names make two articles different
    numerals_shared: float | None = 0.6  # fewer shared figures make two texts a template
    numerals_kept: float | None = 0.9  # one changed figure is a template below this
    # Not a copy, but worth knowing.
    event_soft: float | None = 0.54
    event_news: float | None = 0.3  # how likely two report the same news
    related_news: float | None = 0.25
    related_soft: float | None = 0.4
    related_overlap: float | None = 0.1
    related_bits: int | None = None
    related_mix: float | None = None
    embed: bool = False  # measure the likeness in meaning, which takes the extra `embed`

    # Stories.
    story_news: float | None = 0.3  # of reports of one event, each with each, on average
    keep: tuple[Keep, ...] = ("best",)
    scoring: Scoring = Scoring()
    source_rank: tuple[str, ...] = ()
    largest_story: int = 1000

    def __post_init__(self) -> None:
        self._check_choices()
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.type in (float | None, int | None):
                continue
            if field.type in (float, float | None):
                _number(field.name, value, 0.0, 1.0)
            elif field.name.endswith("_bits"):
                _number(field.name, value, LEAST_BITS, 64)
            elif field.type is int:
                _number(field.name, value, 0, 1 << 40)

    @property
    def measures(self) -> frozenset[str]:
        """The dearer measures that this policy reads; others need not be taken for it."""
        mix = (self.title_mix, self.title_certain, self.related_mix)
        wanted = {
            "ratio": (self.title_ratio,),
            "indel": mix,
            "cosine": mix,
            "token_set": (self.title_token_set, self.title_average),
            "token_sort": (self.title_average,),
            "partial": (self.title_partial, self.title_average),
            "news": (self.title_news,),
            "names": (self.names_shared,),
            "profile": (  # the confidence in what is related reads it too
                self.reworded_profile,
                self.event_news,
                self.related_news,
                self.related_overlap,
                self.related_bits,
            ),
        }
        read = (n for n, readers in wanted.items() if any(r is not None for r in readers))
        return frozenset(read) | ({"meaning"} if self.embed else set())

    @property
    def reads_titles(self) -> bool:
        """Whether like titles alone may make two articles something to each other."""
        enough = (
            self.title_ratio,
            self.title_token_set,
            self.title_partial,
            self.title_average,
            self.title_mix,
            self.title_soft,
            self.title_news,
            self.title_and_facts,
            self.event_soft,
            self.related_soft,
            self.related_mix,
        )
        return self.compares == "all" and any(each is not None for each in enough)

    @property
    def by_bits(self) -> bool:
        """Whether nothing but bits of SimHashes tells that two different texts are alike."""
        more = (
            self.near_overlap,
            self.reworded,
            self.contained,
            self.revised,
            self.related_overlap,
            self.event_news,
            self.related_news,
        )
        return not self.reads_titles and all(each is None for each in more)

    def _check_choices(self) -> None:
        try:
            object.__setattr__(self, "duplicates", frozenset(map(Relation, self.duplicates)))
        except (TypeError, ValueError) as wrong:
            raise BadPolicy(f"duplicates: {wrong}: choose from {', '.join(Relation)}") from None
        if Relation.DISTINCT in self.duplicates:
            raise BadPolicy("duplicates holds distinct: what is distinct is no duplicate")
        for name in ("window", "title_days"):
            span = getattr(self, name)
            if span is None and name == "window":
                continue
            if not isinstance(span, timedelta) or span <= timedelta(0):
                raise BadPolicy(f"{name} is {span!r}: give a timedelta above zero")
        if self.like_titles not in get_args(LikeTitles):
            raise BadPolicy(f'like_titles is {self.like_titles!r}: choose "one" or "two"')
        if self.sources not in get_args(Sources):
            raise BadPolicy(
                f'sources is {self.sources!r}: choose "any", "across" or "within" one source'
            )
        if self.compares not in get_args(Compares):
            raise BadPolicy(f'compares is {self.compares!r}: choose "all" or "text"')
        for name in ("facts", "stages", "embed"):
            if not isinstance(getattr(self, name), bool):
                raise BadPolicy(f"{name} is {getattr(self, name)!r}: give True or False")
        self._check_calibration()
        self._check_stories()

    def _check_calibration(self) -> None:
        """Points from left to right, none lower than the one before; whole pairs of shares."""
        try:
            points = tuple((given, right) for given, right in self.calibration)
        except (TypeError, ValueError):
            raise BadPolicy(
                f"calibration is {self.calibration!r:.60}: give pairs, as [[0.5, 0.4], [1.0, 0.9]]"
            ) from None
        for each in (share for point in points for share in point):
            _number("a share in calibration", each, 0.0, 1.0)
        for (given, right), (later, higher) in pairwise(points):
            if given >= later or right > higher:
                raise BadPolicy(
                    f"calibration goes from {given}, {right} to {later}, {higher}: "
                    "give pairs of shares, both ascending"
                )
        object.__setattr__(self, "calibration", points)

    def _check_stories(self) -> None:
        """Sources are ranked by name or site in any case, as fingerprints hold them folded."""
        rank, listed = self.source_rank, isinstance(self.keep, tuple | list)
        if not listed or not self.keep or any(rule not in KEEP for rule in self.keep):
            raise BadPolicy(f"keep is {self.keep!r}: give one or more of {KEEP_RULES}")
        if not isinstance(self.scoring, Scoring):
            raise BadPolicy(f"scoring is {self.scoring!r}: give a Scoring")
        if not isinstance(rank, tuple | list) or not all(isinstance(each, str) for each in rank):
            raise BadPolicy(f"source_rank is {rank!r}: give the names of sources, best first")
        object.__setattr__(self, "keep", tuple(self.keep))
        object.__setattr__(self, "source_rank", tuple(each.casefold().strip() for each in rank))


# What the earlier designs had no notion of is off in their presets.
_PLAIN = Policy(
    min_words=0,
    unchanged=None,
    near_overlap=None,
    reworded=None,
    reworded_profile=None,
    contained=None,
    revised=None,
    site_overlap=None,
    site_title=None,
    title_soft=None,
    title_news=None,
    title_later=None,
    min_title_words=0,
    like_titles="one",
    facts=False,
    stages=False,
    numerals_shared=None,
    numerals_kept=None,
    event_soft=None,
    event_news=None,
    related_news=None,
    related_soft=None,
    related_overlap=None,
    story_news=None,
    keep=("earliest",),
)

POLICIES: Mapping[str, Policy] = {
    "default": Policy(),
    "feed": replace(_PLAIN, title_ratio=0.9),
    "tracker": replace(
        _PLAIN,
        near_bits=None,
        title_token_set=0.88,
        title_partial=0.9,
        title_average=0.82,
        title_and_facts=0.5,
        facts=True,
        names_shared=0.3,
    ),
    "crawler": replace(
        _PLAIN,
        window=timedelta(days=30),
        related_bits=55,  # a similarity above 0.85
    ),
    "digest": replace(
        _PLAIN,
        title_mix=0.8,
        title_certain=0.95,
        like_titles="two",
        related_mix=0.6,
        keep=("best",),
    ),
    "similarity": replace(
        _PLAIN,
        min_words=50,
        near_overlap=0.67,  # where its 16 bands of 8 rows catch half
        near_bits=61,
        related_overlap=0.1,
    ),
    "copies": replace(
        _PLAIN,
        duplicates=frozenset({Relation.SAME_TEXT, Relation.NEAR_TEXT}),
        compares="text",
        window=None,
        near_overlap=0.5,
        near_bits=None,
        largest_story=1 << 40,  # a page copied ten thousand times is to be kept once
    ),
}


def checked_policy(policy: Policy | None) -> Policy:
    """The policy, or the default; anything else is an error that says what to give."""
    if policy is not None and not isinstance(policy, Policy):
        raise BadPolicy(
            f"policy must be a Policy, got {type(policy).__name__}: "
            "take one of nearcopy.POLICIES, or make one"
        )
    return policy or Policy()
