"""Addresses: one form per page, and what an address says about its page. Nothing is fetched."""

from nearcopy.extract.urls.canonical import canonical
from nearcopy.extract.urls.page_kind import Place, declared, is_home, place, site, slug

__all__ = ["Place", "canonical", "declared", "is_home", "place", "site", "slug"]
