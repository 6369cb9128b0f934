"""HTML becomes plain text by the rules stated in `nearcopy/kernels/reference/html.py`."""

import html
import time
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from nearcopy import kernels
from nearcopy.kernels.reference.html import ENTITIES, SEPARATORS, SKIPPED

INLINE = [
    *("a", "abbr", "b", "bdi", "cite", "code", "data", "del", "em", "font", "i", "ins", "kbd"),
    *(
        "label",
        "mark",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "var",
        "wbr",
    ),
    *("x-widget", "pp", "titles"),
]


TEXT = [
    ("plain text stays", "Fish, chips\n and\tpeas.", "Fish, chips\n and\tpeas."),
    ("nothing stays nothing", "", ""),
    ("a lone < is text", "a < b <3 <", "a < b <3 <"),
    ("a > is text", "a > b -> c", "a > b -> c"),
    ("NUL and carriage return stay", "a\0b\r\nc", "a\0b\r\nc"),
    ("a lone surrogate stays", "a\ud83db\udc00", "a\ud83db\udc00"),
    ("characters of every width stay", "aé中😀<b>é中😀", "aé中😀é中😀"),
]

TAGS = [
    ("an inline tag joins", "wo<b>rd</b>s", "words"),
    ("an unknown tag joins", "wo<x-y z>rd", "word"),
    ("a block tag parts", "<p>one</p><p>two", "\none\n\ntwo"),
    ("a line break parts", "one<br>two<br/>three<BR />", "one\ntwo\nthree\n"),
    ("a name has any case", "one<dIV>two</SpAn>", "one\ntwo"),
    ("a name is ASCII: the Kelvin sign is no k", "a<lin\u212a>b", "ab"),
    ("a name runs to space, slash or >", "a<p\n>b<p/x>c<p<b>d", "a\nb\ncd"),
    ("a quoted value may hold >", "<a b='>' c=\">\" d = '>'>x</a>", "x"),
    ("a quote opens only after =", "<p \">one<p a'>two", "\none\ntwo"),
    ("a quote inside an unquoted value is part of it", "<a b=it's>x's", "x's"),
    ("a second = starts an unquoted value", '<a b==">x">', 'x">'),
    ("an = may start an attribute's name", '<a =">x', "x"),
    ("quoted values need no space between them", "<a b='>'c='>'>x", "x"),
    ("a value left out ends the tag", "<a b= >x", "x"),
    ("an end tag may have attributes", "x</a b='>'>y", "xy"),
    ("a < inside a tag is part of it", "<a <b <c>x", "x"),
    ("space between < and the name makes it text", "< p>x", "< p>x"),
]

CUT_OFF = [
    ("a tag cut off inside a value goes whole", 'x <a href="htt', "x "),
    ("a tag cut off inside its name goes", "x <blockquo", "x "),
    ("a tag cut off after values goes whole", "x <a b=1 c='2' d = 3", "x "),
    ("a stray < and letter cost no more than a word", "a <b and c", "a and c"),
    ("nor does one after another", "a <b and <c or <d", "a and or "),
    ("an unclosed quote ends with the word", '<a b="c d>x', "x"),
    ("an unclosed quote is found past a closed one", "<a b='1' c='2>x", "x"),
    ("a > inside quotes does not end a tag cut off", "x <a b='>' c", "x c"),
]

SKIPPING = [
    ("a script goes with its tags", "a<script>if (x<y) '</p>'</script>b", "a\nb"),
    ("a style goes in any case", "a<STYLE x='>'>p > b {}</Style\n>b", "a\nb"),
    ("an end tag needs its whole name", "a<script>1</scripts></script>b", "a\nb"),
    ("an end tag without > around is none", "a<script>b</script", "a\n"),
    ("the title of a page goes", "<head><title>T</title></head>x", "\n\n\nx"),
    ("comments inside do not hide the end", "<style><!-- </style> -->x", "\n -->x"),
    ("unclosed, the rest goes", "a<script>b<p>c", "a\n"),
    ("/> closes it on the spot", "a<iframe src='x'/>b<svg />c", "a\nb\nc"),
    ("a slash that belongs to a value does not", "a<iframe src=x/>b</iframe>c", "a\nc"),
    ("an end tag alone parts", "a</script>b", "a\nb"),
]

COMMENTS = [
    ("a comment joins", "wo<!-- <p> > -- ->x-->rd", "word"),
    ("--!> ends a comment", "a<!--b--!>c", "ac"),
    ("the shortest comments end at once", "a<!-->b<!--->c<!---->d<!----!>e", "abcde"),
    ("a comment in a comment ends it", "a<!--<!-->b-->c", "ab-->c"),
    ("an unclosed comment takes the rest", "a<!--b<p>c--", "a"),
    ("a doctype goes", "<!DOCTYPE html>a", "a"),
    ("a processing instruction goes", "<?xml version='1.0'?>a", "a"),
    ("</ without a name goes to >", "a</>b</ p>c</3>d", "abcd"),
    ("without > they are text", "a <!b <?c </3 </", "a <!b <?c </3 </"),
    ("a CDATA wrapper does not cost its content", "<![CDATA[a<b>b</b>]]>", "ab]]>"),
]

