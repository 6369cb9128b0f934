"""Adding: check and add as one step, and stories told anew."""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

from nearcopy.cluster.story_ids import own_story_id
from nearcopy.deduper.check import Looking, batches, checked
from nearcopy.deduper.feedback.overlay import told_together
from nearcopy.deduper.find_matches import Matches, Seen, matches
from nearcopy.deduper.session import log, portions
from nearcopy.deduper.term_counts import counted, linked_anew
from nearcopy.deduper.verdicts import flagged, on_arrival
from nearcopy.fingerprint.term_weights import TermCounts
from nearcopy.models.model import Article, Verdict
from nearcopy.stores import Entry
from nearcopy.stores.retry import tried

OTHERS_ADD_SECONDS = 0.05  # waited for a turn: somebody else adds too,
SHARED_TURNS = 8  # and will for a while, though the next turns may come at once


class Adding(Looking):
    """What is added, one by one or many."""

    def add(self, article: Article) -> Verdict:
        """What an article is to those in the store, where it then is too, as one step.

        One whose id is known takes the other's place; it is never a duplicate of itself. One that
        is there already, unchanged, is judged as when it came, and not filed again.
        """
        return self._add([checked(article)])[0]

    def run(self, articles: Iterable[Article], *, tell: bool = True) -> Iterator[Verdict]:
        """Add articles in durable batches: a verdict for each, in order, as `add` gives it.

        Where `tell` is off, stories are left to `retell`, which is quicker for many new articles.
        """
        for batch in batches(articles):
            yield from self._add(batch, tell=tell)

    @tried
    def _add(self, batch: list[Article], *, tell: bool = True) -> list[Verdict]:
        log.debug("adding %d articles", len(batch))
        start = perf_counter()
        entries = self._entries(batch)
        ids = [entry.article.id for entry in entries]
        seen = self._looked_first(entries)
        with self._lock, self._in_turn():
            again = self._unchanged(entries)
            fresh = [entry for entry in entries if entry.article.id not in again]
            were = self._stories_of(self._store.fingerprints([e.article.id for e in fresh]))
            unsettled = self._neighbours(were) | _under_other_names(were)
            self._store.put(fresh)
            settings = self.recipe, self.policy
            found = matches(self._store, entries, *settings, again=again, seen=seen)
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

    def _looked_first(self, entries: list[Entry]) -> Seen:
        """What is seen of articles before it is our turn to add them, where others have theirs.

        They need not wait then until all is compared, only what came since is left to look at. So
        with the first articles, as nobody knows yet: that look reads the window, and may take long.
        """
        seen: Seen = {}
        if self._shared_turns:
            with self._lock, self._store.reading():
                matches(self._store, entries, self.recipe, self.policy, apart=True, seen=seen)
        return seen

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """A step of the store, which gets the times so far; notes whether others had theirs."""
        asked, times = perf_counter(), self._times.counts
        with self._store.writing():
            self._store.add_times(times)
            shared = perf_counter() - asked > OTHERS_ADD_SECONDS
            self._shared_turns = SHARED_TURNS if shared else max(0, self._shared_turns - 1)
            yield
        self._times.let_go(times)

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

    def _named_like_others(self, new: Iterable[str]) -> set[str]:
        """New articles whose own story would bear the name of one that is there already."""
        own = {own_story_id(name): name for name in new}
        return {own[story] for story in self._store.taken(own)}

    def learn(self) -> TermCounts:
        """Count in how many articles terms stand, and judge all by it from now on.

        Terms that are common here then count less. All articles are judged once more, so that
        stories are as if they had come just now. Others that have the store open follow when they
        open it again.
        """
        names, found = self._counted()
        for some in portions(names):
            self._linked_anew(some)
        self.retell()
        return found

    @tried
    def _counted(self) -> tuple[list[str], TermCounts]:
        with self._lock, self._store.writing():
            names = list(self._store.ids())
            return names, counted(self._store, portions(names))

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


def _under_other_names(stories: Mapping[str, str]) -> set[str]:
    """The articles whose story has to be remembered, as its name does not follow from their id."""
    return {name for name, story in stories.items() if story != own_story_id(name)}
