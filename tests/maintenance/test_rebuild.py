"""Stores rebuilt with another recipe: articles stay, what derives from them is computed again."""

import pytest
from tests.support import aged_store as lives

from nearcopy import POLICIES, RECIPES, Deduper, Policy, Recipe, RecipeMismatch, StoreError
from nearcopy.fingerprint.blocking_keys import VERSION
from nearcopy.maintenance.copy_store import copy_store
from nearcopy.maintenance.rebuild import PRESERVED, RebuildSettings, rebuild
from nearcopy.maintenance.store_records import compare_stores
from nearcopy.stores import StoredArticle, integrity, open_store

AS_IT_IS = RebuildSettings(Recipe(), Policy())
FEED = RebuildSettings(RECIPES["feed"], POLICIES["feed"])


@pytest.fixture
def opened():
    """Opens stores, and closes them in the end."""
    stores = []

    def open_one(address: str, pool: str | None = None):
        stores.append(open_store(address, pool))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def source(tmp_path, opened):
    lives.live(f"sqlite:///{tmp_path}/old.db", learn=False)
    return opened(f"sqlite:///{tmp_path}/old.db")


@pytest.fixture
def target(lasting_address, opened):
    return opened(lasting_address)


def stories(deduper: Deduper):
    return sorted(deduper.stories(), key=lambda story: story.id)


def test_with_its_own_recipe_a_store_comes_out_as_it_was(source, target, lasting_address):
    result = rebuild(source, target, AS_IT_IS)
    assert (result.added, result.skipped) == (70, 0)
    assert (
        compare_stores(source, target, (*PRESERVED, "fingerprints", "keys", "redirects")).difference
        is None
    )
    with Deduper(source.address) as old, Deduper(lasting_address) as new:
        ids = list(source.ids())
        assert list(old.verdicts(ids)) == list(new.verdicts(ids))
        assert stories(old) == stories(new)
        assert result.clusters.stories == sum(len(story.members) > 1 for story in stories(new))
        assert all(check.passed for check in new.verify())


def test_with_another_recipe_what_came_stays(source, target, lasting_address):
    result = rebuild(source, target, FEED)
    assert list(result.inventory) == list(PRESERVED)
    assert all(entry.count for entry in result.inventory.values())
    assert {
        fingerprint.recipe for fingerprint in target.fingerprints(list(target.ids())).values()
    } == {RECIPES["feed"].id}
    with Deduper(lasting_address, RECIPES["feed"], POLICIES["feed"]) as new:
        assert all(check.passed for check in new.verify())
        feedback = list(new.all_feedback())
        assert new.add(lives.harbour("new", seen=lives.NOON)).is_duplicate
    with Deduper(source.address) as old:
        assert feedback == old.all_feedback()
    assert target.runs(["new"]) == {"new": 5}


def test_stories_keep_their_ids_and_former_ones_lead_to_them(source, target, lasting_address):
    rebuild(source, target, FEED)
    with (
        Deduper(source.address) as old,
        Deduper(lasting_address, RECIPES["feed"], POLICIES["feed"]) as new,
    ):
        for story in stories(old):
            assert {member.id for member in new.story(story.id).members} & {
                member.id for member in story.members
            }
        assert new.story("s-bee98bf120e89063").members


def test_what_a_store_has_learned_is_learned_anew(tmp_path, opened):
    lives.live(f"sqlite:///{tmp_path}/old.db")
    target = opened(f"sqlite:///{tmp_path}/new.db")
    rebuild(opened(f"sqlite:///{tmp_path}/old.db"), target, AS_IT_IS)
    counts = target.term_counts()
    assert counts
    with Deduper(target.address) as new:
        before = stories(new)
        assert new.learn().to_bytes() == counts
        assert stories(new) == before


def test_a_store_of_keys_that_are_refused_by_now_can_be_rebuilt(source, tmp_path, opened):
    old = opened(f"sqlite:///{tmp_path}/older.db")
    old.bind(Recipe(), VERSION - 1)
    ids = list(source.ids())
    with old.transaction():
        old.save_articles(
            [
                StoredArticle(article, source.fingerprints([name])[name], source.keys([name])[name])
                for name, article in source.articles(ids).items()
            ]
        )
    with pytest.raises(RecipeMismatch):
        Deduper(old.address)
    target = opened(f"sqlite:///{tmp_path}/new.db")
    rebuild(old, target, AS_IT_IS)
    assert target.settings().key_version == VERSION
    with Deduper(target.address) as new:
        assert len(list(new.verdicts(ids))) == 70
    copy = opened(f"sqlite:///{tmp_path}/copy.db")
    copy_store(old, copy)
    assert copy.settings().key_version == VERSION - 1


class Stopped(Exception):
    pass


def test_it_goes_on_where_it_was_stopped(source, target, lasting_address):
    def stopping(phase: str, after: int):
        def watch(things, named, *, total=None):  # noqa: ARG001
            for number, thing in enumerate(things):
                if (named, number) == (phase, after):
                    raise Stopped
                yield thing

        return watch

    for phase, after in (("rebuilding", 30), ("rebuilding", 20), ("verifying", 9)):
        with pytest.raises(Stopped):
            rebuild(source, target, AS_IT_IS, batch_size=8, progress=stopping(phase, after))
        with pytest.raises(StoreError, match="incomplete rebuild of"):
            Deduper(lasting_address)
    result = rebuild(source, target, AS_IT_IS, batch_size=8)
    assert (result.added, result.skipped) == (0, 70)
    with Deduper(source.address) as old, Deduper(lasting_address) as new:
        assert stories(old) == stories(new)


def test_another_recipe_does_not_go_on_with_it(source, target):
    integrity.mark_incomplete(target, f"rebuild of {source.address} with recipe another")
    with pytest.raises(StoreError, match=r"incomplete rebuild of .* with recipe another"):
        rebuild(source, target, AS_IT_IS)


def test_a_target_that_holds_something_is_refused(source, target, lasting_address):
    with Deduper(lasting_address) as deduper:
        deduper.add(lives.harbour("mine"))
    with pytest.raises(StoreError, match="holds other things already"):
        rebuild(source, target, AS_IT_IS)


def test_without_texts_nothing_can_be_made_anew(redis_address, tmp_path, opened):
    address = f"{redis_address}?keep=fingerprints"
    with Deduper(address) as deduper:
        deduper.add(lives.harbour("a"))
    with pytest.raises(StoreError, match="keeps no texts"):
        rebuild(opened(address), opened(f"sqlite:///{tmp_path}/new.db"), AS_IT_IS)
