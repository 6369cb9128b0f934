"""Scrapy: an item pipeline that adds verdicts, and a dupe filter by canonical URL.

ITEM_PIPELINES = {"nearcopy.scrapy.NearcopyPipeline": 300}
DUPEFILTER_CLASS = "nearcopy.scrapy.CanonicalDupeFilter"
NEARCOPY_STORE = "sqlite:///seen.db"
"""

from hashlib import sha1
from typing import TYPE_CHECKING, Any

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
from nearcopy.io.streams.consumer import article_from, process_articles
from nearcopy.io.streams.messages import Kind, Message, Outcome, outcome_row

if TYPE_CHECKING:
    from scrapy.utils.request import RequestFingerprinterProtocol

STORE = "sqlite:///nearcopy.db"
FIELD = "nearcopy"


class NearcopyPipeline:
    """Adds the verdict to each item; drops duplicates only if NEARCOPY_DROP is set.

    Items are articles with the fields of files: title, text, url, published and so on. One without
    an id is identified by its URL.
    """

    def __init__(self, deduper: Deduper, crawler: Crawler) -> None:
        settings = crawler.settings
        self._deduper, self._crawler = deduper, crawler
        self._field = settings.get("NEARCOPY_FIELD", FIELD)
        self._drop = settings.getbool("NEARCOPY_DROP", False)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "NearcopyPipeline":
        """The pipeline for the settings of the crawler."""
        settings = crawler.settings
        preset = settings.get("NEARCOPY_PRESET")
        if preset is not None and preset not in POLICIES:
            raise BadPolicy(f"NEARCOPY_PRESET is {preset!r}: choose one of {', '.join(POLICIES)}")
        store = settings.get("NEARCOPY_STORE", STORE)
        recipe = RECIPES[preset] if preset else None
        policy = POLICIES[preset or "default"]
        return cls(Deduper(store, recipe, policy, pool=settings.get("NEARCOPY_POOL")), crawler)

    def close_spider(self) -> None:
        """Close the store."""
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
            raise DropItem(f"{outcome.message.place} is already stored, unchanged")
        failed = outcome.verdict is None
        adapter[self._field] = {"error": outcome.why} if failed else outcome_row(outcome)
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
            raise BadArticle("an item needs an id or a url")
        return Outcome(message, article_from(values, name or str(values["id"])))
    except BadArticle as exc:
        return Outcome(message, why=str(exc))


class CanonicalFingerprinter:
    """Fingerprints GET requests by the canonical URL of the page."""

    def __init__(self, fallback: "RequestFingerprinterProtocol | None" = None) -> None:
        self._fallback = fallback or RequestFingerprinter()

    def fingerprint(self, request: Request) -> bytes:
        """The same for all spellings of a URL."""
        page = canonical(request.url) if request.method == "GET" and not request.body else None
        if page is None:
            return self._fallback.fingerprint(request)
        return sha1(page.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


class CanonicalDupeFilter(RFPDupeFilter):
    """Filters requests for pages that were requested at another spelling of their URL."""

    def __init__(
        self,
        path: str | None = None,
        debug: bool = False,
        *,
        fingerprinter: "RequestFingerprinterProtocol | None" = None,
    ) -> None:
        super().__init__(path, debug, fingerprinter=CanonicalFingerprinter(fingerprinter))
