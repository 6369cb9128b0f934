"""Canonical addresses: how fast, whether pages stay apart, and which tracking is overlooked.

`python benchmarks/addresses.py` lists every parameter that others drop everywhere and we neither
drop nor keep on purpose.
"""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import corpora
from context import Context
from nearcopy.extract.urls import canonical
from nearcopy.extract.urls.tracking_parameters import NOT_DROPPED
from results import Bar, Measurement, Work, rate
from timing import one_core, timed

ADDRESSES = corpora.DATA / "news-urls" / "urls.txt.gz"
RULES = corpora.DATA / "url-rules"
EVERYWHERE = "*://*/*"
NEWS_SITES = re.findall(
    r"\S+",
    "aktualne.cz arstechnica.com bbc.com bloomberg.com bloomberglaw.com cbsnews.com cnbc.com"
    " cnet.com cnn.com diepresse.com eonline.com europe1.fr faei.cz forbes.com ft.com"
    " gamespot.com hackernoon.com hbr.org hs.fi huffingtonpost.it ilsecoloxix.it"
    " iprima.cz lastampa.it limesonline.com marketscreener.com"
    " medium.com metro.co.uk msn.com newyorker.com nikkei.com nova.cz novinky.cz nytimes.com"
    " onet.pl pitchfork.com prvnizpravy.cz radio-canada.ca reddit.com respekt.cz reuters.com"
    " seznamzpravy.cz sohu.com techcrunch.com teletrader.com theguardian.com therecord.media"
    " thetimes.co.uk tweakers.net vanityfair.com vogue.com"
    " washingtonpost.com wired.co.uk wired.com wsj.com yle.fi youtube.com",
)
TAIL = "?utm_source=rss&utm_medium=feed&id=3&fbclid=abcdef"
MOST_SAMPLES = 256


def addresses(context: Context) -> Iterator[Measurement]:
    """Addresses a second on one core, pages merged, and parameters overlooked."""
    if not ADDRESSES.exists():
        context.say(f"no addresses in {ADDRESSES.parent}: not measured")
        return
    urls = given()
    yield _speed("clean", "addresses of news", urls, 200_000, context.sizes.rounds)
    tracked = [address + TAIL for address in urls]
    yield _speed("query", "addresses with a query", tracked, 60_000, context.sizes.rounds)
    groups = merged(urls)
    yield Measurement(
        "addresses/merged",
        "addresses merged for more than scheme, www or index file",
        "groups",
        sum(not _differ_in_form_only(group) for group in groups),
        bar=Bar("<=", 0),
        note=f"{len(urls):,} addresses, {len(groups)} groups in all",
        details={"groups": groups},
    )
    if RULES.is_dir():
        yield _absence("everywhere", "on every site", overlooked())
        yield _absence("news", "on one news site", overlooked_on_news_sites())


def given() -> list[str]:
    """The addresses of real news stories."""
    with gzip.open(ADDRESSES, "rt", encoding="utf-8") as lines:
        return lines.read().splitlines()


def merged(found: list[str]) -> list[list[str]]:
    """The addresses that share their canonical form with others."""
    forms = [canonical(address) for address in found]
    shared = {form for form, count in Counter(forms).items() if count > 1}
    groups: dict[str | None, list[str]] = {form: [] for form in shared}
    for address, form in zip(found, forms, strict=True):
        if form in shared:
            groups[form].append(address)
    return sorted(groups.values())


def overlooked() -> list[str]:
    """Names that others drop on every site, and that we neither drop nor keep on purpose."""
    names = sorted(set(dropped_by_others()))
    left = [name for name in names if _survives(name, "example.com")]
    return [name for name in left if name.lower().removeprefix("%3f") not in NOT_DROPPED]


def overlooked_on_news_sites() -> list[str]:
    """The same for what others drop on one news site only, as "site name"."""
    parameters = {(domain, name) for domain in NEWS_SITES for name in dropped_there(domain)}
    return [f"{domain} {name}" for domain, name in sorted(parameters) if _survives(name, domain)]


