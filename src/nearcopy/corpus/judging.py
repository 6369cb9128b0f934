"""Judging: what rows are to earlier ones that they share keys with, by all that is known of them.

Candidates are found and weighed as stores do (`stores.shelves`), in parts of the rows that fit into
memory.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress

import numpy as np

from nearcopy.compare import Pair
from nearcopy.corpus.fingerprinting import fingerprints_of, keys_in
from nearcopy.corpus.job import Job, Settings
from nearcopy.corpus.likes import given_rows, names_of
from nearcopy.corpus.packs import Array, Pack, write_pack
from nearcopy.corpus.settled import after_all
from nearcopy.corpus.table import table_of
from nearcopy.corpus.taking import NEVER
from nearcopy.corpus.texts import Texts
from nearcopy.judge import (
    NOT_COMPARED,
    Articles,
    Judgement,
    comparable,
    judged,
    promising,
    sources_fit,
)
from nearcopy.keeper import by_age
from nearcopy.matching import PAIRS_AT_ONCE, THE_SAME
from nearcopy.model import Article, Decision, Edge, Evidence, Fingerprint, Relation
from nearcopy.stores.rows import moment
from nearcopy.stores.shelves import Filed, Shelves, most_candidates

FOLDER = "edges"
BLOCK = 2048  # rows whose pairs are judged together
BYTES_A_ROW = 1500  # that a row takes on shelves
HELD = 20_000  # fingerprints
TOGETHER = 64  # rows whose candidates are read at once
Candidates = list[tuple[int, list[int]]]


def blocks(job: Job) -> list[int]:
    """The numbers of the blocks of rows."""
    return list(range(-(-len(table_of(job)) // BLOCK)))


def judge_block(job: Job, block: int) -> None:
    """Writes what the rows of a block are to earlier ones."""
    found, left_out = _candidates(job, block)
    people = People(job)
    pairs = list(people.pairs(found))
    edges: list[tuple[int, int, Judgement]] = []
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        edges += people.judged(pairs[start : start + PAIRS_AT_ONCE])
    columns, decisions = _packed(edges)
    path = job.folder(FOLDER) / f"{block:06d}.pack"
    write_pack(path, columns, decisions=decisions, left_out=left_out)


def _candidates(job: Job, block: int) -> tuple[Candidates, int]:
    """For each row of a block the earlier ones that it shares keys with; how many are left out."""
    table, first = table_of(job), max(block * BLOCK, given_rows(table_of(job), job))
    rows = range(first, min((block + 1) * BLOCK, len(table)))
    found: dict[int, list[int]] = {row: [] for row in rows}
    left_out, limit = 0, most_candidates(len(table))
    probes = [(_dated(at), keys) for _, at, keys in _filed(job, rows.start, rows.stop)]
    for start, stop in _shelf_spans(job):
        if start >= rows.stop or not rows:
            break
        shelves = _shelves(job, start, stop)
        answers = shelves.find(probes, job.policy.window, limit, lambda many: many)
        for row, (others, more) in zip(rows, answers, strict=True):
            found[row] += [other for other in others if other < row]
            left_out += more
    return list(found.items()), left_out


def _shelf_spans(job: Job) -> list[tuple[int, int]]:
    """From which row to which those of each shelf are that fits into memory."""
    count = len(table_of(job))
    most = max(BLOCK, job.share // BYTES_A_ROW)
    return [(start, min(start + most, count)) for start in range(0, count, most)]


@lru_cache(maxsize=1)
def _shelves(job: Job, start: int, stop: int) -> Shelves:
    made = Shelves()
    filed: list[Filed] = []
    for row, (published, seen), keys in _filed(job, start, stop):
        filed.append(Filed(row, published, seen, keys.astype("<u8", copy=False).tobytes()))
        if len(filed) >= made.at_once:
            made.file(filed)
            filed = []
    if filed:
        made.file(filed)
    return made


Times = tuple[int | None, int | None]


def _filed(job: Job, start: int, stop: int) -> Iterator[tuple[int, Times, Array]]:
    """The rows from one up to another: their times, and their keys."""
    for part in table_of(job).parts:
        if part.first < stop and part.first + part.size > start:
            published, seen = (part.pack.read(name).tolist() for name in ("published", "seen"))
            rows = zip(published, seen, keys_in(part), strict=True)
            for row, (out, at, keys) in enumerate(rows, start=part.first):
                if start <= row < stop:
                    yield row, (_known(out), _known(at)), keys


def _known(time: int) -> int | None:
    return None if time == NEVER else time


def _dated(times: Times) -> Fingerprint:
    """All that shelves want to know of what they are asked about."""
    published, seen = map(moment, times)
    return Fingerprint(id="?", published=published, seen=seen)


class People:
    """Rows as fingerprints and articles, read as they are needed."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._made: dict[int, Fingerprint] = {}
        self._rows: dict[str, int] = {}

    def pairs(self, found: Candidates) -> Iterator[tuple[int, int]]:
        """Those to be looked at, but of texts that are the same no more than the first few."""
        for at in range(0, len(found), TOGETHER):
            some = found[at : at + TOGETHER]
            self.know({number for row, others in some for number in (row, *others)})
            yield from self._comparable(some)

    def _comparable(self, found: Candidates) -> Iterator[tuple[int, int]]:
        policy = self._job.policy
        for row, others in found:
            made, left = self._made[row], THE_SAME
            for number in others:
                other = self._made[number]
                if comparable(made, other, policy):
                    same = made.digest is not None and made.digest == other.digest
                    left -= same
                    if left >= 0 or not same:
                        yield row, number

    def know(self, rows: Collection[int]) -> None:
        """Has the fingerprints of some rows at hand."""
        wanted = sorted({*rows} - self._made.keys())
        if not wanted:
            return
        if len(self._made) > HELD:
            self._made.clear()
            wanted = sorted(rows)
        job, table = self._job, table_of(self._job)
        numbers = np.array(wanted, np.int64)
        made = fingerprints_of(table, numbers, names_of(job, numbers))
        self._made |= dict(zip(wanted, made, strict=True))
        self._rows |= {self._made[row].id: row for row in wanted}

    def one(self, row: int) -> Fingerprint:
        """A fingerprint; where it bears no date, one that follows all others in its order."""
        made = self._made[row]
        undated = made.published is None and made.seen is None
        return replace(made, seen=after_all(row)) if undated else made

    def judged(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int, Judgement]]:
        """What the two of each pair are to each other, as far as they have something in common."""
        self.know({row for pair in pairs for row in pair})
        both = [(self.one(a), self.one(b)) for a, b in pairs]
        found = found_between(both, self._job, self._articles)
        return [(*pairs[place], each) for place, each in found]

    def between(self, later: int, earlier: int) -> Judgement:
        """What two rows are to each other, found or not."""
        self.know([later, earlier])
        return asked_between(self.one(later), self.one(earlier), self._job, self._articles)

    def _articles(self, names: Collection[str]) -> Mapping[str, Article]:
        rows = sorted(self._rows[name] for name in names)
        texts, html = Texts(self._job).of(np.array(rows, np.int64))
        return {
            made.id: Article(id=made.id, text=text, html=mark)
            for row, text, mark in zip(rows, texts, html, strict=True)
            for made in [self._made[row]]
        }


