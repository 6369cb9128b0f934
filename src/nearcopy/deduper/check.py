"""Looking: what an article is to those in a store; nothing is written."""

import logging
from collections.abc import Collection, Iterable, Iterator
from time import perf_counter

from nearcopy.deduper.feedback.overlay import corrected_matches
from nearcopy.deduper.find_matches import Matched, Matches, matches
from nearcopy.deduper.session import Opened, log
from nearcopy.deduper.verdicts import flagged, on_arrival
from nearcopy.errors import BadArticle
from nearcopy.extract.urls import site
from nearcopy.fingerprint.blocking_keys import keys
from nearcopy.fingerprint.term_weights import kept_weights
from nearcopy.match.explain import Explanation, explain
from nearcopy.models.model import Article, Match, Relation, Verdict
from nearcopy.stores import Entry
from nearcopy.stores.retry import tried

BATCH = 512  # articles in one durable step


class Looking(Opened):
    """What is asked of articles."""

    def check(self, article: Article) -> Verdict:
        """What an article is to those in the store; nothing is written."""
        start = perf_counter()
        verdict = self._check(article)
        self._timed("check", start)
        return verdict

    @tried
    def _check(self, article: Article) -> Verdict:
        (entry,) = self._entries([checked(article)])
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
        given = list(map(checked, articles))
        verdicts = [each for some in batches(given) for each in self._check_all(some)]
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

    def _matches(self, entry: Entry) -> Matches:
        """What an article is something to, but for itself: as people said, or as it is found."""
        found = matches(self._store, [entry], self.recipe, self.policy)
        return self._corrected([entry], found)[0]

    def _apart(self, entries: list[Entry], *, by_all: bool = False) -> list[Matches]:
        """What each article is something to, as if the others were not asked about."""
        if not entries:
            return []
        found = matches(self._store, entries, self.recipe, self.policy, apart=True, by_all=by_all)
        if not self._store.told([entry.article.id for entry in entries]):
            return found
        return [self._corrected([e], [m])[0] for e, m in zip(entries, found, strict=True)]

    def _corrected(
        self, entries: list[Entry], found: list[Matches], again: Collection[str] = ()
    ) -> list[Matches]:
        return corrected_matches(self._store, entries, found, self.recipe, self.policy, again=again)

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
            found = [_most_alike(each, limit) for each in self._apart(entries, by_all=True)]
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


def checked(article: object) -> Article:
    if not isinstance(article, Article):
        raise BadArticle(
            f"expected an Article, got {type(article).__name__}: make one, as Article(id=..., ...)"
        )
    return article


def batches(articles: Iterable[Article]) -> Iterator[list[Article]]:
    """The articles in batches, no id twice in one; those before a failing one are not lost."""
    if isinstance(articles, Article):
        raise BadArticle("expected articles, got one Article: give a list of them, or use add()")
    batch: dict[str, Article] = {}
    try:
        for article in map(checked, articles):
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
