"""Numerals and their profiles, what they say of two texts, technical details, stored distances."""

import math
import struct
import time

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nearcopy import kernels
from nearcopy.extract.numerals import changed, in_place
from nearcopy.kernels import reference
from nearcopy.kernels.reference.numerals import number_words
from nearcopy.match.vetoes import template_figures

SNIPPETS = [
    *"0123456789.,-/: `()_vVaz%$'’\n\x00",
    *("version ", "May", "may", "twenty", "five", "½", "十", "二", "〇", "é", "ß", "ثلاثة", "٣"),
    *("か\u3099", "\u00ad", "\u0301", "5,000", "1.5", "\u1100\u1161", "\ud800", "𝟓", "①", "字"),
    *("isNull", "getUser", "snake_case", "a.b(", "```", "&amp;", "<b>", "</b>", "word ", "Ⅳ"),
]
TEXTS = st.lists(st.sampled_from(SNIPPETS), max_size=60).map("".join) | st.text(max_size=80)
PROFILE = "dffb79299aa195fd207d6208"
PROFILES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)) | st.tuples(st.just(0), st.just(0)), max_size=32
).map(lambda entries: b"".join(struct.pack("<HH", *entry) for entry in entries))


def values(text: str, **more) -> list[str]:
    return [numeral.value for numeral in in_place(text, **more)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nothing counted here", []),
        ("5,000 and 5000 and 5.000 and 5’000 and 5\u00a0000", ["5000"] * 5),
        ("1,234,567", ["1234567"]),
        ("1.5 and 1,5", ["1.5", "1.5"]),
        ("0.125", ["0.125"]),
        ("10-1/2 pct", ["10.1.2"]),
        ("24/7/2015, 24-7-2015, 24 / 7 / 2015", ["24.7.2015"] * 3),
        ("½", ["1.2"]),
        ("June 30, 1987", ["m6", "30", "1987"]),
        ("12, twelve, 12th, twelfth", ["12"] * 4),
        ("twenty-five", ["25"]),
        ("10m and 10 m, Q3", ["10", "10", "3"]),
        ("In May it may march", ["m5"]),
        ("on March 3", ["m3", "3"]),
        ("Monday, Montag, lundi, lunes, الإثنين", ["d1"] * 5),
        ("drei Fünf trois cinq tres cinco", ["3", "5", "3", "5", "3", "5"]),
        ("ثلاثة ٣٤٬٠٠٠", ["3", "34000"]),
        ("二〇二四年十二月二十五日", ["2024", "12", "25"]),
        ("１２，０００", ["12000"]),
        ("7 and 8. 9 and 10", ["7", "8", "9", "10"]),
    ],
)
def test_values(text, expected):
    assert values(text) == expected


def test_a_context_is_the_two_words_around():
    numerals = in_place("Paid 12 cents on May 3")
    contexts = [numeral.context for numeral in numerals]
    assert contexts == [("paid", "cents"), ("on", "#"), ("#", "")]


def test_places_are_those_of_the_original():
    page = "<p>Sold <b>5,</b>000 shares on the 3rd</p>"
    shown = [page[numeral.start : numeral.end] for numeral in in_place(page, html=True)]
    assert shown == ["5,</b>000", "3"]


@given(text=TEXTS, html=st.booleans())
def test_places_lie_in_the_text_in_order(text, html):
    numerals = in_place(text, html=html)
    assert all(0 <= numeral.start < numeral.end <= len(text) for numeral in numerals)
    assert sorted(numeral.start for numeral in numerals) == [numeral.start for numeral in numerals]


@given(texts=st.lists(TEXTS, max_size=5), html=st.booleans())
def test_native_numerals_equal_the_reference(native, texts, html):
    marks = [html] * len(texts)
    profiles = native.numerals(texts, html=marks, threads=2)
    assert profiles == reference.numerals(texts, html=marks)


@given(number=st.integers(0, 70), lead=st.sampled_from(["", "é ", "字", "🚨 "]))
def test_native_numerals_equal_the_reference_across_blocks(native, number, lead):
    text = lead + "x" * number + " twelve men and 5,000 more " + "y" * 60 + " 1987é12 three"
    assert native.numerals([text]) == reference.numerals([text])


