"""Term profiles: what is kept of an article's words, and how alike two profiles are."""

import math
import struct
import time
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import kernels
from nearcopy.kernels import reference
from nearcopy.kernels.data_tables import term_weights
from nearcopy.kernels.reference.term_profiles import (
    OF_TITLE,
    PREFIX,
    profile_terms,
    rarity,
    term_hash,
)

SNIPPETS = [
    *" \n.,-0189aZ\x00éß字体的かﾞ한",
    *("storm ", "storms ", "the ", "v2 ", "Überschwemmung ", "العاصفة ", "ال ", "الان ", "الانف "),
    *(
        "か\u3099",
        "\u1100\u1161",
        "\u0301",
        "\ud800",
        "𝟓",
        "𠀀",
        "ไทย",
        "&amp;",
        "<b>",
        "</b>",
        "½",
    ),
    *("x" * 63 + " ", "7" + "y" * 70 + " ", "z" * 70 + "7 ", "한국어입니다 ", "предложение "),
]
TEXTS = st.lists(st.sampled_from(SNIPPETS), max_size=60).map("".join) | st.text(max_size=80)
PROFILES = st.dictionaries(
    st.integers(0, 6) | st.sampled_from([term_hash(word) for word in ("the", "storm", "coast")]),
    st.integers(0, 255),
    max_size=8,
).map(lambda terms: b"".join(struct.pack("<IB", *entry) for entry in sorted(terms.items())))
PROFILE = "f743fc57a8f5cae46a0a4dd22d8caff7f367c4af1c0ecbc9af"


def entries(profile: bytes) -> dict[int, int]:
    return dict(struct.iter_unpack("<IB", profile))


def weights(kernel, title: str, text: str, *terms: str) -> list[int | None]:
    (profile,) = kernel.profiles([title], [text])
    return [entries(profile).get(term_hash(term)) for term in terms]


def cosine(kernel, a: str, b: str) -> float:
    return float(kernel.profile_measures(*(kernel.profiles([""], [text]) for text in (a, b)))[0, 0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Storms, storm", ["storm", "storm"]),
        ("elections électorale", ["elect", "elect"]),
        ("2024 v2 10m", []),
        ("العاصفة", ["عاصفة"]),
        ("الان الانف", ["الان", "انف"]),
        ("文字列", ["文", "字", "列", "文字", "字列"]),
        ("文 1 字", ["文", "字"]),
        ("한국어입니다", ["한국어입니"]),
    ],
)
def test_terms(text, expected):
    assert [term for term, _ in profile_terms(kernels.words(text))] == expected


def test_a_term_weighs_by_its_count_and_more_in_the_title(kernel):
    text = "storm " + "coast " * 2 + "harbour " * 40
    assert weights(kernel, "", text, "storm", "coast", "harbo") == [10, 17, 92]
    assert weights(kernel, "Storm", text, "storm", "coast") == [OF_TITLE + 47, 17]
    assert weights(kernel, "Storm, storm", "", "storm") == [OF_TITLE + 47]


def test_a_character_by_itself_weighs_half(kernel):
    assert weights(kernel, "", "港口", "港", "口", "港口") == [5, 5, 10]


@pytest.mark.parametrize("letters", [5, 6, 15, 16, 17, 255, 256, 257, 300])
def test_the_first_letters_of_a_word_of_any_length_are_its_term(kernel, letters):
    word = "quiet" + "x" * (letters - 5)
    assert kernel.profiles([""], [word]) == kernel.profiles([""], ["quiet"])


def test_the_title_and_the_text_are_not_one_run(kernel):
    assert weights(kernel, "港", "口", "港口") == [None]


def test_the_heaviest_terms_are_kept(kernel):
    rare = ["".join(chr(97 + (i >> s) % 16) for s in (0, 4, 8)) + "qz" for i in range(128)]
    (profile,) = kernel.profiles([""], [" ".join(["the", *rare, "of", "and"])])
    assert set(entries(profile)) == {term_hash(term) for term in rare}


def test_a_profile_is_stable(kernel):
    (profile,) = kernel.profiles(["Storm closes the harbour"], ["The harbour closed at 9"])
    assert profile.hex() == PROFILE


def test_html_is_read_as_its_text_and_titles_as_they_stand(kernel):
    page, plain = "<p>Storm&nbsp;over <i>har</i>bour</p>", "\nStorm\u00a0over harbour\n"
    profiles = kernel.profiles(["<b>", "<b>"], [page, plain], html=[True, False])
    assert profiles[0] == profiles[1]
    assert term_hash("b") in entries(profiles[0])


