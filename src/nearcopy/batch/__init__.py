"""Batch jobs over whole corpora: through a Deduper, on one machine, and on Spark.

`dedupe_job` sends files through a Deduper, with a guard against large removals; `local` runs a
pipeline over columns on one machine, `spark` the same on many.
"""

from nearcopy.batch.corpus_settings import CorpusSummary
from nearcopy.batch.dedupe_job import DedupeJob, DedupeSummary, Hooks, dedupe_files

__all__ = ["CorpusSummary", "DedupeJob", "DedupeSummary", "Hooks", "dedupe_files"]
