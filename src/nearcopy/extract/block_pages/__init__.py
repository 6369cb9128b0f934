"""Pages that are no article: block pages, consent walls, paywalls, error pages, site boilerplate.

`detect` decides by the phrases of notices in `phrases.toml`, or by one text under many titles.
"""

from nearcopy.extract.block_pages.detect import (
    block_page_reason,
    find_repeated_texts,
    mark_repeated_texts,
)

__all__ = ["block_page_reason", "find_repeated_texts", "mark_repeated_texts"]
