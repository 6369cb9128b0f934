"""What titles show at a glance, and which words of a table they hold: compiled and readable."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.kernels import reference

CALLS = {
    "ferry": 1, "may": 2, "may not": 4, "$": 8, "%": 16, "0": 32, "0-0": 64, "0.0": 128, "20": 256,
    "a0": 512, "é": 1024, "a": 2048, "0:0": 4096, ", 0": 8192, "x" * 40: 1 << 40,
}  # fmt: skip
COMMON = ["the", "port", "i'm", "für"]
LETTERS = {0x2019: "'", 0x2013: "-", 0xA0: " ", 0xFF21: "A", 0x661: "1", 0xE000: " "}
LONGEST, MOST = 60, 3
SAID = st.sampled_from(
    ["Ferry", "may", "the", "The", "Port", "of", "Jane", "O'Neill", "al-Sayed", "van", "U.S.",
     "N.A.T.O", "NATO", "EU's", "IT'S", "WORLD", "ABCDEFG", "2024", "3-2", "4.5", "f16", "F-16",
     "$5", "5pm", "5 p.m", "17:30", " 17.30", ", 42", "(42)", ",", "’s",
     "–", "１", "\ue000", "\x00", "\x1c", "\ud800", "é", "第", "𝒜"]
)  # fmt: skip
TITLES = st.lists(SAID, max_size=12).map(" ".join) | st.lists(SAID, max_size=8).map("".join)
ANY = TITLES | st.text(max_size=80) | st.text("AbC.'- 9", max_size=80)


def glances(kernel):
    return kernel.TitleScanner(CALLS, COMMON, LETTERS, longest=LONGEST, most=MOST)


@pytest.mark.parametrize(
    ("title", "called"),
    [
        ("The ferry sails", 1),
        ("It may", 2),
        ("Costs $ and %", 0),  # signs beside no figure
        ("Costs $ 5", 8 | 32),
        ("Won 3 - 2", 32 | 64),
        ("Release 4.5", 32 | 64 | 128),
        ("Plans for 2031", 32 | 256),
        ("An F-16 lands", 32 | 512),
        ("A 5g mast", 32 | 512 | 2048),
        ("5 – 6", 32 | 64),
        ("Doors at 5pm", 32 | 512 | 4096),
        ("Doors at 5 A.M.", 32 | 2048 | 4096),
        ("Some 5 amazing am", 32),
        ("Doors at 17:30", 32 | 4096),
        ("At 17:60 or 1:5", 32),
        ("Doors at 17.30", 32 | 64 | 128 | 4096),
        ("Up by 117.30", 32 | 64 | 128),
        ("Ann Dorn, 42, sails", 32 | 8192),
        ("Ann Dorn, 42", 32 | 8192),
        ("Ann Dorn, 421", 32),
        ("Ann Dorn (42) sails", 32 | 8192),
        ("Ann Dorn(42) sails", 32),
        ("x" * 40, 1 << 40),
        ("Le café", -1),
        ("", 0),
        ("harbour " * 8 + "ferry", 0),  # no further than the longest
    ],
)
def test_a_title_calls_for_what_its_words_signs_and_shapes_do(kernel, title, called):
    assert glances(kernel).scan([title])[0] == [called]


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("The mayor of Shelbyville gladly met Ann van Dorn there", ("shelbyville", "ann van dorn")),
        ("Ferry strike ends as union meets Ahmed al-Sayed", ("ahmed al-sayed",)),
        ("Talks between U.S. and O'Neill over", ("us", "o'neill")),
        ("Ferry Strike Ends As EU Steps In", ("eu",)),
        ("FERRY STRIKE ENDS", ()),
        ("Letter signed quietly by Ann, Bob, Cid and Dan at the harbour", ("ann", "bob", "cid")),
        ("They asked The Harbour about this", ("harbour",)),
    ],
)
def test_names_are_told_by_their_capitals(kernel, title, found):
    assert glances(kernel).scan([title])[1] == [found]


@given(st.lists(ANY, max_size=4))
def test_native_glances_equal_the_reference(native, titles):
    assert glances(native).scan(titles) == glances(reference).scan(titles)


@given(ANY)
def test_native_names_equal_the_reference(native, text):
    assert glances(native).find_names(text) == glances(reference).find_names(text)


@given(st.lists(ANY, max_size=4), st.lists(st.text(max_size=6) | SAID), st.integers(0, 9))
def test_native_finders_equal_the_reference(native, texts, words, most):
    matches, expected = (k.WordFinder(words).find(texts, most=most) for k in (native, reference))
    assert matches == expected


def test_words_are_found_in_order_as_often_as_they_stand_there(kernel):
    finder = kernel.WordFinder(["port", "船", "ferry", "port"])
    texts = ["port 船 of ferry port", "ports", "", "  port", "a b c port"]
    matches = [("port", "船", "ferry"), (), (), ("port",), ("port",)]
    assert finder.find(texts, most=4) == matches


@pytest.mark.parametrize("unit", ["A", "Ab ", "A.", "a'B-", "9-", "\ue000", "A\x00", "é", "port "])
def test_a_title_of_a_megabyte_is_no_burden(kernel, unit):
    title = unit * (1_000_000 // len(unit))
    start = time.thread_time()
    glances(kernel).scan([title])
    kernel.WordFinder(["port"]).find([title], most=64)
    assert time.thread_time() - start < 0.5


def test_the_native_kernels_say_what_is_wrong(native):
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, got int"):
        glances(native).scan(["a", 1])
    with pytest.raises(TypeError, match="got one text"):
        native.WordFinder(["a"]).find("a b", most=3)
    with pytest.raises(TypeError, match="must be str"):
        native.WordFinder([1])
