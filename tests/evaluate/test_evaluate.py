"""Evaluations of pairs, clusters and near copies on articles made for it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import Article, Policy, Recipe, Relation
from nearcopy.errors import NearcopyError
from nearcopy.evaluate.clusters import evaluate_clusters
from nearcopy.evaluate.labels import LabelOptions, find_scheme, read_labels
from nearcopy.evaluate.near_duplicates import ListedPair, evaluate_near_pairs, read_listed_pairs
from nearcopy.evaluate.outcomes import target_score
from nearcopy.evaluate.pairs import evaluate_pairs
from nearcopy.match.judgement import Judgement
from nearcopy.models import Decision, Evidence

POLICY = Policy(window=None)
DAY = datetime(2025, 10, 7, tzinfo=UTC)
FERRY = (
    "The evening ferry to Stennet Island ran onto a sandbank outside the harbour on Monday with "
    "ninety people aboard, and stayed there until the tide lifted it off shortly after midnight. "
    "Nobody was hurt. The harbour master said that the channel had silted up over the summer and "
    "that the dredger which was to clear it had been held up by a strike at the yard."
)
ORCHARD = (
    "Growers in the Lower Marl valley expect the smallest cider harvest for twenty years after "
    "frost in the first week of May took the blossom off two orchards in three. The growers' "
    "union has asked the county for a fund that would help small farms to replant with late kinds."
)
LIBRARY = (
    "The town library will open on Sundays from next month, the council decided on a vote of nine "
    "to four. Two more people will be taken on, and the reading room is to be heated again after "
    "a winter in which readers sat in their coats and the taps in the cellar froze twice over."
)


def article(name, text, days=0, **more):
    return Article(id=name, text=text, published=DAY + timedelta(days=days), **more)


ARTICLES = [
    article("f1", FERRY, title="Ferry aground off Stennet", language="en"),
    article("f2", FERRY.replace("Monday", "Monday night"), 20, title="Ferry stuck on sandbank"),
    article("o1", ORCHARD, title="Frost halves cider harvest", language="en"),
    article("o2", ORCHARD.replace("county", "ministry"), title="Cider harvest halved by frost"),
    article("l1", LIBRARY, title="Library to open on Sundays", language="de"),
]
BY_ID = {article.id: article for article in ARTICLES}
ROWS = [
    (2, {"a": "f1", "b": "f2", "label": "same"}),
    (3, {"a": "o1", "b": "o2", "label": "other"}),  # labelled different, though they are not
    (4, {"a": "f1", "b": "l1", "label": "same"}),  # labelled the same, though they are not
    (5, {"a": "o1", "b": "l1", "label": "other"}),
    (6, {"a": "o1", "b": "f1", "label": "unsure"}),
    (7, {"a": "o1", "b": "gone", "label": "same"}),
]


def pairs(rows=ROWS, policy=POLICY, **asked):
    by = find_scheme(LabelOptions(**asked), rows, policy)
    labels = read_labels(rows, by, BY_ID, lambda values, name: Article(id=name, **values))
    return evaluate_pairs(labels, by, Recipe(), policy)


def columns(found, name):
    (table,) = (table for table in found.tables if table.name == name)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


# Pairs.


def test_pairs_are_counted_and_measured():
    report = pairs()
    assert report.counts == {
        "pairs": 4,
        "same": 2,
        "called_same": 2,
        "ignored": 1,
        "with_unknown_ids": 1,
    }
    assert report.unknown == ("gone",)
    assert {name: report.scores[name].value for name in ("precision", "recall", "f1")} == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
    }
    assert 0 <= report.scores["auc"].low <= report.scores["auc"].high <= 1
    assert "pearson" not in report.scores


def test_the_mistakes_come_with_what_they_rest_on():
    alarm, miss = pairs().mistakes
    assert (alarm.kind, alarm.outcome.pair.line) == ("false alarm", 3)
    assert alarm.explanation.passages
    assert alarm.outcome.judgement.decision.relation is Relation.NEAR_TEXT
    assert (miss.kind, miss.outcome.pair.line) == ("miss", 4)


def test_false_alarms_come_surest_first_and_misses_least_sure_first():
    rows = [(line, row | {"label": "other"}) for line, row in ROWS[:2]]
    rows += [(line, row | {"label": "same"}) for line, row in ROWS[2:5]]
    mistakes = pairs(rows).mistakes
    alarms = [mistake.outcome.score for mistake in mistakes if mistake.kind == "false alarm"]
    misses = [mistake.outcome.score for mistake in mistakes if mistake.kind == "miss"]
    assert alarms == sorted(alarms, reverse=True)
    assert misses == sorted(misses)
    assert (len(alarms), len(misses)) == (2, 3)


def test_tables_tell_labels_relations_and_languages():
    report = pairs()
    near, distinct = columns(report, "by_relation")
    assert (near["relation"], near["pairs"], near["same"].value) == ("near_text", 2, 0.5)
    assert distinct["relation"] == "distinct"
    other, same = columns(report, "confusion")
    assert other == {"label": "other", "pairs": 2, "called same": 1, "near_text": 1, "distinct": 1}
    assert same["label"] == "same"
    languages = [row["language"] for row in columns(report, "by_language")]
    assert languages == ["one language", "de / en", "en"]


def test_grades_are_correlated_in_their_direction():
    grades = {2: "1.0", 3: "1.2", 4: "4", 5: "3.5"}
    rows = [
        (line, {"a": row["a"], "b": row["b"], "overall": grades[line]}) for line, row in ROWS[:4]
    ]
    report = pairs(rows)
    assert report.scores["pearson"].value > 0.9
    assert report.scores["precision"].value == 1.0
    less = pairs(rows, grade="overall", higher_is_less=False)
    assert less.scores["pearson"].value == pytest.approx(-report.scores["pearson"].value)
    assert [row["label"] for row in columns(report, "confusion")] == ["1", "4"]


def test_grades_without_a_bound_are_correlated_and_no_more():
    rows = [(2, {"a": "f1", "b": "f2", "points": "5"}), (3, {"a": "o1", "b": "f1", "points": "1"})]
    report = pairs(rows, grade="points")
    assert list(report.scores) == ["pearson", "spearman"]
    assert (report.lines, report.bins, report.histogram, report.mistakes) == ((), (), (), ())


def test_pairs_outside_the_window_are_not_called_the_same():
    report = pairs(policy=replace(POLICY, window=timedelta(days=14)))
    assert report.scores["recall"].value == 0.0
    rules = {
        mistake.outcome.pair.line: mistake.outcome.judgement.decision.rule
        for mistake in report.mistakes
    }
    assert rules[2] == "not-compared"


def test_every_pair_is_in_the_histogram_and_the_bins():
    report = pairs()
    assert sum(bar.same for bar in report.histogram) == 2
    assert sum(bar.others for bar in report.histogram) == 2
    assert sum(bucket.pairs for bucket in report.bins) == 4


def test_whoever_runs_it_twice_gets_the_same():
    assert pairs() == pairs()


def test_what_is_no_duplicate_scores_below_every_duplicate():
    def judged(relation, confidence, duplicate, news):
        return Judgement(Evidence(), Decision(relation, "", confidence, duplicate, ""), news, None)

    event = judged(Relation.SAME_EVENT, 0.7, False, 0.7)
    title = judged(Relation.SAME_TITLE, 0.5, True, 0.5)
    assert target_score(event, "duplicate") < target_score(title, "duplicate") == 0.5
    assert target_score(event, "event") == 0.7
    assert target_score(event, "copy") == 0.0


# Clusters.

CLUSTERS = {"f1": "ferry", "f2": "ferry", "o1": "frost", "o2": "cider", "l1": "ferry", "x": "gone"}


def test_stories_are_measured_against_clusters():
    report = evaluate_clusters(ARTICLES, CLUSTERS, None, POLICY)
    assert report.counts == {
        "articles": 5,
        "clusters": 3,
        "stories": 3,
        "without_cluster": 0,
        "with_unknown_ids": 1,
    }
    assert report.unknown == ("x",)
    assert report.resampled == "clusters"
    # Stories f1 f2, o1 o2, l1; o1 and o2 share theirs with one of another cluster.
    assert report.scores["bcubed_precision"].value == pytest.approx(4 / 5)
    assert report.scores["bcubed_recall"].value == pytest.approx((2 * 2 / 3 + 1 / 3 + 2) / 5)
    assert report.scores["pair_precision"].value == pytest.approx(1 / 2)
    assert report.scores["pair_recall"].value == pytest.approx(1 / 3)


def test_wrong_merges_and_splits_are_listed():
    alarm, miss = evaluate_clusters(ARTICLES, CLUSTERS, None, POLICY).mistakes
    assert alarm.kind == "false alarm"
    assert {alarm.outcome.pair.a.id, alarm.outcome.pair.b.id} == {"o1", "o2"}
    assert miss.kind == "miss"
    assert (miss.outcome.pair.b.id, miss.outcome.pair.label) == ("l1", "ferry")


def test_relations_in_stories_and_languages_have_tables():
    report = evaluate_clusters(ARTICLES, CLUSTERS, None, POLICY)
    (near,) = columns(report, "by_relation")
    assert (near["relation"], near["articles"], near["same"].value) == ("near_text", 2, 0.5)
    assert [row["language"] for row in columns(report, "by_language")] == ["en", "unknown", "de"]


def test_articles_of_no_cluster_are_counted_and_not_scored():
    report = evaluate_clusters(ARTICLES, {"f1": "ferry", "f2": "ferry"}, None, POLICY)
    assert (report.counts["articles"], report.counts["without_cluster"]) == (2, 3)
    assert report.scores["bcubed_f1"].value == 1.0
    assert report.mistakes == ()


# Near copies.

NEAR = [
    ListedPair(2, "f2", "f1", 0.93),
    ListedPair(3, "f1", "l1", 0.6),
    ListedPair(4, "o1", "x", 0.9),
]


def test_listed_pairs_are_found_or_missed():
    report = evaluate_near_pairs(ARTICLES, NEAR, None, POLICY)
    assert report.counts == {
        "articles": 5,
        "listed": 3,
        "at_the_bound": 2,
        "copies_found": 2,
        "with_unknown_ids": 1,
    }
    assert report.unknown == ("x",)
    values = {name: estimate.value for name, estimate in report.scores.items()}
    assert values == {"found": 0.5, "recall": 0.5, "precision": 0.5}
    best, *_, last = columns(report, "by_overlap")
    assert (best["pairs"], best["found"].value, last["pairs"]) == (1, 1.0, 2)


def test_copies_that_are_not_listed_and_pairs_never_proposed_are_mistakes():
    alarm, miss = evaluate_near_pairs(ARTICLES, NEAR, None, POLICY).mistakes
    assert (alarm.kind, alarm.outcome.pair.label) == ("false alarm", "not listed")
    assert {alarm.outcome.pair.a.id, alarm.outcome.pair.b.id} == {"o1", "o2"}
    assert (miss.kind, miss.outcome.pair.label) == ("miss", "overlap 0.6; no candidate")


def test_a_bound_leaves_out_what_overlaps_less():
    report = evaluate_near_pairs(ARTICLES, NEAR, None, POLICY, bound=0.9)
    assert (report.counts["at_the_bound"], report.scores["recall"].value) == (1, 1.0)


def test_a_window_parts_what_is_farther_apart():
    narrow = replace(POLICY, window=timedelta(days=14))
    assert evaluate_near_pairs(ARTICLES, NEAR, None, narrow).scores["recall"].value == 0.0


def test_short_texts_do_not_count_as_false_alarms():
    short = [
        article("s1", "Rain is expected in the hills."),
        article("s2", "Rain is expected in the hills."),
    ]
    report = evaluate_near_pairs([*ARTICLES, *short], NEAR, None, POLICY)
    assert report.counts["copies_found"] == 2


def test_lists_are_read_by_their_columns():
    rows = [(2, {"a": "x", "b": "y", "jaccard5": "0.8", "containment5": "0.9", "relation": "same"})]
    assert read_listed_pairs(rows, LabelOptions(), POLICY) == ([ListedPair(2, "x", "y", 0.8)], 0.5)
    named = LabelOptions(grade="containment5", positive=("0.7",))
    assert read_listed_pairs(rows, named, POLICY) == ([ListedPair(2, "x", "y", 0.9)], 0.7)
    with pytest.raises(NearcopyError, match="need the columns a, b and jaccard"):
        read_listed_pairs([(2, {"a": "x", "b": "y"})], LabelOptions(), POLICY)
    with pytest.raises(NearcopyError, match="line 2: jaccard is 'high'"):
        read_listed_pairs([(2, {"a": "x", "b": "y", "jaccard": "high"})], LabelOptions(), POLICY)
