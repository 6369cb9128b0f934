"""The kernels in use: the compiled ones, or the reference where they could not be built."""

import warnings
from types import ModuleType

from nearcopy.errors import SlowKernels
from nearcopy.kernels import reference

native: ModuleType | None
try:
    from nearcopy.kernels import native
except ImportError as missing:
    native = None
    warnings.warn(
        f"nearcopy runs on its reference kernels, hundreds of times slower ({missing}): "
        "install a C++17 compiler and reinstall nearcopy",
        SlowKernels,
        stacklevel=2,
    )

active: ModuleType = native or reference

HammingIndex = active.HammingIndex
KeyIndex = active.KeyIndex
SignatureIndex = active.SignatureIndex
band_keys = active.band_keys
feature_sets = active.feature_sets
features = active.features
fnv1a64 = active.fnv1a64
md5 = active.md5
murmur3_64 = active.murmur3_64
normalised = active.normalised
passages = active.passages
shared_counts = active.shared_counts
sketch = active.sketch
strip_html = active.strip_html
strip_html_positions = active.strip_html_positions
word_spans = active.word_spans
words = active.words
xxh3_64 = active.xxh3_64
xxh3_128 = active.xxh3_128