def dropped_there(domain: str) -> Iterator[str]:
    """All names that others drop on this site, patterns by samples."""
    address = f"https://www.{domain}/a?b=c"
    for entry in _read(RULES / "query-filter.json") + _read(RULES / "clean-urls.json"):
        if any(_covers(pattern, domain) for pattern in entry["include"]):
            yield from entry["params"]
    for name, provider in _read(RULES / "clearurls.json")["providers"].items():
        if name != "globalRules" and re.match(provider["urlPattern"], address):
            for pattern in provider.get("rules", []):
                yield from samples(pattern)


def dropped_by_others() -> Iterator[str]:
    """All names in the lists of others that hold for every site, patterns by samples."""
    for name in ("query-filter.json", "clean-urls.json"):
        for entry in _read(RULES / name):
            if EVERYWHERE in entry["include"]:
                yield from entry["params"]
    rules = _read(RULES / "clearurls.json")["providers"]["globalRules"]
    for pattern in rules["rules"] + rules["referralMarketing"]:
        yield from samples(pattern)


def samples(pattern: str) -> list[str]:
    """Some strings that a regular expression matches, every alternative among them.

    >>> samples("(?:x_)?[ab]c")
    ['ac', 'bc', 'x_ac', 'x_bc']
    """
    return sorted(set(islice(_strings(re._parser.parse(pattern)), MOST_SAMPLES)))  # type: ignore[attr-defined]


def _strings(tree: Any) -> Iterator[str]:
    for pieces in product(*(_of_node(str(kind), value) for kind, value in tree)):
        yield "".join(pieces)


def _of_node(kind: str, value: Any) -> list[str]:
    """The samples of one node: characters, a choice, a group or a repetition."""
    if kind == "LITERAL":
        return [chr(value)]
    if kind in ("CATEGORY", "ANY"):
        return ["7"]
    if kind == "RANGE":
        return [chr(code) for code in range(value[0], value[1] + 1)]
    if kind == "IN":
        return [sample for item in value for sample in _of_node(str(item[0]), item[1])]
    if kind == "BRANCH":
        return [sample for tree in value[1] for sample in _strings(tree)]
    if kind == "SUBPATTERN":
        return list(_strings(value[-1]))
    if kind == "MAX_REPEAT":
        least, most, tree = value
        once = list(_strings(tree))
        more = [sample * 3 for sample in once[::9]] if most > 1 else []
        return ([""] if least == 0 else []) + once + more
    raise ValueError(f"no samples for {kind}")


def _survives(name: str, domain: str) -> bool:
    return canonical(f"https://{domain}/a?{name}=1b2") != f"https://{domain}/a"


def _covers(pattern: str, domain: str) -> bool:
    """Whether a pattern such as "*://*.example.com/*" is for this very domain."""
    host = pattern.partition("://")[2].partition("/")[0]
    return host.removeprefix("*.").removeprefix("www.") == domain


def _speed(name: str, title: str, found: list[str], least: float, rounds: int) -> Measurement:
    """Our rate over distinct addresses, so that nothing but hosts is ever remembered."""
    with one_core():
        timings = [timed(lambda: [canonical(address) for address in found]) for _ in range(rounds)]
    work = Work(f"addresses/{name}", f"canonical, {title}", "addresses/s", len(found))
    return rate(work, timings, bar=Bar(">=", least))


def _absence(name: str, where: str, missed: list[str]) -> Measurement:
    """How many names are overlooked, which should be none."""
    return Measurement(
        f"addresses/overlooked/{name}",
        f"tracking parameters overlooked that others drop {where}",
        "names",
        len(missed),
        bar=Bar("<=", 0),
        details={"names": missed} if missed else {},
    )


def _differ_in_form_only(group: list[str]) -> bool:
    """Whether they are one but for scheme, www, index file and the last slash."""
    plain = (re.sub(r"^https?://(www\.)?", "", address) for address in group)
    return len({address.removesuffix("index.html").removesuffix("/") for address in plain}) == 1


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def main() -> int:
    """Name what is overlooked, and the pages that became one."""
    if not RULES.is_dir():
        print(f"no lists in {RULES}: nothing to compare with")
        return 0
    missed = overlooked() + overlooked_on_news_sites()
    print(f"{len(set(dropped_by_others())):,} names, {len(missed)} overlooked", *missed, sep="\n")
    for group in merged(given()) if ADDRESSES.exists() else []:
        print("one page:", *group)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
