"""A Scrapy crawl that marks duplicates: python examples/spider.py http://localhost:8000/ seen.db"""

import sys

import scrapy
from scrapy.crawler import CrawlerProcess

if len(sys.argv) != 3:
    sys.exit(__doc__)


class Pages(scrapy.Spider):
    """All pages that the first one links to."""

    name = "pages"
    start_urls = sys.argv[1:2]

    def parse(self, response):
        """Follow the links."""
        yield from response.follow_all(css="a", callback=self.parse_page)

    def parse_page(self, response):
        """The page as an item; the pipeline adds the field nearcopy with the verdict."""
        text = " ".join(response.css("p::text").getall())
        yield {"url": response.url, "title": response.css("h1::text").get(), "text": text}


settings = {
    "ITEM_PIPELINES": {"nearcopy.scrapy.NearcopyPipeline": 300},
    "DUPEFILTER_CLASS": "nearcopy.scrapy.CanonicalDupeFilter",
    "NEARCOPY_STORE": f"sqlite:///{sys.argv[2]}",
    "FEEDS": {"stdout:": {"format": "jsonlines"}},
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
}
process = CrawlerProcess(settings)
process.crawl(Pages)
process.start()