@pytest.mark.parametrize("text", ["", " \n", "2024", "\ud800", "\x00", "!?"])
def test_an_article_without_terms_has_no_profile(kernel, text):
    assert kernel.profiles([text], [text]) == [b""]
    assert np.isnan(kernel.profile_measures([b""], [b""])).all()


@given(articles=st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), max_size=5))
def test_native_profiles_equal_the_reference(native, articles):
    titles, texts, html = ([article[i] for article in articles] for i in range(3))
    profiles = native.profiles(titles, texts, html=html, threads=2)
    assert profiles == reference.profiles(titles, texts, html=html)


@given(seed=st.integers(0, 2**32), number=st.integers(100, 600), lead=st.sampled_from("aé字"))
def test_native_profiles_of_long_texts_equal_the_reference(native, seed, number, lead):
    letters = np.random.default_rng(seed).integers(97, 103, (number, 3), np.uint8)
    text = lead + " ".join(bytes(word).decode() for word in letters)
    profiles = native.profiles([text[:50]], [text])
    assert profiles == reference.profiles([text[:50]], [text])


@given(title=TEXTS, text=TEXTS)
def test_a_profile_is_small_and_ascends(title, text):
    (profile,) = kernels.profiles([title], [text])
    hashes = [term for term, _ in struct.iter_unpack("<IB", profile)]
    assert len(profile) <= 640
    assert all(entries(profile).values())
    assert hashes == sorted(set(hashes))


@given(words=st.lists(st.sampled_from(["storm", "coasts", "été", "الانف", "7th"]), max_size=20))
def test_the_order_of_words_makes_no_difference(kernel, words):
    forward, backward = " ".join(words), " ".join(reversed(words))
    assert kernel.profiles([forward], [forward]) == kernel.profiles([backward], [backward])


@given(pairs=st.lists(st.tuples(PROFILES, PROFILES), max_size=5))
def test_native_measures_equal_the_reference(native, pairs):
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    similarities, expected = (k.profile_measures(a, b) for k in (native, reference))
    assert np.array_equal(similarities, expected, equal_nan=True)


@given(
    hashes=st.lists(
        st.integers(0, 2**32 - 1) | st.sampled_from([term_hash("the"), term_hash("storm")])
    )
)
def test_native_rarities_equal_the_reference(native, hashes):
    given_terms = np.array(hashes, np.uint32)
    rarities = native.term_rarities(given_terms)
    assert rarities.dtype == np.uint32
    assert np.array_equal(rarities, reference.term_rarities(given_terms))


def test_a_term_is_the_rarer_the_fewer_articles_have_it(kernel):
    terms = np.array([term_hash(term) for term in ("the", "gover", "qzqzq")], np.uint32)
    the, government, unknown = kernel.term_rarities(terms).tolist()
    assert the < government < unknown


@given(a=PROFILES, b=PROFILES)
def test_cosines_are_symmetric_bounded_and_whole_with_oneself(kernel, a, b):
    forward, backward, same = kernel.profile_measures([a, b, a], [b, a, a])
    assert np.array_equal(forward, backward, equal_nan=True)
    assert ((forward >= 0) & (forward <= 1) | np.isnan(forward)).all()
    counts = [weight % OF_TITLE for weight in entries(a).values()]
    assert (same[[0, 2, 3]] == 1).all() if any(counts) else np.isnan(same).all()


def test_rare_terms_make_two_articles_alike(kernel):
    base = "The storm has closed the harbour of Vattenholm"
    retold = "Vattenholm: storms keep harbours closed"
    other = "The school has opened the library of Norrbacken"
    assert cosine(kernel, base, retold) > 0.9
    assert cosine(kernel, base, other) < 0.1


def measures(kernel, a: tuple[str, str], b: tuple[str, str]) -> list[float]:
    profiles = kernel.profiles([a[0], b[0]], [a[1], b[1]])
    return kernel.profile_measures(profiles[:1], profiles[1:])[0].tolist()


def test_what_the_one_tells_of_the_other(kernel):
    part, whole = ("", "Vattenholm harbour"), ("", "Vattenholm harbour storm lighthouse")
    _, title, most, least = measures(kernel, part, whole)
    assert math.isnan(title)
    assert most == 1 > least > 0
    assert measures(kernel, ("Vattenholm", "storm"), ("", "Vattenholm storms"))[1] == 1


def test_counted_weights_stand_for_the_known_ones(kernel):
    pair = kernel.profiles([""], ["Vattenholm harbour"]) + kernel.profiles([""], ["Vattenholm"])
    common = kernel.TermWeights([term_hash("vatte")], [1])
    usual, light = kernel.profile_measures(pair[:1], pair[1:])[0, 0], kernel.profile_measures(
        pair[:1], pair[1:], common
    )[0, 0]  # fmt: skip
    assert usual > 0.6
    assert light < 0.01


