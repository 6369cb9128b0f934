"""The contract of every store.

A store files articles under keys, by day, and remembers what was found between them; it knows
nothing of hashing, thresholds or relations. Times are aware; ids are the caller's.

Whoever writes does so inside `writing()`, which is one step: nobody else writes meanwhile, what was
read inside stays true until its end, and at its end all of it lasts or, after an exception, none.
So of several who check and add at once, exactly one is the first.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Recipe
from nearcopy.models.action import Act
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Article, Check, Edge, Fingerprint, Join, Member, Relation, Story
from nearcopy.stores.pagination import After, Listed, Order, Wanted

Keys = NDArray[np.uint64]
Counts = Mapping[tuple[int, str, int], int]  # by day since 1970, work, and step of time
NONE: Counts = MappingProxyType({})
Runs = Mapping[str, int]  # by article
NO_RUNS: Runs = MappingProxyType({})


class Stated(NamedTuple):
    """What a store was made with."""

    recipe: Recipe
    version: int  # of its keys
    window: timedelta | None = None  # that articles stay for; None: for ever


class Entry(NamedTuple):
    """What is filed: the article as it came, what it is compared by, and what it is found by."""

    article: Article
    fingerprint: Fingerprint
    keys: Keys


class Found(NamedTuple):
    """The articles that share a key with one, and how many more there were."""

    candidates: list[Fingerprint]
    left_out: int = 0


class Copies(NamedTuple):
    """How many articles there are, and how many of them are duplicates."""

    articles: int
    duplicates: int


class Tally(NamedTuple):
    """Articles counted; `related` are members of stories by day and relation to the kept copy."""

    days: dict[int, Copies]  # since 1970, of arrival
    sources: dict[str | None, Copies]
    related: dict[tuple[int, Relation], int]
    sizes: dict[int, int]  # how many stories there are of so many articles

    @property
    def relations(self) -> dict[Relation, int]:
        """The same of all days, surest first."""
        counts: dict[Relation, int] = {}
        for (_, relation), count in self.related.items():
            counts[relation] = counts.get(relation, 0) + count
        return {kind: counts[kind] for kind in Relation if kind in counts}


class Store(Protocol):
    """Where articles are kept. Ids that it does not have are passed over without an error."""

    address: str

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        """The recipe of this store, which the first to come decides; another one is refused.

        So is another version of the keys. A store whose articles expire keeps them for the window
        that the first to come has; None: for ever.
        """

    def stated(self) -> Stated | None:
        """What this store was made with; None where nobody has decided yet."""

    def note(self, name: str) -> str | None:
        """What was noted under a name, if anything."""

    def keep_note(self, name: str, text: str | None) -> None:
        """Note something under a name, in place of what was noted before; None: nothing."""

    def reading(self) -> AbstractContextManager[None]:
        """What is read inside is of one moment."""

    def writing(self) -> AbstractContextManager[None]:
        """What is read and written inside is one step."""

    def find(
        self,
        probes: Sequence[tuple[Fingerprint, Keys]],
        window: timedelta | None,
        limit: int | None = None,
    ) -> list[Found]:
        """For each probe the articles that share keys and may be within the window.

        One even key in common is enough; of odd ones it takes two, but of those that end in 01 one
        where either article has at most six. Those that end in 11 and that many articles are filed
        under (`most_under_term`) count for nothing.
        Those of the days around it are given whole: the caller looks at the hours. Beyond the
        limit, if none is given `most_candidates`, those with the most keys in common are given, of
        these the first filed.
        """

    def put(self, entries: Sequence[Entry], runs: Runs = NO_RUNS) -> None:
        """File articles. One with a known id takes the other's place, which is kept as a revision
        where title or text differ; what was found about the former is forgotten.

        Where `runs` says so an article first came in that run, of which there were as many then.
        """

    def remove(self, ids: Collection[str]) -> int:
        """Forget articles, and all that was found about them; how many there were."""

    def drop(self, ids: Collection[str]) -> int:
        """The same without a mark that they ever were there; how many there were."""

    def ages(self, ids: Collection[str]) -> dict[str, datetime | None]:
        """When the articles were published; of those without a date, when they were seen."""

    def older(self, before: datetime) -> Iterator[str]:
        """The articles published before a time; of those without a date, seen before it.

        They are asked for some at a time, in one step or several, and may be removed meanwhile.
        """

    def clear(self, before: datetime) -> bool:
        """Drop what is left of removed articles from before a time, and times of days before.

        It does so some at a time, so as to hold nobody up: whether to come again, in another step.
        """

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        """What the articles are compared by."""

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        """What the articles are found by, where that follows from what they are compared by."""

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they came."""

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles, which ascend as they came."""

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article first came: one for each opening of the store that adds,
        ascending."""

    def runs_so_far(self) -> int:
        """How many runs there were."""

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under the id before, earliest first."""

    def revised(self, ids: Collection[str]) -> dict[str, list[Article]]:
        """The same for several ids, of those under which something stood before."""

    def ids(self) -> Iterator[str]:
        """All articles, in the order they came."""

    def link(self, edges: Iterable[Edge]) -> None:
        """Remember what was found between articles."""

    def edges(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between one of these articles and any other."""

    def joins(self, ids: Collection[str]) -> list[Join]:
        """What puts one of these articles and any other into one story."""

    def edges_among(self, ids: Collection[str]) -> list[Edge]:
        """All that was found between two of these articles."""

    def linked(self, ids: Collection[str], limit: int) -> list[str]:
        """These and all that duplicates and same events link them to; no more than `limit`.

        What was asked links nothing.
        """

    def tell(
        self, stories: Iterable[Story], removed: Collection[str], redirects: Mapping[str, str]
    ) -> None:
        """Remember stories, in which each of their members then is; forget those that are gone."""

    def members(self, ids: Collection[str]) -> dict[str, tuple[str, Member]]:
        """Of articles in a remembered story: its id, and what they are in it."""

    def stories(self, ids: Collection[str]) -> dict[str, Story]:
        """The remembered stories, by id."""

    def story_ids(self) -> Iterator[str]:
        """The remembered stories, in no order."""

    def listed(self, query: Wanted, order: Order, after: After | None, limit: int) -> list[Listed]:
        """Stories, and articles that are in none, in this order, those after a place; no more than
        `limit`. Those that are the newest have the article that came last."""

    def latest(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        """The numbers and ids of the articles that came last, of those with a number below
        `before`; the last first."""

    def taken(self, stories: Collection[str]) -> set[str]:
        """Which of these ids name a story, or one that became part of another."""

    def redirected(self, story: str) -> str:
        """The story that this one became part of, in the end; else itself."""

    def redirects(self) -> dict[str, str]:
        """All stories that became part of another, and the next one on the way there."""

    def remember(self, feedback: Feedback) -> None:
        """Remember what people said of two articles, in place of what they said of them before.

        It is kept by the two ids: it stays when either is replaced or removed, and holds for what
        comes under that id later.
        """

    def take_back(self, a: str, b: str) -> bool:
        """Forget what people said of the two, in whichever order; whether there was something."""

    def told(self, ids: Collection[str]) -> list[Feedback]:
        """What people said of one of these ids and any other, be they here or not."""

    def all_told(self) -> list[Feedback]:
        """All that people said, first to last."""

    def journal(self, act: Act) -> None:
        """Write what people did to a story into the journal, in place of the act of that number."""

    def acts(self, before: int | None = None, limit: int = 1 << 62) -> list[Act]:
        """What people did, of the acts with a number below `before`; the last first."""

    def preferred(self, ids: Collection[str]) -> dict[str, int]:
        """Those of these ids that an act keeps that is not undone, be they here or not, each with
        the number of the last such act."""

    def term_counts(self) -> bytes:
        """What was last kept of how often terms stand in the articles; nothing at first.

        Another process may see what was kept before it opened the store.
        """

    def keep_term_counts(self, counts: bytes) -> None:
        """Keep how often terms stand in the articles, in place of what was kept before."""

    def tally(self, since: int | None) -> Tally:
        """The articles that came since a day, counted from 1970; None: all. Quick for a million."""

    def add_times(self, counts: Counts) -> None:
        """Add to how often some work took a time."""

    def times(self, since: int | None) -> Counts:
        """How often some work took a time, since a day, counted from 1970; None: ever."""

    def verify(self) -> list[Check]:
        """Whether the store is as it should be, one check for each thing looked at."""

    def close(self, counts: Counts = NONE) -> None:
        """Let go of files and connections; what was written is there to stay.

        `counts` are added to the times first, unless somebody else is writing just then.
        """
