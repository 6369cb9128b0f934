"""Copy a store into another, in batches that are committed one by one.

An interrupted copy is resumed: what the target already holds unchanged is skipped. At the end both
stores are read and compared, and only then is the target marked as complete.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import NamedTuple

import numpy as np

from nearcopy.errors import StoreError
from nearcopy.maintenance.store_records import (
    BATCH_SIZE,
    KINDS,
    Inventory,
    all_ids,
    all_story_ids,
    article_records,
    article_value,
    compare_stores,
    edge_value,
    feedback_value,
    read,
    story_records,
    write,
)
from nearcopy.models import Article, Edge, Fingerprint
from nearcopy.models.batches import Progress, batches, no_progress
from nearcopy.models.feedback import Feedback, StoryAction
from nearcopy.stores import Store, StoredArticle
from nearcopy.stores.base import LatencyCounts, Runs, StoreSettings
from nearcopy.stores.integrity import clear_incomplete_mark, mark_incomplete, refuse_incomplete
from nearcopy.stores.retry import retry_transient

NO_KEYS = np.zeros(0, np.uint64)
ORIGINALS = ("articles", "runs", "revisions")  # kinds that do not follow from other records


class CopyResult(NamedTuple):
    """The numbers of articles copied and skipped, and the inventory of the target."""

    copied: int
    skipped: int
    inventory: Inventory


class ArticleBatch(NamedTuple):
    """Articles as they were added, with their runs and their earlier versions."""

    articles: list[Article]
    runs: Runs
    revisions: dict[str, list[Article]]


def copy_store(
    source: Store,
    target: Store,
    *,
    name: str | None = None,
    window: timedelta | None = None,
    batch_size: int = BATCH_SIZE,
    progress: Progress = no_progress,
) -> CopyResult:
    """Copy everything into a store that is empty or an incomplete copy of the same source.

    `name` identifies the source when a copy is resumed. A target whose articles expire keeps them
    for the window of the source, else for `window`.
    """
    settings = open_source(source)
    retry_transient(target.bind)(settings.recipe, settings.key_version, settings.window or window)
    if not mark_incomplete(target, f"copy of {name or source.address}"):
        return _check_existing_copy(source, target, progress)
    ids = all_ids(source)
    unchanged = remove_outdated(source, target, ids, ("fingerprints", "keys"), progress=progress)
    done = 0
    for batch in batches(progress(ids, "copying", total=len(ids)), batch_size):
        missing = batch[max(0, unchanged - done) :]
        _copy_articles(source, target, batch, missing, check=done == 0)
        done += len(batch)
    _copy_stories(source, target)
    copy_feedback_and_statistics(source, target)
    inventory = verify_copy(source, target, progress=progress)
    clear_incomplete_mark(target)
    return CopyResult(len(ids) - unchanged, unchanged, inventory)


def open_source(source: Store) -> StoreSettings:
    """Open a store for reading, whatever version of blocking keys it has."""
    settings = retry_transient(source.settings)()
    if settings is None:
        raise StoreError(f"{source.address} holds nothing: no article was ever added")
    retry_transient(source.bind)(None, settings.key_version)
    refuse_incomplete(source)
    return settings


def _check_existing_copy(source: Store, target: Store, progress: Progress) -> CopyResult:
    """A target that is in use must be a complete copy already."""
    inventory, difference = compare_stores(source, target, progress=progress)
    if difference is not None:
        raise StoreError(
            f"{target.address} holds other things already ({difference}): "
            "give a store or a pool that is empty"
        )
    return CopyResult(0, inventory["articles"].count, inventory)


def verify_copy(
    source: Store, target: Store, kinds: Sequence[str] = KINDS, *, progress: Progress = no_progress
) -> Inventory:
    """The inventory of both stores; raises StoreError where they differ."""
    inventory, difference = compare_stores(source, target, kinds, progress=progress)
    if difference is not None:
        raise StoreError(
            f"{source.address} and {target.address} are not the same: {difference}; "
            "make sure that nothing else writes to either, and run it again to resume"
        )
    return inventory


# Resuming.


def remove_outdated(
    source: Store,
    target: Store,
    ids: list[str],
    kinds: Iterable[str] = (),
    *,
    progress: Progress = no_progress,
) -> int:
    """The number of leading articles that the target holds unchanged; removes all others from it.

    Articles that were added to the source meanwhile are at its end. One that was replaced has moved
    there, so its copy is out of order.
    """
    leading, outdated = _split_leading(ids, all_ids(target))
    if not leading and not outdated:
        return 0
    compared = progress(leading, "comparing", total=len(leading))
    unchanged = _count_unchanged(source, target, compared, frozenset({*ORIGINALS, *kinds}))
    outdated += leading[unchanged:]
    for batch in batches(outdated, BATCH_SIZE):
        write(target, partial(target.remove, batch))
    return unchanged


def _split_leading(ids: list[str], stored: list[str]) -> tuple[list[str], list[str]]:
    """The stored ids that are the first of `ids`, in that order, and the other stored ids."""
    leading: list[str] = []
    others: list[str] = []
    for id_ in stored:
        is_next = len(leading) < len(ids) and ids[len(leading)] == id_
        (leading if is_next else others).append(id_)
    return leading, others


def _count_unchanged(
    source: Store, target: Store, ids: Iterable[str], kinds: frozenset[str]
) -> int:
    """How many articles precede the first that differs."""
    count = 0
    for batch in batches(ids, BATCH_SIZE):
        left, right = (article_records(store, batch, kinds) for store in (source, target))
        if left != right:
            pairs = zip(left, right, strict=False)
            last = max(left, right, key=len)[-1].name
            changed = next((a.name for a, b in pairs if a != b), last)
            return count + batch.index(changed)
        count += len(batch)
    return count


# Articles.


def _copy_articles(
    source: Store, target: Store, ids: list[str], missing: list[str], *, check: bool
) -> None:
    batch, articles, edges = read(source, lambda snapshot: _read_articles(snapshot, missing))
    if len(missing) < len(ids):
        edges = _missing_edges(source, target, ids)

    def save() -> None:
        save_batch(target, batch, articles)
        target.save_edges(edges)  # one to a later article is saved with that
        if check:
            refuse_lossy(target, batch.articles)

    if missing or edges:
        write(target, save)


def _read_articles(
    source: Store, ids: list[str]
) -> tuple[ArticleBatch, list[StoredArticle], list[Edge]]:
    batch = read_batch(source, ids)
    fingerprints, keys = source.fingerprints(ids), source.keys(ids)
    articles = [StoredArticle(a, fingerprints[a.id], keys[a.id]) for a in batch.articles]
    return batch, articles, source.edges(ids)


def read_batch(source: Store, ids: list[str]) -> ArticleBatch:
    """These articles with their runs and revisions."""
    articles = source.articles(ids)
    present = [articles[id_] for id_ in ids if id_ in articles]
    return ArticleBatch(present, source.runs(ids), source.revisions(ids))


def _missing_edges(source: Store, target: Store, ids: list[str]) -> list[Edge]:
    """The edges of these articles that the target does not have."""
    stored = set(map(edge_value, read(target, lambda snapshot: snapshot.edges(ids))))
    edges = read(source, lambda snapshot: snapshot.edges(ids))
    return [edge for edge in edges if edge_value(edge) not in stored]


def refuse_lossy(target: Store, articles: list[Article]) -> None:
    """Raises StoreError where a store does not keep articles as they are."""
    stored = target.articles([article.id for article in articles])
    if any(article_value(a) != article_value(stored[a.id]) for a in articles):
        raise StoreError(
            f"{target.address} does not keep articles as they came: give one that keeps texts too"
        )


def save_batch(target: Store, batch: ArticleBatch, articles: Sequence[StoredArticle]) -> None:
    """Save articles with their runs, after the earlier versions of each."""
    longest = max(map(len, batch.revisions.values()), default=0)
    for place in range(longest):
        versions = [own[place] for own in batch.revisions.values() if place < len(own)]
        target.save_articles(list(map(_without_keys, versions)), batch.runs)
    target.save_articles(articles, batch.runs)


def _without_keys(article: Article) -> StoredArticle:
    """An article that is no candidate of any other."""
    fingerprint = Fingerprint(id=article.id, published=article.published, seen=article.seen)
    return StoredArticle(article, fingerprint, NO_KEYS)


# Stories, feedback and statistics.


def _copy_stories(source: Store, target: Store) -> None:
    """Copy all stories and redirects; delete other stories."""
    ids = all_story_ids(source)
    removed = sorted(set(all_story_ids(target)).difference(ids))
    for batch in batches(removed, BATCH_SIZE):
        write(target, partial(target.save_stories, [], batch, {}))
    for batch in batches(ids, BATCH_SIZE):
        _copy_story_batch(source, target, batch)
    _copy_redirects(source, target)


@retry_transient
def _copy_story_batch(source: Store, target: Store, ids: list[str]) -> None:
    stored = story_records(target, ids)
    records = story_records(source, ids)
    changed = [id_ for id_, record in records.items() if stored.get(id_) != record]
    if not changed:
        return
    stories = read(source, lambda snapshot: snapshot.stories(changed)).values()
    with target.transaction():
        present = target.runs({member.id for story in stories for member in story.members})
        complete = [s for s in stories if all(member.id in present for member in s.members)]
        target.save_stories(complete, [], {})  # others have articles added since


@retry_transient
def _copy_redirects(source: Store, target: Store) -> None:
    redirects = read(source, lambda snapshot: snapshot.redirects())
    with target.transaction():
        stored = target.redirects()
        new = {old: story for old, story in redirects.items() if stored.get(old) != story}
        target.save_stories([], [], new)


@retry_transient
def copy_feedback_and_statistics(source: Store, target: Store, *, terms: bool = True) -> None:
    """Copy feedback, actions, latencies and, with `terms`, term frequencies."""
    with source.snapshot():
        feedback, actions = source.all_feedback(), source.actions()
        latencies, counts = source.latencies(None), source.term_counts()
    with target.transaction():
        replace_feedback(target, feedback)
        save_actions(target, actions)
        raise_latencies(target, latencies)
        if terms and target.term_counts() != counts:
            target.save_term_counts(counts)


def replace_feedback(target: Store, feedback: Sequence[Feedback]) -> None:
    """Replace all feedback of the target."""
    new = {feedback_value(item): item for item in feedback}
    stored = {feedback_value(item): item for item in target.all_feedback()}
    for value, item in stored.items():
        if value not in new:
            target.remove_feedback(*item.pair)
    for value, item in new.items():
        if value not in stored:
            target.save_feedback(item)


def save_actions(target: Store, actions: Sequence[StoryAction]) -> None:
    """Save the actions that the audit log of the target does not have."""
    stored = {action.number: action for action in target.actions()}
    for action in actions:
        if stored.get(action.number) != action:
            target.save_action(action)


def raise_latencies(target: Store, latencies: LatencyCounts) -> None:
    """Raise the latency histogram of the target to these counts."""
    stored = target.latencies(None)
    missing = {key: count - stored.get(key, 0) for key, count in latencies.items()}
    target.add_latencies({key: count for key, count in missing.items() if count > 0})
