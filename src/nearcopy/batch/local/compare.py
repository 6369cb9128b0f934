"""Compare candidate pairs: exact overlaps of texts in columns, or whole articles."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from nearcopy.batch.column_rules import (
    Numbers,
    TextMeasures,
    are_eligible,
    judge_texts,
    measure_pairs,
    overlap_shares,
)
from nearcopy.batch.linked_groups import (
    RelatedPairs,
    judge_pair,
    judge_related,
    optional_time,
)
from nearcopy.batch.local.candidate_pairs import (
    ARTICLE_BLOCK,
    count_reference_rows,
    ids_of,
    read_pairs,
    row_blocks,
)
from nearcopy.batch.local.column_files import Array, Pack, write_pack
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.fingerprints import read_fingerprints, read_keys
from nearcopy.batch.local.row_table import read_texts, table_of
from nearcopy.batch.shared_keys import Pairs, sorted_distinct
from nearcopy.config.units import from_micros
from nearcopy.fingerprint.fingerprint_table import FingerprintTable, RowPairs
from nearcopy.match.candidate_index import CandidateIndex, IndexedArticle, candidate_limit
from nearcopy.match.eligibility import comparable_pairs
from nearcopy.match.judgement import Judgement
from nearcopy.models import Article, Decision, Fingerprint
from nearcopy.models.batches import batches

TEXTS_PER_BATCH = 2048  # held in memory
HIGH, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
INDEX_BYTES_PER_ROW = 1500
CACHED_FINGERPRINTS = 20_000
ROWS_PER_BATCH = 256  # whose candidates are loaded together
Candidates = list[tuple[int, list[int]]]  # rows and the earlier rows that share keys with each
Times = tuple[int | None, int | None]  # published, seen


def edges_path(job: CorpusJob, block: int) -> Path:
    """The file of the edges between the rows of a block and earlier rows."""
    return job.folder("edges") / f"{block:06d}.pack"


def compare_texts(job: CorpusJob, block: int) -> None:
    """Write the edges between the texts of a block and earlier ones."""
    pairs = _comparable(job, read_pairs(job, block))
    later, earlier = _ends(pairs)
    measures = measure_rows(job, later, earlier)
    columns: dict[str, Array] = {
        "later": later.astype(np.uint32),
        "earlier": earlier.astype(np.uint32),
        "relation": judge_texts(measures, job).decisions.relation.astype(np.uint8),
        "overlap": measures.overlap,
        "containment": measures.containment,
        "hamming": measures.hamming.astype(np.uint8),
    }
    write_pack(edges_path(job, block), columns)


def _comparable(job: CorpusJob, pairs: Pairs) -> Pairs:
    """The pairs that the policy compares, by time, source and reference."""
    table = table_of(job)
    later, earlier = _ends(pairs)

    def read(name: str) -> tuple[Array, Array]:
        column = table.column(name)
        return column[later], column[earlier]

    is_own = later >= count_reference_rows(job)
    return pairs[is_own & are_eligible(len(pairs), read, job.policy)]


def _ends(pairs: Pairs) -> tuple[Numbers, Numbers]:
    """The later and the earlier rows of the pairs."""
    return (pairs >> HIGH).astype(np.int64), (pairs & LOW).astype(np.int64)


def measure_rows(job: CorpusJob, a: Numbers, b: Numbers) -> TextMeasures:
    """The measures of the texts of pairs of rows, in batches that fit into memory."""
    overlap, containment = np.zeros(len(a)), np.zeros(len(a))
    start = 0
    while start < len(a):
        stop = _batch_end(a, b, start)
        part = slice(start, stop)
        rows, of_a, of_b = _number_rows(a[part], b[part])
        places = np.stack([of_a, of_b], axis=1)
        overlap[part], containment[part] = overlap_shares(job, *read_texts(job, rows), places)
        start = stop
    rows, of_a, of_b = _number_rows(a, b)
    table = table_of(job)
    digest, words = table.take("digest", rows), table.take("words", rows).astype(np.int64)
    same = (digest[of_a] == digest[of_b]).all(1)
    simhashes = None
    if job.recipe.simhash and len(rows):
        simhash = table.take("simhash", rows)
        simhashes = simhash[of_a], simhash[of_b]
    return measure_pairs(same, (words[of_a], words[of_b]), (overlap, containment), simhashes)


def _number_rows(a: Numbers, b: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The distinct rows in ascending order, and where among them those of each pair are."""
    rows = sorted_distinct(np.concatenate([a, b]))
    return rows, np.searchsorted(rows, a), np.searchsorted(rows, b)


