"""Marks: what is put beside each row, as values and as the end of a line of JSON."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import orjson

from nearcopy.batch.local.cluster_columns import FILE, NONE, ClusterColumns
from nearcopy.batch.local.exact_duplicates import ids_of
from nearcopy.batch.local.job import Job
from nearcopy.batch.local.text_relations import RELATIONS
from nearcopy.io.files.cell_values import as_json

TAIL = (
    b', "relation": "%s", "is_duplicate": %s, "duplicate_of": %s, '
    b'"story_id": "%s", "overlap": %s}\n'
)


class Annotation(NamedTuple):
    """What a row is."""

    id: str
    relation: str
    is_duplicate: bool
    duplicate_of: str | None
    story_id: str
    overlap: float | None

    @property
    def tail(self) -> bytes:
        """The mark as the end of a JSON object that has members before it."""
        return TAIL % (
            self.relation.encode(),
            b"true" if self.is_duplicate else b"false",
            b"null" if self.duplicate_of is None else json_string(self.duplicate_of),
            self.story_id.encode(),
            b"null" if self.overlap is None else repr(self.overlap).encode(),
        )

    @property
    def values(self) -> dict[str, Any]:
        """The mark as values of a row, without the id."""
        values = self._asdict()
        del values["id"]
        return values


def json_string(text: str) -> bytes:
    """A text as JSON."""
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError:  # half a surrogate pair
        return as_json(text)


def annotations(job: Job, first: int, count: int) -> Iterator[Annotation]:
    """What so many rows are, from one on, in order."""
    clusters = ClusterColumns.read(job.work / FILE, first, first + count)
    rows = np.arange(first, first + count)
    kept = clusters.of[clusters.of != NONE].astype(np.int64)
    names = ids_of(job, np.concatenate([rows, kept, clusters.founder.astype(np.int64)]))
    overlaps = np.round(clusters.overlap.astype(np.float64), 4)
    columns = (clusters.of, clusters.relation, overlaps, clusters.founder)
    for row, of, relation, overlap, founder in zip(
        rows.tolist(), *(column.tolist() for column in columns), strict=True
    ):
        digest = sha256(names[founder].encode("utf-8", "surrogatepass")).hexdigest()[:16]
        copy = of != NONE
        yield Annotation(
            names[row],
            RELATIONS[relation].value,
            copy,
            names[of] if copy else None,
            f"s-{digest}",
            overlap if overlap == overlap else None,
        )
