"""Which addresses are clean, and the slugs of canonical ones: compiled and readable."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.kernels import reference

SECTIONS = ["news", "sport", "politics", "künste", "breaking-news", "Live"]
INDEX_FILES = ["index.html", "default.asp", "index.é"]
PIECES = st.sampled_from(
    ["https://", "http://", "HTTPS://", "example.com", "WWW.", "m.", ":80", "/", "/", "/", "//",
     "amp", "AMP", ".amp", ".AMP.html", "news", "News", "sport", "de", "zh-hant", "en_GB", "story",
     "index.html", "Index.HTML", "default.asp", ".html", ".", "..", "-", "_", "~", "?", "#", "a=b",
     "%C3%A9", "é", "標題", "2024", "20240501", "2024-05-01", "2024_5_1", "2024-05_01", "/01/may/",
     "jan", "_story", "harbour", "wins", "prize", "95k", "20240501x", "abcdef12", "x" * 41,
     "123e4567-e89b-12d3-a456-426614174000", "1999-12-3", "\n", "\ud800", " "]
)  # fmt: skip
JOINED = st.lists(PIECES, max_size=14).map("".join)
WORDS = st.lists(PIECES, max_size=10).map("-".join)
PATHS = st.lists(WORDS | PIECES | JOINED, max_size=6).map("/".join)
ADDRESSES = JOINED | PATHS.map("https://example.com/{}".format) | st.text(max_size=60)
DIGITS = st.text("0123456789-_/.~ax", max_size=30).map("https://example.com/{}".format)


def reader(kernel):
    return kernel.AddressReader(SECTIONS, INDEX_FILES)


@given(st.lists(ADDRESSES | DIGITS, max_size=6))
def test_native_readers_equal_the_reference(native, urls):
    assert reader(native).read(urls) == reader(reference).read(urls)
    assert reader(native).slugs(urls) == reader(reference).slugs(urls)


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("https://www.example.com", ("www.example.com", "/", True)),
        ("http://example.com/News/world-1/", ("example.com", "/News/world-1", False)),
        ("https://example.com/news/index.html", ("example.com", "/news", True)),
        ("https://example.com/en-gb/news/sport", ("example.com", "/en-gb/news/sport", True)),
        ("https://example.com/de/news/sport/news", ("example.com", "/de/news/sport/news", False)),
        ("https://example.com/a//b", None),
        ("https://example.com//", None),
        ("https://example.com/a/.well", None),
        ("https://example.com/Amp/a", None),
        ("https://example.com/ample/a", ("example.com", "/ample/a", False)),
        ("https://example.com/a.amp.html", None),
        ("https://example.com/index.html/default.asp", None),
        ("https://example.com/a?id=3", None),
        ("https://example.com:80/a", None),
        ("https://Example.com/a", None),
        ("https:///a", None),
        ("ftp://example.com/a", None),
        ("", None),
    ],
)
def test_a_clean_address_is_read(kernel, url, parts):
    assert reader(kernel).read([url]) == [parts]


@pytest.mark.parametrize("unit", ["a", "a-", "/", "2024-", "~a", "1-2", "a/", ".amp", "%41"])
def test_an_address_of_a_megabyte_is_no_burden(kernel, unit):
    url = "https://example.com/" + unit * (1_000_000 // len(unit))
    start = time.thread_time()
    reader(kernel).read([url])
    reader(kernel).slugs([url])
    assert time.thread_time() - start < 3


def test_the_native_kernels_say_what_is_wrong(native):
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, got int"):
        reader(native).read(["a", 1])
    with pytest.raises(TypeError, match="got one text"):
        reader(native).slugs("https://example.com")
