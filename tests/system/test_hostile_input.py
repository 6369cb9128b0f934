"""Hostile input: no crash, no hang, no memory beyond a small multiple."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    sketches = kernels.sketch([page, page[:-400_000]], Recipe(), html=[True, True])
    assert sketches.words.tolist() == [2, 2]


@pytest.mark.parametrize(("unit", "count"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_equal_the_reference(native, unit, count):
    text = unit * min(count, 700)
    assert native.words(text) == reference.words(text)
    sketches, expected = (k.sketch([text], Recipe()) for k in (native, reference))
    assert all(np.array_equal(a, b) for a, b in zip(sketches, expected, strict=True))


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
    sketches = kernels.sketch(texts, Recipe())
    timer.join()
    assert emptied.is_set()
    assert sketches.words.tolist() == [2002] * len(sketches.words)


# --- Titles, numerals, technical details, stored distances ---------------------------------------

MILLION = 1_000_000
UNITS = [
    *("a", "a ", "1", "1 ", "1,", ",", "twenty-", "十", "½", "字 ", "\ud800", "\ud800 ", "\x00"),
    *("\ufdfa", "\u0301", "か\u3099", "`", "`a", "a.", "_", "(", "a(", "v1.", "version ", "aB"),
    *("&amp;", "&", "&#49;", "&#", "<", "<b>1</b>", "&frac12;"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_a_million_characters_for_a_title_or_a_text_take_no_second(unit):
    text = unit * (MILLION // len(unit))
    start = time.thread_time()
    kernels.title_cosines([text], [text + "b"])
    kernels.word_cosines([text], [text + "b"])
    kernels.title_keys([text])
    for html in (False, True):
        kernels.numerals([text], html=[html])
        kernels.technical_details([text], html=[html])
        kernels.profiles([text], [text], html=[html])
    assert time.thread_time() - start < 1


@pytest.mark.parametrize("word", ["a", "b", "c", "d"])
def test_one_word_over_and_over_beside_many_words_takes_no_second(word):
    """Counting the same run again for each word of the other title would take minutes."""
    once, many = f"{word} " * 500_000, " ".join(map(str, range(150_000)))
    start = time.thread_time()
    assert kernels.word_cosines([once, many], [many, once]).tolist() == [0, 0]
    assert time.thread_time() - start < 1


TABLE_CHANGES = """
import threading
from nearcopy import kernels
from nearcopy.kernels import _native
text = "x " * 30_000_000 + "the twelve mills"
expected = kernels.numerals(["x the twelve mills"])
timer = threading.Timer(0.01, _native.set_numbers, [[("other", "1", False)] * 2000])
timer.start()
made = kernels.numerals([text])
timer.join()
assert made in (expected, [b""]), made  # whichever of the two came first
assert kernels.numerals([text[-16:]]) == [b""]
"""


def test_a_table_may_be_replaced_while_another_thread_reads_it():
    """As reloading the module does."""
    run = [sys.executable, "-c", TABLE_CHANGES]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def refused(name: str, *arguments: object) -> type[Exception]:
    with pytest.raises((TypeError, ValueError)) as caught:
        getattr(kernels.native._native, name)(*arguments)
    return caught.type


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("set_title_weights", ({5: 3}, 1), TypeError),
        ("set_title_weights", ({"a": "3"}, 1), ValueError),
        ("set_title_weights", ({"a": 0}, 1), ValueError),
        ("set_title_weights", ({"a": 1}, 0), ValueError),
        ("set_title_weights", ({"a": 1}, 2**32 - 1), ValueError),
        ("set_term_weights", (None, 1), TypeError),
        ("set_term_weights", ({5: 3}, 1), TypeError),
        *[("set_term_weights", ({"a": bad}, 1), ValueError) for bad in (0, -1, 2**16, "3", 3.5)],
        *[("set_term_weights", ({"a": 1}, bad), ValueError) for bad in (0, 2**16, "3")],
        ("set_term_weights", ({"\ud800": 1}, 1), UnicodeEncodeError),
        ("set_numbers", ([("word", "", False)],), ValueError),
        ("set_numbers", ([("", "1", False)],), ValueError),
        ("set_numbers", ([("w" * 32, "1", False)],), ValueError),
        *[("title_cosines", bad, TypeError) for bad in ((None, []), (["a"], [b"a"]), ("a", "a"))],
        *[("word_cosines", bad, TypeError) for bad in ((5, []), (["a"], [None]), (b"a", b"a"))],
        ("word_cosines", (["a"], []), ValueError),
        *[("title_keys", (bad,), TypeError) for bad in (None, "a", [1], 3.5)],
        *[("numerals", (bad, [], 1), TypeError) for bad in (None, "a", [1], [b"1"], 7)],
        *[("technical_details", (bad, [], 1), TypeError) for bad in (None, "a", [1], [b"1"], 7)],
        ("numerals", (["a"], [True, False], 1), ValueError),
        ("numerals", (["a"], [], -1), ValueError),
        ("numerals", (["a"], None, 1), TypeError),
        ("technical_details", (["a"], [], 2**70), TypeError),
        *[("numeral_shares", bad, TypeError) for bad in ((None, []), ([""], [b""]), (b"", b""))],
        ("numeral_shares", ([b""], []), ValueError),
        *[("profiles", (bad, ["a"], [], 1), TypeError) for bad in (None, "a", [1], [b"a"], 7)],
        *[("profiles", (["a"], bad, [], 1), TypeError) for bad in (None, "a", [1], [b"a"], 7)],
        ("profiles", (["a"], ["a", "b"], [], 1), ValueError),
        ("profiles", (["a"], ["a"], [True, False], 1), ValueError),
        ("profiles", (["a"], ["a"], [], -1), ValueError),
        *[
            ("profile_measures", bad, TypeError)
            for bad in ((None, []), ([""], [b""]), (b"a", b"a"))
        ],
        ("profile_measures", ([bytearray(5)], [b""]), TypeError),
        ("sketch_distances", (None, None, [], []), TypeError),
        ("sketch_distances", (np.zeros((1, 1), np.uint64),) * 2 + ([], []), TypeError),
        ("sketch_distances", (np.zeros(1, np.uint64),) * 2 + ([""], [""]), TypeError),
    ],
)
def test_wrong_arguments_are_refused(name, arguments, error):
    assert refused(name, *arguments) is error


WEIGHT_EMPTIES_ITS_TABLE = """
from nearcopy.kernels import _native
known = {}
class Weight:
    def __index__(self):
        known.clear()
        return 3