def _batch_end(a: Numbers, b: Numbers, start: int) -> int:
    """The end of the pairs from `start` on that have at most TEXTS_PER_BATCH texts."""
    most = start + 32 * TEXTS_PER_BATCH
    while len(sorted_distinct(np.concatenate([a[start:most], b[start:most]]))) > TEXTS_PER_BATCH:
        most = start + (min(most, len(a)) - start) // 2
        if most <= start + 1:
            return start + 1
    return min(most, len(a))


# Whole articles.


def compare_articles(job: CorpusJob, block: int) -> None:
    """Write the edges between the articles of a block and earlier ones."""
    candidates, truncated = _candidates(job, block)
    articles = ArticleReader(job)
    edges = [articles.edges(batch) for batch in batches(candidates, ROWS_PER_BATCH)]
    columns, decisions = _edge_columns(edges)
    write_pack(edges_path(job, block), columns, decisions=decisions, truncated=truncated)


def _candidates(job: CorpusJob, block: int) -> tuple[Candidates, int]:
    """The candidates of each row of a block, and how many were truncated."""
    table = table_of(job)
    first = max(block * ARTICLE_BLOCK, count_reference_rows(job))
    rows = range(first, min((block + 1) * ARTICLE_BLOCK, len(table)))
    candidates: dict[int, list[int]] = {row: [] for row in rows}
    truncated, limit = 0, candidate_limit(len(table))
    probes = [(_probe(times), keys) for _, times, keys in _index_rows(job, rows.start, rows.stop)]
    for start, stop in _index_spans(job):
        if start >= rows.stop or not rows:
            break
        index = index_of(job, start, stop)
        results = index.find(probes, job.policy.window, limit, lambda many: many)
        for row, (earlier, more) in zip(rows, results, strict=True):
            candidates[row] += [other for other in earlier if other < row]
            truncated += more
    return list(candidates.items()), truncated


