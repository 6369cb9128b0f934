"""Addresses: one form per page, and what an address says about its page."""

import base64
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.urls import (
    PageAddress,
    canonical,
    declared_address,
    is_home,
    page_address,
    page_addresses,
    site,
    slug,
    slugs,
)
from nearcopy.extract.urls import tracking_parameters as tables

PAGE = "https://example.com/a"

SCHEME_AND_HOST = [
    ("http://example.com/a", PAGE),
    ("HTTPS://EXAMPLE.COM/a", PAGE),
    ("//example.com/a", PAGE),
    ("www.example.com/a", PAGE),
    ("https:/example.com/a", PAGE),
    ("  https://example.com/a\n", PAGE),
    ("https://exam\tple.com/a", PAGE),
    ("https:\\\\example.com\\a", PAGE),
    ("https://user:secret@example.com/a", PAGE),
    ("http://example.com:80/a", PAGE),
    ("https://example.com:443/a", PAGE),
    ("https://example.com:/a", PAGE),
    ("https://example.com:8080/a", "https://example.com:8080/a"),
    ("https://example.com./a", PAGE),
    ("https://www.example.com/a", PAGE),
    ("https://www2.example.com/a", PAGE),
    ("https://m.example.com/a", PAGE),
    ("https://mobile.example.com/a", PAGE),
    ("https://amp.example.com/a", PAGE),
    ("https://www.m.example.com/a", PAGE),
    ("https://www.example.co.uk/a", "https://example.co.uk/a"),
    ("https://www.paper.blogspot.com/a", "https://paper.blogspot.com/a"),
    ("https://m.com/a", "https://m.com/a"),
    ("https://amp.dev/a", "https://amp.dev/a"),
    ("https://www.gov.uk/a", "https://www.gov.uk/a"),
    ("https://edition.cnn.com/a", "https://edition.cnn.com/a"),
    ("https://en.m.wikipedia.org/wiki/A", "https://en.wikipedia.org/wiki/A"),
    ("https://news.example.com/a", "https://news.example.com/a"),
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
    ("https://BÜCHER.example/a", "https://xn--bcher-kva.example/a"),
    ("https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example/a"),
    ("https://例え。テスト/a", "https://xn--r8jz45g.xn--zckzah/a"),
    ("https://☃️‍.\u0378.example/a", "https://☃️‍.\u0378.example/a"),
    ("http://192.0.2.7/a", "https://192.0.2.7/a"),
    ("http://[2001:DB8::1]:80/a", "https://[2001:db8::1]/a"),
    ("http://localhost:5000/a", "https://localhost:5000/a"),
]
PATHS = [
    ("https://example.com", "https://example.com/"),
    ("https://example.com/", "https://example.com/"),
    ("https://example.com/a/", PAGE),
    ("https://example.com//a///", PAGE),
    ("https://example.com/b/../a/.", PAGE),
    ("https://example.com/../../a", PAGE),
    ("https://example.com/b/%2E%2e/a", PAGE),
    ("https://example.com/a/index.html", PAGE),
    ("https://example.com/a/Index.PHP", PAGE),
    ("https://example.com/a/default.aspx", PAGE),
    ("https://example.com/a/index.html/index.htm", PAGE),
    ("https://example.com/index.html", "https://example.com/"),
    ("https://example.com/a/index-fund.html", "https://example.com/a/index-fund.html"),
    ("https://example.com/A", "https://example.com/A"),
    ("https://example.com/%61", PAGE),
    ("https://example.com/caf%c3%a9", "https://example.com/caf%C3%A9"),
    ("https://example.com/café", "https://example.com/caf%C3%A9"),
    ("https://example.com/a b", "https://example.com/a%20b"),
    ("https://example.com/a%2Cb", "https://example.com/a,b"),
    ("https://example.com/a%2fb", "https://example.com/a%2Fb"),
    ("https://example.com/100%", "https://example.com/100%25"),
    ("https://example.com/a%E9", "https://example.com/a%E9"),
    ("https://example.com/a+b", "https://example.com/a+b"),
    ("https://example.com/a;jsessionid=0A1B2C", PAGE),
    ("https://example.com/a;JSESSIONID=0A1B2C?id=3", PAGE + "?id=3"),
    ("https://example.com/(S(ab1cd2ef3gh4ij5kl6mn7op8))/a", PAGE),
]
AMP = [
    ("https://example.com/a/amp", PAGE),
    ("https://example.com/a/amp/", PAGE),
    ("https://example.com/a/AMP/", PAGE),
    ("https://example.com/amp/a", PAGE),
    ("https://example.com/a.amp", PAGE),
    ("https://example.com/a.amp.html", "https://example.com/a.html"),
    ("https://example.com/a/index.amp.html", PAGE),
    ("https://example.com/a?amp=1", PAGE),
    ("https://example.com/a?amp", PAGE),
    ("https://example.com/a?outputType=amp", PAGE),
    ("https://example.com/a?output=amp", PAGE),
    ("https://example.com/a?output=print", PAGE + "?output=print"),
    ("https://www.bbc.com/news/amp/world-1", "https://bbc.com/news/world-1"),
    ("https://example.com/amp", "https://example.com/amp"),
    ("https://example.com/music/amp/b", "https://example.com/music/amp/b"),
    ("https://example.com/campaign", "https://example.com/campaign"),
    ("https://example.com/ampere", "https://example.com/ampere"),
]
QUERIES = [
    (PAGE + "?", PAGE),
    (PAGE + "?b=2&a=1", PAGE + "?a=1&b=2"),
    (PAGE + "?a=1&a=1", PAGE + "?a=1"),
    (PAGE + "?a=", PAGE + "?a"),
    (PAGE + "?a", PAGE + "?a"),
    (PAGE + "?&&=x&a=1&", PAGE + "?a=1"),
    (PAGE + "?q=x+y", PAGE + "?q=x%20y"),
    (PAGE + "?q=x%20y", PAGE + "?q=x%20y"),
    (PAGE + "?q=x%2by", PAGE + "?q=x%2By"),
    (PAGE + "?q=é", PAGE + "?q=%C3%A9"),
    (PAGE + "?q=a%2Fb", PAGE + "?q=a/b"),
    (PAGE + "?q=a=b", PAGE + "?q=a%3Db"),
    (PAGE + "?ID=3&id=2", PAGE + "?ID=3&id=2"),
    (PAGE + "?utm_source=x&utm_medium=y&id=3", PAGE + "?id=3"),
    (PAGE + "?UTM_Source=x", PAGE),
    (PAGE + "?utm%5Fsource=x", PAGE),
    (PAGE + "?fbclid=1&gclid=2&msclkid=3&mc_cid=4&_hsenc=5", PAGE),
    (PAGE + "?ref=home", PAGE),
    (PAGE + "?id=3&amp;utm_source=x&amp;b=1", PAGE + "?b=1&id=3"),
    (PAGE + "?id=3?utm_source=x", PAGE + "?id=3"),
    (PAGE + "?PHPSESSID=abc", PAGE),
    (PAGE + "?sid=0123456789abcdef0123456789abcdef", PAGE),
    (PAGE + "?sid=4711", PAGE + "?sid=4711"),
    (PAGE + "?source=rss", PAGE),
    (PAGE + "?from=public_rss&track=rss_latest", PAGE),
    (PAGE + "?source=ministry", PAGE + "?source=ministry"),
    (PAGE + "?mc=12", PAGE + "?mc=12"),
    ("https://example.com/?p=123", "https://example.com/?p=123"),
    ("https://example.com/news.php?story=9&xtor=RSS-1", "https://example.com/news.php?story=9"),
    ("https://www.nytimes.com/a.html?smid=tw-share&src=me", "https://nytimes.com/a.html"),
    ("https://example.com/a?mod=3", "https://example.com/a?mod=3"),
    ("https://www.wsj.com/a?mod=hp", "https://wsj.com/a"),
    ("https://jane.substack.com/p/a?r=1b&s=w", "https://jane.substack.com/p/a"),
    ("https://github.com/a/b?ref=main", "https://github.com/a/b?ref=main"),
    ("https://www.youtube.com/watch?v=abc&feature=share", "https://youtube.com/watch?v=abc"),
]
FRAGMENTS = [
    (PAGE + "#top", PAGE),
    (PAGE + "#", PAGE),
    (PAGE + "#:~:text=some%20words", PAGE),
    (PAGE + "#xtor=RSS-1", PAGE),
    (PAGE + "#!/story/7", PAGE + "#!/story/7"),
    (PAGE + "#/story/7:~:text=x", PAGE + "#/story/7"),
    (PAGE + "#!", PAGE),
    (PAGE + "?b=1#/", PAGE + "?b=1"),
]
HELD = "https://www.example.com/a?id=3&utm_source=x"
ENCODED = quote(HELD, safe="")
TOKEN = base64.urlsafe_b64encode(
    b"\x08\x13\x22" + bytes([len(HELD)]) + HELD.encode() + b"\xd2\x01\x00"
)
WRAPPERS = [
    f"https://www.google.com/url?sa=t&url={ENCODED}&usg=x",
    f"https://www.google.co.uk/url?q={ENCODED}",
    f"https://news.google.com/news/url?sa=t&url={ENCODED}",
    f"https://news.google.com/rss/articles/{TOKEN.decode().rstrip('=')}?oc=5",
    "https://www-example-com.cdn.ampproject.org/c/s/www.example.com/a?id=3",
    "https://www-example-com.cdn.ampproject.org/v/s/www.example.com/a/amp?id=3&amp_js_v=0.1",
    "https://cdn.ampproject.org/c/s/www.example.com/a?id=3",
    "https://www.google.com/amp/s/www.example.com/a%3Fid=3".replace("%3F", "?"),
    "https://www.bing.com/amp/s/www.example.com/a?id=3",
    "https://www-example-com.bing-amp.com/c/s/www.example.com/a?id=3",
    f"https://www.bing.com/news/apiclick.aspx?ref=x&url={ENCODED}",
    f"https://l.facebook.com/l.php?u={ENCODED}&h=AT0",
    f"https://lm.facebook.com/l.php?u={ENCODED}",
    f"https://out.reddit.com/t3_x?url={ENCODED}&token=y",
    f"https://t.umblr.com/redirect?z={ENCODED}&t=y",
    f"https://www.linkedin.com/safety/go?url={ENCODED}",
    f"https://nam02.safelinks.protection.outlook.com/?url={ENCODED}&data=x",
    f"https://duckduckgo.com/l/?uddg={ENCODED}&rut=x",
    f"https://slack-redir.net/link?url={ENCODED}",
    f"https://vk.com/away.php?to={ENCODED}",
    f"https://www.youtube.com/redirect?event=x&q={ENCODED}",
    f"https://web.archive.org/web/20200102030405/{HELD}",
    f"https://web.archive.org/web/20200102030405id_/{HELD}",
    "https://web.archive.org/web/2020/example.com/a?id=3",
    f"https://archive.ph/2020/{HELD}",
    f"https://r.search.yahoo.com/_ylt=A/RU={ENCODED}/RK=2/RS=x",
    f"https://urldefense.com/v3/__{HELD}__;!!x",
    "https://urldefense.proofpoint.com/v2/url?u=https-3A__www.example.com_a-3Fid-3D3&d=x",
    "https://webcache.googleusercontent.com/search?q=cache:AbC:https://example.com/a%3Fid%3D3+x",
    f"https://href.li/?{HELD}",
    f"https://l.facebook.com/l.php?u={quote(f'https://www.google.com/url?q={ENCODED}', safe='')}",
]


