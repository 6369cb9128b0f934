"""The Redis store: one server, any number of workers on any number of machines.

The server keeps compact rows and hands them out by number; what articles are found by is in the
memory of each worker, which catches up with what others did, in one call, whenever it looks. A step
that writes has a lock, and is applied whole by one script if nobody came between. All articles
expire when they have been there for the window.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import numpy as np

from nearcopy.config import Recipe
from nearcopy.errors import RecipeMismatch, StoreError
from nearcopy.fingerprint.blocking_keys import Keys, keys
from nearcopy.match.candidate_index import DAY, NEVER, filed
from nearcopy.models.model import Article, Fingerprint
from nearcopy.models.timestamps import MICROSECOND, micros, moment
from nearcopy.stores.base import NO_RUNS, NONE, Counts, Entry, Runs, Stated
from nearcopy.stores.pagination import After, Listed, Order, Wanted, last, walked
from nearcopy.stores.pools import DEFAULT
from nearcopy.stores.recipe_check import mismatch
from nearcopy.stores.redis.actions import RedisActs
from nearcopy.stores.redis.candidates import RedisFinding
from nearcopy.stores.redis.connection import Link, address_of
from nearcopy.stores.redis.counts import RedisTally
from nearcopy.stores.redis.edges import RedisLinks
from nearcopy.stores.redis.expiry import Expiry
from nearcopy.stores.redis.feedback import RedisFeedback
from nearcopy.stores.redis.fingerprint_codec import PIECES, Head, Rows, sketched
from nearcopy.stores.redis.lua_scripts import ROWS
from nearcopy.stores.redis.records import field, numbered, row_name, string
from nearcopy.stores.redis.text_codec import Kept, article_of, packed_revisions, revisions_of
from nearcopy.stores.row_codec import article_rows, recipe_json, recipe_of, whole

FORMAT = b"1"
A_MOMENT = 0.2  # seconds


class RedisStore(RedisFinding, RedisLinks, RedisFeedback, RedisActs, RedisTally):
    """A store on a Redis server, under one prefix."""

    def __init__(self, address: str, pool: str = DEFAULT) -> None:
        parts = address_of(address, pool)
        self.address = parts.shown
        self._pool, self._wanted_keep = pool, parts.keep
        super().__init__(Link(parts))

    def bind(self, recipe: Recipe | None, version: int, window: timedelta | None = None) -> Recipe:
        """The recipe of this store, which the first to come decides; another one is refused."""
        meta = self._link.meta()
        if b"recipe" not in meta:
            self._make(recipe or Recipe(), version, window)
            meta = self._link.meta()
        made_with = meta[b"recipe"].decode()
        if recipe is not None and recipe.id != made_with:
            stated = meta[b"recipe_json"].decode()
            raise mismatch(f"store {self.address}", made_with, stated, recipe)
        if meta[b"keys"] != b"%d" % version or meta[b"format"] != FORMAT:
            raise RecipeMismatch(
                f"store {self.address} was filled with keys of version {meta[b'keys'].decode()} "
                f"and format {meta[b'format'].decode()}, this nearcopy makes {version} and "
                f"{FORMAT.decode()}: fill another store"
            )
        self._settle_on(recipe or recipe_of(meta[b"recipe_json"].decode()), meta)
        return self._recipe

    def _make(self, recipe: Recipe, version: int, window: timedelta | None) -> None:
        """Make the store, unless somebody else does."""
        with self.writing():
            if self._records.one(field("meta", "recipe")) is not None:
                return
            stated = {
                "recipe": recipe.id,
                "recipe_json": recipe_json(recipe),
                "keys": version,
                "keep": self._wanted_keep or "all",
                "window": "" if window is None else window // MICROSECOND,
                "born": self._worker,
                "format": FORMAT.decode(),
            }
            for name, value in stated.items():
                self._records.put(field("meta", name), str(value).encode())
            self._link.list_pool(self._pool)

    def _settle_on(self, recipe: Recipe, meta: dict[bytes, bytes]) -> None:
        self._keep = meta[b"keep"].decode()
        if self._wanted_keep not in (None, self._keep):
            raise StoreError(
                f"{self.address}: this store was made with keep={self._keep}: "
                "open it with that, or fill another store"
            )
        lasting = int(meta[b"window"] or 0)
        self._expiry = Expiry(lasting * MICROSECOND if meta[b"window"] else None)
        self._recipe, self._rows = recipe, Rows(recipe.id)
        self._link.pieces = PIECES if self._keep == "sketches" else 1

    def stated(self) -> Stated | None:
        """What this store was made with."""
        meta = self._link.meta()
        if b"recipe" not in meta:
            return None
        window = int(meta[b"window"]) * MICROSECOND if meta[b"window"] else None
        return Stated(recipe_of(meta[b"recipe_json"].decode()), int(meta[b"keys"]), window)

    def readable_format(self) -> str:
        """The format of what is kept, where this nearcopy reads it; there is no way to another."""
        stored = self._link.meta().get(b"format", FORMAT)
        if stored != FORMAT:
            raise StoreError(
                f"{self.address} is of format {stored.decode()}, this nearcopy reads "
                f"{FORMAT.decode()}: open it with the nearcopy that made it, or fill another store"
            )
        return stored.decode()

    def note(self, name: str) -> str | None:
        """What was noted under a name."""
        self._fresh()
        text = self._records.one(field("meta", f"note {name}"))
        return None if text is None else text.decode()

    def keep_note(self, name: str, text: str | None) -> None:
        """Note something under a name."""
        self._records.put(field("meta", f"note {name}"), None if text is None else text.encode())

    def term_counts(self) -> bytes:
        """What was last kept of how often terms stand in the articles."""
        self._fresh()
        return self._records.one(b"gterms") or b""

    def keep_term_counts(self, counts: bytes) -> None:
        """Keep how often terms stand in the articles, in place of what was kept before."""
        self._records.put(b"gterms", counts)

    # Putting and removing.

    def put(self, entries: Sequence[Entry], runs: Runs = NO_RUNS) -> None:
        """File articles; one with a known id takes the other's place."""
        self._fresh()
        ids = [entry.article.id for entry in entries]
        runs = self._runs_of(ids, runs)
        self._replace(entries)
        articles = [entry.article for entry in entries]
        if self._keep == "all":
            self._texts.put(self._heads.last + 1, articles)
        else:
            list(article_rows(articles))  # what no store can keep is refused here too
        fingerprints, own_keys = self._as_kept(entries)
        rows = []
        for entry, fingerprint, own in zip(entries, fingerprints, own_keys, strict=True):
            number = self._heads.last + 1
            row = filed(number, fingerprint, own if own is not None else entry.keys)
            head = Head(
                fingerprint.id, fingerprint.source, row.published, row.seen, runs[fingerprint.id]
            )
            self._heads.add([head])
            self._records.put(row_name(number), self._rows.row(fingerprint, own))
            rows.append(row)
        self._remember(
            {row.number: fingerprint for row, fingerprint in zip(rows, fingerprints, strict=True)}
        )
        self._index.file_new(rows)

    def _as_kept(self, entries: Sequence[Entry]) -> tuple[list[Fingerprint], list[Keys | None]]:
        """What is kept to compare by, and the keys where they do not follow from it."""
        fingerprints = [entry.fingerprint for entry in entries]
        own_keys = [entry.keys for entry in entries]
        if self._keep == "sketches":
            fingerprints = [sketched(item) for item in fingerprints]
            own_keys = [item[item & np.uint64(1) == 0] for item in own_keys]
        derived = keys(fingerprints, self._recipe)
        same = (np.array_equal(a, b) for a, b in zip(derived, own_keys, strict=True))
        return fingerprints, [
            None if is_same else own for is_same, own in zip(same, own_keys, strict=True)
        ]

    def _runs_of(self, ids: Sequence[str], chosen: Runs) -> Runs:
        """The run in which each article came: as given, as it is known, else this one."""
        most = max(chosen.values(), default=0)
        if most > self.runs_so_far():
            self._records.put(field("meta", "runs"), b"%d" % most)
        runs = {**self.runs(ids), **chosen}
        new = [name for name in ids if name not in runs]
        return {**runs, **dict.fromkeys(new, self._this_run() if new else 0)}

    def _this_run(self) -> int:
        """The number of this run, which the first article that it adds begins."""
        if self._run is None:
            self._run = self.runs_so_far() + 1
            self._records.put(field("meta", "runs"), b"%d" % self._run)
        return self._run

    def _replace(self, entries: Sequence[Entry]) -> None:
        """Make room for articles whose ids are known; what they said otherwise is kept."""
        numbers = self._heads.numbers({entry.article.id for entry in entries})
        if not numbers:
            return
        if self._keep == "all":
            before = self._texts.get(numbers.values())
            articles = self.articles(numbers)
            for entry in entries:
                old = articles.get(entry.article.id)
                now = whole(entry.article.title), entry.article.text
                if old and (old.title, old.text) != now:
                    number = numbers[old.id]
                    self._revise(old.id, before[number], self._heads.head(number))
        self._erase(numbers.values())

    def _revise(self, name: str, before: Kept, head: Head) -> None:
        packed = self._records.one(string("v", name))
        earlier = revisions_of(packed, name) if packed else []
        self._records.put(string("v", name), packed_revisions([*earlier, (before, head)]))

    def remove(self, ids: Collection[str]) -> int:
        """Forget articles, and all that was found about them; how many there were."""
        self._fresh()
        numbers = self._heads.numbers(set(ids))
        self._erase(numbers.values())
        revised = self._records.get([string("v", name) for name in numbers])
        for name, packed in revised.items():
            if packed is not None:
                self._records.put(name, None)
        return len(numbers)

    def drop(self, ids: Collection[str]) -> int:
        """The same: nothing is left of what is removed."""
        return self.remove(ids)

    def ages(self, ids: Collection[str]) -> dict[str, datetime | None]:
        """When the articles were published, else seen."""
        self._fresh()
        heads = {name: self._heads.head(n) for name, n in self._heads.numbers(ids).items()}
        return {
            name: moment(head.seen if head.published is None else head.published)
            for name, head in heads.items()
        }

    def _erase(self, numbers: Collection[int]) -> None:
        """Drop all that hangs on these numbers."""
        self._unlink(numbers)
        members = self._records.get([numbered("m", number) for number in numbers])
        for name, packed in members.items():
            if packed is not None:
                self._records.put(name, None)
        if self._keep == "all":
            self._texts.remove(numbers)
        self._heads.erase(list(numbers))
        removed = set(numbers)
        for page in sorted({number // ROWS for number in removed}):
            self._erase_rows(page, removed)

    def _erase_rows(self, page: int, numbers: set[int]) -> None:
        """Drop the rows of these numbers on a page; of which nothing is left, all of it."""
        every = range(page * ROWS, (page + 1) * ROWS)
        if every[-1] <= self._heads.last and not any(map(self._heads.name, every)):
            self._records.empty(b"r:%d" % page, map(row_name, every))
        else:
            for number in numbers.intersection(every):
                self._records.put(row_name(number), None)

    def older(self, before: datetime) -> Iterator[str]:
        """The articles published before a time; of those without a date, seen before it."""
        self._fresh()
        published, seen = self._heads.published(), self._heads.seen()
        age = np.where(published == NEVER, seen, published)
        old = np.flatnonzero((age != NEVER) & (age < (micros(before) or 0))) + self._heads.first
        return filter(None, (self._heads.name(number) for number in old.tolist()))

    def clear(self, before: datetime) -> bool:
        """Drop the times of days before; nothing else is left of removed articles."""
        self._clear_times((micros(before) or 0) // DAY)
        return False

    # Reading.

    def fingerprints(self, ids: Collection[str]) -> dict[str, Fingerprint]:
        """What the articles are compared by."""
        self._fresh()
        return {
            fingerprint.id: fingerprint
            for fingerprint in self._by_number(self._heads.numbers(ids).values()).values()
        }

    def keys(self, ids: Collection[str]) -> dict[str, Keys]:
        """What the articles are found by."""
        self._fresh()
        rows = self._found_by(self._rows_of(self._heads.numbers(ids).values()))
        return {fingerprint.id: own for _, fingerprint, own in rows}

    def articles(self, ids: Collection[str]) -> dict[str, Article]:
        """The articles as they came; where texts are not kept, what else is known of them."""
        self._fresh()
        numbers = self._heads.numbers(ids).values()
        if self._keep == "all":
            kept = self._texts.get(numbers)
            articles = [
                article_of(article, self._heads.head(number)) for number, article in kept.items()
            ]
        else:
            articles = list(map(_without_text, self._by_number(numbers).values()))
        return {article.id: article for article in articles}

    def numbers(self, ids: Collection[str]) -> dict[str, int]:
        """The numbers of the articles, which ascend as they came."""
        self._fresh()
        return self._heads.numbers(ids)

    def runs(self, ids: Collection[str]) -> dict[str, int]:
        """The run in which each article first came."""
        self._fresh()
        return {name: self._heads.run(n) for name, n in self._heads.numbers(ids).items()}

    def runs_so_far(self) -> int:
        """How many runs there were."""
        self._fresh()
        return int(self._records.one(field("meta", "runs")) or 0)

    def revisions(self, id: str) -> list[Article]:  # noqa: A002
        """What stood under the id before, earliest first."""
        return self.revised([id]).get(id, [])

    def revised(self, ids: Collection[str]) -> dict[str, list[Article]]:
        """The same for several ids."""
        self._fresh()
        names = {name: string("v", name) for name in ids}
        records = self._records.get(names.values())
        packed = {name: records[revision] for name, revision in names.items()}
        return {
            name: [article_of(*revision) for revision in revisions_of(revisions, name)]
            for name, revisions in packed.items()
            if revisions
        }

    def ids(self) -> Iterator[str]:
        """All articles, in the order they came."""
        self._fresh()
        return self._heads.names()

    def listed(self, query: Wanted, order: Order, after: After | None, limit: int) -> list[Listed]:
        """Stories in this order, those after a place."""
        return walked(self, query, order, after, limit)

    def latest(self, before: int | None, limit: int) -> list[tuple[int, str]]:
        """The numbers and ids of what came last, before a number."""
        return last(self.numbers(list(self.ids())), before, limit)

    def close(self, counts: Counts = NONE) -> None:
        """Let go of the server."""
        if counts:
            with suppress(StoreError):  # somebody else is writing: times are not worth the wait
                self._wait = self._link.patience = A_MOMENT
                with self.writing():
                    self.add_times(counts)
        self._link.close()


def pools_in(address: str) -> list[str]:
    """The pools that a server has under a prefix."""
    link = Link(address_of(address, DEFAULT))
    try:
        return link.pools()
    finally:
        link.close()


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
