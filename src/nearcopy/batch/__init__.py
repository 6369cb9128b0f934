"""Batch jobs over whole corpora: inline, local and on Spark.

`inline` sends files through a Deduper, `local` runs a pipeline over columns on one machine, `spark`
the same on many. They share settings, output columns, summaries and the
guard against large removals.
"""

from nearcopy.batch.corpus import CorpusSummary
from nearcopy.batch.inline import DedupeJob, DedupeSummary, Hooks, dedupe_files

__all__ = ["CorpusSummary", "DedupeJob", "DedupeSummary", "Hooks", "dedupe_files"]
