"""The compiled kernels at every instruction-set level of this processor, as one module."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nearcopy import kernels

LEVELS = ("baseline", "avx2", "avx512")


class EveryLevel:
    """Runs each kernel at every level and returns the one result that all levels agree on.

    A test compares that result with the reference, which is then computed once an example.
    """

    def __init__(self) -> None:
        self._best = kernels.native.level()
        self._levels = [level for level in LEVELS if kernels.native.use_level(level) == level]
        kernels.native.use_level(self._best)

    def __getattr__(self, name: str) -> Any:
        kernel = getattr(kernels.native, name)
        if isinstance(kernel, type) or not callable(kernel):
            return kernel
        return lambda *args, **options: self._agreed(kernel, *args, **options)

    def _agreed(self, kernel: Callable[..., Any], *args: Any, **options: Any) -> Any:
        results = []
        try:
            for level in self._levels:
                kernels.native.use_level(level)
                results.append(kernel(*args, **options))
        finally:
            kernels.native.use_level(self._best)
        for level, result in zip(self._levels[1:], results[1:], strict=True):
            assert equal(results[0], result), f"{kernel} at {level} is not as at {self._levels[0]}"
        return results[0]


def equal(a: Any, b: Any) -> bool:
    """Whether two results of a kernel are equal, arrays in them element by element."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    if type(a).__eq__ is object.__eq__:  # a handle: its methods are compared where they are called
        return type(a) is type(b)
    return bool(a == b)