REFERENCES = [
    ("a number in decimal or hexadecimal", "&#65;&#x42;&#X43;", "ABC"),
    ("a number without ;", "&#65 &#x42g", "A Bg"),
    ("128 to 159 are windows-1252", "&#128;&#145;&#x9f;&#129;", "€‘Ÿ\x81"),
    ("0, surrogates and numbers out of range", "&#0;&#xD800;&#x110000;", "\ufffd" * 3),
    ("controls and non-characters give nothing", "a&#1;&#127;&#xfdd0;&#x1ffff;b", "ab"),
    ("a name", "&lt;b&gt; &eacute;&Eacute;", "<b> éÉ"),
    ("an old name without ;", "&lt&copy 2024&nbspx", "<© 2024\xa0x"),
    ("the longest name wins", "&notin;&notit;&not;", "∉¬it;¬"),
    ("the longest of all names", "&CounterClockwiseContourIntegral;", "∳"),
    ("a name may give two characters", "&ngE;", "≧̸"),
    (
        "what is no reference is text",
        "R&D & &; &#; &#x; &#xg &nope; &",
        "R&D & &; &#; &#x; &#xg &nope; &",
    ),
    ("what comes out is not read again", "&amp;lt;p&#38;gt;", "&lt;p&gt;"),
    ("digits without end are out of range", f"&#{'9' * 6000};&#{'0' * 6000}65;", "\ufffdA"),
]

RULES = TEXT + TAGS + CUT_OFF + SKIPPING + COMMENTS + REFERENCES


@pytest.mark.parametrize(
    ("source", "expected"), [rule[1:] for rule in RULES], ids=[r[0] for r in RULES]
)
def test_rule(kernel: ModuleType, source: str, expected: str) -> None:
    assert kernel.strip_html(source) == expected


def test_every_separator_parts_and_every_other_tag_joins(kernel: ModuleType) -> None:
    def between(name: str) -> str:
        return str(kernel.strip_html(f"a<{name}/>b</{name.upper()}>c"))

    assert {name: between(name) for name in INLINE} == dict.fromkeys(INLINE, "abc")
    parting = SEPARATORS | SKIPPED
    assert {name: between(name) for name in parting} == dict.fromkeys(parting, "a\nb\nc")


def test_every_skipped_element_goes_and_no_separator_hides(kernel: ModuleType) -> None:
    for name in SKIPPED:
        assert kernel.strip_html(f"a<{name}>b<p>&lt;</{name}>c") == "a\nc", name
    for name in SEPARATORS:
        assert kernel.strip_html(f"a<{name}>b</{name}>c") == "a\nb\nc", name


def test_every_named_reference_is_as_in_the_standard_library(kernel: ModuleType) -> None:
    for name in ENTITIES:
        text = f"&{name} &{name}; &{name}x &{name[:-1]}"
        assert kernel.strip_html(text) == html.unescape(text), name


def test_every_number_is_as_in_the_standard_library(kernel: ModuleType) -> None:
    near_planes = [plane * 0x10000 + low for plane in range(17) for low in (0, 1, 0xFFFD, 0xFFFE)]
    for number in [*range(0x300), *range(0xD7F0, 0xE010), *range(0xFDC0, 0x10010), *near_planes]:
        text = f"&#{number};&#x{number:x};"
        assert kernel.strip_html(text) == html.unescape(text), number


# Positions


def test_each_character_knows_its_source(kernel: ModuleType) -> None:
    source = "a<br>&lt;<b>é</b>&ngE;"
    text, starts, ends = kernel.strip_html_positions(source)
    assert text == "a\n<é≧̸"
    assert [source[start:end] for start, end in zip(starts, ends, strict=True)] == [
        *("a", "<br>", "&lt;", "é", "&ngE;", "&ngE;")
    ]


def test_a_skipped_element_is_the_source_of_its_line_break(kernel: ModuleType) -> None:
    source = "a<script>x</script >b"
    assert kernel.strip_html_positions(source) == ("a\nb", [0, 1, 20], [1, 20, 21])


# Properties

ANY = st.text(st.characters())
UNMARKED = st.text(st.characters(exclude_characters="<&"))
NAMES = sorted(SKIPPED | SEPARATORS | set(INLINE))
TOKENS = [
    *("<", "</", ">", "/>", "/", "!", "-", "--", "<!--", "-->", "--!>", "<![CDATA[", "<?", "<!"),
    *('"', "'", "=", '="', "='", " ", "\n", "\f", "x", "é", "中", "😀", "\ud800", "\0", "\u212a"),
    *("&", ";", "#", "&#", "&#x", "9", "0", "f", "&amp", "&lt;", "&notit;", "&ngE;", "&#128;"),
]
SOUP = st.lists(
    st.one_of(
        st.sampled_from(TOKENS),
        st.sampled_from(NAMES),
        st.sampled_from([f"<{name}" for name in NAMES] + [f"</{name}" for name in NAMES]),
        st.sampled_from(sorted(ENTITIES)).map("&{}".format),
    ),
    max_size=40,
).map("".join)