@pytest.mark.parametrize(
    ("url", "form"), SCHEME_AND_HOST + PATHS + AMP + QUERIES + FRAGMENTS, ids=repr
)
def test_an_address_has_one_form(url, form):
    assert canonical(url) == form
    assert canonical(form) == form


@pytest.mark.parametrize("url", WRAPPERS)
def test_what_is_wrapped_is_unwrapped(url):
    assert canonical(url) == "https://example.com/a?id=3"


@pytest.mark.parametrize(
    ("url", "form"),
    [
        (f"https://example.com/share?url={ENCODED}", None),
        ("https://www.google.com/url?q=storm", "https://google.com/url?q=storm"),
        ("https://news.google.com/rss/articles/CBMiAU_x?oc=5", None),
        ("https://youtu.be/abc?si=x", "https://youtube.com/watch?v=abc"),
        ("https://old.reddit.com/r/a/", "https://reddit.com/r/a"),
    ],
)
def test_what_holds_no_address_stays_itself(url, form):
    address = canonical(url)
    assert address is not None
    assert address != "https://example.com/a?id=3"
    assert form is None or address == form


def test_what_is_wrapped_too_deeply_is_no_address():
    assert canonical("https://web.archive.org/web/2020/" * 50 + PAGE) is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        " ",
        "a",
        "example",
        "ftp://example.com/a",
        "mailto:a@example.com",
        "javascript:void(0)",
        "/a/b",
        "https://",
        "https:///",
        "http://exa mple.com/",
        "http://a..b/",
        "http://example.com:99999/",
        "http://example.com:x/",
        "http://" + "a" * 300 + ".com/",
        "http://\ud800.com/",
        "http://[zz]/",
        "urn:isbn:1",
        "tag:example.com,2024:1",
    ],
)
def test_what_is_no_web_address_has_no_form(url):
    assert canonical(url) is None
    assert site(url) is None
    assert slug(url) == ""
    assert not is_home(url)


