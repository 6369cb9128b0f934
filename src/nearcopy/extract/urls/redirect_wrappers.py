"""Redirect wrappers: URLs that contain another one, such as archives and mail gateways."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from nearcopy.extract.urls.parts import Parts
from nearcopy.extract.urls.tracking_parameters import parameters
from nearcopy.extract.word_lists import load_word_lists, words

Reader = Callable[[Parts], Iterator[str]]
_IN_PATH = re.compile(r"https?:/", re.IGNORECASE)
_IN_PATH_ENCODED = re.compile(r"https?%3A%2F", re.IGNORECASE)
_IN_TOKEN = re.compile(rb"https?://[!-~]+")
_AMP_CACHE = re.compile(r"/+(?:amp|[a-z]{1,2})/(?:s/)?+(?=[^/]+\.)")
_ARCHIVED = re.compile(r"/web/[0-9*]{1,14}(?:[a-z]{2}_)?/(?=[^/]+\.)")
_YAHOO = re.compile(r"/RU=([^/]+)/")
_DEFENDED = re.compile(r"/v3/__(.+?)__;")


def wrapped_urls(parts: Parts) -> Iterator[str]:
    """The possible URLs in a wrapper, the likeliest first."""
    read = _reader_of(parts.host)
    return read(parts) if read else iter(())


def is_wrapper(host: str) -> bool:
    """Whether URLs of this host may wrap others."""
    return _reader_of(host) is not None


@lru_cache(maxsize=1 << 14)
def _reader_of(host: str) -> Reader | None:
    """The reader of the wrappers of a host, by its name or its parent domain."""
    if host in READERS:
        return READERS[host]
    if host.startswith("google."):
        return _google
    _, _, parent = host.partition(".")
    return SUBDOMAIN_READERS.get(parent)


def _in_parameters(*names: str, path: str | tuple[str, ...] = "") -> Reader:
    """A reader of the parameters so called, under a path."""

    def read(parts: Parts) -> Iterator[str]:
        if parts.path.startswith(path):
            query = sorted(parameters(parts.query))
            for name in names:
                yield from (
                    unquote(parameter.value) for parameter in query if parameter.name == name
                )

    return read


def _in_path(parts: Parts) -> Iterator[str]:
    """The address after this one in the same path: web.archive.org/web/2020/http://..."""
    match = _IN_PATH.search(parts.path)
    if match:
        yield _with_query(parts.path[match.start() :], parts)
    encoded = _IN_PATH_ENCODED.search(parts.path)
    if encoded:
        yield unquote(parts.path[encoded.start() :])


def _archive(parts: Parts) -> Iterator[str]:
    """/web/2020id_/https://example.com/a, or without a scheme."""
    yield from _in_path(parts)
    match = _ARCHIVED.match(parts.path)
    if match:
        yield "https://" + _with_query(parts.path[match.end() :], parts)


def _amp_cache(parts: Parts) -> Iterator[str]:
    """The address in an AMP cache or viewer: /c/s/example.com/a, /amp/s/example.com/a."""
    match = _AMP_CACHE.match(parts.path)
    if match:
        yield "https://" + _with_query(parts.path[match.end() :], parts)


def _google(parts: Parts) -> Iterator[str]:
    yield from _amp_cache(parts) if parts.path.startswith("/amp/") else ()
    yield from _in_parameters("q", "url", path="/url")(parts)


def _google_news(parts: Parts) -> Iterator[str]:
    yield from _in_parameters("url")(parts)
    token = parts.path.rstrip("/").rpartition("/")[2]
    if "/articles/" in parts.path or "/read/" in parts.path:
        yield from _in_token(token)


def _bing(parts: Parts) -> Iterator[str]:
    yield from _amp_cache(parts) if parts.path.startswith("/amp/") else ()
    yield from _in_parameters("url", path="/news/apiclick.aspx")(parts)
    for value in _in_parameters("u", path="/ck/")(parts):
        yield from _in_token(value.removeprefix("a1"))


def _in_token(token: str) -> Iterator[str]:
    """The first URL in a base64 token."""
    try:
        content = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        return
    match = _IN_TOKEN.search(content)
    if match:
        yield match[0].decode("ascii")


def _web_cache(parts: Parts) -> Iterator[str]:
    """cache:ID:example.com/a, or cache:https://example.com/a."""
    for value in _in_parameters("q")(parts):
        if value.startswith("cache:"):
            held = value.removeprefix("cache:")
            match = _IN_PATH.search(held)
            address = held[match.start() :] if match else "https://" + held.rpartition(":")[2]
            yield address.partition(" ")[0]


def _yahoo(parts: Parts) -> Iterator[str]:
    match = _YAHOO.search(parts.path)
    if match:
        yield unquote(match[1])


def _defence(parts: Parts) -> Iterator[str]:
    """Mail gateways: /v3/__https://example.com/a__;token, /v2/url?u=https-3A__example.com_a."""
    match = _DEFENDED.match(_with_query(parts.path, parts))
    if match:
        yield match[1]
    for value in _in_parameters("u", path="/v2/url")(parts):
        yield unquote(value.replace("-", "%").replace("_", "/"))


def _whole_query(parts: Parts) -> Iterator[str]:
    yield unquote(parts.query)


def _short_video(parts: Parts) -> Iterator[str]:
    """youtu.be/ID is youtube.com/watch?v=ID."""
    name = parts.path.strip("/")
    if name and "/" not in name:
        yield f"https://youtube.com/watch?v={name}&{parts.query}"


def _reddit(parts: Parts) -> Iterator[str]:
    yield "https://reddit.com" + _with_query(parts.path, parts)


def _with_query(path: str, parts: Parts) -> str:
    return f"{path}?{parts.query}" if parts.query else path


def _readers() -> dict[str, Reader]:
    """The reader of each host that `redirect_wrappers.toml` lists."""
    listed = load_word_lists(__package__, "redirect_wrappers.toml")
    readers: dict[str, Reader] = dict.fromkeys(words(listed["in_path"]), _in_path)
    for host, entry in listed["in_parameters"].items():
        paths = tuple(word for word in entry.split() if word.startswith("/"))
        names = (word for word in entry.split() if word not in paths)
        readers[host] = _in_parameters(*names, path=paths or ("",))
    return readers


READERS: dict[str, Reader] = _readers() | {
    "bing.com": _bing,
    "href.li": _whole_query,
    "news.google.com": _google_news,
    "np.reddit.com": _reddit,
    "new.reddit.com": _reddit,
    "old.reddit.com": _reddit,
    "r.search.yahoo.com": _yahoo,
    "urldefense.com": _defence,
    "urldefense.proofpoint.com": _defence,
    "web.archive.org": _archive,
    "webcache.googleusercontent.com": _web_cache,
    "youtu.be": _short_video,
}
SUBDOMAIN_READERS: dict[str, Reader] = {
    "ampproject.org": _amp_cache,
    "bing-amp.com": _amp_cache,
    "cdn.ampproject.org": _amp_cache,
    "safelinks.protection.outlook.com": _in_parameters("url"),
}
