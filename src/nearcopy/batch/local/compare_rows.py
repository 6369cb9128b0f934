"""Judging: what rows are to earlier ones that they share keys with, by all that is known of them.

Candidates are found and weighed as stores do (`stores.shelves`), in parts of the rows that fit into
memory.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress

import numpy as np

from nearcopy.batch.local.column_files import Array, Pack, write_pack
from nearcopy.batch.local.exact_duplicates import count_reference_rows, ids_of
from nearcopy.batch.local.fingerprint_rows import fingerprints_of, keys_in
from nearcopy.batch.local.group_clusters import undated_time
from nearcopy.batch.local.job import Job, Settings
from nearcopy.batch.local.row_reader import NEVER
from nearcopy.batch.local.row_table import table_of
from nearcopy.batch.local.text_reader import Texts
from nearcopy.cluster.kept_copy import by_age
from nearcopy.deduper.find_matches import PAIRS_AT_ONCE, THE_SAME
from nearcopy.match.candidate_index import Filed, Shelves, most_candidates
from nearcopy.match.compare import Pair
from nearcopy.match.judge_pairs import (
    NOT_COMPARED,
    Articles,
    Judgement,
    comparable,
    judged,
    promising,
    sources_fit,
)
from nearcopy.models.model import Article, Decision, Edge, Evidence, Fingerprint, Relation
from nearcopy.models.timestamps import moment

EDGES_FOLDER = "edges"
ARTICLE_BLOCK = 2048  # rows whose pairs are judged together
BYTES_A_ROW = 1500  # that a row takes on shelves
CACHED = 20_000  # fingerprints
TOGETHER = 64  # rows whose candidates are read at once
Candidates = list[tuple[int, list[int]]]


def article_blocks(job: Job) -> list[int]:
    """The numbers of the blocks of rows."""
    return list(range(-(-len(table_of(job)) // ARTICLE_BLOCK)))


def judge_block(job: Job, block: int) -> None:
    """Writes what the rows of a block are to earlier ones."""
    candidates, truncated = _candidates(job, block)
    articles = ArticleReader(job)
    pairs = list(articles.pairs(candidates))
    edges: list[tuple[int, int, Judgement]] = []
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        edges += articles.judge(pairs[start : start + PAIRS_AT_ONCE])
    columns, decisions = _edge_columns(edges)
    path = job.folder(EDGES_FOLDER) / f"{block:06d}.pack"
    write_pack(path, columns, decisions=decisions, left_out=truncated)


def _candidates(job: Job, block: int) -> tuple[Candidates, int]:
    """For each row of a block the earlier ones that it shares keys with; how many are left out."""
    table, first = (
        table_of(job),
        max(block * ARTICLE_BLOCK, count_reference_rows(table_of(job), job)),
    )
    rows = range(first, min((block + 1) * ARTICLE_BLOCK, len(table)))
    candidates: dict[int, list[int]] = {row: [] for row in rows}
    truncated, limit = 0, most_candidates(len(table))
    probes = [(_probe(at), keys) for _, at, keys in _index_rows(job, rows.start, rows.stop)]
    for start, stop in _index_spans(job):
        if start >= rows.stop or not rows:
            break
        index = _build_index(job, start, stop)
        answers = index.find(probes, job.policy.window, limit, lambda many: many)
        for row, (earlier, more) in zip(rows, answers, strict=True):
            candidates[row] += [other for other in earlier if other < row]
            truncated += more
    return list(candidates.items()), truncated


def _index_spans(job: Job) -> list[tuple[int, int]]:
    """From which row to which those of each shelf are that fits into memory."""
    count = len(table_of(job))
    most = max(ARTICLE_BLOCK, job.share // BYTES_A_ROW)
    return [(start, min(start + most, count)) for start in range(0, count, most)]


@lru_cache(maxsize=1)
def _build_index(job: Job, start: int, stop: int) -> Shelves:
    index = Shelves()
    entries: list[Filed] = []
    for row, (published, seen), keys in _index_rows(job, start, stop):
        entries.append(Filed(row, published, seen, keys.astype("<u8", copy=False).tobytes()))
        if len(entries) >= index.at_once:
            index.file(entries)
            entries = []
    if entries:
        index.file(entries)
    return index


Times = tuple[int | None, int | None]


def _index_rows(job: Job, start: int, stop: int) -> Iterator[tuple[int, Times, Array]]:
    """The rows from one up to another: their times, and their keys."""
    for part in table_of(job).parts:
        if part.first < stop and part.first + part.size > start:
            published, seen = (part.pack.read(name).tolist() for name in ("published", "seen"))
            rows = zip(published, seen, keys_in(part), strict=True)
            for row, (out, at, keys) in enumerate(rows, start=part.first):
                if start <= row < stop:
                    yield row, (_optional_time(out), _optional_time(at)), keys


def _optional_time(time: int) -> int | None:
    return None if time == NEVER else time


def _probe(times: Times) -> Fingerprint:
    """All that shelves want to know of what they are asked about."""
    published, seen = map(moment, times)
    return Fingerprint(id="?", published=published, seen=seen)


class ArticleReader:
    """Rows as fingerprints and articles, read as they are needed."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._fingerprints: dict[int, Fingerprint] = {}
        self._rows: dict[str, int] = {}

    def pairs(self, candidates: Candidates) -> Iterator[tuple[int, int]]:
        """Those to be looked at, but of texts that are the same no more than the first few."""
        for at in range(0, len(candidates), TOGETHER):
            batch = candidates[at : at + TOGETHER]
            self.load({number for row, earlier in batch for number in (row, *earlier)})
            yield from self._comparable(batch)

    def _comparable(self, candidates: Candidates) -> Iterator[tuple[int, int]]:
        policy = self._job.policy
        for row, numbers in candidates:
            fingerprint, left = self._fingerprints[row], THE_SAME
            for number in numbers:
                other = self._fingerprints[number]
                if comparable(fingerprint, other, policy):
                    same = fingerprint.digest is not None and fingerprint.digest == other.digest
                    left -= same
                    if left >= 0 or not same:
                        yield row, number

    def load(self, rows: Collection[int]) -> None:
        """Has the fingerprints of some rows at hand."""
        missing = sorted({*rows} - self._fingerprints.keys())
        if not missing:
            return
        if len(self._fingerprints) > CACHED:
            self._fingerprints.clear()
            missing = sorted(rows)
        job, table = self._job, table_of(self._job)
        numbers = np.array(missing, np.int64)
        fingerprints = fingerprints_of(table, numbers, ids_of(job, numbers))
        self._fingerprints |= dict(zip(missing, fingerprints, strict=True))
        self._rows |= {self._fingerprints[row].id: row for row in missing}

    def fingerprint(self, row: int) -> Fingerprint:
        """A fingerprint; where it bears no date, one that follows all others in its order."""
        fingerprint = self._fingerprints[row]
        undated = fingerprint.published is None and fingerprint.seen is None
        return replace(fingerprint, seen=undated_time(row)) if undated else fingerprint

    def judge(self, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int, Judgement]]:
        """What the two of each pair are to each other, as far as they have something in common."""
        self.load({row for pair in pairs for row in pair})
        both = [(self.fingerprint(a), self.fingerprint(b)) for a, b in pairs]
        judgements = judge_candidates(both, self._job, self._articles)
        return [(*pairs[place], judgement) for place, judgement in judgements]

    def judge_pair(self, later: int, earlier: int) -> Judgement:
        """What two rows are to each other, found or not."""
        self.load([later, earlier])
        return judge_pair(
            self.fingerprint(later), self.fingerprint(earlier), self._job, self._articles
        )

    def _articles(self, names: Collection[str]) -> Mapping[str, Article]:
        rows = sorted(self._rows[name] for name in names)
        texts, html = Texts(self._job).of(np.array(rows, np.int64))
        return {
            fingerprint.id: Article(id=fingerprint.id, text=text, html=mark)
            for row, text, mark in zip(rows, texts, html, strict=True)
            for fingerprint in [self._fingerprints[row]]
        }