PIECES = st.sampled_from(
    [
        *"/?&=+%#:;.-~@[]()\\ \t\x00é。İß\ud800",
        *("http://", "https://", "//", "www.", "m.", "amp.", "/amp", ".amp", ".amp.html", "/s/"),
        *("/c/", "index.html", "..", ";jsessionid=", "%20", "%2F", "%41", "%3F", "&amp;", "#!"),
        *("#/", ":~:text=", "utm_source=x", "q=", "url=", "u=", "id=", "a", "Z", "1", ":80"),
        *("google.com", "l.facebook.com", "web.archive.org", "/web/2020/", "example.com"),
        *("cdn.ampproject.org", "bbc.co.uk", "news.google.com", "/articles/", "youtu.be"),
        *("old.reddit.com", "href.li", "urldefense.com", "/v3/__", "__;", "(S(0123456789abcdef))"),
    ]
)
ADDRESSES = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=12).map(lambda pieces: "https://" + "".join(pieces)),
    st.lists(PIECES, max_size=12).map(lambda pieces: "https://example.com/" + "".join(pieces)),
)


@given(ADDRESSES)
def test_the_form_of_a_form_is_itself(url):
    form = canonical(url)
    assert form is None or canonical(form) == form


@given(ADDRESSES)
def test_no_text_raises_and_every_form_can_be_encoded(url):
    form = canonical(url)
    assert (form or "").encode() == (form or "").encode()
    assert (site(url) is None) == (form is None)
    assert isinstance(is_home(url), bool)
    assert slug(url) == slug(form or "")
    for page in (None, url, PAGE):
        address = declared_address(page, url)
        assert address is None or canonical(address) == address


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=6), st.randoms())
def test_the_order_of_parameters_is_irrelevant(pairs, dice):
    pieces = [
        f"{quote(name, errors='replace')}={quote(value, errors='replace')}" for name, value in pairs
    ]
    shuffled = dice.sample(pieces, len(pieces))
    assert canonical(f"{PAGE}?{'&'.join(pieces)}") == canonical(f"{PAGE}?{'&'.join(shuffled)}")


