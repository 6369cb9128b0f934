"""Batch jobs over whole corpora: through a Deduper, on one machine, and on Spark.

`dedupe_job` sends files through a Deduper, with a guard against large removals; `local` runs a
pipeline over columns on one machine, `spark` the same on many.

All give the same ids, verdicts and columns. What exists twice is held equal by tests: ranks of rows
(`column_rules.rank`, `cluster.kept_copy`), pairs of oversized keys (`shared_keys`,
`spark.candidate_pairs`), and candidates (`match.candidate_index`, `spark.candidate_pairs`).
"""

from nearcopy.batch.corpus_settings import CorpusSummary
from nearcopy.batch.dedupe_job import DedupeJob, DedupeSummary, Hooks, dedupe_files

__all__ = ["CorpusSummary", "DedupeJob", "DedupeSummary", "Hooks", "dedupe_files"]