@pytest.mark.parametrize(("hashes", "weights"), [([1], []), ([1], [0]), ([1], [70_000])])
def test_weights_that_are_none_are_refused(kernel, hashes, weights):
    with pytest.raises(ValueError, match="weight"):
        kernel.TermWeights(hashes, weights)


RAIN = "The river rose overnight and flooded the lower town, the mayor said on Monday."
HAN = "河水一夜之间上涨，淹没了下城区，市长周一表示救援正在进行。"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"Share\nMost read\n{RAIN}\r\n\nAdvertisement", RAIN),
        (f"{HAN}\n分享", HAN),
        (f"{RAIN.rstrip('.')}\n{RAIN}", RAIN),
        (f"{RAIN * 3} and on\nMenu", f"{RAIN * 3} and on"),
        ("Storm\nHarbour\nLighthouse", "Storm Harbour Lighthouse"),
        (f"{RAIN}\n" + "Menu item\n" * 40, RAIN + " Menu item" * 40),
    ],
)
def test_the_lines_that_are_no_sentences_are_not_read(kernel, text, told):
    assert kernel.profiles([""], [text]) == kernel.profiles([""], [told])


@pytest.mark.parametrize("count", [60, 600])
def test_terms_whose_hashes_lie_close_together_are_counted_as_others(native, count):
    words = map("".join, product("abcdefghijklmnopqrstuvwxyz", repeat=5))
    close = islice(
        (word for word in words if kernels.native.murmur3_64(word.encode()) % 256 == 7), count
    )
    text = " ".join(word for times, word in enumerate(close) for _ in range(times % 20))
    assert native.profiles(["aaaaa"], [text]) == reference.profiles(["aaaaa"], [text])


@given(lines=st.lists(st.sampled_from([RAIN, HAN, "Menu", "", " ", "é" * 70 + ".", "x" * 160])))
def test_native_lines_equal_the_reference(native, lines):
    text = "\n".join(lines)
    assert native.profiles([""], [text]) == reference.profiles([""], [text])


@given(profiles=st.lists(PROFILES, max_size=5), most=st.integers(0, 130))
def test_native_term_keys_equal_the_reference(native, profiles, most):
    keys, expected = (k.term_keys(profiles, most, 300, 200) for k in (native, reference))
    assert all(map(np.array_equal, keys, expected))


def test_the_rare_terms_come_first_and_common_ones_never(kernel):
    (profile,) = kernel.profiles([""], ["the of and said " * 9 + "people people Vattenholm"])
    starts, one = kernel.term_keys([profile, b""], 1, 300, 200)
    assert (starts.tolist(), one.tolist()) == ([0, 1, 1], [term_hash("vatte")])
    assert term_hash("the") not in kernel.term_keys([profile], 9, 300, 200)[1]


def test_numbers_add_nothing(kernel):
    assert cosine(kernel, "storm 1987 5,000", "library 1987 5,000") == 0


@pytest.mark.parametrize("profile", [b"abcd", bytes(645)])
def test_bytes_of_another_length_are_refused(kernel, profile):
    with pytest.raises(ValueError, match="five a term, at most 640"):
        kernel.profile_measures([profile], [b""])


@pytest.mark.parametrize("profile", [bytes(10), b"bbbb1aaaa1"])
def test_entries_out_of_order_are_refused(kernel, profile):
    with pytest.raises(ValueError, match="do not ascend"):
        kernel.profile_measures([b""], [profile])


def test_as_many_on_both_sides_are_wanted(kernel):
    with pytest.raises(ValueError, match=r"zip|as many"):
        kernel.profile_measures([b""], [])
    with pytest.raises(ValueError, match=r"zip|as many"):
        kernel.profiles(["a"], [])


def test_the_table_weighs_common_terms_less():
    table, unknown = term_weights()
    assert 1000 < len(table) <= 8000
    assert all(len(term) <= PREFIX and 0 < table[term] <= unknown for term in table)
    assert rarity(term_hash("the")) < rarity(term_hash("gover")) < rarity(term_hash("qzqzq"))


@pytest.mark.parametrize("unit", ["a ", "a", "字", "ab1 ", "العاصفة ", "é", "\u0301", "<", "&"])
def test_long_repetitions_take_linear_time(unit):
    if kernels.native is None:
        pytest.skip("the reference is too slow for inputs of this size")
    start = time.thread_time()
    kernels.profiles([unit * 300_000], [unit * 1_000_000], html=[True])
    assert time.thread_time() - start < 1
