"""Verdicts as columns of a pandas or polars data frame: python examples/frames.py"""

from pathlib import Path

import pandas
import polars

import nearcopy

WIRE = Path(__file__).parent / "wire.jsonl"

frame = nearcopy.dedupe(pandas.read_json(WIRE, lines=True))
kept = frame[~frame["is_duplicate"]]
print(f"pandas: {len(frame)} rows, {len(kept)} kept")

table = nearcopy.dedupe(polars.read_ndjson(WIRE))
print(f"polars: {len(table)} rows, {len(table.filter(~polars.col('is_duplicate')))} kept")