def _index_spans(job: CorpusJob) -> list[tuple[int, int]]:
    """The first and last row of each candidate index that fits into memory."""
    count = len(table_of(job))
    most = max(ARTICLE_BLOCK, job.memory_per_process // INDEX_BYTES_PER_ROW)
    return [(start, min(start + most, count)) for start in range(0, count, most)]


@lru_cache(maxsize=1)
def index_of(job: CorpusJob, start: int, stop: int) -> CandidateIndex:
    """The candidate index of some rows."""
    index = CandidateIndex()
    entries = (
        IndexedArticle(row, published, seen, keys.astype("<u8", copy=False).tobytes())
        for row, (published, seen), keys in _index_rows(job, start, stop)
    )
    while batch := list(islice(entries, index.batch_size)):
        index.add(batch)
    return index


def _index_rows(job: CorpusJob, start: int, stop: int) -> Iterator[tuple[int, Times, Array]]:
    """The times and blocking keys of rows `start` to `stop`."""
    for part in table_of(job).parts:
        if part.first < stop and part.first + part.size > start:
            published, seen = (part.pack.read(name).tolist() for name in ("published", "seen"))
            rows = zip(published, seen, read_keys(part), strict=True)
            for row, (row_published, row_seen, keys) in enumerate(rows, start=part.first):
                if start <= row < stop:
                    yield row, (optional_time(row_published), optional_time(row_seen)), keys


def _probe(times: Times) -> Fingerprint:
    """A fingerprint with the times that the candidate index needs."""
    published, seen = map(from_micros, times)
    return Fingerprint(id="?", published=published, seen=seen)


class ArticleReader:
    """Fingerprints and articles of rows, read on demand."""

    def __init__(self, job: CorpusJob) -> None:
        self._job = job
        self._fingerprints: dict[int, Fingerprint] = {}
        self._table = FingerprintTable()
        self._rows: dict[str, int] = {}

    def edges(self, candidates: Candidates) -> tuple[Array, Array, RelatedPairs]:
        """The later and the earlier row of each pair with something in common, and their edges."""
        later = np.repeat(
            np.array([row for row, _ in candidates], np.int64),
            [len(earlier) for _, earlier in candidates],
        )
        earlier = np.array([row for _, rows in candidates for row in rows], np.int64)
        self.load({*later.tolist(), *earlier.tolist()})
        pairs = RowPairs(self._table, self._table_rows(later), self._table_rows(earlier))
        places = comparable_pairs(pairs, later, self._job.policy)
        related = judge_related(pairs.take(places), self._job, self._articles)
        return later[places][related.places], earlier[places][related.places], related

    def _table_rows(self, rows: Array) -> Array:
        return self._table.rows([self._fingerprints[row] for row in rows.tolist()])

    def load(self, rows: Collection[int]) -> None:
        """Load the fingerprints of rows into the cache."""
        missing = sorted({*rows} - self._fingerprints.keys())
        if not missing:
            return
        if len(self._fingerprints) > CACHED_FINGERPRINTS:
            self._fingerprints.clear()
            self._table = FingerprintTable()
            missing = sorted(rows)
        job, table = self._job, table_of(self._job)
        numbers = np.array(missing, np.int64)
        fingerprints = read_fingerprints(table, numbers, ids_of(job, numbers))
        self._fingerprints |= dict(zip(missing, fingerprints, strict=True))
        self._rows |= {self._fingerprints[row].id: row for row in missing}

    def fingerprint(self, row: int) -> Fingerprint:
        """A loaded fingerprint."""
        return self._fingerprints[row]

    def judge_pair(self, later: int, earlier: int) -> Judgement:
        """The judgement of two rows."""
        self.load([later, earlier])
        return judge_pair(
            self.fingerprint(later), self.fingerprint(earlier), self._job, self._articles
        )

    def _articles(self, ids: Collection[str]) -> Mapping[str, Article]:
        rows = sorted(self._rows[article_id] for article_id in ids)
        texts, html = read_texts(self._job, np.array(rows, np.int64))
        return {
            fingerprint.id: Article(id=fingerprint.id, text=text, html=is_html)
            for row, text, is_html in zip(rows, texts, html, strict=True)
            for fingerprint in [self._fingerprints[row]]
        }


def _edge_columns(
    edges: Sequence[tuple[Array, Array, RelatedPairs]],
) -> tuple[dict[str, Array], list[object]]:
    """The edges as columns, and the distinct decisions that a column refers to."""
    numbers: dict[Decision, int] = {}
    decisions = (decision for _, _, related in edges for decision in related.decisions)
    codes = [numbers.setdefault(decision, len(numbers)) for decision in decisions]
    columns: dict[str, Array] = {
        "later": _joined([later for later, _, _ in edges], np.uint32),
        "earlier": _joined([earlier for _, earlier, _ in edges], np.uint32),
        "decision": np.array(codes, np.uint32),
        "event_score": _joined([related.event_score for _, _, related in edges], np.float64),
        "overlap": _joined([related.overlap for _, _, related in edges], np.float64),
    }
    return columns, [list(decision) for decision in numbers]


def _joined(parts: Sequence[Array], kind: type[np.generic]) -> Array:
    return np.concatenate([np.zeros(0, kind), *parts]).astype(kind)


def count_truncated(job: CorpusJob) -> int:
    """The number of candidates beyond the candidate limit."""
    packs = (Pack(edges_path(job, block)) for block in row_blocks(job))
    return sum(pack.notes["truncated"] for pack in packs)
