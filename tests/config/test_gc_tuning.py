"""Python is kept from looking through all that is in memory again and again."""

import subprocess
import sys

from nearcopy.config import gc_tuning as collecting

TRIED = """
import gc
from nearcopy.config.gc_tuning import collect_seldom

class Thing:
    pass

collect_seldom()
collect_seldom()
kept = [Thing() for _ in range(1000)]
gc.collect()
assert gc.get_freeze_count() > 1000
assert not any(isinstance(each, Thing) for each in gc.get_objects())

here = gc.get_freeze_count()
del kept
assert gc.get_freeze_count() <= here - 1000  # what nobody needs goes all the same

one = Thing()
one.itself = one
del one
assert gc.collect() >= 1  # and so do circles made since
print(len(gc.callbacks), gc.get_threshold()[:2])
"""


def test_what_stays_is_set_aside_and_what_goes_goes():
    done = subprocess.run([sys.executable, "-c", TRIED], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.split(maxsplit=1) == ["1", f"{collecting.SELDOM}\n"]


CIRCLES = """
import gc, weakref
from nearcopy.config.gc_tuning import collect_seldom

class Thing:
    pass

collect_seldom(set_aside=3)
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


def test_circles_that_were_set_aside_go_in_the_end():
    done = subprocess.run([sys.executable, "-c", CIRCLES], capture_output=True, text=True)
    assert done.stderr == ""