@given(st.text("abcdefgh", min_size=1, max_size=8), st.sampled_from(sorted(tables.TRACKING)))
def test_tracking_changes_nothing(name, tracking):
    assert canonical(f"{PAGE}/{name}?{tracking}=x1") == canonical(f"{PAGE}/{name}")


def test_the_short_way_and_the_long_way_agree():
    for path in (
        "",
        "/a",
        "/a/",
        "/a.html",
        "/a/index.html",
        "/a.b/c-d_e~f",
        "/a/amp",
        "/.a",
        "/a.",
    ):
        for query in ("", "?id=3", "?utm_source=x", "?b=1&a="):
            short = f"https://www.example.com{path}{query}"
            assert canonical(short) == canonical(f" {short}#x"), short


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/" + "a" * 1_000_000,
        "https://example.com" + "/a" * 500_000,
        "https://example.com" + "/amp" * 250_000,
        "https://example.com" + "/index.html" * 90_000,
        "https://example.com/a" + ".amp" * 250_000,
        "https://example.com" + "/.." * 330_000,
        "https://example.com/" + "%41" * 330_000,
        "https://example.com/" + "é" * 1_000_000,
        "https://example.com/" + ";sid=" * 200_000,
        "https://example.com/" + "a-" * 500_000,
        "https://example.com/" + "2020-01-" * 120_000,
        "https://example.com/?" + "a=1&" * 250_000,
        "https://example.com/?" + "?utm_" * 200_000,
        "https://example.com/#!" + "%" * 1_000_000,
        "https://web.archive.org" + "/web/2020/http://web.archive.org" * 30_000,
        "https://www.google.com/url?q=" + "https://www.google.com/url?q=" * 30_000,
        "https://urldefense.com/v3/__" + "_" * 1_000_000,
        "https://r.search.yahoo.com" + "/RU=" * 250_000,
        "https://" + "www." * 250_000,
        "https://" + "é" * 1_000_000,
        "https://" + "@" * 1_000_000,
        " " * 1_000_000,
        "/" * 1_000_000,
    ],
    ids=lambda url: f"{url[:40]}...{url[-5:]}",
)
def test_an_address_of_a_megabyte_takes_no_longer_than_its_length(url):
    start = time.process_time()
    canonical(url)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "piece", ["a-", "a/", "2020/", "2020-01-", "0a", "~", "%41", "é", "tag/", "."]
)
def test_a_long_address_takes_no_longer_than_its_length_to_read(piece):
    url = "https://example.com/" + piece * (200_000 // len(piece))
    start = time.process_time()
    assert site(url) == "example.com"
    is_home(url)
    slug(url)
    declared_address(url, url)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://news.bbc.co.uk/1/hi", "bbc.co.uk"),
        ("https://www.example.com/a", "example.com"),
        ("https://jane.blogspot.com/a", "jane.blogspot.com"),
        ("https://jane.github.io/a", "jane.github.io"),
        ("https://jane.substack.com/p/a", "jane.substack.com"),
        ("https://github.io/", "github.io"),
        ("https://www.substack.com/", "substack.com"),
        ("http://192.0.2.7:81/a", "192.0.2.7"),
        ("http://[::1]:81/a", "[::1]"),
        ("http://localhost:81/a", "localhost"),
        ("https://www.paper.example/a", "paper.example"),
        ("https://l.facebook.com/l.php?u=https%3A%2F%2Fa.example.com%2Fb", "example.com"),
    ],
)
def test_a_site_is_a_registrable_domain(url, domain):
    assert site(url) == domain


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/index.html",
        "/en",
        "/en-GB/",
        "/news",
        "/news/world/",
        "/de/politik",
        "/?utm_source=x",
        "/?lang=en",
        "/amp",
        "/#top",
        "/Sport",
    ],
)
def test_a_home_page_or_section_names_no_article(path):
    assert is_home("https://example.com" + path)


