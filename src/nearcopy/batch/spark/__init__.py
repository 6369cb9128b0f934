"""Whole corpora on Apache Spark: a DataFrame in, the same rows with their annotations out.

The kernels run on the executors in Arrow batches; joins, sorts and components are Spark's own.
"""

from nearcopy.errors import require

require("pyarrow", extra="spark")
require("pyspark", extra="spark")

from nearcopy.batch.corpus_settings import Settings  # noqa: E402
from nearcopy.batch.spark.pipeline import Result, deduplicate, forget, run  # noqa: E402

__all__ = ["Result", "Settings", "deduplicate", "forget", "run"]
