"""Whole corpora on one machine, without a store.

`deduplicate(CorpusJob(...))` runs a pipeline of stages over columns on disk: read rows, find
candidate pairs, compare them, cluster, and write every row with its annotation.
"""

from nearcopy.batch.corpus_settings import CorpusSummary, Shard
from nearcopy.batch.local.boilerplate import (
    Boilerplate,
    Repeated,
    line_counts,
    read_lines,
    repeated,
)
from nearcopy.batch.local.corpus_job import CorpusJob
from nearcopy.batch.local.output import verify
from nearcopy.batch.local.pipeline import Estimate, deduplicate, estimate

__all__ = [
    "Boilerplate",
    "CorpusJob",
    "CorpusSummary",
    "Estimate",
    "Repeated",
    "Shard",
    "deduplicate",
    "estimate",
    "line_counts",
    "read_lines",
    "repeated",
    "verify",
]