def test_every_word_of_the_table_is_found(kernel):
    texts = [f"x {word.capitalize()} y" for word in number_words()]
    assert {len(profile) for profile in kernel.numerals(texts)} == {4}


def test_a_profile_holds_the_first_32_numerals(kernel):
    few, many = (" and ".join(map(str, range(count))) for count in (33, 400))
    profiles = kernel.numerals(["no figure", few, many])
    assert [len(profile) for profile in profiles] == [0, 128, 128]
    assert profiles[1] == profiles[2]


def test_a_profile_is_stable(kernel):
    (profile,) = kernel.numerals(["The bank paid 5,000 crowns on the 12th of May"])
    assert profile.hex() == PROFILE


def test_html_is_read_as_its_text(kernel):
    page, plain = "<p>Paid&nbsp;5,<i>000</i> crowns</p>", "\nPaid\u00a05,000 crowns\n"
    assert kernel.numerals([page], html=[True]) == kernel.numerals([plain])


@pytest.mark.parametrize(
    "unit", ["1 ", "1", "1,", "twenty-", "十", "½", "a1", "5`", "_", "a.", "("]
)
def test_long_repetitions_take_linear_time(unit):
    if kernels.native is None:
        pytest.skip("the reference is too slow for inputs of this size")
    start = time.thread_time()
    kernels.numerals([unit * 300_000])
    kernels.technical_details([unit * 300_000])
    assert time.thread_time() - start < 1


@given(pairs=st.lists(st.tuples(PROFILES, PROFILES), max_size=4))
def test_native_shares_equal_the_reference(native, pairs):
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    shares, expected = (k.numeral_shares(a, b) for k in (native, reference))
    assert np.array_equal(shares[0], expected[0], equal_nan=True)
    assert shares[1].tolist() == expected[1].tolist()


@given(a=PROFILES, b=PROFILES)
def test_shares_are_symmetric_and_whole_with_oneself(a, b):
    shares, contexts = kernels.numeral_shares([a, b, a], [b, a, a])
    assert np.array_equal(shares[0], shares[1], equal_nan=True)
    assert contexts[0] == contexts[1]
    assert contexts[2] == 0
    assert shares[2] == 1 if len(a) > 4 else math.isnan(shares[2])


def measured(kernel, a: str, b: str) -> tuple[float, int]:
    shares, contexts = kernel.numeral_shares(kernel.numerals([a]), kernel.numerals([b]))
    return float(shares[0]), int(contexts[0])


def test_shares_count_values_and_changed_contexts(kernel):
    a = "The mill sold 120 tons at 7.5 crowns on Monday, of which 30 abroad"
    b = "The mill sold 150 tons at 7.5 crowns on Friday, of which 30 abroad"
    assert measured(kernel, a, b) == (0.5, 2)


def test_one_numeral_is_no_share(kernel):
    share, contexts = measured(kernel, "The rate is 8 pct", "The rate is 9 pct, for 2 banks")
    assert math.isnan(share)
    assert contexts == 1


@pytest.mark.parametrize("profile", [b"abc", bytes(132)])
def test_what_is_no_profile_is_refused(kernel, profile):
    with pytest.raises(ValueError, match="four a numeral, at most 128"):
        kernel.numeral_shares([profile], [b""])


def test_changed_shows_both_sides():
    a, b = "It paid 12 cents on <b>Monday</b>", "It paid fifteen cents on Monday"
    ((left, right),) = changed(a, b, html_a=True)
    assert (a[left.start : left.end], b[right.start : right.end]) == ("12", "fifteen")


@given(a=TEXTS, b=TEXTS)
def test_changed_counts_as_the_kernel_does(a, b):
    profiles = kernels.numerals([a, b])
    halves = struct.unpack(f"<{len(b''.join(profiles)) // 2}H", b"".join(profiles))
    numerals = in_place(a) + in_place(b)
    assume(len({numeral.context for numeral in numerals}) == len(set(halves[::2])))
    assume(len({numeral.value for numeral in numerals}) == len(set(halves[1::2])))
    assert len(changed(a, b)) == kernels.numeral_shares(profiles[:1], profiles[1:])[1][0]


