"""The kernels: hot loops in C++ (`native`), and their definition in Python (`reference`).

This package exports the native kernels, or the reference if they were not built. Tests hold the two
equal, bit for bit. `data_tables` reads the tables of both, `result_types` names their results.
"""

import warnings
from types import ModuleType
from typing import TYPE_CHECKING

from nearcopy.errors import SlowKernels
from nearcopy.kernels import reference

native: ModuleType | None
try:
    from nearcopy.kernels import native
except ImportError as missing:
    native = None
    why = "were not built" if isinstance(missing, ModuleNotFoundError) else f"fail: {missing}"
    warnings.warn(
        f"nearcopy runs on its reference kernels, hundreds of times slower, as the compiled ones "
        f"{why}: install a C++17 compiler and reinstall nearcopy",
        SlowKernels,
        stacklevel=2,
    )

active: ModuleType = native or reference

if TYPE_CHECKING:  # the reference's signatures are those of both
    from nearcopy.kernels.reference import *  # noqa: F403
else:
    globals().update({name: getattr(active, name) for name in reference.__all__})
