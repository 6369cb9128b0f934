"""Policies: the thresholds of decisions. Changing one needs no new fingerprints.

Thresholds are minimums, but for `max_...` settings, which are maximums. None switches a rule off.
"""

from dataclasses import dataclass, fields
from datetime import timedelta
from itertools import pairwise
from typing import Literal, get_args

from nearcopy.errors import BadPolicy
from nearcopy.models import COPIES, Relation

Keep = Literal["best", "earliest", "latest", "longest", "source-rank"]
KEEP: tuple[Keep, ...] = get_args(Keep)
KEEP_RULE_MEANINGS = {
    "best": "the most points",
    "earliest": "published first",
    "latest": "published last",
    "longest": "the most words",
    "source-rank": "of the best source",
}
KEEP_RULES = ", ".join(f"{rule} ({meaning})" for rule, meaning in KEEP_RULE_MEANINGS.items())
LikeTitles = Literal["one", "two"]
Sources = Literal["any", "across", "within"]
Compares = Literal["all", "text"]
CHOICES = {
    "like_titles": (LikeTitles, '"one" or "two"'),
    "sources": (Sources, '"any", "across" or "within" one source'),
    "compares": (Compares, '"all" or "text"'),
}
MAX_HAMMING = 24  # unrelated texts differ in about 32 of 64 SimHash bits


