"""The Deduper: has this been published before, where, and how do we know?"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from threading import RLock
from time import perf_counter, sleep
from types import TracebackType

from nearcopy.acting import Actor, Done, keep, merge, split, undo
from nearcopy.acts import Act
from nearcopy.cluster import Brake
from nearcopy.config import Policy, Recipe, checked_policy, checked_recipe
from nearcopy.corrected import corrected_matches, told_together
from nearcopy.correcting import Correction, checked_relation, correct, feedback_on, take_back
from nearcopy.credits import credited
from nearcopy.errors import BadArticle, BadFeedback, NotStored
from nearcopy.examples import Example, feedback_examples
from nearcopy.explain import Explanation, explain
from nearcopy.feedback import Feedback
from nearcopy.filling import refuse_half
from nearcopy.fingerprint import fingerprints
from nearcopy.keys import VERSION, keys
from nearcopy.learning import counted, linked_anew
from nearcopy.lineage import own_story_id
from nearcopy.listings import Listing, listing, wanted_stories
from nearcopy.matching import Matched, Matches, between, matches
from nearcopy.model import Article, Check, Edge, Fingerprint, Match, Relation, Story, Verdict
from nearcopy.rarity import TermCounts, kept_weights
from nearcopy.reviewing import Review, otherwise, review
from nearcopy.settling import Settled, alone, settle, with_whole_stories
from nearcopy.spread import Spread, spread
from nearcopy.stats import Stats, stats
from nearcopy.steps import tried
from nearcopy.stores import Entry, open_store
from nearcopy.stores.addresses import shown
from nearcopy.times import Times
from nearcopy.urls import site
from nearcopy.verdicts import as_things_stand, flagged, on_arrival, story_of
from nearcopy.verifying import verify

BATCH = 512  # articles in one durable step
FORGOTTEN_AT_ONCE = 500
PURGED_AT_ONCE = 16  # in the first step, and at least: fewer would take next to as long
OTHERS_WAIT_SECONDS = 0.05
LET_OTHERS_SECONDS = 0.005  # between two steps
log = logging.getLogger("nearcopy")


def _now() -> datetime:
    return datetime.now(UTC)


class Deduper:
    """Articles in a store, and what they are to each other.

    >>> with Deduper() as deduper:
    ...     first = deduper.add(Article(id="a", url="https://example.org/news/1", text="Hello."))
    ...     again = deduper.add(Article(id="b", url="http://www.example.org/news/1", text="Hello."))
    >>> first.is_duplicate, again.is_duplicate, again.duplicate_of, again.relation.value
    (False, True, 'a', 'same_url')
    """

    def __init__(
        self,
        address: str = "memory://",
        recipe: Recipe | None = None,
        policy: Policy | None = None,
        *,
        threads: int = 1,
        clock: Callable[[], datetime] = _now,
        pool: str | None = None,
    ) -> None:
        self.address = shown(address)
        self.policy = checked_policy(policy)
        recipe = checked_recipe(recipe)
        self.provisional = False  # whether `retell` may change stories
        self.brakes: list[Brake] = []  # groups that grew beyond policy.largest_story
        self._threads = threads
        self._clock = clock
        self._lock = RLock()
        self._window_read = False
        self._times = Times()  # handed to the store with the next write, and at the end
        self._store = tried(open_store)(address, pool)
        try:
            self.recipe = tried(self._store.bind)(recipe, VERSION, self.policy.window)
            refuse_half(self._store)
        except BaseException:
            self._store.close()
            raise

    def __enter__(self) -> "Deduper":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close(self._times.taken())

    # Looking and adding.

    def check(self, article: Article) -> Verdict:
        """What an article is to those in the store; nothing is written."""
        start = perf_counter()
        verdict = self._check(article)
        self._timed("check", start)
        return verdict

    @tried
    def _check(self, article: Article) -> Verdict:
        (entry,) = self._entries([_checked(article)])
        log.debug("checking %s", article.id)
        with self._lock, self._store.reading():
            found = self._matches(entry)
            members = self._store.members([match.other.id for match in found.found[:1]])
            verdict = on_arrival(article.id, found, members, stored=False)
        verdict = flagged(verdict, entry.fingerprint)
        log.debug("checked %s: %s", article.id, verdict)
        return verdict

    def check_all(self, articles: Iterable[Article]) -> list[Verdict]:
        """What each article is to those in the store, as `check` tells, in fewer looks at it."""
        start = perf_counter()
        given = list(map(_checked, articles))
        verdicts = [each for some in _batches(given) for each in self._check_all(some)]
        if given:
            self._timed("check", start, len(given))
        return verdicts

    @tried
    def _check_all(self, batch: list[Article]) -> list[Verdict]:
        """Those whose id is in the store are judged one by one: they may say otherwise there."""
        entries = self._entries(batch)
        for article in batch if log.isEnabledFor(logging.DEBUG) else ():
            log.debug("checking %s", article.id)
        with self._lock, self._store.reading():
            there = self._store.numbers([article.id for article in batch])
            entries = [entry for entry in entries if entry.article.id not in there]
            found = self._apart(entries)
            members = self._store.members([m.other.id for each in found for m in each.found[:1]])
        made: dict[str, Verdict] = {}
        for (article, fingerprint, _), each in zip(entries, found, strict=True):
            verdict = on_arrival(article.id, each, members, stored=False)
            made[article.id] = flagged(verdict, fingerprint)
            log.debug("checked %s: %s", article.id, made[article.id])
        return [made.get(each.id) or self._check(each) for each in batch]

    def add(self, article: Article) -> Verdict:
        """What an article is to those in the store, where it then is too, as one step.

        One whose id is known takes the other's place; it is never a duplicate of itself. One that
        is there already, unchanged, is judged as when it came, and not filed again.
        """
        return self._add([_checked(article)])[0]

    def run(self, articles: Iterable[Article], *, tell: bool = True) -> Iterator[Verdict]:
        """Add articles in durable batches: a verdict for each, in order, as `add` gives it.

        Where `tell` is off, stories are left to `retell`, which is quicker for many new articles.
        """
        for batch in _batches(articles):
            yield from self._add(batch, tell=tell)

    def _entries(self, batch: list[Article]) -> list[Entry]:
        seen = self._clock()
        stamped = [a if a.seen is not None else replace(a, seen=seen) for a in batch]
        made = list(fingerprints(stamped, self.recipe, threads=self._threads))
        return list(map(Entry, stamped, made, keys(made, self.recipe)))

    def _matches(self, entry: Entry) -> Matches:
        """What an article is something to, but for itself: as people said, or as it is found."""
        found = matches(self._store, [entry], self.recipe, self.policy)
        return self._corrected([entry], found)[0]

    def _apart(self, entries: list[Entry]) -> list[Matches]:
        """What each article is something to, as if the others were not asked about."""
        if not entries:
            return []
        found = matches(self._store, entries, self.recipe, self.policy, apart=True)
        if not self._store.told([entry.article.id for entry in entries]):
            return found
        return [self._corrected([e], [m])[0] for e, m in zip(entries, found, strict=True)]

    def _corrected(
        self, entries: list[Entry], found: list[Matches], again: Collection[str] = ()
    ) -> list[Matches]:
        return corrected_matches(self._store, entries, found, self.recipe, self.policy, again=again)

    @tried
    def _add(self, batch: list[Article], *, tell: bool = True) -> list[Verdict]:
        log.debug("adding %d articles", len(batch))
        start = perf_counter()
        entries = self._entries(batch)
        ids = [entry.article.id for entry in entries]
        self._read_window(entries)
        with self._lock, self._store.writing():
            self._store.add_times(self._times.taken())
            again = self._unchanged(entries)
            fresh = [entry for entry in entries if entry.article.id not in again]
            were = self._stories_of(self._store.fingerprints([e.article.id for e in fresh]))
            unsettled = self._neighbours(were) | _under_other_names(were)
            self._store.put(fresh)
            found = matches(self._store, entries, self.recipe, self.policy, again=again)
            new = {name for name in ids if name not in were and name not in again}
            unsettled |= self._named_like_others(new) | self._link(ids, found, again)
            unsettled |= told_together(self._store, [e.article.id for e in fresh])
            if tell or were:
                self._settle(unsettled, were, new=new)
            else:
                self.provisional = True
            found = self._corrected(entries, found, again)
            best = {match.other.id for each in found for match in each.found[:1]}
            members = self._store.members({*ids, *best})
            made = [
                flagged(on_arrival(name, each, members, stored=True), entry.fingerprint)
                for name, each, entry in zip(ids, found, entries, strict=True)
            ]
        self._timed("add", start, len(batch))
        for verdict in made if log.isEnabledFor(logging.DEBUG) else ():
            log.debug("added %s: %s", verdict.id, verdict)
        return made

    def _read_window(self, entries: list[Entry]) -> None:
        """Have the window in memory, which may take long at first, before others have to wait."""
        if not self._window_read:
            probes = [(entry.fingerprint, entry.keys) for entry in entries]
            with self._lock, self._store.reading():
                self._store.find(probes, self.policy.window, 1)
            self._window_read = True

    def _timed(self, work: str, start: float, times: int = 1) -> None:
        """Take note of how long some work took, each of so many times."""
        spent, today = (perf_counter() - start) / times, self._clock().astimezone(UTC).date()
        with self._lock:
            self._times.count(today, work, spent, times)

    def _unchanged(self, entries: list[Entry]) -> set[str]:
        """The articles that are in the store already, but for when they came."""
        there = self._store.articles([entry.article.id for entry in entries])
        new = (entry.article for entry in entries if entry.article.id in there)
        return {
            each.id for each in new if replace(each, seen=there[each.id].seen) == there[each.id]
        }

    def _link(self, ids: list[str], found: list[Matches], again: Collection[str]) -> set[str]:
        """Remember what was found; those of the articles that it puts into stories."""
        edges = [
            match.edge(name)
            for name, each in zip(ids, found, strict=True)
            if name not in again
            for match in each.found
        ]
        self._store.link(edges)
        return {edge.a for edge in edges if edge.joins}

    def _neighbours(self, ids: Iterable[str]) -> set[str]:
        """The articles linked to these, whose stories change when these go."""
        these = list(ids)
        found = {name for join in self._store.joins(these) for name in (join.a, join.b)}
        return found | told_together(self._store, these)

    def _named_like_others(self, new: Iterable[str]) -> set[str]:
        """New articles whose own story would bear the name of one that is there already."""
        own = {own_story_id(name): name for name in new}
        return {own[story] for story in self._store.taken(own)}

    def _settle(
        self,
        ids: set[str],
        were: Mapping[str, str],
        *,
        new: Collection[str] = (),
        whole: bool = False,
    ) -> Settled:
        if not ids and not were:
            return Settled()
        found = settle(self._store, ids, self.policy, self._judge, new=new, were=were, whole=whole)
        for brake in found.braked:
            log.warning("%s", brake.why)
        self.brakes += [each for each in found.braked if each not in self.brakes]
        self.provisional |= not found.whole
        return found

    def _stories_of(self, ids: Iterable[str]) -> dict[str, str]:
        wanted = list(ids)
        members = self._store.members(wanted)
        return {name: story_of(name, members) for name in wanted}

    def learn(self) -> TermCounts:
        """Count in how many articles terms stand, and judge all by it from now on.

        Terms that are common here then count less. All articles are judged once more, so that
        stories are as if they had come just now. Others that have the store open follow when they
        open it again.
        """
        names, found = self._counted()
        for some in _some(names):
            self._linked_anew(some)
        self.retell()
        return found

    @tried
    def _counted(self) -> tuple[list[str], TermCounts]:
        with self._lock, self._store.writing():
            names = list(self._store.ids())
            return names, counted(self._store, _some(names))

    @tried
    def _linked_anew(self, ids: list[str]) -> None:
        with self._lock, self._store.writing():
            linked_anew(self._store, ids, self.recipe, self.policy)

    @tried
    def retell(self) -> None:
        """Tell all stories anew, as if all articles had come at once.

        Where reports link more articles than are told together when some are added, stories depend
        on the order of arrival (`provisional` says so); from here on they do not.
        """
        with self._lock, self._store.writing():
            self._settle({*self._store.ids()}, {}, whole=True)
            self.provisional = False

    # As things stand.

    def verdicts(self, ids: str | Iterable[str]) -> Iterator[Verdict]:
        """What each of these articles in the store is to the others as things stand, in order.

        A copy is judged by the kept copy, what is kept by those that are no copies of it. What an
        earlier run has kept stays the kept copy for later runs.
        """
        rest = iter(_listed(ids))
        while some := list(islice(rest, BATCH)):
            yield from self._verdicts(some)

    @tried
    def _verdicts(self, ids: list[str]) -> list[Verdict]:
        with self._lock, self._store.reading():
            made = self._require(ids)
            found = as_things_stand(self._store, ids, self.policy, self._judge)
            return [flagged(each, made[each.id]) for each in found]

    def _judge(self, a: str, b: str) -> Edge:
        return between(self._store, a, b, self.recipe, self.policy)

    def similar(self, id: str, *, limit: int = 10) -> list[Match]:  # noqa: A002
        """The articles that are like one in the store, most alike first."""
        return self.similar_all([id], limit=limit)[id]

    @tried
    def similar_all(self, ids: Iterable[str], *, limit: int = 10) -> dict[str, list[Match]]:
        """For each of these articles in the store those that are like it, most alike first."""
        wanted = list(dict.fromkeys(ids))
        with self._lock, self._store.reading():
            made = self._require(wanted)
            ours = self._store.articles(wanted)
            found_keys = keys([made[name] for name in wanted], self.recipe)
            entries = [Entry(ours[n], made[n], k) for n, k in zip(wanted, found_keys, strict=True)]
            found = [_most_alike(each, limit) for each in self._apart(entries)]
            listed = self._store.articles({m.other.id for each in found for m in each})
        return {
            name: [_match(match, listed[match.other.id]) for match in each]
            for name, each in zip(wanted, found, strict=True)
        }

    @tried
    def explain(self, a: str, b: str) -> Explanation:
        """What two articles in the store are to each other, and why."""
        with self._lock, self._store.reading():
            weights = kept_weights(self._store.term_counts())
        ours, theirs = self.article(a), self.article(b)
        return explain(ours, theirs, self.recipe, self.policy, weights=weights)

    @tried
    def article(self, id: str) -> Article:  # noqa: A002
        """An article as it came."""
        with self._lock, self._store.reading():
            self._require([id])
            return self._store.articles([id])[id]

    @tried
    def articles(self, ids: Iterable[str]) -> dict[str, Article]:
        """Those of these articles that are in the store, as they came."""
        with self._lock, self._store.reading():
            return self._store.articles(list(ids))

    @tried
    def latest(self, *, limit: int = 20) -> list[str]:
        """The articles that came last, the last one first."""
        with self._lock, self._store.reading():
            return [name for _, name in self._store.latest(None, max(1, limit))]

    @tried
    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under an id before, earliest first."""
        with self._lock, self._store.reading():
            return self._store.revisions(id)

    def stories(self) -> Iterator[Story]:
        """All stories, those of several articles first.

        Where some change meanwhile, an article may come in two, but none that stays is left out.
        """
        articles, told = self._all_ids()
        given: set[str] = set()
        for names in _some(told):
            found = self._stories(names)
            given.update(each.id for story in found for each in story.members)
            yield from found
        for names in _some(name for name in articles if name not in given):
            yield from self._stories_with(names)

    @tried
    def _all_ids(self) -> tuple[list[str], list[str]]:
        """All articles, and all stories that are remembered."""
        with self._lock, self._store.reading():
            return list(self._store.ids()), sorted(self._store.story_ids())

    @tried
    def _stories(self, ids: list[str]) -> list[Story]:
        with self._lock, self._store.reading():
            return list(self._store.stories(ids).values())

    @tried
    def find_stories(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        least: int = 1,
        source: str | None = None,
        text: str | None = None,
        order: str = "newest",
        after: str | None = None,
        limit: int = 50,
    ) -> Listing:
        """A page of stories of `least` articles, one of which is of this time, of this outlet, and
        has this text in its title; those that got an article last first, or the largest."""
        wanted = wanted_stories(since=since, until=until, least=least, source=source, text=text)
        with self._lock, self._store.reading():
            return listing(self._store, self.policy, wanted, order=order, after=after, limit=limit)

    @tried
    def review(self, *, limit: int = 20, after: str | None = None) -> Review:
        """A page of pairs that were nearly decided otherwise, and nobody has spoken of.

        A page may have fewer than `limit` and still name where to go on.
        """
        with self._lock, self._store.reading():
            return review(self._store, self.policy, after, max(1, limit))

    @tried
    def decided_otherwise(self, policy: Policy, *, limit: int = 100) -> list[tuple[Edge, Edge]]:
        """Of so many pairs near a line, those that another policy decides otherwise: as they are
        now, and as they would be."""
        with self._lock, self._store.reading():
            pairs = review(self._store, self.policy, None, max(1, limit)).pairs
            return [
                (found.edge, then)
                for found in pairs
                for then in [between(self._store, *found.edge[:2], self.recipe, policy)]
                if otherwise(found.edge, then)
            ]

    @tried
    def _stories_with(self, ids: list[str]) -> list[Story]:
        """The stories that these articles are in by now; most are on their own."""
        with self._lock, self._store.reading():
            members = self._store.members(ids)
            told = self._store.stories({story for story, _ in members.values()})
            single = self._store.fingerprints(set(ids) - members.keys())
        return [
            *told.values(),
            *(alone(single[name], self.policy) for name in ids if name in single),
        ]

    @tried
    def story(self, id: str) -> Story:  # noqa: A002
        """A story by its id, by one that it had before, or by the id of an article in it."""
        with self._lock, self._store.reading():
            return self._story(id)

    def _story(self, id: str) -> Story:  # noqa: A002
        there = self._store.fingerprints([id])
        name = self._stories_of(there)[id] if there else self._store.redirected(id)
        told = self._store.stories([name])
        if told:
            return told[name]
        only = there or self._store.fingerprints(self._alone_in(name))
        if not only:
            raise NotStored(f"no story {id!r} in {self.address}")
        return alone(next(iter(only.values())), self.policy)

    @tried
    def spread(self, id: str) -> Spread:  # noqa: A002
        """How a story spread over outlets and hours; named as for `story`."""
        with self._lock, self._store.reading():
            story = self._story(id)
            members = [member.id for member in story.members]
            made, articles = self._store.fingerprints(members), self._store.articles(members)
        seen = {name: each.seen for name, each in made.items() if each.seen is not None}
        named = {name: credited(article) for name, article in articles.items()}
        return spread(story, seen=seen, credited=named)

    def _alone_in(self, story: str) -> set[str]:
        """The article whose story this is without being remembered."""
        named = {each for each in self._store.ids() if own_story_id(each) == story}
        return named - self._store.members(named).keys()

    # What people say.

    @tried
    def feedback(
        self, a: str, b: str, *, same: bool, relation: str | None = None, note: str = ""
    ) -> Correction:
        """Remember that two stored articles are the same, or different; what changed by it.

        It holds whatever is measured and whoever comes, also when either is forgotten and added
        again, until something else is said of the two or it is taken back.
        """
        if a == b:
            raise BadFeedback(f"{a!r:.60} twice: name two articles")
        if not isinstance(same, bool) or not isinstance(note, str):
            raise BadFeedback(
                f"of {a!r:.60} and {b!r:.60}: give same as True or False, and the note as a text"
            )
        kind = checked_relation(same, relation)
        with self._lock, self._store.writing():
            self._require([a, b])
            made = feedback_on(
                self._store,
                (a, b),
                same=same,
                relation=kind,
                note=note,
                when=self._clock(),
                settings=(self.recipe, self.policy),
            )
            return correct(self._store, made, self._settle_anew)

    @tried
    def take_back(self, a: str, b: str) -> Correction:
        """Forget what was said of two articles; what changed by it."""
        with self._lock, self._store.writing():
            return take_back(self._store, a, b, self._settle_anew)

    @tried
    def told(self) -> list[Feedback]:
        """All that people said, first to last."""
        with self._lock, self._store.reading():
            return self._store.all_told()

    @tried
    def examples(self) -> list[Example]:
        """All that people said, beside what is measured of the two: what `tune` learns from."""
        with self._lock, self._store.reading():
            told = self._store.all_told()
            return list(feedback_examples(self._store, told, self.recipe, self.policy))

    # What people do to stories.

    @tried
    def keep(self, id: str, *, by: str = "", note: str = "") -> Done:  # noqa: A002
        """Have this copy be the one that its story keeps; what changed by it.

        It holds whatever comes and when stories are told anew, until it is undone.
        """
        with self._lock, self._store.writing():
            self._require([id])
            return keep(self._store, self._story(id), id, self._actor(by, note), self._settle)

    @tried
    def split(self, id: str, *, by: str = "", note: str = "") -> Done:  # noqa: A002
        """Have this article be in a story of its own; what changed by it."""
        with self._lock, self._store.writing():
            self._require([id])
            return split(self._store, self._story(id), id, self._actor(by, note), self._settle)

    @tried
    def merge(self, a: str, b: str, *, by: str = "", note: str = "") -> Done:
        """Make one of two stories, each named as for `story`; what changed by it."""
        with self._lock, self._store.writing():
            one, other = self._story(a), self._story(b)
            return merge(self._store, one, other, self._actor(by, note), self._settle)

    @tried
    def undo(self, number: int, *, by: str = "") -> Done:
        """Take an act on a story back; what changed by it."""
        with self._lock, self._store.writing():
            when = self._clock()
            return undo(self._store, number, by=by, when=when, settle=self._settle)

    @tried
    def acts(self, *, before: int | None = None, limit: int = 50) -> list[Act]:
        """The journal: what people did to stories, those before a number, the last first."""
        with self._lock, self._store.reading():
            return self._store.acts(before, limit)

    def _actor(self, by: str, note: str) -> Actor:
        if not isinstance(by, str) or not isinstance(note, str):
            raise BadFeedback("give by and note as texts")
        return Actor(by, note, self._clock(), (self.recipe, self.policy))

    def _settle_anew(self, ids: set[str]) -> Settled:
        return self._settle(ids, {})

    # Looking after the store.

    def forget(self, ids: str | Iterable[str]) -> int:
        """Remove articles and all that was found about them; how many there were."""
        return sum(map(self._forget, _some(_listed(ids))))

    @tried
    def _forget(self, ids: list[str]) -> int:
        with self._lock, self._store.writing():
            were = self._stories_of(self._store.fingerprints(ids))
            left = self._neighbours(were) - were.keys()
            count = self._store.remove(were)
            self._settle(left, were)
            return count

    def purge(self, before: datetime) -> int:
        """Forget the articles published before a time (seen, where they bear no date).

        What is old of a story goes at once, and of what is left the story is told anew.
        """
        if not isinstance(before, datetime) or before.utcoffset() is None:
            raise BadArticle(f"before is {before!r}: give a datetime with a time zone")
        listing: list[Iterator[str]] = []
        at_once, count = PURGED_AT_ONCE, 0
        while some := self._older(before, listing, at_once):
            removed, seconds = self._purge(some, before)
            count, at_once = count + removed, _at_once(at_once, seconds)
            sleep(LET_OTHERS_SECONDS)
        while self._clear(before):
            sleep(LET_OTHERS_SECONDS)
        return count

    @tried
    def _older(self, before: datetime, listing: list[Iterator[str]], count: int) -> list[str]:
        """The next of those that are older, listed anew where that was interrupted."""
        with self._lock, self._store.reading():
            if not listing:
                listing.append(self._store.older(before))
            try:
                return list(islice(listing[0], count))
            except BaseException:
                listing.clear()
                raise

    @tried
    def _purge(self, ids: list[str], before: datetime) -> tuple[int, float]:
        """How many were removed, and the seconds that others had to wait for it."""
        with self._lock, self._store.writing():
            start = perf_counter()
            ages = self._store.ages(with_whole_stories(self._store, ids))
            # Another may have put something newer in the place of one.
            were = self._stories_of(name for name, when in ages.items() if when and when < before)
            count = self._store.drop(were)
            self._settle(ages.keys() - were.keys(), were)
        return count, perf_counter() - start

    @tried
    def _clear(self, before: datetime) -> bool:
        with self._lock, self._store.writing():
            return self._store.clear(before)

    @tried
    def stats(self, *, days: int | None = None) -> Stats:
        """Numbers of the articles that came in the last so many days, or of all; and times.

        Of other processes those times count that they have written, with an add or at their end.
        """
        with self._lock, self._store.reading():
            return stats(self._store, days, self._clock().astimezone(UTC), self._times.counts)

    @tried
    def verify(self) -> list[Check]:
        """Whether the store is as it should be: file, indexes, recipe, window, a known copy."""
        with self._lock:
            return verify(self._store, self.recipe, self.policy, self._check)

    def _require(self, ids: list[str]) -> Mapping[str, Fingerprint]:
        """The fingerprints of these articles, all of which have to be there."""
        made = self._store.fingerprints(ids)
        missing = set(ids) - made.keys()
        if missing:
            some = ", ".join(sorted(map(_shown, missing))[:5])
            raise NotStored(f"not in {self.address}: {some}: add it first")
        return made


