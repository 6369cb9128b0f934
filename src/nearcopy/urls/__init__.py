"""Addresses: one form per page, and what an address says about its page. Nothing is fetched."""

from nearcopy.urls.address import canonical
from nearcopy.urls.story import declared, is_home, site, slug

__all__ = ["canonical", "declared", "is_home", "site", "slug"]
