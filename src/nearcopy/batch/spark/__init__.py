"""Whole corpora on many machines: a table of Spark, every row beside what it is.

The kernels run on the executors in batches of Arrow; joins, sorts and components are Spark's own.
"""

from typing import TYPE_CHECKING

from nearcopy.config import Policy, Recipe
from nearcopy.errors import require
from nearcopy.io.files.column_names import Columns

require("pyarrow", extra="spark")
require("pyspark", extra="spark")

from nearcopy.batch.spark.pipeline import Result, Summary, forget, run  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Result", "Summary", "deduplicate", "forget", "run"]


def deduplicate(
    df: "DataFrame",
    *,
    recipe: Recipe | None = None,
    policy: Policy | None = None,
    columns: Columns | None = None,
    html: bool = False,
    work: str | None = None,
    partitions: int | None = None,
) -> "DataFrame":
    """The table with what each row is in columns after its own; no row is left out.

    Recipe and policy are those of the preset "copies" unless given. `work` is a folder that all
    machines see: the table is read from it, and work that was stopped goes on there. What was
    passed over or could not be read is logged; `run` gives it in numbers.
    """
    return run(
        df,
        recipe=recipe,
        policy=policy,
        columns=columns,
        html=html,
        work=work,
        partitions=partitions,
    ).table