def _checked(article: object) -> Article:
    if not isinstance(article, Article):
        raise BadArticle(
            f"expected an Article, got {type(article).__name__}: make one, as Article(id=..., ...)"
        )
    return article


def _shown(name: object) -> str:
    """The name so that it can be printed: halves of surrogate pairs are escaped."""
    return str(name).encode("utf-8", "backslashreplace").decode()


def _listed(ids: str | Iterable[str]) -> Iterable[str]:
    """The ids; a single one may come without a list."""
    return [ids] if isinstance(ids, str) else ids


def _batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    """The articles in batches, no id twice in one; those before a failing one are not lost."""
    batch: dict[str, Article] = {}
    try:
        for article in map(_checked, articles):
            if article.id in batch or len(batch) == BATCH:
                yield list(batch.values())
                batch = {}
            batch[article.id] = article
    except Exception:
        if batch:
            yield list(batch.values())
        raise
    if batch:
        yield list(batch.values())


def _under_other_names(stories: Mapping[str, str]) -> set[str]:
    """The articles whose story has to be remembered, as its name does not follow from their id."""
    return {name for name, story in stories.items() if story != own_story_id(name)}


def _at_once(now: int, seconds: float) -> int:
    """How many to remove in the next step, where so many took so long."""
    fitting = int(now * OTHERS_WAIT_SECONDS / max(seconds, 1e-6))
    return max(PURGED_AT_ONCE, min(fitting, 2 * now, FORGOTTEN_AT_ONCE))


def _some(ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while some := list(islice(rest, FORGOTTEN_AT_ONCE)):
        yield some


def _most_alike(found: Matches, limit: int) -> list[Matched]:
    """Those that are something to the article, most alike first."""
    alike = [m for m in found.found if m.judgement.decision.relation is not Relation.DISTINCT]
    return sorted(alike, key=lambda match: (-_score(match), match.other.id))[:limit]


def _score(match: Matched) -> float:
    return max(match.judgement.news, match.judgement.copy or 0.0)


def _match(match: Matched, article: Article) -> Match:
    found = match.judgement
    return Match(
        article.id,
        article.title,
        site(article.url) if article.url else None,
        _score(match),
        found.decision.relation,
        found.decision.confidence,
        found.news,
        found.copy,
    )
