"""Scrapy: a pipeline that says of each item what it is, and a filter by canonical addresses.

ITEM_PIPELINES = {"nearcopy.io.scrapy.NearcopyPipeline": 300}
DUPEFILTER_CLASS = "nearcopy.io.scrapy.CanonicalDupeFilter"
NEARCOPY_STORE = "sqlite:///seen.db"
"""

from hashlib import sha1
from typing import Any, Protocol

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.dupefilters import RFPDupeFilter
from scrapy.exceptions import DropItem
from scrapy.utils.request import RequestFingerprinter

from nearcopy.config import POLICIES, RECIPES
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle, BadPolicy
from nearcopy.extract.urls import canonical
from nearcopy.io.streams.messages import Kind, Message, Outcome, outcome_row
from nearcopy.io.streams.parse import article_from
from nearcopy.io.streams.process import process_articles

STORE = "sqlite:///nearcopy.db"
FIELD = "nearcopy"


class NearcopyPipeline:
    """Puts the verdict into a field of each item; drops duplicates only where NEARCOPY_DROP is on.

    Items are articles with the fields that files have: title, text, url, published and so on. One
    without an id is known by its url.
    """

    def __init__(self, deduper: Deduper, crawler: Crawler) -> None:
        settings = crawler.settings
        self._deduper, self._crawler = deduper, crawler
        self._field = settings.get("NEARCOPY_FIELD", FIELD)
        self._drop = settings.getbool("NEARCOPY_DROP", False)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "NearcopyPipeline":
        """The pipeline as the settings of the crawl ask for it."""
        settings = crawler.settings
        preset = settings.get("NEARCOPY_PRESET")
        if preset is not None and preset not in POLICIES:
            raise BadPolicy(f"NEARCOPY_PRESET is {preset!r}: choose one of {', '.join(POLICIES)}")
        store = settings.get("NEARCOPY_STORE", STORE)
        recipe = RECIPES[preset] if preset else None
        policy = POLICIES[preset or "default"]
        return cls(Deduper(store, recipe, policy, pool=settings.get("NEARCOPY_POOL")), crawler)

    def close_spider(self) -> None:
        """Let go of the store."""
        self._deduper.close()

    def process_item(self, item: Any) -> Any:
        """The item with its verdict."""
        adapter = ItemAdapter(item)
        (outcome,) = process_articles(self._deduper, [_read(adapter, self._field)])
        self._count(outcome)
        if self._drop and outcome.verdict is not None and outcome.kind is Kind.DUPLICATE:
            verdict = outcome.verdict
            raise DropItem(f"duplicate of {verdict.duplicate_of} ({verdict.rule})")
        if self._drop and outcome.repeated:
            raise DropItem(f"{outcome.message.place} is there already, unchanged")
        adapter[self._field] = _annotation(outcome)
        return item

    def _count(self, outcome: Outcome) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"nearcopy/{outcome.kind}")
            if outcome.repeated:
                self._crawler.stats.inc_value("nearcopy/again")


def _read(adapter: ItemAdapter, field: str) -> Outcome:
    values = {name: value for name, value in adapter.asdict().items() if name != field}
    name = str(values.get("url") or values.get("link") or "")
    message = Message(name or "item", b"")
    try:
        if not name and not values.get("id"):
            raise BadArticle("neither an id nor a url: an item needs one of them")
        return Outcome(message, article_from(values, name or str(values["id"])))
    except BadArticle as exc:
        return Outcome(message, why=str(exc))


def _annotation(outcome: Outcome) -> dict[str, Any]:
    row = outcome_row(outcome)
    return {"error": outcome.why} if outcome.verdict is None else row


class Fingerprinter(Protocol):
    """What knows a request again."""

    def fingerprint(self, request: Request) -> bytes:
        """The same for requests that are the same."""


class CanonicalFingerprinter:
    """Knows requests by the canonical addresses of their pages, where they only get them."""

    def __init__(self, otherwise: Fingerprinter | None = None) -> None:
        self._otherwise = otherwise or RequestFingerprinter()

    def fingerprint(self, request: Request) -> bytes:
        """The same for all spellings of an address."""
        page = canonical(request.url) if request.method == "GET" and not request.body else None
        if page is None:
            return self._otherwise.fingerprint(request)
        return sha1(page.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


class CanonicalDupeFilter(RFPDupeFilter):
    """Leaves out requests for a page that was asked for at another spelling of its address."""

    def __init__(
        self,
        path: str | None = None,
        debug: bool = False,
        *,
        fingerprinter: Fingerprinter | None = None,
    ) -> None:
        super().__init__(path, debug, fingerprinter=CanonicalFingerprinter(fingerprinter))