@pytest.mark.parametrize(
    ("shared", "places", "refiled", "template"),
    [
        (None, 0, False, False),
        (None, 1, False, True),
        (None, 1, True, False),
        (0.59, 0, False, True),
        (0.59, 0, True, True),
        (0.6, 0, False, False),
        (0.8, 1, False, True),
        (0.8, 3, True, False),
        (0.9, 1, False, False),
        (0.95, 2, False, True),
        (1.0, 0, False, False),
    ],
)
def test_template_rule(shared, places, refiled, template):
    assert any(of_a_template(shared, places, refiled)) == template


def test_the_lines_of_the_rule_can_be_moved():
    assert of_a_template(0.7, 0, False, least_shared=0.75) == (True, False)
    assert of_a_template(0.8, 1, False, surely_shared=0.75) == (False, False)
    assert of_a_template(1.0, 2, False) == (False, True)


def of_a_template(shared, places, refiled, **lines):
    columns = np.array([shared], np.float64), np.array([places], np.float64), np.array([refiled])
    few, another = template_figures(*columns, **lines)
    return few.item(), another.item()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Shares rose 3.5 pct to $12.50 on 12.05.2024, 1.000.000 sold; 2-1 at 10.30", 0),
        ("$1.2.3 and 4.5.6% and 2024.05.12 and 12.05.24", 0),
        ("v2 V1.2 v0.40 3.5.1 10.0.0.1", 5),
        ("version 3.5, Version 12; conversion 3.5", 2),
        ("Cursor v0.40發布", 1),
        ("getUserName isNull max_size MAX_SIZE", 4),
        ("the iPhone, macOS, eBay, McDonald, YouTube", 0),
        ("call run() or client.read(x), but item(s) f(x)", 2),
        ("@some_one #some_tag example.org/some_page ?utm_source=x", 0),
        ("say `x = 1` and ```\nlet y;\n``` twice: `x = 1`", 2),
        ("``quoted'' and ` loose ` and `two\nlines`", 0),
        ("v1.1 v1.2 v1.3 v1.4 v1.5 v1.6 v1.7", 5),
        ("v1.1 v1.1 v1.1.", 1),
    ],
)
def test_technical_details(kernel, text, count):
    assert kernel.technical_details([text]).tolist() == [count]


@given(texts=st.lists(TEXTS, max_size=5), html=st.booleans())
def test_native_details_equal_the_reference(native, texts, html):
    marks = [html] * len(texts)
    details = native.technical_details(texts, html=marks, threads=2)
    assert details.tolist() == reference.technical_details(texts, html=marks).tolist()


@given(
    rows=st.lists(
        st.tuples(
            *[st.integers(0, 2**64 - 1)] * 2,
            *[st.binary(min_size=128, max_size=128).map(lambda row: row * 4)] * 2,
        ),
        max_size=4,
    )
)
def test_native_distances_equal_the_reference(native, rows):
    columns = [[row[i] for row in rows] for i in range(4)]
    hashes = [np.array(column, np.uint64) for column in columns[:2]]
    distances, expected = (k.sketch_distances(*hashes, *columns[2:]) for k in (native, reference))
    assert [column.tolist() for column in distances] == [column.tolist() for column in expected]


def test_distances_count_bits_and_slots(kernel):
    a, b = (np.arange(128, dtype=np.uint32) for _ in range(2))
    b[:28] += 1
    distances = kernel.sketch_distances(
        np.array([7], np.uint64), np.array([0], np.uint64), [a.tobytes()], [b.tobytes()]
    )
    assert [column.tolist() for column in distances] == [[3], [100]]


def test_distances_of_unlike_sketches_are_refused(kernel):
    one = np.zeros(1, np.uint64)
    with pytest.raises(ValueError, match="bytes"):
        kernel.sketch_distances(one, one, [bytes(512)], [bytes(508)])
    with pytest.raises(ValueError, match="the same number"):
        kernel.sketch_distances(one, one, [], [])