ATTRIBUTES = st.sampled_from(["", " a", " a=b", ' a="<>"', " a = '>\"' b", "\na=\"/\"\tb=''"])
INLINE_TAGS = st.builds("<{}{}{}>".format, st.sampled_from(INLINE), ATTRIBUTES, st.just(" "))
BLOCK_TAGS = st.builds("<{}{}/>".format, st.sampled_from(sorted(SEPARATORS)), ATTRIBUTES)
ELEMENTS = st.builds(
    "<{0}{1}>{2}</{0}>".format, st.sampled_from(sorted(SKIPPED)), ATTRIBUTES, UNMARKED
)
COMMENT_TAGS = UNMARKED.filter(lambda text: "-" not in text and ">" not in text).map(
    "<!-- {}-->".format
)
SOUND_PIECES = st.one_of(
    UNMARKED.map(lambda text: (text, text)),
    ANY.map(lambda text: (html.escape(text), text)),
    INLINE_TAGS.map(lambda tag: (tag, "")),
    BLOCK_TAGS.map(lambda tag: (tag, "\n")),
    ELEMENTS.map(lambda element: (element, "\n")),
    COMMENT_TAGS.map(lambda comment: (comment, "")),
)


@given(UNMARKED)
def test_text_without_marks_is_unchanged(kernel: ModuleType, text: str) -> None:
    assert kernel.strip_html(text) == text


@given(ANY)
def test_escaped_text_comes_back(kernel: ModuleType, text: str) -> None:
    assert kernel.strip_html(html.escape(text)) == text


@given(SOUP)
def test_without_tags_it_is_unescape(kernel: ModuleType, soup: str) -> None:
    text = soup.replace("<", "")
    assert kernel.strip_html(text) == html.unescape(text)


@given(st.lists(SOUND_PIECES))
def test_of_sound_html_only_its_text_is_left(
    kernel: ModuleType, pieces: list[tuple[str, str]]
) -> None:
    source = "".join(source for source, _ in pieces)
    assert kernel.strip_html(source) == "".join(text for _, text in pieces)


@given(SOUP)
def test_positions_lead_back_to_the_source(kernel: ModuleType, source: str) -> None:
    text, starts, ends = kernel.strip_html_positions(source)
    assert text == kernel.strip_html(source)
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    for character, start, end in zip(text, starts, ends, strict=True):
        assert 0 <= start < end <= len(source)
        assert source[start] in ((character,) if end - start == 1 else ("<", "&"))


@pytest.mark.skipif(kernels.native is None, reason="the native kernels are not built here")
@examples(300)
@given(SOUP)
def test_native_equals_reference(source: str) -> None:
    expected = kernels.reference.strip_html_positions(source)
    assert kernels.native.strip_html_positions(source) == expected
    assert kernels.native.strip_html(source) == expected[0]


# Time

HOSTILE = {
    "nested blocks": ("<div>", 100_000),
    "unclosed comments": ("<!--", 100_000),
    "almost closed comments": ("<!-- ->", 100_000),
    "scripts without >": ("<script", 100_000),
    "unclosed scripts": ("<script>", 100_000),
    "almost closed scripts": ("<script></scrip", 100_000),
    "unclosed values": ('<a href="', 100_000),
    "values of both kinds": ("<a b='<a c=\"", 100_000),
    "closed values in tags cut off": ("<a b='>' c ", 100_000),
    "tags cut off": ("<a b ", 100_000),
    "tags cut off inside names": ("<a <b", 100_000),
    "declarations without >": ("<!x", 100_000),
    "end tags without a name": ("</", 100_000),
    "ampersands": ("&", 1_000_000),
    "names of no reference": ("&CounterClockwise", 100_000),
    "numbers without digits": ("&#x", 100_000),
    "digits": ("&#1" + "0" * 100, 10_000),
    "less-thans": ("<", 4_000_000),
}


def seconds(kernel: ModuleType, source: str, enough: float = 0.0) -> float:
    """The least processor time of three runs, or the first that is short enough."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        kernel.strip_html(source)
        times.append(time.thread_time() - start)
        if times[-1] <= enough:
            break
    return min(times)


@pytest.mark.parametrize(("unit", "count"), HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("end", ["", ">"], ids=["open", "closed"])
def test_hostile_text_takes_linear_time(
    kernel: ModuleType, unit: str, count: int, end: str
) -> None:
    if kernel is kernels.reference:
        count //= 10
    # A quadratic scan would take sixteen times as long; a busy machine may take twice four.
    once = seconds(kernel, unit * count + end)
    limit = 10 * once + 0.02
    assert seconds(kernel, unit * (4 * count) + end, enough=limit) <= limit