known["x" * 40_000_000] = Weight()
try:
    _native.NAME(known, 1)
except ValueError:
    assert known
else:
    raise SystemExit("not refused")
"""


@pytest.mark.parametrize("name", ["set_term_weights", "set_title_weights"])
def test_weights_that_are_no_numbers_are_not_asked_for_one(name):
    """Asking runs their code, which could free the terms that are being read."""
    run = [sys.executable, "-c", WEIGHT_EMPTIES_ITS_TABLE.replace("NAME", name)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


BLOBS = st.binary(max_size=140) | st.binary(max_size=35).map(lambda entries: entries * 4)


@given(a=BLOBS, b=BLOBS)
def test_any_bytes_are_a_profile_or_refused(kernel, a, b):
    if any(len(profile) % 4 or len(profile) > 128 for profile in (a, b)):
        with pytest.raises(ValueError, match="numeral profile"):
            kernel.numeral_shares([a], [b])
        return
    shares, changed = kernel.numeral_shares([a, b], [b, a])
    assert np.array_equal(shares[:1], shares[1:], equal_nan=True)
    assert changed[0] == changed[1] <= 32


def is_term_profile(blob: bytes) -> bool:
    hashes = [blob[at : at + 4][::-1] for at in range(0, len(blob), 5)]
    return len(blob) % 5 == 0 and hashes == sorted(set(hashes))


FIVES = BLOBS.map(lambda blob: blob[: len(blob) // 5 * 5])


@given(a=BLOBS | FIVES, b=BLOBS | FIVES)
def test_any_bytes_are_a_term_profile_or_refused(kernel, a, b):
    if not (is_term_profile(a) and is_term_profile(b)):
        with pytest.raises(ValueError, match="term profile"):
            kernel.profile_measures([a], [b])
        return
    forward, back = kernel.profile_measures([a, b], [b, a])
    assert np.array_equal(forward, back, equal_nan=True)
    assert (np.isnan(forward) | (forward >= 0) & (forward <= 1)).all()


@given(a=BLOBS, b=BLOBS, times=st.sampled_from([1, 8, 40]))
def test_any_bytes_are_a_minhash_or_refused(kernel, a, b, times):
    a, b = a * times, b * times
    simhash = np.array([1, 2], np.uint64)
    if len(a) != len(b) or len(a) % 4 or len(a) > 4096:
        with pytest.raises(ValueError, match="MinHashes"):
            kernel.sketch_distances(simhash, simhash, [a, b], [b, a])
        return
    _, equal = kernel.sketch_distances(simhash, simhash, [a, b], [b, a])
    assert equal[0] == equal[1] <= len(a) // 4