@pytest.mark.parametrize(
    "path",
    [
        "/?p=123",
        "/news/storm-hits-coast",
        "/storm",
        "/news/12345",
        "/2024/05/01/storm",
        "/#!/story/7",
        "/news?id=3",
        "/3MugayH",
        "/news/world/europe/uk/us",
    ],
)
def test_an_article_is_not_home(path):
    assert not is_home("https://example.com" + path)


@pytest.mark.parametrize(
    ("url", "link", "form"),
    [
        ("https://m.example.com/a/storm?x=1", "https://www.example.com/a/storm", "/a/storm"),
        ("https://example.com/a/storm?x=1", "/a/storm", "/a/storm"),
        ("https://example.com/a/storm?x=1", "storm", "/a/storm"),
        ("https://example.com/a/storm", "//www.example.com/b", "/b"),
        (None, "https://example.com/a/storm", "/a/storm"),
        ("https://other.example/a", "https://example.com/a/storm", "/a/storm"),
        ("https://example.com/tag/storms", "https://example.com/tag/storms/", "/tag/storms"),
        ("https://example.com/news/world-1/page/2", "/news/world-1", "/news/world-1"),
        (None, "/a/storm", None),
        (None, None, None),
        ("https://example.com/a/storm", None, None),
        ("https://example.com/a/storm", " ", None),
        ("https://example.com/a/storm", "https://example.com/", None),
        ("https://example.com/a/storm", "https://example.com/news/", None),
        ("https://example.com/a/storm", "https://example.com/tag/storms", None),
        ("https://example.com/a/storm", "https://example.com/author/jane-doe", None),
        ("https://example.com/stories/storm-hits-coast", "https://example.com/stories", None),
        ("https://example.com/a/storm", "https://example.com/a/undefined", None),
        ("https://example.com/a/storm", "https://example.com/{{url}}", None),
        ("https://example.com/a/storm", "javascript:void(0)", None),
        ("https://example.com/a/storm", "http://[", None),
        ("http://[", "/a", None),
    ],
)
def test_a_declared_address_counts_where_it_can_be_the_page(url, link, form):
    assert declared_address(url, link) == (None if form is None else "https://example.com" + form)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/news/storm-hits-the-coast", "storm hits the coast"),
        ("/2024/05/01/chip-shortage-leaves-95k-vehicles.html", "chip shortage leaves 95k vehicles"),
        ("/news/storm-hits-coast-rcna118999", "storm hits coast"),
        ("/news/storm-hits-coast-12345678", "storm hits coast"),
        ("/news/2024-05-01/storm_hits_coast/index.html", "storm hits coast"),
        ("/storm-hits-coast-2024-05-01/", "storm hits coast"),
        (
            "/x/storm-hits-the-coast/2024/05/01/0ac28b76-55b5-11ed-ac8b-08bbfab1c5a5_story.html",
            "storm hits the coast",
        ),
        ("/~/724710564/0/topstories~Storm-hits-coast/", "storm hits coast"),
        ("/us-news/storm-hits-the-coast/comments", "storm hits the coast"),
        ("/news/caf%C3%A9-owner-wins", "café owner wins"),
        ("/news/海岸遭遇风暴", "海岸遭遇风暴"),
        ("/2024/05/01/dining/martini.html", "martini"),
        ("/sections/health-shots/2024/05/01/1111348722", ""),
        ("/news/12345", ""),
        ("/news", ""),
        ("/", ""),
        ("/?p=3", ""),
        ("/3MugayH", ""),
    ],
)
def test_a_slug_is_the_words_that_name_the_story(path, words):
    assert slug("https://example.com" + path) == words


