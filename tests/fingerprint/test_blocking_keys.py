"""Keys: articles that are duplicates share one, by whichever way they are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import (
    POLICIES,
    RECIPES,
    Article,
    Deduper,
    Fingerprint,
    Recipe,
    fingerprints,
)
from nearcopy.fingerprint.blocking_keys import BLOCK_PAIRS, MAX_TERMS, blocking_keys, lookup_keys
from nearcopy.match.compare import compare

TEXT = "the council voted on tuesday to close the old harbour for the whole winter season"


def shared(a: Fingerprint, b: Fingerprint, recipe: Recipe | None = None) -> int:
    left, right = blocking_keys([a, b], recipe or Recipe())
    return len(np.intersect1d(left, right))


def made(**given) -> Fingerprint:
    return next(iter(fingerprints([Article(id="x", **given)])))


def test_an_article_with_nothing_to_find_it_by_has_no_keys():
    assert [
        len(keys) for keys in blocking_keys([Fingerprint(id="a"), Fingerprint(id="b")], Recipe())
    ] == [
        0,
        0,
    ]
    assert blocking_keys([], Recipe()) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"url": "https://example.org/a"}, {"url": "http://www.example.org/a/"}),
        ({"text": TEXT}, {"text": TEXT.upper()}),
        ({"text": TEXT * 3}, {"text": TEXT * 3 + " again"}),
        (
            {"title": "Harbour council closes ferry terminal"},
            {"title": "Ferry terminal closed by Harbour council"},
        ),
        (
            {"url": "https://example.org/a"},
            {"url": "https://m.example/b", "canonical_url": "https://example.org/a"},
        ),
    ],
    ids=["address", "digest", "near text", "title", "declared address"],
)
def test_each_way_to_a_duplicate_is_a_key(a, b):
    assert shared(made(**a), made(**b)) > 0


def test_the_keys_of_titles_are_odd_and_the_others_even():
    (named,) = blocking_keys([made(title="Harbour council closes ferry terminal")], Recipe())
    (other,) = blocking_keys([made(text="Was it so?", url="https://example.org/a")], Recipe())
    assert len(named) > 1
    assert set(named % 4) == {1, 3}
    assert set(other % 2) == {0}


def test_the_rare_terms_of_an_article_are_keys():
    base = made(title="", text="Divers raised the wreck of the trawler Vattenholm off Skagerrund")
    retold = made(title="", text="Skagerrund: trawler Vattenholm was lifted from the sea")
    other = made(title="", text="It was said that the people of the country had been there")
    assert shared(base, retold) >= 3
    assert shared(base, other) == 0


def test_unlike_articles_share_no_key():
    a = made(title="Harbour council closes ferry terminal", text=TEXT, url="https://a.example/1")
    b = made(
        title="Glass bridge opens in the mountains",
        text="visitors came from far away to see how the valley looked from above that morning",
        url="https://b.example/2",
    )
    assert shared(a, b) == 0


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 63), max_size=3))
def test_three_bits_apart_always_share_a_pair_of_blocks(bits, flipped):
    other = bits
    for bit in flipped:
        other ^= 1 << bit
    assert shared(Fingerprint(id="a", simhash=bits), Fingerprint(id="b", simhash=other)) > 0


def test_blocks_are_told_apart_by_their_place():
    a, b = Fingerprint(id="a", simhash=0x0001), Fingerprint(id="b", simhash=0x0001 << 13)
    assert shared(a, b) == 3  # the pairs of the three blocks that are zero in both


@pytest.mark.parametrize("preset", sorted(RECIPES))
def test_keys_are_few_and_the_same_whatever_the_batch(preset):
    recipe = RECIPES[preset]
    articles = [
        Article(id=str(n), title=f"Storm number {n} reaches the coast", text=f"{TEXT} {n} " * 4)
        for n in range(5)
    ]
    prints = list(fingerprints(articles, recipe))
    together = blocking_keys(prints, recipe)
    assert [keys.tolist() for keys in together] == [
        blocking_keys([one], recipe)[0].tolist() for one in prints
    ]
    most = 12 + MAX_TERMS + len(BLOCK_PAIRS) + (recipe.bands if recipe.minhash else 0)
    assert all(0 < len(keys) <= most for keys in together)
    assert all(keys.dtype == np.uint64 and (np.diff(keys) > 0).all() for keys in together)


def test_keys_are_stable():
    (keys,) = blocking_keys([Fingerprint(id="a", url="https://example.org/a")], Recipe())
    assert keys.tolist() == [9542860505727736814]


def test_a_policy_of_bits_alone_looks_by_no_words():
    prints = list(
        fingerprints(
            [Article(id="a", title="Harbour closes its old quay", text=TEXT * 3)],
            RECIPES["crawler"],
        )
    )
    (keys,) = blocking_keys(prints, RECIPES["crawler"])
    (lookup,) = lookup_keys([keys], POLICIES["crawler"])
    assert 0 < len(lookup) < len(keys)
    assert not (lookup & np.uint64(1)).any()
    assert lookup_keys([keys], POLICIES["default"])[0] is keys


def test_similar_pages_are_found_by_words_too():
    """What is nine bits away shares hardly a block, and is similar all the same."""
    recipe, policy = RECIPES["crawler"], POLICIES["crawler"]
    words = [f"word{n}" for n in range(300)]

    def edited(many: int) -> Article:
        text = " ".join(words[:-many] + [f"other{many}of{n}" for n in range(many)])
        return Article(id=f"e{many}", title="Harbour closes old quay for good", text=text)

    base, *variants = (edited(many) for many in range(1, 60))
    one, *variant_prints = fingerprints([base, *variants], recipe)
    bits = [compare(one, variant_print).distance for variant_print in variant_prints]
    shared = [
        bool({*a.tolist()} & {*b.tolist()}) for a, b in _strong(one, variant_prints, recipe, policy)
    ]
    far = next(n for n, d in enumerate(bits) if 4 <= d <= 9 and not shared[n])
    with Deduper("memory://", recipe, policy) as deduper:
        deduper.add(base)
        assert deduper.add(variants[far]).match is None
        assert [match.id for match in deduper.similar(base.id)] == [variants[far].id]


def _strong(one, rest, recipe, policy):
    first, *variant_keys = lookup_keys(blocking_keys([one, *rest], recipe), policy)
    return [(first, keys) for keys in variant_keys]
