"""JSON lines to articles: every line is an article, or an error that names the line."""

import pytest

from nearcopy import BadArticle
from nearcopy.formats import read_jsonl

BAD = [
    ('{"id": "a"', "line 2: not JSON"),
    ("[" * 100_000, "line 2: "),
    ("[1, 2]", "line 2: expected an object"),
    ('{"text": "x"}', "line 2: no id"),
    ('{"id": 5}', "line 2: article id must be str"),
    ('{"id": "a", "published": "yesterday"}', "line 2: published is 'yesterday': write it as"),
    ('{"id": "a", "published": "2026-01-01T00:00:00"}', "line 2: .*time zone"),
]


def test_articles_are_read_with_their_fields():
    line = '{"id": "a", "text": "t", "published": "2026-01-01T10:00:00Z", "html": true, "more": 1}'
    (article,) = read_jsonl([line, "", "  \n"])
    assert (article.id, article.text, article.html) == ("a", "t", True)
    assert article.published is not None
    assert article.published.utcoffset() is not None


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_line_is_named(line, message):
    with pytest.raises(BadArticle, match=message):
        list(read_jsonl(['{"id": "fine"}', line]))
