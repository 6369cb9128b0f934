"""What a URL says about its page: its site, whether it is an article or a home page, its slug."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from nearcopy.extract.urls.canonical import ADDRESSES, canonical, plain_host
from nearcopy.extract.urls.parts import SCHEME, host_of, site_of
from nearcopy.extract.word_lists import load_word_lists, words
from nearcopy.kernels.reference.addresses import CleanAddress, decoded_segments

_LISTS = load_word_lists(__package__, "word_lists.toml")
LISTINGS = words(_LISTS["listings"])
PLACEHOLDERS = frozenset(_LISTS["placeholders"])
EDITION_PARAMETERS = words(_LISTS["edition_parameters"]) | {""}


def site(url: str) -> str | None:
    """The registrable domain of an address; an IP or a lone name is a site of its own.

    >>> site("https://news.bbc.co.uk/1"), site("https://a.blogspot.com"), site("http://10.0.0.1/x")
    ('bbc.co.uk', 'a.blogspot.com', '10.0.0.1')
    """
    address = page_address(url)
    return address.site if address else None


class PageAddress(NamedTuple):
    """The canonical form of a URL, its site, and whether it is a home or section page."""

    form: str
    site: str
    is_home: bool


def page_address(url: str) -> PageAddress | None:
    """The canonical form, site and kind of a URL, or None if it is no web address.

    >>> page_address("http://www.example.com/news/?utm_source=x")
    PageAddress(form='https://example.com/news', site='example.com', is_home=True)
    """
    form = canonical(url)
    if form is None:
        return None
    # Half of the time of three arguments.
    return tuple.__new__(PageAddress, (form, site_of(host_of(form)), _is_home_page(form)))


def page_addresses(urls: Sequence[str]) -> list[PageAddress | None]:
    """The canonical form, site and kind of each URL, or None if it is no web address."""
    return [
        (_clean_page(clean) if clean else None) or page_address(url)
        for url, clean in zip(urls, ADDRESSES.read(urls), strict=True)
    ]


def _clean_page(clean: CleanAddress) -> PageAddress | None:
    """The address of a clean URL, or None if it may be a wrapper."""
    host = plain_host(clean[0])
    if host is None:
        return None
    return tuple.__new__(PageAddress, (SCHEME + host + clean[1], site_of(host), clean[2]))


def is_home(url: str) -> bool:
    """Whether a URL is that of a home page or a section.

    >>> is_home("https://example.com/news/"), is_home("https://example.com/news/storm-hits-coast")
    (True, False)
    """
    address = page_address(url)
    return address is not None and address.is_home


def declared_address(url: str | None, rel_canonical: str | None) -> str | None:
    """The canonical form of the rel=canonical link of a page, or None if it is implausible.

    >>> declared_address("https://m.example.com/a/storm?x=1", "/a/storm")
    'https://example.com/a/storm'
    >>> declared_address("https://example.com/a/storm", "https://example.com/")
    """
    form = canonical(_resolve_link(url, rel_canonical or ""))
    if form is None or _is_home_page(form):
        return None
    page = canonical(url or "")
    return form if form == page or not _is_listing(form, page) else None


def slug(url: str) -> str:
    """The words of a URL that name the story, or "" if there are none.

    >>> slug("https://example.com/2024/05/01/caf%C3%A9-owner-wins-95k-prize-20240501.html")
    'café owner wins 95k prize'
    """
    form = canonical(url)
    return slugs([form])[0] if form else ""


def slugs(forms: Sequence[str]) -> list[str]:
    """The words of each canonical URL that name the story, or "" if there are none."""
    return ADDRESSES.slugs(forms)


def _resolve_link(url: str | None, link: str) -> str:
    """The link as seen from the page."""
    link = link.strip()
    if not link or not url or canonical(link):
        return link
    try:
        return urljoin(url.strip(), link)
    except ValueError:
        return ""


def _is_home_page(form: str) -> bool:
    address, _, query = form.partition("?")
    if "#" in form or any(
        part.partition("=")[0] not in EDITION_PARAMETERS for part in query.split("&")
    ):
        return False
    segments = [part.lower() for part in address.split("/")[3:] if part]
    return ADDRESSES.are_sections(segments)


def _is_listing(form: str, page: str | None) -> bool:
    """Whether a URL lists articles, or is a parent of the page without a slug."""
    segments = [segment.lower() for segment in decoded_segments(form)]
    if any(segment in LISTINGS for segment in segments[:-1]) or segments[-1:] == ["search"]:
        return True
    if not segments or segments[-1] in PLACEHOLDERS or "{{" in segments[-1]:
        return True
    above = page is not None and page.startswith(form + "/")
    return above and not slug(form) and not any(segment.isdigit() for segment in form)
