"""Whether a peer finds what we find."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from setting import Setting

Array = NDArray[Any]

OTHER_HASHES = ("rensa_lsh",)  # signatures of its own: the answers agree but for chance


def alike(setting: Setting, ours: tuple[Array, ...], job: str, way: str) -> str:
    """In words: whether the peer found the same."""
    found = _answer(setting, job, way)
    mine = pairs(ours[0], ours[1])
    theirs = pairs(found["starts"], found["positions"])
    if np.array_equal(mine, theirs):
        return f"both find the same {len(mine):,}"
    shared = len(np.intersect1d(mine, theirs))
    if job not in OTHER_HASHES:
        setting.say(f"[red]{job}: the answers differ, and they should not")
    return f"we find {len(mine):,}, they {len(theirs):,}, of them both {shared:,}"


def _answer(setting: Setting, job: str, way: str) -> dict[str, Array]:
    assert setting.worker
    path = setting.folder / f"{job}.npz"
    setting.worker.ask("answer", job=job, work="query", way=way, path=str(path))
    with np.load(path) as found:
        return dict(found)


def pairs(starts: Array, positions: Array) -> Array:
    """Each query and match as one number, ascending."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts.astype(np.int64)))
    return np.sort((rows << 32) | positions.astype(np.int64))
