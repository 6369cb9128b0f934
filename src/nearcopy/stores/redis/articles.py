"""Articles of a Redis store: text, fingerprint, header and revisions of each."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta

import numpy as np

from nearcopy.config.units import from_micros, to_micros
from nearcopy.fingerprint.blocking_keys import Keys, blocking_keys
from nearcopy.match.candidate_index import index_entry
from nearcopy.models import Article, Fingerprint
from nearcopy.stores.base import NO_RUNS, Candidates, Probe, Runs, StoredArticle
from nearcopy.stores.full_scans import latest_numbers
from nearcopy.stores.redis.article_headers import NO_TIME, ArticleHeader
from nearcopy.stores.redis.binary_format import article_name, field_name, row_name, text_name
from nearcopy.stores.redis.connection import ROWS
from nearcopy.stores.redis.edges import Edges
from nearcopy.stores.redis.fingerprint_codec import (
    Revision,
    decode_article,
    decode_revisions,
    encode_revisions,
    sketch,
)
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.row_codec import articles_to_rows, replace_surrogates
from nearcopy.stores.window_cache import Matches, collect_candidates, required_partitions

RUNS = field_name("meta", "runs")
FEW_CANDIDATES = 64  # so few that the story members of all of them are read ahead


class Articles:
    """Saves, removes and reads articles."""

    def __init__(self, session: Session, edges: Edges) -> None:
        self._session, self._edges = session, edges
        self._records, self._headers = session.records, session.headers
        self.sequence_numbers = session.numbers

    # Candidates.

    def find_candidates(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None = None
    ) -> list[Candidates]:
        session = self._session
        try:
            matches = None if session.is_current else self._find_cached(probes, window, limit)
            if matches is None:
                matches = self._find_loaded(probes, window, limit)
        except BufferError:  # of the window on disk: now all is read from the server
            matches = self._find_loaded(probes, window, limit)
        numbers = {number for matched, _ in matches for number in matched}
        return collect_candidates(matches, session.window.fingerprints(numbers))

    def _find_loaded(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None
    ) -> Matches:
        """The candidates, after the partitions that are not cached were loaded."""
        self._session.refresh()
        self._session.window.load(required_partitions(self._headers, probes, window))
        return self._session.window.find(probes, window, limit)

    def _find_cached(
        self, probes: Sequence[Probe], window: timedelta | None, limit: int | None
    ) -> Matches | None:
        """The candidates in the cache; None where it was not complete or is outdated.

        What is needed of them is read in the call that catches up, so a lookup is one call.
        """
        session, records, window_cache = self._session, self._records, self._session.window
        if window_cache.cache.require(required_partitions(self._headers, probes, window)):
            return None
        matches = window_cache.find(probes, window, limit)
        numbers = {number for matched, _ in matches for number in matched}
        before = records.position, self._headers.first
        missing = [n for n in numbers if n not in window_cache.cache.fingerprints]
        ahead = (article_name("m", n) for n in numbers if len(numbers) <= FEW_CANDIDATES)
        members = [name for name in ahead if not records.is_cached(name)]
        names = [*map(row_name, missing), *members]
        values = dict(zip(names, session.read(names), strict=True))
        records.cache({name: values[name] for name in members})
        loaded = window_cache.decode({n: values[row_name(n)] for n in missing})
        window_cache.cache.remember(loaded)
        return matches if before == (records.position, self._headers.first) else None

    # Writing.

    def save_articles(self, articles: Sequence[StoredArticle], runs: Runs = NO_RUNS) -> None:
        self._session.refresh()
        runs = self._assign_runs([stored.article.id for stored in articles], runs)
        self._replace(articles)
        plain = [stored.article for stored in articles]
        if self._session.keep == "all":
            self._session.texts.add(self._headers.last + 1, plain)
        else:
            list(articles_to_rows(plain))  # raises for articles that no store can keep
        fingerprints, stored_keys = self._reduce(articles)
        window = self._session.window
        rows = []
        for stored, fingerprint, own in zip(articles, fingerprints, stored_keys, strict=True):
            number = self._headers.last + 1
            row = index_entry(number, fingerprint, own if own is not None else stored.keys)
            run = runs[fingerprint.id]
            header = ArticleHeader(fingerprint.id, fingerprint.source, row.published, row.seen, run)
            self._headers.add([header])
            self._records.write(row_name(number), window.codec.encode(fingerprint, own))
            rows.append(row)
        window.cache.remember(
            {row.number: item for row, item in zip(rows, fingerprints, strict=True)}
        )
        window.cache.add(rows)

    def _reduce(
        self, articles: Sequence[StoredArticle]
    ) -> tuple[list[Fingerprint], list[Keys | None]]:
        """The fingerprints to keep, and the keys where they do not follow from them."""
        fingerprints = [stored.fingerprint for stored in articles]
        all_keys = [stored.keys for stored in articles]
        if self._session.keep == "sketches":
            fingerprints = [sketch(fingerprint) for fingerprint in fingerprints]
            all_keys = [own[own & np.uint64(1) == 0] for own in all_keys]
        derived = blocking_keys(fingerprints, self._session.recipe)
        return fingerprints, [
            None if np.array_equal(follows, own) else own
            for follows, own in zip(derived, all_keys, strict=True)
        ]

    def _assign_runs(self, ids: Sequence[str], chosen: Runs) -> Runs:
        """The run of each article: as chosen, as stored, else the current one."""
        highest = max(chosen.values(), default=0)
        if highest > self.run_count():
            self._records.write(RUNS, b"%d" % highest)
        runs = {**self.runs(ids), **chosen}
        new = [name for name in ids if name not in runs]
        return {**runs, **dict.fromkeys(new, self._current_run() if new else 0)}

    def _current_run(self) -> int:
        """The number of this run, which begins with the first article that it adds."""
        session = self._session
        if session.run is None:
            session.run = self.run_count() + 1
            self._records.write(RUNS, b"%d" % session.run)
        return session.run

    def _replace(self, articles: Sequence[StoredArticle]) -> None:
        """Remove articles with these ids, and save a revision where title or text differ."""
        numbers = self._headers.numbers({stored.article.id for stored in articles})
        if not numbers:
            return
        if self._session.keep == "all":
            texts = self._session.texts.get(numbers.values())
            old_articles = self.articles(numbers)
            for stored in articles:
                old = old_articles.get(stored.article.id)
                new = replace_surrogates(stored.article.title), stored.article.text
                if old and (old.title, old.text) != new:
                    number = numbers[old.id]
                    self._save_revision(old.id, (texts[number], self._headers.get(number)))
        self._delete(numbers.values())

    def _save_revision(self, id_: str, revision: Revision) -> None:
        name = text_name("v", id_)
        packed = self._records.get_one(name)
        earlier = decode_revisions(packed, id_) if packed else []
        self._records.write(name, encode_revisions([*earlier, revision]))

    def remove(self, ids: Collection[str]) -> int:
        numbers = self._session.numbers(set(ids))
        self._delete(numbers.values())
        self._delete_records([text_name("v", id_) for id_ in numbers])
        return len(numbers)

    drop = remove  # nothing is left of what is removed

    def _delete(self, numbers: Collection[int]) -> None:
        """Delete everything stored by these sequence numbers."""
        self._edges.remove_edges(numbers)
        self._delete_records([article_name("m", number) for number in numbers])
        if self._session.keep == "all":
            self._session.texts.remove(numbers)
        self._headers.remove(list(numbers))
        removed = set(numbers)
        for page in sorted({number // ROWS for number in removed}):
            self._delete_rows(page, removed)

    def _delete_records(self, names: Collection[bytes]) -> None:
        for name, packed in self._records.get(names).items():
            if packed is not None:
                self._records.write(name, None)

    def _delete_rows(self, page: int, numbers: set[int]) -> None:
        """Delete the rows of these articles on a page; the whole hash where none is left."""
        on_page = range(page * ROWS, (page + 1) * ROWS)
        if on_page[-1] <= self._headers.last and not any(map(self._headers.id, on_page)):
            self._records.delete_hash(b"r:%d" % page, map(row_name, on_page))
        else:
            for number in numbers.intersection(on_page):
                self._records.write(row_name(number), None)

    # Reading.

    def dates(self, ids: Collection[str]) -> dict[str, datetime | None]:
        headers = {name: self._headers.get(n) for name, n in self._session.numbers(ids).items()}
        return {
            name: from_micros(header.seen if header.published is None else header.published)
            for name, header in headers.items()
        }

    def ids_before(self, before: datetime) -> Iterator[str]:
        self._session.refresh()
        published, seen = self._headers.published(), self._headers.seen()
        dates = np.where(published == NO_TIME, seen, published)
        old = np.flatnonzero((dates != NO_TIME) & (dates < (to_micros(before) or 0)))
        numbers = (old + self._headers.first).tolist()
        return filter(None, (self._headers.id(number) for number in numbers))

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        fingerprints = self._session.window.fingerprints(self._session.numbers(ids).values())
        return {fingerprint.id: fingerprint for fingerprint in fingerprints.values()}

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        window = self._session.window
        rows = window.decode_keys(window.read_rows(self._session.numbers(ids).values()))
        return {fingerprint.id: own for _, fingerprint, own in rows}

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they were added; without their texts where these are not kept."""
        numbers = self._session.numbers(ids).values()
        if self._session.keep == "all":
            texts = self._session.texts.get(numbers)
            articles = [decode_article(text, self._headers.get(n)) for n, text in texts.items()]
        else:
            articles = list(map(_without_text, self._session.window.fingerprints(numbers).values()))
        return {article.id: article for article in articles}

    def revisions(self, ids: Collection[str]) -> dict[str, list[Article]]:
        self._session.refresh()
        names = {id_: text_name("v", id_) for id_ in ids}
        records = self._records.get(names.values())
        return {
            id_: [decode_article(*revision) for revision in decode_revisions(packed, id_)]
            for id_, name in names.items()
            if (packed := records[name])
        }

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        return {name: self._headers.run(n) for name, n in self._session.numbers(ids).items()}

    def run_count(self) -> int:
        self._session.refresh()
        return int(self._records.get_one(RUNS) or 0)

    def ids(self) -> Iterator[str]:
        self._session.refresh()
        return self._headers.ids()

    def latest_ids(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        return latest_numbers(self.sequence_numbers(list(self.ids())), before, limit)


def _without_text(fingerprint: Fingerprint) -> Article:
    return Article(
        id=fingerprint.id,
        title=fingerprint.title,
        url=fingerprint.url,
        canonical_url=fingerprint.declared_url,
        source=fingerprint.source,
        published=fingerprint.published,
        tier=fingerprint.tier,
        seen=fingerprint.seen,
    )
