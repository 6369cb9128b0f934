"""Explanations: the passages, the facts and the rule, as data."""

from nearcopy import Article, Relation, explain

A = Article(
    id="a",
    title="Volt raises $10 million in Series A",
    text="Volt said on Monday that it had raised 10 million dollars from Alpine Capital.",
)
B = Article(
    id="b",
    title="Volt raises $50 million in Series B",
    text="<p>Volt said on Monday that it had raised 50 million dollars from Alpine Capital.</p>",
    html=True,
)


def test_an_explanation_holds_what_the_decision_rests_on():
    explanation = explain(A, B)
    assert (explanation.a, explanation.b) == ("a", "b")
    assert explanation.decision.relation is Relation.DISTINCT
    assert explanation.evidence.exact
    assert explanation.sentence.startswith("distinct: the facts clash: ")
    assert {fact.kind for pair in explanation.clashes for fact in pair} == {"money", "series"}
    assert {fact.kind for fact in explanation.facts_a} >= {"money", "series"}


def test_passages_and_figures_stand_in_both_originals():
    explanation = explain(A, B, min_words=4)
    assert [A.text[p.a_start : p.a_end] for p in explanation.passages] == [
        "Volt said on Monday that it had raised",
        "million dollars from Alpine Capital",
    ]
    assert [B.text[p.b_start : p.b_end] for p in explanation.passages] == [
        "Volt said on Monday that it had raised",
        "million dollars from Alpine Capital",
    ]
    ((one, other),) = explanation.figures
    assert A.text[one.start : one.end] == "10"
    assert B.text[other.start : other.end] == "50"


def test_an_article_explains_itself():
    explanation = explain(A, A)
    assert explanation.decision.relation is Relation.SAME_TEXT
    assert not explanation.clashes
    assert explanation.agreements
    assert explanation.sentence == "same_text: the texts are identical, word for word"


def test_two_versions_under_one_id_are_told_apart():
    old, new = (
        Article(id="a", text="one two three four five " * 20),
        Article(id="a", text="six " * 90),
    )
    assert not explain(old, new).evidence.overlap
    assert explain(old, old).evidence.overlap == 1