def judge_candidates(
    pairs: Sequence[Pair], settings: Settings, articles: Articles
) -> list[tuple[int, Judgement]]:
    """What the two of each pair are to each other, for the places of those that are something."""
    policy = settings.policy
    worth = promising(pairs, policy)
    places = list(compress(range(len(pairs)), worth))
    aged = [(a, b) if by_age(a) <= by_age(b) else (b, a) for a, b in compress(pairs, worth)]
    judgements = zip(places, judged(aged, settings.recipe, policy, articles), strict=True)
    return [
        judgement for judgement in judgements if judgement[1].decision.rule != "nothing-in-common"
    ]


def judge_pair(a: Fingerprint, b: Fingerprint, settings: Settings, articles: Articles) -> Judgement:
    """What two are to each other that may not have been found together."""
    one, other = sorted((a, b), key=by_age)
    if not sources_fit(one, other, settings.policy):
        return Judgement(Evidence(), NOT_COMPARED, 0.0, None)
    return judged([(one, other)], settings.recipe, settings.policy, articles)[0]


def _edge_columns(
    edges: Sequence[tuple[int, int, Judgement]],
) -> tuple[dict[str, Array], list[object]]:
    """The edges as columns, and the decisions, each once, that a column names by number."""
    numbers: dict[Decision, int] = {}
    for _, _, judgement in edges:
        numbers.setdefault(judgement.decision, len(numbers))
    columns: dict[str, Array] = {
        "later": np.array([a for a, _, _ in edges], np.uint32),
        "earlier": np.array([b for _, b, _ in edges], np.uint32),
        "decision": np.array([numbers[judgement.decision] for _, _, judgement in edges], np.uint32),
        "news": np.array([judgement.news for _, _, judgement in edges], np.float64),
        "copy": np.array([np.nan if e.copy is None else e.copy for _, _, e in edges], np.float64),
    }
    return columns, [list(judgement) for judgement in numbers]


def edges_in(pack: Pack, names: Mapping[int, str]) -> Iterator[tuple[int, int, Edge]]:
    """The edges again, between rows of these names."""
    decisions = [
        Decision(Relation(relation), rule, sure, duplicate, reason, tuple(flags))
        for relation, rule, sure, duplicate, reason, flags in pack.notes["decisions"]
    ]
    columns = (pack.read(n).tolist() for n in ("later", "earlier", "decision", "news", "copy"))
    for a, b, code, news, copy in zip(*columns, strict=True):
        if a in names and b in names:
            overlap = copy if copy == copy else None
            yield a, b, Edge(names[a], names[b], decisions[code], news, overlap)


def count_truncated(job: Job) -> int:
    """How many candidates were not looked at, as there were too many."""
    packs = (Pack(job.folder(EDGES_FOLDER) / f"{block:06d}.pack") for block in article_blocks(job))
    return sum(pack.notes["left_out"] for pack in packs)
