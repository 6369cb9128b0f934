"""Reclustering: incremental updates of stories that equal clustering all articles at once."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from nearcopy.cluster.duplicate_groups import Judge as CopyJudge
from nearcopy.cluster.duplicate_groups import OversizedGroup
from nearcopy.cluster.kept_copy import by_age
from nearcopy.cluster.settled_stories import SettledStories
from nearcopy.cluster.stories import (
    Clustering,
    StoryGroups,
    assign_story_ids,
    candidate_story_ids,
    cluster_articles,
    group_articles,
    own_story_id,
)
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.feedback_overlay import (
    apply_feedback,
    by_article,
    find_connected,
)
from nearcopy.deduper.matches import find_matches, judge_fingerprints
from nearcopy.deduper.neighbourhood import MAX_EDGES, find_neighbourhood, whole_stories
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.fingerprint.term_weights import TermCounts, count_terms
from nearcopy.models import Decision, Edge, Fingerprint, Member, Story
from nearcopy.models.batches import batches
from nearcopy.stores import Store, StoredArticle

Judge = Callable[[str, str], Edge]
MAX_DUPLICATES = 10_000  # clustered together; a larger group comes from a template
MAX_COMPONENT = 500  # of a larger connected component only the neighbourhood is reclustered
UNLIMITED = 1 << 62
ID_BATCH_SIZE = 64


class ClusterUpdate(NamedTuple):
    """The outcome of an update of stories.

    `complete` is whether whole connected components were reclustered; `before` has the former story
    and membership of each article, None where it was in no story.
    """

    oversized: tuple[OversizedGroup, ...] = ()
    complete: bool = True
    before: Mapping[str, tuple[str, Member] | None] = MappingProxyType({})


def update_stories(
    store: Store,
    ids: Collection[str],
    policy: Policy,
    judge: Judge,
    *,
    new: Collection[str] = (),
    former: Mapping[str, str],
    whole: bool = False,
) -> ClusterUpdate:
    """Recluster these articles and their connected components, and save the stories.

    Args:
        store: Where articles, edges and stories are.
        ids: The articles whose stories changed.
        policy: How articles are clustered.
        judge: Decides a pair that has no edge.
        new: Articles that were in no story before.
        former: The former stories of articles that were replaced or removed.
        whole: Recluster whole components. Otherwise, as same-event edges connect most of a large
            window, only the neighbourhood of the articles is, and the other stories stay.
    """
    limit = UNLIMITED if whole else MAX_COMPONENT + len(ids)
    component = find_connected(store, ids, limit)
    complete = len(component) < limit
    # A small component has few edges an article.
    edges = [] if whole or (complete and len(component) <= MAX_EDGES) else store.edges(ids)
    complete &= len(edges) <= MAX_EDGES * len(ids)
    if complete:
        scope = whole_stories(store, component, former)
    else:
        scope = find_neighbourhood(store, ids, edges, former, policy)
    in_settled = {m.id: (story.id, m) for story in scope.settled for m in story.members}
    fingerprints = store.fingerprints([*scope.ids, *in_settled])
    cached_judge = _CachedJudge(judge, scope.edges)
    settled = SettledStories(scope.settled, fingerprints, policy)
    clustered = {id_: fingerprints[id_] for id_ in scope.ids if id_ in fingerprints}
    fresh = [article for id_, article in clustered.items() if id_ in new]
    added = _add_copies(settled, fresh, scope.edges, cached_judge)
    decided = (edge for edge in scope.edges if not edge.on_demand)

    groups = group_articles(
        [article for id_, article in clustered.items() if id_ not in added],
        apply_feedback(decided, store.feedback_about(scope.ids), fingerprints),
        policy,
        judge=cached_judge,
        preferred=store.preferred_copies(fingerprints),
        settled=[*settled.leaders, *settled.left_out],
        old=clustered.keys() - new,
    )
    groups = replace(
        groups,
        groups=[group for group in groups.groups if settled.is_changed(group)],
        oversized=[*groups.oversized, *settled.oversized()],
    )
    changed = {copy.id for group in groups.groups for copy in group.articles}
    before = store.members(clustered)
    before |= {id_: place for id_, place in in_settled.items() if id_ in changed}
    story_before = {id_: story for id_, (story, _) in before.items()}
    own = {id_: own_story_id(id_) for id_ in clustered if id_ not in new}
    replaced = {id_: story for id_, story in former.items() if id_ in clustered}
    clustering, used = _assign_unused_ids(
        store, fingerprints, own | story_before | replaced, groups
    )
    store.save_edges(cached_judge.new_edges)
    removed = {*story_before.values(), *former.values()}
    removed -= {story.id for story in clustering.stories}
    redirects = {old: new for old, new in clustering.redirects.items() if old not in used}
    store.save_stories(clustering.stories, removed, redirects)
    affected = clustered.keys() | before.keys()
    return ClusterUpdate(clustering.oversized, complete, {id_: before.get(id_) for id_ in affected})


def _add_copies(
    settled: SettledStories,
    articles: Iterable[Fingerprint],
    edges: Iterable[Edge],
    judge: CopyJudge,
) -> set[str]:
    """Add the articles that are copies in settled stories to these; which they are."""
    if not settled.leaders:
        return set()
    edges_of = by_article(edges)
    added = {a.id for a in articles if settled.add_copy(a, edges_of.get(a.id, {}), judge)}
    settled.rank_grown()
    return added


class _CachedJudge:
    """Decides pairs that have no edge, each once.

    These decisions are stored apart from edges found by candidates: which pairs are asked depends
    on the insertion order, and the edges must not.
    """

    def __init__(self, judge: Judge, edges: Iterable[Edge]) -> None:
        self.new_edges: list[Edge] = []
        self._judge = judge
        self._decisions = {frozenset(edge[:2]): edge.decision for edge in edges if edge.on_demand}

    def __call__(self, a: str, b: str) -> Decision:
        pair = frozenset((a, b))
        if pair not in self._decisions:
            self.new_edges.append(self._judge(a, b)._replace(on_demand=True))
            self._decisions[pair] = self.new_edges[-1].decision
        return self._decisions[pair]


def _assign_unused_ids(
    store: Store,
    fingerprints: Mapping[str, Fingerprint],
    story_before: Mapping[str, str],
    groups: StoryGroups,
) -> tuple[Clustering, set[str]]:
    """The stories under ids that no other story of the store has or had, and the ids in use."""
    used: set[str] = set()
    own = {*story_before.values()}
    while True:
        redirects = {id_: id_ for id_ in used}
        clustering = assign_story_ids(groups, story_before=story_before, redirects=redirects)
        new = {story.id: story for story in clustering.stories if story.id not in own}
        clashes = store.used_story_ids(new)
        if not clashes:
            return clustering, used
        for story_id in clashes:
            founder = min((fingerprints[m.id] for m in new[story_id].members), key=by_age)
            used |= {story_id, *_find_used_ids(store, founder.id)} - own


def _find_used_ids(store: Store, founder: str) -> set[str]:
    """The candidate ids for a story of this founder in use, up to a batch with a free one."""
    used: set[str] = set()
    for batch in batches(candidate_story_ids(founder), ID_BATCH_SIZE):
        clashes = store.used_story_ids(batch)
        used |= clashes
        if len(clashes) < len(batch):
            break
    return used


def singleton_story(article: Fingerprint, policy: Policy) -> Story:
    """The story of an article without edges."""
    return cluster_articles([article], [], policy).stories[0]


def learn_term_counts(store: Store, id_batches: Iterable[list[str]]) -> TermCounts:
    """Count the document frequency of terms over the articles, and save it."""
    fingerprints = chain.from_iterable(store.fingerprints(ids).values() for ids in id_batches)
    counts = count_terms(fingerprint.profile for fingerprint in fingerprints)
    store.save_term_counts(counts.to_bytes())
    return counts


def rejudge_edges(store: Store, ids: list[str], recipe: Recipe, policy: Policy) -> None:
    """Decide all pairs of these articles again, with the current term weights."""
    fingerprints, articles = store.fingerprints(ids), store.articles(ids)
    keys_by_article = blocking_keys(list(fingerprints.values()), recipe)
    entries = [
        StoredArticle(articles[id_], fingerprint, found)
        for (id_, fingerprint), found in zip(fingerprints.items(), keys_by_article, strict=True)
    ]
    current = find_matches(store, entries, recipe, policy).edges()
    pairs = {frozenset(edge[:2]) for edge in current}
    earlier = [edge for edge in store.edges(ids) if frozenset(edge[:2]) not in pairs]
    prints = store.fingerprints({id_ for edge in earlier for id_ in edge[:2]})
    judged = judge_fingerprints(
        store, [(prints[e.a], prints[e.b]) for e in earlier], recipe, policy
    )
    again = [
        judgement.edge(edge.a, edge.b)._replace(on_demand=edge.on_demand)
        for edge, judgement in zip(earlier, judged, strict=True)
    ]
    store.save_edges([*current, *again])
