"""Rebuild a store: fingerprint and compare its articles again, in their order and their runs.

The source is only read. The target is another store, which replaces it when it is complete.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.matches import find_matches, judge_stored_pair
from nearcopy.deduper.recluster import learn_term_counts, rejudge_edges, update_stories
from nearcopy.errors import StoreError
from nearcopy.fingerprint.blocking_keys import VERSION, blocking_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.maintenance.copy_store import (
    ORIGINALS,
    ArticleBatch,
    copy_feedback_and_statistics,
    open_source,
    raise_latencies,
    read_batch,
    refuse_lossy,
    remove_outdated,
    replace_feedback,
    save_actions,
    save_batch,
    verify_copy,
)
from nearcopy.maintenance.store_records import (
    BATCH_SIZE,
    Inventory,
    all_ids,
    read,
    write,
)
from nearcopy.models import Member, Story
from nearcopy.models.batches import Progress, batches, no_progress
from nearcopy.models.feedback import Feedback, StoryAction
from nearcopy.stores import Store, StoredArticle
from nearcopy.stores.integrity import clear_incomplete_mark, mark_incomplete
from nearcopy.stores.retry import retry_transient

PRESERVED = (*ORIGINALS, "feedback", "actions", "latencies")  # the kinds that a rebuild only copies


class RebuildSettings(NamedTuple):
    """How articles are fingerprinted and judged."""

    recipe: Recipe
    policy: Policy
    threads: int = 1


class ClusterSummary(NamedTuple):
    """The number of stories of several articles, and the groups that were too large."""

    stories: int
    oversized: tuple[OversizedGroup, ...]


class RebuildResult(NamedTuple):
    """The numbers of articles added and skipped, the stories, and what was copied unchanged."""

    added: int
    skipped: int
    clusters: ClusterSummary
    inventory: Inventory


def rebuild(
    source: Store,
    target: Store,
    settings: RebuildSettings,
    *,
    name: str | None = None,
    batch_size: int = BATCH_SIZE,
    progress: Progress = no_progress,
) -> RebuildResult:
    """Fingerprint all articles of a store again into another, and cluster them.

    Ids, dates, runs, revisions and feedback stay; so do story ids, as far as the stories do.
    """
    open_source(source)
    description = f"rebuild of {name or source.address} with recipe {settings.recipe.id}"
    _prepare_target(target, settings, description)
    ids = all_ids(source)
    unchanged = remove_outdated(source, target, ids, progress=progress)
    missing = progress(ids[unchanged:], "rebuilding", total=len(ids) - unchanged)
    for batch in batches(missing, batch_size):
        _add_batch(target, _read_with_texts(source, batch), settings)
    copy_feedback_and_statistics(source, target, terms=False)
    if retry_transient(source.term_counts)():
        _learn_terms(target, settings, progress)
    redirects = read(source, lambda snapshot: snapshot.redirects())
    clusters = recluster(target, _former_stories(source, ids), redirects, settings)
    inventory = verify_copy(source, target, PRESERVED, progress=progress)
    clear_incomplete_mark(target)
    return RebuildResult(len(ids) - unchanged, unchanged, clusters, inventory)


@dataclass(slots=True)
class ImportedMetadata:
    """What an export holds beside articles."""

    former_stories: dict[str, str] = field(default_factory=dict)  # by article id
    redirects: dict[str, str] = field(default_factory=dict)
    feedback: list[Feedback] = field(default_factory=list)
    actions: list[StoryAction] = field(default_factory=list)
    latencies: dict[tuple[int, str, int], int] = field(default_factory=dict)
    term_counts: bytes = b""


class ImportResult(NamedTuple):
    """The numbers of articles added and skipped, and the stories."""

    added: int
    skipped: int
    clusters: ClusterSummary


def import_articles(
    target: Store,
    exported: Iterable[ArticleBatch],
    metadata: ImportedMetadata,
    settings: RebuildSettings,
    *,
    name: str,
) -> ImportResult:
    """Add exported articles to an empty store, and cluster them. `name` identifies the export."""
    _prepare_target(target, settings, name)
    _save_term_counts(target, metadata.term_counts)
    added = skipped = 0
    for batch in exported:
        new = _without_stored(target, batch)
        if new.articles:
            _add_batch(target, new, settings)
        added += len(new.articles)
        skipped += len(batch.articles) - len(new.articles)
    _save_metadata(target, metadata)
    clusters = recluster(target, metadata.former_stories, metadata.redirects, settings)
    clear_incomplete_mark(target)
    return ImportResult(added, skipped, clusters)


def _prepare_target(target: Store, settings: RebuildSettings, description: str) -> None:
    """Bind a store and mark it as incomplete; one that is in use is refused."""
    retry_transient(target.bind)(settings.recipe, VERSION, settings.policy.window)
    if not mark_incomplete(target, description):
        raise StoreError(
            f"{target.address} holds other things already: give a store or a pool that is empty"
        )


@retry_transient
def _save_term_counts(target: Store, counts: bytes) -> None:
    with target.transaction():
        if target.term_counts() != counts:
            target.save_term_counts(counts)


def _without_stored(target: Store, batch: ArticleBatch) -> ArticleBatch:
    """The articles that the target does not have yet."""
    stored = read(target, lambda snapshot: snapshot.runs([a.id for a in batch.articles]))
    new = [article for article in batch.articles if article.id not in stored]
    revisions = {a.id: batch.revisions[a.id] for a in new if a.id in batch.revisions}
    return batch._replace(articles=new, revisions=revisions)


@retry_transient
def _save_metadata(target: Store, metadata: ImportedMetadata) -> None:
    with target.transaction():
        replace_feedback(target, metadata.feedback)
        save_actions(target, metadata.actions)
        raise_latencies(target, metadata.latencies)


@retry_transient
def _read_with_texts(source: Store, ids: list[str]) -> ArticleBatch:
    """These articles; raises StoreError where the store does not keep texts."""
    with source.snapshot():
        batch = read_batch(source, ids)
        empty = [article.id for article in batch.articles if not article.text]
        lost = any(fingerprint.words for fingerprint in source.fingerprints(empty).values())
    if lost:
        raise StoreError(f"{source.address} keeps no texts: it can be copied, but not rebuilt")
    return batch


@retry_transient
def _add_batch(target: Store, batch: ArticleBatch, settings: RebuildSettings) -> None:
    """Add articles, and their edges to earlier ones, in one transaction."""
    new = list(fingerprints(batch.articles, settings.recipe, threads=settings.threads))
    articles = list(map(StoredArticle, batch.articles, new, blocking_keys(new, settings.recipe)))
    with target.transaction():
        save_batch(target, batch, articles)
        refuse_lossy(target, batch.articles[:1])
        matches = find_matches(target, articles, settings.recipe, settings.policy)
        target.save_edges(matches.edges())


def _learn_terms(target: Store, settings: RebuildSettings, progress: Progress) -> None:
    """Learn term frequencies from the articles, and judge all edges by them."""
    ids = all_ids(target)
    write(target, partial(learn_term_counts, target, list(batches(ids, BATCH_SIZE))))
    for batch in batches(progress(ids, "judging", total=len(ids)), BATCH_SIZE):
        write(target, partial(rejudge_edges, target, batch, settings.recipe, settings.policy))


def _former_stories(source: Store, ids: list[str]) -> dict[str, str]:
    """The story of each article that is in one."""
    former: dict[str, str] = {}
    for batch in batches(ids, BATCH_SIZE):
        former |= _stories_of(source, batch)
    return former


def _stories_of(source: Store, ids: list[str]) -> dict[str, str]:
    members = read(source, lambda snapshot: snapshot.members(ids))
    return {id_: story for id_, (story, _) in members.items()}


def recluster(
    target: Store,
    former: Mapping[str, str],
    redirects: Mapping[str, str],
    settings: RebuildSettings,
) -> ClusterSummary:
    """Cluster all articles; stories keep the ids that they had before."""
    oversized = _update_stories(target, former, redirects, settings)
    sizes = retry_transient(target.count_articles)(None).sizes
    return ClusterSummary(sum(count for size, count in sizes.items() if size > 1), oversized)


@retry_transient
def _update_stories(
    target: Store,
    former: Mapping[str, str],
    redirects: Mapping[str, str],
    settings: RebuildSettings,
) -> tuple[OversizedGroup, ...]:
    judge = partial(judge_stored_pair, target, recipe=settings.recipe, policy=settings.policy)
    with target.transaction():
        ids = list(target.ids())
        target.save_stories(_placeholder_stories(ids, former), [], redirects)
        changes = update_stories(target, {*ids}, settings.policy, judge, former={}, whole=True)
    return changes.oversized


def _placeholder_stories(ids: list[str], former: Mapping[str, str]) -> list[Story]:
    """Stories with the former ids and articles, for the clustering to inherit ids from."""
    by_story: dict[str, list[str]] = {}
    for id_ in ids:
        if id_ in former:
            by_story.setdefault(former[id_], []).append(id_)
    return [
        Story(story, own[0], "", tuple(Member(id_, None, 1.0, "kept") for id_ in own))
        for story, own in by_story.items()
    ]