def _check_number(name: str, value: object, low: float, high: float) -> None:
    whole = isinstance(low, int)
    types = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, types) or not low <= value <= high:
        kind = "an integer" if whole else "a number"
        raise BadPolicy(f"{name} is {value!r}: give {kind} from {low} to {high}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """The points that copies score for `keep = best`."""

    length: float = 30.0
    details: float = 40.0
    detail: float = 8.0  # for each technical detail
    tiers: tuple[float, ...] = (20.0, 15.0, 10.0)  # for tier 1, 2, 3; the last for an unknown tier
    freshness: float = 10.0
    stale_per_day: float = 0.42
    longer: float = 0.2  # lengths within this share count as equal

    def __post_init__(self) -> None:
        if not isinstance(self.tiers, tuple):
            raise BadPolicy(f"scoring tiers is {self.tiers!r}: give the points of tier 1, 2, ...")
        for points in self.tiers:
            _check_number("scoring tiers", points, 0.0, 1000.0)
        for field in fields(self):
            if field.name != "tiers":
                _check_number(f"scoring {field.name}", getattr(self, field.name), 0.0, 1000.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which relations count as duplicates, and the thresholds of each.

    `policy_meanings.toml` explains every setting.

    >>> Policy().near_overlap, Policy().max_hamming
    (0.5, 3)
    """

    duplicates: frozenset[Relation] = COPIES
    window: timedelta | None = timedelta(days=14)  # None: no limit
    sources: Sources = "any"  # "across" sources only, or "within" one source only
    compares: Compares = "all"  # "text": ignore titles, addresses, facts and block pages
    calibration: tuple[tuple[float, float], ...] = ()  # confidence, and the share that is right

    # The text.
    min_words: int = 50  # shorter texts match by identity, title and facts only
    unchanged_overlap: float | None = 0.9  # below it, the page at this address was rewritten
    near_overlap: float | None = 0.5
    max_hamming: int | None = 3  # SimHash bits of 64 in which near copies may differ
    reworded_overlap: float | None = 0.19  # of a copy with a third of its words changed, and
    reworded_profile: float | None = 0.7  # the profile cosine of such a copy
    containment: float | None = 0.8
    revision_overlap: float | None = 0.2  # of a new version by the same source
    site_overlap: float | None = 0.9  # of two pages of one site with different titles
    site_title: float | None = 0.4  # title_soft below which titles are different

    # The titles: any one of these suffices.
    title_ratio: float | None = None
    title_token_set: float | None = None
    title_partial: float | None = None
    title_average: float | None = None
    title_mix: float | None = None
    title_soft: float | None = 0.9
    title_event_score: float | None = 0.42  # likelihood of the same event, by the titles
    title_and_facts: float | None = None  # title_soft that suffices when facts agree
    title_later: float | None = 0.9  # title_soft required beyond title_window
    title_window: timedelta = timedelta(days=3)
    min_title_chars: int = 10
    min_title_words: int = 4

    # Similar titles over different bodies: one article, or two?
    like_titles: LikeTitles = "two"
    title_certain: float | None = None  # title_mix that decides whatever the bodies
    body_overlap: float = 0.4  # containment below which bodies are different
    body_max_hamming: int = 6  # the same by SimHash, for recipes without MinHash

    # Vetoes.
    facts: bool = True
    stages: bool = True  # stages, columns, opinion and swapped names separate similar titles
    names_shared: float | None = None  # a smaller share of names is a veto
    numerals_shared: float | None = 0.6  # a smaller share of figures is a template
    numerals_kept: float | None = 0.9  # below it, one changed figure is a template

    # Relations that are no copies.
    event_soft: float | None = 0.54
    event_score: float | None = 0.3  # likelihood of the same event
    related_score: float | None = 0.25
    related_soft: float | None = 0.4
    related_overlap: float | None = 0.1
    related_max_hamming: int | None = None
    related_mix: float | None = None
    embed: bool = False  # measure the embedding cosine (extra `embed`)

    # Stories.
    story_score: float | None = 0.3  # mean event score between the reports of a story
    keep: tuple[Keep, ...] = ("best",)
    scoring: Scoring = Scoring()
    source_rank: tuple[str, ...] = ()
    max_story_size: int = 1000

    def __post_init__(self) -> None:
        self._check_choices()
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name in MAY_BE_OFF:
                continue
            if field.type in (float, float | None):
                _check_number(field.name, value, 0.0, 1.0)
            elif field.name.endswith("max_hamming"):
                _check_number(field.name, value, 0, MAX_HAMMING)
            elif field.type is int:
                _check_number(field.name, value, 0, 1 << 40)

    @property
    def measures(self) -> frozenset[str]:
        """The costly measurements that this policy reads."""
        mix = (self.title_mix, self.title_certain, self.related_mix)
        readers = {
            "ratio": (self.title_ratio,),
            "indel": mix,
            "cosine": mix,
            "token_set": (self.title_token_set, self.title_average),
            "token_sort": (self.title_average,),
            "partial": (self.title_partial, self.title_average),
            "event": (self.title_event_score,),
            "names": (self.names_shared,),
            "profile": (  # read by the confidence of `related` too
                self.reworded_profile,
                self.event_score,
                self.related_score,
                self.related_overlap,
                self.related_max_hamming,
            ),
        }
        read = (n for n, settings in readers.items() if any(s is not None for s in settings))
        return frozenset(read) | ({"embedding"} if self.embed else set())

    @property
    def reads_titles(self) -> bool:
        """Whether titles alone can relate two articles."""
        thresholds = (
            self.title_ratio,
            self.title_token_set,
            self.title_partial,
            self.title_average,
            self.title_mix,
            self.title_soft,
            self.title_event_score,
            self.title_and_facts,
            self.event_soft,
            self.related_soft,
            self.related_mix,
        )
        return self.compares == "all" and any(threshold is not None for threshold in thresholds)

    @property
    def simhash_only(self) -> bool:
        """Whether SimHashes alone relate two different texts."""
        thresholds = (
            self.near_overlap,
            self.reworded_overlap,
            self.containment,
            self.revision_overlap,
            self.related_overlap,
            self.event_score,
            self.related_score,
        )
        return not self.reads_titles and all(threshold is None for threshold in thresholds)

    def _check_choices(self) -> None:
        try:
            object.__setattr__(self, "duplicates", frozenset(map(Relation, self.duplicates)))
        except (TypeError, ValueError) as error:
            raise BadPolicy(f"duplicates: {error}: choose from {', '.join(Relation)}") from None
        if Relation.DISTINCT in self.duplicates:
            raise BadPolicy("duplicates contains distinct: distinct articles are no duplicates")
        for name in ("window", "title_window"):
            length = getattr(self, name)
            if length is None and name == "window":
                continue
            if not isinstance(length, timedelta) or length <= timedelta(0):
                raise BadPolicy(f"{name} is {length!r}: give a timedelta above zero")
        for name, (kind, choices) in CHOICES.items():
            if getattr(self, name) not in get_args(kind):
                raise BadPolicy(f"{name} is {getattr(self, name)!r}: choose {choices}")
        for name in ("facts", "stages", "embed"):
            if not isinstance(getattr(self, name), bool):
                raise BadPolicy(f"{name} is {getattr(self, name)!r}: give True or False")
        self._check_calibration()
        self._check_stories()

    def _check_calibration(self) -> None:
        """Check that the points ascend in both shares."""
        try:
            points = tuple((confidence, right) for confidence, right in self.calibration)
        except (TypeError, ValueError):
            raise BadPolicy(
                f"calibration is {self.calibration!r:.60}: give pairs, as [[0.5, 0.4], [1.0, 0.9]]"
            ) from None
        for share in (share for point in points for share in point):
            _check_number("a share in calibration", share, 0.0, 1.0)
        for (confidence, right), (next_confidence, next_right) in pairwise(points):
            if confidence >= next_confidence or right > next_right:
                raise BadPolicy(
                    f"calibration goes from {confidence}, {right} to {next_confidence}, "
                    f"{next_right}: give pairs of shares, both ascending"
                )
        object.__setattr__(self, "calibration", points)

    def _check_stories(self) -> None:
        """Check the settings of stories, and fold the names of sources as fingerprints do."""
        rank, is_list = self.source_rank, isinstance(self.keep, tuple | list)
        if not is_list or not self.keep or any(rule not in KEEP for rule in self.keep):
            raise BadPolicy(f"keep is {self.keep!r}: give one or more of {KEEP_RULES}")
        if not isinstance(self.scoring, Scoring):
            raise BadPolicy(f"scoring is {self.scoring!r}: give a Scoring")
        if not isinstance(rank, tuple | list) or not all(
            isinstance(source, str) for source in rank
        ):
            raise BadPolicy(f"source_rank is {rank!r}: give the names of sources, best first")
        object.__setattr__(self, "keep", tuple(self.keep))
        object.__setattr__(self, "source_rank", tuple(source.casefold().strip() for source in rank))


MAY_BE_OFF = frozenset(f.name for f in fields(Policy) if f.type in (float | None, int | None))


def check_policy(policy: Policy | None) -> Policy:
    """The policy, or the default for None; anything else raises BadPolicy."""
    if policy is not None and not isinstance(policy, Policy):
        raise BadPolicy(
            f"policy must be a Policy, got {type(policy).__name__}: "
            "take one of nearcopy.POLICIES, or construct one"
        )
    return policy or Policy()
