"""Addresses: one form per page, and what an address says about its page. Nothing is fetched."""

from nearcopy.urls.address import canonical
from nearcopy.urls.story import Place, declared, is_home, place, site, slug

__all__ = ["Place", "canonical", "declared", "is_home", "place", "site", "slug"]
