"""Hostile input: no crash, no hang, no memory beyond a small multiple."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from nearcopy import Features, Recipe, kernels
from nearcopy.kernels import reference

pytestmark = pytest.mark.skipif(
    kernels.native is None, reason="the reference is too slow for inputs of this size"
)

# A unit of text, and how many of it.
HOSTILE = {
    "one character": ("a", 5_000_000),
    "one-letter words": ("a b ", 250_000),
    "spaces": (" ", 5_000_000),
    "ideographs": ("字", 500_000),
    "combining marks": ("\u0301", 1_000_000),
    "marks that spell": ("\u093c", 1_000_000),
    "the longest expansions": ("\ufdfa\ufdfb½", 300_000),
    "jamo": ("\u1100\u1161\u11a8", 300_000),
    "voicing marks": ("か\u3099\u3099\u3099", 300_000),
    "lone surrogates": ("\ud800a\udfff", 500_000),
    "NULs": ("\x00", 5_000_000),
    "right-to-left marks": ("\u202e\u200fa", 500_000),
    "beyond the basic plane": ("𠀀𝐀🚨", 300_000),
    "curly quotes": ("’a", 1_000_000),
    "long words of two bytes": ("ش" * 40 + " ", 30_000),
}
RECIPES = {
    "default": Recipe(),
    "characters": Recipe(simhash=Features("characters", 8), minhash=None, hash="fnv1a"),
    "once": Recipe(weights="once", minhash=None),
}


def seconds(text: str, recipe: Recipe, *, html: bool = False) -> float:
    """The least processor time of three runs."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        kernels.sketch([text], recipe, html=[html])
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
@pytest.mark.parametrize(("unit", "count"), HOSTILE.values(), ids=HOSTILE)
def test_time_is_linear(unit, count, recipe):
    """A quadratic kernel would take sixteen times as long for four times the text."""
    once = seconds(unit * (count // 4), recipe)
    assert seconds(unit * count, recipe) <= 10 * once + 0.02


def test_html_nested_100_000_deep():
    page = "<div>" * 100_000 + "deep words" + "</div>" * 100_000
    made = kernels.sketch([page, page[:-400_000]], Recipe(), html=[True, True])
    assert made.words.tolist() == [2, 2]


@pytest.mark.parametrize(("unit", "count"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_equal_the_reference(native, unit, count):
    text = unit * min(count, 700)
    assert native.words(text) == reference.words(text)
    made, expected = (k.sketch([text], Recipe()) for k in (native, reference))
    assert all(np.array_equal(a, b) for a, b in zip(made, expected, strict=True))


MEMORY = """
import resource
from nearcopy import Recipe, kernels
kernels.sketch(["warm up " * 100], Recipe())
text = {text}
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
kernels.sketch([text], Recipe())
print((peak() - before) / text.__sizeof__())
"""


@pytest.mark.parametrize(
    "text", ["'a' * 50_000_000", "'a ' * 10_000_000", "'字' * 10_000_000", "'½' * 5_000_000"]
)
def test_memory_is_a_small_multiple_of_the_input(text):
    run = [sys.executable, "-c", MEMORY.format(text=text)]
    printed = subprocess.run(run, capture_output=True, text=True, check=True)
    assert float(printed.stdout) <= 12


def test_many_texts_on_many_threads_survive():
    texts = [unit * (count // 1000) for unit, count in HOSTILE.values()] * 20
    one, many = (kernels.sketch(texts, Recipe(), threads=n) for n in (1, 8))
    assert all(np.array_equal(a, b) for a, b in zip(one, many, strict=True))


def test_the_list_may_change_while_it_is_read():
    """The texts are held by the call: emptying the list from another thread frees none of them."""
    texts = [f"story {i} " + "words " * 2000 for i in range(2000)]
    emptied = threading.Event()

    def empty():
        texts.clear()
        emptied.set()

    timer = threading.Timer(0.005, empty)
    timer.start()
    made = kernels.sketch(texts, Recipe())
    timer.join()
    assert emptied.is_set()
    assert made.words.tolist() == [2002] * len(made.words)
