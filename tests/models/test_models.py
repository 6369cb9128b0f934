"""Models are validated on construction, and every measurement is documented."""

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from nearcopy import Article, BadArticle, Evidence, NearcopyError
from nearcopy.models import MEASUREMENTS

BAD = [
    ({"id": ""}, "id is empty"),
    ({"id": 7}, "id must be str, got int"),
    ({"id": "a", "text": None}, "text must be str, got NoneType"),
    ({"id": "a", "text": b"x"}, "text must be str, got bytes"),
    ({"id": "a", "title": 3}, "title must be str"),
    ({"id": "a", "html": "yes"}, "html must be bool"),
    ({"id": "a", "url": 1}, "url must be str or None"),
    ({"id": "a", "published": "2026-01-01"}, "published must be datetime or None, got str"),
    ({"id": "a", "published": datetime(2026, 1, 1)}, "without a time zone: make it aware"),
    ({"id": "a", "seen": 1767225600}, "seen must be datetime or None, got int"),
    ({"id": "a", "seen": datetime(2026, 1, 1)}, "seen is 2026-01-01T00:00:00 without a time zone"),
    ({"id": "a", "tier": "gold"}, "tier must be int or None"),
]


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_a_bad_article_says_what_is_wrong(fields, message):
    with pytest.raises(BadArticle, match=message) as raised:
        Article(**fields)
    assert isinstance(raised.value, NearcopyError)


def test_an_article_is_frozen():
    article = Article(id="a", published=datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(FrozenInstanceError):
        article.title = "other"  # type: ignore[misc]


def test_every_measurement_is_documented_in_order():
    assert list(MEASUREMENTS) == list(Evidence._fields)
