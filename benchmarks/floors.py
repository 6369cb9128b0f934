"""Floors: what each measurement has to hold, on the corpus it was set for.

`floors.toml` has a line for each. The bar is what is wanted, the floor what is held to: it is the
bar, or where that is not reached the value held less a slack of sampling, and then a reason says
why. On a corpus of another digest a measurement is shown and held to nothing.
"""

import gzip
import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import corpora
from nearcopy.evaluate.metrics import Estimate
from results import Bar

HERE = Path(__file__).resolve().parent
FLOORS = HERE / "floors.toml"
SLACK = 0.01  # below what is held where the bar is not reached: another machine, another library
Z = 1.96  # of 95 %
LABELS = ("pairs.csv", "clusters.csv", "near_pairs.csv")
# What a set is made of, where that is not its folder alone.
MADE_OF: Mapping[str, tuple[Path, ...]] = {
    "near-relations": (corpora.DATA / "reuters21578", corpora.DATA / "near-relations"),
    "block pages": (corpora.DATA / "semeval22", HERE / "block_pages.csv"),
    "own texts": (corpora.EXAMPLES,),
    "labelled pairs": tuple(
        corpora.DATA / name
        for name in ("reuters21578", "near-relations", "headline-pairs", "semeval22")
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement, the interval that 95 of 100 resamplings fall in, and of how many."""

    set: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    of: str = ""
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Floor:
    """What a measurement has to hold on one corpus."""

    set: str
    digest: str
    measure: str
    bar: Bar
    floor: float
    reason: str = ""

    def holds(self, value: float) -> bool:
        """Whether a value is on the right side of the floor."""
        return Bar(self.bar.limit, self.floor).passed(value)


@dataclass(frozen=True, slots=True)
class Held:
    """A measurement beside its floor; None where it has none, or another corpus was measured."""

    row: Row
    floor: Floor | None
    same_corpus: bool

    @property
    def held(self) -> bool | None:
        """Whether the floor holds; None where there is nothing to hold to."""
        if self.floor is None or not self.same_corpus:
            return None
        return self.floor.holds(self.row.value)

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached."""
        return None if self.floor is None else self.floor.bar.passed(self.row.value)


def share(flags: Iterable[bool]) -> Estimate:
    """The share of those that hold, with Wilson's interval, which is wide also where all do.

    >>> [round(value or 0, 3) for value in share([True] * 240)]
    [1.0, 0.984, 1.0]
    """
    held = list(flags)
    if not held:
        return Estimate(None)
    size, value = len(held), sum(held) / len(held)
    middle = (value + Z * Z / (2 * size)) / (1 + Z * Z / size)
    spread = sqrt(value * (1 - value) / size + (Z / (2 * size)) ** 2) * Z / (1 + Z * Z / size)
    return Estimate(value, max(0.0, middle - spread), min(1.0, middle + spread))


def read(path: Path = FLOORS) -> list[Floor]:
    """The floors of the file."""
    with path.open("rb") as lines:
        rows = tomllib.load(lines)["floor"]
    return [
        Floor(
            row["set"],
            row["digest"],
            row["measure"],
            Bar(row["limit"], row["bar"]),
            row["floor"],
            row.get("reason", ""),
        )
        for row in rows
    ]


def held(rows: Iterable[Row], floors: Iterable[Floor]) -> list[Held]:
    """Each measurement beside its floor."""
    by_measure = {(floor.set, floor.measure): floor for floor in floors}
    return [_held(row, by_measure.get((row.set, row.measure))) for row in rows]


def _held(row: Row, floor: Floor | None) -> Held:
    return Held(row, floor, floor is not None and digest(row.set) == floor.digest)


def raised(lines: Iterable[Held]) -> list[Floor]:
    """The floors, each where its measurement now allows it to be; none is lowered."""
    return [_raised(line.floor, line) for line in lines if line.floor is not None]


def _raised(floor: Floor, line: Held) -> Floor:
    here = replace(floor, digest=digest(floor.set))
    if line.reached:
        return replace(here, floor=floor.bar.value, reason="")
    better = line.row.value - SLACK if floor.bar.limit == ">=" else line.row.value + SLACK
    higher = floor.holds(better) or not line.same_corpus
    return replace(here, floor=round(better, 4) if higher else floor.floor)


def write(floors: Iterable[Floor], path: Path = FLOORS) -> None:
    """Rewrite the file, keeping its heading."""
    heading = path.read_text(encoding="utf-8").split("[[floor]]", 1)[0].rstrip()
    parts = [heading, *map(_toml, floors)]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _toml(floor: Floor) -> str:
    values: dict[str, str | float] = {
        "set": floor.set,
        "digest": floor.digest,
        "measure": floor.measure,
        "limit": floor.bar.limit,
        "bar": floor.bar.value,
        "floor": floor.floor,
    }
    if floor.reason:
        values["reason"] = floor.reason
    return "\n".join(["[[floor]]", *(f"{name} = {json.dumps(v)}" for name, v in values.items())])


def is_there(name: str) -> bool:
    """Whether all that a set is made of is there."""
    return all(path.exists() for path in MADE_OF.get(name, (corpora.DATA / name,)))


@cache
def digest(name: str) -> str:
    """The digest of a set: of its articles, unpacked, and of its labels."""
    hasher = hashlib.sha256()
    for path in MADE_OF.get(name, (corpora.DATA / name,)):
        for file in [path] if path.is_file() else [path / "articles.jsonl.gz", *_labels(path)]:
            hasher.update(_content(file) if file.exists() else b"")
    return hasher.hexdigest()[:32]


def _labels(folder: Path) -> list[Path]:
    return [folder / name for name in LABELS]


def _content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
