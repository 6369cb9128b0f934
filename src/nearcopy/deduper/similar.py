"""Similar articles, and the explanation of a pair of stored ones."""

from nearcopy.deduper.check_and_add import match_independently
from nearcopy.deduper.found_matches import MatchList, StoredMatch
from nearcopy.deduper.session import Session
from nearcopy.extract.urls import site
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.fingerprint.term_weights import stored_weights
from nearcopy.match.explain import Explanation, explain
from nearcopy.models import Article, Match, Relation
from nearcopy.stores import StoredArticle
from nearcopy.stores.retry import retry_transient


@retry_transient
def find_similar(session: Session, ids: list[str], limit: int) -> dict[str, list[Match]]:
    """The most similar articles of each stored article."""
    unique = list(dict.fromkeys(ids))
    with session.snapshot():
        fingerprints = session.require(unique)
        articles = session.store.articles(unique)
        keys_by_article = blocking_keys([fingerprints[id_] for id_ in unique], session.recipe)
        entries = [
            StoredArticle(articles[id_], fingerprints[id_], found)
            for id_, found in zip(unique, keys_by_article, strict=True)
        ]
        matches = [
            _most_similar(listed, limit)
            for listed in match_independently(session, entries, all_keys=True)
        ]
        others = session.store.articles({m.other.id for listed in matches for m in listed})
    return {
        id_: [_public_match(match, others[match.other.id]) for match in listed]
        for id_, listed in zip(unique, matches, strict=True)
    }


@retry_transient
def explain_pair(session: Session, a: str, b: str) -> Explanation:
    """The decision between two stored articles, step by step."""
    with session.snapshot():
        weights = stored_weights(session.store.term_counts())
        session.require([a, b])
        articles = session.store.articles([a, b])
    return explain(articles[a], articles[b], *session.settings, weights=weights)


def _most_similar(matches: MatchList, limit: int) -> list[StoredMatch]:
    related = [
        match
        for match in matches.matches
        if match.judgement.decision.relation is not Relation.DISTINCT
    ]
    return sorted(related, key=lambda match: (-_score(match), match.other.id))[:limit]


def _score(match: StoredMatch) -> float:
    return max(match.judgement.event_score, match.judgement.overlap or 0.0)


def _public_match(match: StoredMatch, article: Article) -> Match:
    judgement = match.judgement
    return Match(
        article.id,
        article.title,
        site(article.url) if article.url else None,
        _score(match),
        judgement.decision.relation,
        judgement.decision.confidence,
        judgement.event_score,
        judgement.overlap,
    )
