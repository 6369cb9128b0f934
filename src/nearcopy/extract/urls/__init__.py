"""Addresses: one form per page, and what an address says about its page. Nothing is fetched."""

from nearcopy.extract.urls.canonical import canonical
from nearcopy.extract.urls.page_kind import (
    PageAddress,
    declared_address,
    is_home,
    page_address,
    site,
    slug,
)

__all__ = [
    "PageAddress",
    "canonical",
    "declared_address",
    "is_home",
    "page_address",
    "site",
    "slug",
]
