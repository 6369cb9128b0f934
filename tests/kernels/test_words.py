"""Words in every script, folded so that what reads the same is the same."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Recipe, kernels
from nearcopy.extract.text import normalised, words
from nearcopy.kernels import reference

FOLDING = [
    ("lower case", "NATO Summit", "nato summit"),
    ("full width", "ＧＰＴ－４ ２０２４", "gpt 4 2024"),
    ("ligatures", "ﬁnal oﬃce", "final office"),
    ("sharp s", "Straße STRASSE", "strasse strasse"),
    ("Turkish i", "İstanbul ISTANBUL ıstanbul", "istanbul istanbul istanbul"),
    ("accents", "café cafe\u0301 CAFÉ", "cafe cafe cafe"),
    ("Vietnamese, marks in either order", "Việt Vie\u0323\u0302t", "viet viet"),
    ("Greek final sigma", "ΣΊΣΥΦΟΣ Σίσυφος", "σισυφοσ σισυφοσ"),
    ("Cyrillic short i", "йод и\u0306од", "иод иод"),
    ("curly and straight quotes", "don’t don't", "don t don t"),
    ("dashes", "long—term long-term", "long term long term"),
    ("soft hyphen", "co\u00adoperate", "cooperate"),
    ("zero width", "zero\u200bwidth\ufeff joi\u200dner", "zerowidth joiner"),
    ("right-to-left marks", "\u202babc\u202c \u200fdef", "abc def"),
    ("digits are kept", "$10M or $50M", "10m or 50m"),
    ("digits of other scripts", "٢٠٢٤ २०२४ ๒๐๒๔", "2024 2024 2024"),
    ("superscript and fraction", "m² ½", "m2 1 2"),
    ("trade mark", "Acme™ Corp®", "acme corp"),
    ("punctuation separates", "v0.40：AI", "v0 40 ai"),
    ("traditional and simplified", "發佈 發布 发布", "发 布 发 布 发 布"),
    ("Han among letters", "GPT-4o發布了", "gpt 4o 发 布 了"),
    ("compatibility ideograph", "\uf900\u8c48", "岂 岂"),
    ("kana one by one", "ガスが", "ガ ス が"),
    ("half-width kana with its mark", "ｶﾞｽ", "ガ ス"),
    ("kana mark apart", "か\u3099 か \u3099", "が か"),
    ("Thai one by one", "ข่าว", "ข ่ า ว"),
    ("Hangul as words", "한국 경제", "한국 경제"),
    ("Hangul in pieces", unicodedata.normalize("NFD", "한국 경제"), "한국 경제"),
    ("Arabic points and tatweel", "مُحَمَّد محـــمد", "محمد محمد"),
    ("Arabic hamza", "أحمد احمد", "احمد احمد"),
    ("Hindi vowel signs stay", "दिल्ली दल", "दिल्ली दल"),
    ("Hindi nukta", "\u0958 \u0915\u093c", "\u0915\u093c \u0915\u093c"),
    ("emoji separate", "breaking🚨news", "breaking news"),
    ("NUL and controls separate", "a\x00b\tc\nd", "a b c d"),
    ("lone surrogates separate", "a\ud800b\udfffc", "a b c"),
    ("unassigned and private separate", "a\u0378b\ue000c\U000f0000d", "a b c d"),
    ("beyond the basic plane", "𝐁𝐨𝐥𝐝 𠀀字", "bold 𠀀 字"),
    ("nothing at all", "", ""),
    ("nothing but punctuation", "—…!?", ""),
]


@pytest.mark.parametrize(
    ("text", "folded"), [row[1:] for row in FOLDING], ids=[r[0] for r in FOLDING]
)
def test_folding(kernel, text, folded):
    assert kernel.normalised(text).decode() == folded
    assert kernel.words(text) == folded.split()


ALPHABET = st.one_of(
    st.sampled_from("aZ09 .-'’“—\u00a0éßİı\u00ad\u200b\u0301"),
    st.sampled_from("ｶﾞか\u3099\u309a가ᄀ\u1161\u11a8字發佈กأ\u064bक\u093c½ﬁﷺ🚨\ud800\x00"),
    st.characters(),
)
TEXTS = st.text(ALPHABET, max_size=300)


@given(TEXTS)
def test_native_words_equal_the_reference(native, text):
    assert native.words(text) == reference.words(text)
    assert native.normalised(text) == reference.normalised(text)


@given(TEXTS, st.booleans())
def test_native_spans_equal_the_reference(native, text, html):
    tokens, starts, ends = native.word_spans(text, html)
    expected, expected_starts, expected_ends = reference.word_spans(text, html)
    assert tokens == expected
    assert starts.tolist() == expected_starts.tolist()
    assert ends.tolist() == expected_ends.tolist()


NO_CHARACTERS = {*range(4, 14), 15, 16}  # planes without assigned characters


def test_every_code_point_folds_alike(native):
    for first in range(0, 0x110000, 0x1000):
        if first >> 16 not in NO_CHARACTERS:
            text = "a".join(map(chr, range(first, first + 0x1000)))
            assert native.normalised(text) == reference.normalised(text), hex(first)


@pytest.mark.parametrize("plane", sorted(NO_CHARACTERS))
def test_code_points_without_characters_separate(native, plane):
    points = list(map(chr, range(plane << 16, plane + 1 << 16)))
    assert native.normalised("a".join(points)) == b" ".join([b"a"] * 0xFFFF)
    text = "a".join(points[:0x100] + points[-0x100:])
    assert native.normalised(text) == reference.normalised(text)


@pytest.mark.parametrize("width", ["a", "é", "字", "𠀀"])
@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 127, 128, 129, 2047, 2048, 2049, 4097])
def test_words_across_block_borders(native, width, size):
    text = "x" * size + " " + width + "yz" * 40 + "’ " + width
    assert native.words(text) == reference.words(text)


@given(TEXTS)
def test_folding_again_changes_nothing(text):
    once = normalised(text)
    assert normalised(once) == once


def test_folding_any_code_point_again_changes_nothing():
    assert _each_code_point(normalised) == []


@pytest.mark.parametrize("before", range(2040, 2056))
@pytest.mark.parametrize("between", ["", "\u200b" * 5, "\u200b" * 5000])
def test_a_mark_joins_across_chunks(native, before, between):
    text = "a" * before + " か" + between + "\u3099" + " b"
    recipe = Recipe()
    assert native.words(text)[1:] == ["が", "b"]
    expected = native.sketch(["a" * before + " が b"], recipe)
    assert (native.sketch([text], recipe).minhash == expected.minhash).all()


def _each_code_point(change) -> list[str]:
    """The code points that fold otherwise after the change, tried a page at a time."""
    different = []
    for first in range(0, 0x110000, 0x100):
        page = [chr(p) for p in range(first, first + 0x100) if not 0xD800 <= p <= 0xDFFF]
        if words(" . ".join(page)) != words(" . ".join(map(change, page))):
            different += [c for c in page if words(c) != words(change(c))]
    return different


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_composed_and_decomposed_are_one(form):
    assert _each_code_point(lambda char: unicodedata.normalize(form, char)) == []


def test_compatible_forms_are_one():
    """But for what would glue letters to a name, or spell out a sentence."""
    folded = _each_code_point(lambda char: unicodedata.normalize("NFKC", char))
    assert folded == ["\u2120", "\u2122", "\ufdfa"]


@pytest.mark.parametrize("change", [str.upper, str.lower, str.casefold])
def test_case_is_folded(change):
    assert _each_code_point(change) == []


@given(TEXTS)
def test_spans_lie_in_order_within_the_text(text):
    spelt, starts, ends = kernels.word_spans(text)
    assert words(text) == spelt
    assert all(starts < ends)
    assert all(ends <= len(text))
    assert list(starts) == sorted(starts)


def test_spans_show_the_original():
    text = "Der Cafe\u0301-Besitzer sagte „Grüß Gott“"
    _, starts, ends = kernels.word_spans(text)
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == [
        "Der", "Cafe\u0301", "Besitzer", "sagte", "Grüß", "Gott",
    ]  # fmt: skip


def test_spans_of_html_show_the_source():
    page = "<p>wo<b>rd</b> &eacute;t&eacute;</p>"
    spelt, starts, ends = kernels.word_spans(page, True)
    assert spelt == ["word", "ete"]
    spans = [page[start:end] for start, end in zip(starts, ends, strict=True)]
    assert spans == ["wo<b>rd", "&eacute;t&eacute;"]


def test_words_wants_text():
    with pytest.raises(TypeError, match="must be str, got bytes: decode it first"):
        words(b"bytes")  # type: ignore[arg-type]


FOLDED = st.lists(st.sampled_from(["cookie", "wall", "a", "字", "é", ""]), max_size=4).map(" ".join)
READ = st.lists(st.sampled_from(["Cookie", "wall.", "A", "字", "É", "<b>", "\ud800", "\u0301"]))


@given(
    phrases=st.lists(FOLDED, max_size=4),
    rows=st.lists(st.tuples(READ.map(" ".join) | READ.map("".join) | st.text(), st.booleans())),
)
def test_native_phrase_finders_equal_the_reference(native, phrases, rows):
    texts, html = [text for text, _ in rows], [marked for _, marked in rows]
    phrases = list(map(normalised, phrases))
    matches = (k.PhraseFinder(phrases).match(texts, html=html) for k in (native, reference))
    assert next(matches) == next(matches)
    assert native.normalised_texts(texts) == reference.normalised_texts(texts)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Accept the cookie wall, please", True),
        ("The Cookie-Wall", True),
        ("cookie walls", False),
        ("a cookie", False),
        ("wall cookie", False),
        ("cookie cookie wall", True),
        ("頭條新聞", True),
        ("新聞", False),
        ("", False),
    ],
)
def test_a_phrase_is_found_word_by_word(kernel, text, found):
    finder = kernel.PhraseFinder(["cookie wall", "条 新", "cookie banner", ""])
    assert finder.match([text, f"<p>{text}</p>"], html=[False, True]) == [found, found]


def test_texts_are_normalised_as_one_is(kernel):
    texts = [text for _, text, _ in FOLDING]
    assert kernel.normalised_texts(texts) == [kernel.normalised(t).decode() for t in texts]
