"""The Scrapy pipeline and filter, under the name that settings of projects use."""

from nearcopy.io.scrapy import *  # noqa: F403
