"""News agencies by their spellings and sites, which `names.toml` lists."""

import re
from functools import lru_cache

from nearcopy.extract.urls import site
from nearcopy.extract.word_lists import load_word_lists, words

_LISTS = load_word_lists(__package__, "names.toml")
AGENCIES: str = _LISTS["agencies"]
NOT_DATELINES = words(_LISTS["not_datelines"])
ONLY_BRACKETED = words(_LISTS["only_bracketed"])
LONGEST = 40
# Agencies that are not in the table, recognised in datelines: "Meridian Wire".
UNLISTED_AGENCY = re.compile(
    r"(?:[^\W\d_a-zа-я][\w'.&-]{0,20}+ ){1,3}"
    r"(?:Wire|Newswire|News Agency|News Service|Press Agency)"
)


def _lines() -> list[list[list[str]]]:
    return [
        [[part.strip() for part in cell.split(",")] for cell in line.split("|")]
        for line in AGENCIES.strip().splitlines()
    ]


@lru_cache(maxsize=1)
def _forms() -> dict[str, str]:
    return {form: name for (name,), forms, _ in _lines() for form in forms}


@lru_cache(maxsize=1)
def _sites() -> dict[str, str]:
    return {host: name for (name,), _, sites in _lines() for host in sites if host}


def agency(called: str) -> str | None:
    """The agency with this spelling; None if there is none.

    >>> agency("The Associated Press"), agency("REUTERS"), agency("spa"), agency("واس")
    ('Associated Press', 'Reuters', None, 'SPA')
    """
    if len(called) > LONGEST:
        return None
    forms = _forms()
    return forms.get(called) or forms.get(called.lower())


@lru_cache(maxsize=4096)
def agency_of(source: str) -> str | None:
    """The agency that a source is, by its name or its site.

    >>> agency_of("reuters"), agency_of("www.apnews.com"), agency_of("harbourtimes.example")
    ('Reuters', 'Associated Press', None)
    """
    host = site("//" + source) if "." in source and " " not in source else None
    return _sites().get(host or "") or agency(source.strip()) or agency(source.strip().upper())


@lru_cache(maxsize=1)
def spelled_out() -> tuple[str, ...]:
    """The unambiguous spellings: two words or more, in lower case."""
    return tuple(form for form in _forms() if " " in form and form.islower() and len(form) > 10)