def test_the_tables_are_in_lower_case_and_do_not_contradict_themselves():
    names = {*tables.TRACKING, *tables.TRACKING_STARTS, *tables.CHANNEL_NAMES, *tables.SESSIONS}
    names |= {*tables.CHANNELS, *tables.AMP_FORMATS, *tables.NOT_DROPPED}
    for rules in tables.SITE_RULES.values():
        assert not rules.dropped & rules.kept
        names |= {*rules.dropped, *rules.kept, *rules.starts}
    assert all(name == name.lower() for name in names)
    assert not tables.TRACKING & {*tables.NOT_DROPPED, "id", "p", "story", "article", "v"}
    assert all(canonical(f"{PAGE}?{name}=1") == f"{PAGE}?{name}=1" for name in tables.NOT_DROPPED)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (
            "http://www.example.com/a/storm",
            PageAddress("https://example.com/a/storm", "example.com", False),
        ),
        (
            "https://m.example.com/news/",
            PageAddress("https://example.com/news", "example.com", True),
        ),
        ("mailto:a@example.com", None),
    ],
)
def test_a_place_is_the_form_the_site_and_whether_it_is_a_home(url, found):
    assert page_address(url) == found
    assert canonical(url) == (found and found.form)
    assert (site(url), is_home(url)) == (found and found.site, bool(found and found.is_home))


def test_the_addresses_of_a_batch_are_what_each_is_alone():
    urls = [
        "",
        "https://m.example.com/news/",
        "https://youtu.be/Ab3",
        "http://a.example/a?b=1",
        "x",
    ]
    urls += [url for url, _ in SCHEME_AND_HOST]
    pages = page_addresses(urls)
    assert pages == list(map(page_address, urls))
    forms = [page.form for page in pages if page]
    assert slugs(forms) == list(map(slug, forms))
