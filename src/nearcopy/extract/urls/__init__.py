"""URLs: the canonical form of a page, and what a URL says about its page. Nothing is fetched.

`canonical` combines the rules of `parts`, `tracking_parameters` and `redirect_wrappers`;
`page_kind` distinguishes articles from home pages and reads the slug.
"""

from nearcopy.extract.urls.canonical import canonical
from nearcopy.extract.urls.page_kind import (
    PageAddress,
    declared_address,
    is_home,
    page_address,
    page_addresses,
    site,
    slug,
    slugs,
)

__all__ = [
    "PageAddress",
    "canonical",
    "declared_address",
    "is_home",
    "page_address",
    "page_addresses",
    "site",
    "slug",
    "slugs",
]