def found_between(
    pairs: Sequence[Pair], settings: Settings, articles: Articles
) -> list[tuple[int, Judgement]]:
    """What the two of each pair are to each other, for the places of those that are something."""
    policy = settings.policy
    worth = promising(pairs, policy)
    places = list(compress(range(len(pairs)), worth))
    aged = [(a, b) if by_age(a) <= by_age(b) else (b, a) for a, b in compress(pairs, worth)]
    found = zip(places, judged(aged, settings.recipe, policy, articles), strict=True)
    return [each for each in found if each[1].decision.rule != "nothing-in-common"]


def asked_between(
    a: Fingerprint, b: Fingerprint, settings: Settings, articles: Articles
) -> Judgement:
    """What two are to each other that may not have been found together."""
    one, other = sorted((a, b), key=by_age)
    if not sources_fit(one, other, settings.policy):
        return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
    return judged([(one, other)], settings.recipe, settings.policy, articles)[0]


def _packed(edges: Sequence[tuple[int, int, Judgement]]) -> tuple[dict[str, Array], list[object]]:
    """The edges as columns, and the decisions, each once, that a column names by number."""
    numbers: dict[Decision, int] = {}
    for _, _, found in edges:
        numbers.setdefault(found.decision, len(numbers))
    columns: dict[str, Array] = {
        "later": np.array([a for a, _, _ in edges], np.uint32),
        "earlier": np.array([b for _, b, _ in edges], np.uint32),
        "decision": np.array([numbers[each.decision] for _, _, each in edges], np.uint32),
        "news": np.array([each.news for _, _, each in edges], np.float64),
        "copy": np.array([np.nan if e.copy is None else e.copy for _, _, e in edges], np.float64),
    }
    return columns, [list(each) for each in numbers]


def edges_in(pack: Pack, names: Mapping[int, str]) -> Iterator[tuple[int, int, Edge]]:
    """The edges again, between rows of these names."""
    decisions = [
        Decision(Relation(relation), rule, sure, duplicate, reason, tuple(flags))
        for relation, rule, sure, duplicate, reason, flags in pack.notes["decisions"]
    ]
    columns = (pack.read(n).tolist() for n in ("later", "earlier", "decision", "news", "copy"))
    for a, b, how, news, copy in zip(*columns, strict=True):
        if a in names and b in names:
            known = copy if copy == copy else None
            yield a, b, Edge(names[a], names[b], decisions[how], news, known)


def left_out(job: Job) -> int:
    """How many candidates were not looked at, as there were too many."""
    packs = (Pack(job.folder(FOLDER) / f"{block:06d}.pack") for block in blocks(job))
    return sum(pack.notes["left_out"] for pack in packs)
