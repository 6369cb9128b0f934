"""Garbage collection does not traverse long-lived objects again and again."""

import subprocess
import sys

from nearcopy.config import gc_tuning as collecting

TRIED = """
import gc
from nearcopy.config.gc_tuning import reduce_gc_frequency

class Thing:
    pass

reduce_gc_frequency()
reduce_gc_frequency()
kept = [Thing() for _ in range(1000)]
gc.collect()
assert gc.get_freeze_count() > 1000
assert not any(isinstance(item, Thing) for item in gc.get_objects())

here = gc.get_freeze_count()
del kept
assert gc.get_freeze_count() <= here - 1000  # unreferenced objects are freed

one = Thing()
one.itself = one
del one
assert gc.collect() >= 1  # and so are new cycles
print(len(gc.callbacks), gc.get_threshold()[:2])
"""


def test_long_lived_objects_are_frozen_and_garbage_is_freed():
    done = subprocess.run([sys.executable, "-c", TRIED], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.split(maxsplit=1) == ["1", f"{collecting.THRESHOLDS}\n"]


CIRCLES = """
import gc, weakref
from nearcopy.config.gc_tuning import reduce_gc_frequency

class Thing:
    pass

reduce_gc_frequency(freezes=3)
one = Thing()
one.itself, gone = one, weakref.ref(one)
gc.collect()
del one
for wide in range(200):
    gc.collect(1)
    made = [[] for _ in range(200_000)]  # Python looks by itself, too
    if gone() is None:
        break
assert gone() is None
gc.collect(1)
assert gc.get_freeze_count() > 1000  # and all is set aside again
"""


def test_frozen_cycles_are_freed_in_the_end():
    done = subprocess.run([sys.executable, "-c", CIRCLES], capture_output=True, text=True)
    assert done.stderr == ""
