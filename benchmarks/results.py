"""Results: measurements with their bars, and the machine they were made on."""

import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import nearcopy
from nearcopy import kernels
from timing import Timing, cpu, wall

HERE = Path(__file__).resolve().parent
FINGERPRINTS = HERE / "results" / "fingerprints.json"
DECISIONS = HERE / "results" / "decisions.json"
STORES = HERE / "results" / "stores.json"
DEDUPE = HERE / "results" / "dedupe.json"
SERVICE = HERE / "results" / "service.json"
QUALITY = HERE / "results" / "quality.json"
EMBEDDING = HERE / "results" / "embedding.json"

# On one core the work is all processor time, and that is what counts by default: on a quiet machine
# it is the time of the clock, on a busy one it leaves out the turns that others had.
Clock = Callable[[Sequence[Timing]], float]


@dataclass(frozen=True, slots=True)
class Bar:
    """Where the line is drawn."""

    limit: Literal[">=", "<="]
    value: float

    def passed(self, measured: float) -> bool:
        """Whether the measurement is on the right side of it."""
        return measured >= self.value if self.limit == ">=" else measured <= self.value


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of the results. The bar is for the ratio, or without one for our own value."""

    name: str
    work: str
    unit: str
    ours: float
    against: str | None = None
    theirs: float | None = None
    ratio: float | None = None
    bar: Bar | None = None
    note: str | None = None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """Whether the bar holds; None without a bar, or where the peer was absent."""
        if self.bar is None or (self.against and self.ratio is None):
            return None
        return self.bar.passed(self.ours if self.ratio is None else self.ratio)

    def as_json(self) -> dict[str, Any]:
        """The measurement as in the results file, without what is absent."""
        entry = asdict(self) | {"passed": self.passed}
        return {name: value for name, value in entry.items() if value not in (None, {})}


@dataclass(frozen=True, slots=True)
class Work:
    """What one pass of a work does: how many of what."""

    name: str
    title: str
    unit: str
    count: float


def rate(work: Work, ours: Sequence[Timing], *, clock: Clock = cpu, **given: Any) -> Measurement:
    """Our own speed."""
    details = {"rounds": len(ours), "core_share": _core_share(ours)}
    return Measurement(
        work.name, work.title, work.unit, work.count / clock(ours), details=details, **given
    )


def race(
    work: Work,
    ours: Sequence[Timing],
    theirs: Sequence[Timing],
    against: str,
    *,
    clock: Clock = cpu,
    **given: Any,
) -> Measurement:
    """Our speed beside a peer's: the ratio of the medians of interleaved rounds."""
    alone = rate(work, ours, clock=clock, against=against, **given)
    details = alone.details | {
        "their_core_share": _core_share(theirs),
        "ratio_by_the_clock": wall(theirs) / wall(ours),
        "ratio_of_rounds": [b.cpu / a.cpu for a, b in zip(ours, theirs, strict=True)],
    }
    return replace(
        alone,
        theirs=work.count / clock(theirs),
        ratio=clock(theirs) / clock(ours),
        details=details,
    )


def machine() -> dict[str, Any]:
    """What it all ran on."""
    return {
        "processor": _processor(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "nearcopy": nearcopy.__version__,
        "kernels": kernels.native.level() if kernels.native else "reference",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write(path: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Write results as JSON that reads and diffs well; the rounded results that were written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written: dict[str, Any] = _rounded(content)
    text = json.dumps(written, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return written


def _core_share(timings: Sequence[Timing]) -> float:
    """How much of the core the work had: well under 1, others were using it."""
    return sum(timing.cpu for timing in timings) / sum(timing.wall for timing in timings)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")


def _rounded(value: Any) -> Any:
    """The value with its floats to four digits."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value
