"""Within a transaction every read is made once, and sees what the transaction wrote."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from tests.stores.test_contract import NOON
from tests.stores.test_old_versions import ROOT

from nearcopy import Article, Deduper, Feedback, Recipe, Relation, Story
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.io.files import read_articles
from nearcopy.models import Evidence, Member
from nearcopy.models.feedback import Prediction
from nearcopy.stores import StoredArticle, open_store
from nearcopy.stores.transaction_cache import with_transaction_cache

IDS = "abcdefgh"
PREDICTION = Prediction(Relation.DISTINCT, "nothing", 0.5, False, 0.0, None, Evidence())


def stored(id_: str, text: str) -> StoredArticle:
    article = Article(id=id_, text=f"the ferry {text} ran aground off the harbour", seen=NOON)
    (fingerprint,) = fingerprints([article])
    (keys,) = blocking_keys([fingerprint], Recipe())
    return StoredArticle(article, fingerprint, keys)


def story(random: Random, ids: list[str]) -> Story:
    members = [Member(id_, None, 1.0, "kept", score=random.random()) for id_ in ids]
    name = f"s-{random.choice(IDS)}"
    return Story(name, ids[0], "first", tuple(members), NOON, NOON)


def feedback(a: str, b: str, *, same: bool) -> Feedback:
    kind = Relation.NEAR_TEXT if same else Relation.DISTINCT
    return Feedback(a=a, b=b, same=same, relation=kind, when=NOON, prediction=PREDICTION)


def write(store, random: Random) -> None:
    """Some write."""
    ids = random.sample(IDS, 3)
    present = [id_ for id_ in ids if store.runs([id_])]
    match random.randrange(6):
        case 0:
            store.save_articles([stored(id_, random.choice("xyz")) for id_ in ids])
        case 1:
            store.remove(ids[:1])
        case 2 if present:
            store.save_stories([story(random, present)], [f"s-{ids[0]}"], {f"s-{ids[1]}": "s-a"})
        case 3:
            store.save_feedback(feedback(*sorted(ids[:2]), same=random.random() < 0.5))
        case 4:
            store.remove_feedback(*ids[:2])
        case _:
            store.save_term_counts(random.randbytes(3))


def answers(store, random: Random) -> list[object]:
    ids = random.sample(IDS, 4)
    names = [f"s-{id_}" for id_ in ids]
    labels = {(*item.pair, item.same) for item in store.feedback_about(ids)}
    stories = store.stories(names) if random.random() < 0.5 else {}
    reads = (store.fingerprints(ids), store.articles(ids), store.members(ids), stories)
    by_id = [dict(sorted(read.items())) for read in reads]
    used, preferred = store.used_story_ids(names), store.preferred_copies(ids)
    return [*by_id, used, preferred, labels, store.term_counts()]


@pytest.mark.parametrize("seed", range(30))
def test_the_answers_are_those_of_the_store(seed):
    plain, cached = open_store("memory://"), with_transaction_cache(open_store("memory://"))
    logs = []
    for store in (plain, cached):
        store.bind(None, 1)
        random, log = Random(seed), []
        for _ in range(4):
            with store.transaction():
                for _ in range(12):
                    write(store, random)
                    log.append(answers(store, random))
        log.append(answers(store, random))
        logs.append(log)
    assert logs[0] == logs[1]


def test_an_add_makes_fewer_than_twelve_calls_and_a_batch_hardly_more():
    articles = list(read_articles(ROOT / "examples" / "wire.jsonl"))
    with Deduper("memory://") as deduper:
        calls = count_calls(deduper)
        for article in articles:
            deduper.add(article)
        one_by_one = calls.total() / len(articles)
    with Deduper("memory://") as deduper:
        list(deduper.run(articles[:20]))
        calls = count_calls(deduper)
        list(deduper.run(replace(article, seen=None) for article in articles[20:]))
        in_a_batch = calls.total()
    assert one_by_one < 12
    assert in_a_batch <= 16, calls  # the latencies, once a second, among them


def count_calls(deduper: Deduper) -> Counter[str]:
    """Count the calls that reach the store from now on."""
    calls: Counter[str] = Counter()

    class Counted:
        def __init__(self, store) -> None:
            self.store = store

        def __getattr__(self, name):
            def call(*args, **kwargs):
                calls[name] += name not in ("transaction", "snapshot")
                return getattr(self.store, name)(*args, **kwargs)

            return call

    deduper._store._store = Counted(deduper._store._store)
    return calls
