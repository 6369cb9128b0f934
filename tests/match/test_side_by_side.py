"""Side-by-side layout: what lines up, what is marked, and no word lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearcopy import Article, explain
from nearcopy.kernels.result_types import Passage
from nearcopy.match.side_by_side import align, escape_text, paint_rows, shorten, title_pieces

SHARED = "the harbour council voted on Tuesday evening to close the old quay at once"
A = Article(
    id="a", title="Volt raises $10 million in Series A", text=f"Late news: {SHARED}, for 12 days."
)
B = Article(
    id="b",
    title="Volt raises $50 million in Series B",
    text=f"<p>We hear <b>that</b> {SHARED}, for 15 days &amp; nights.</p>",
    html=True,
)


def align_explained(a, b, **settings):
    explanation = explain(a, b, **settings)
    return align(a, b, explanation.passages, explanation.figures)


def text_of(pieces):
    return "".join(piece.text for piece in pieces)


def passage_of(words, a, b):
    return Passage(
        a.text.index(words),
        a.text.index(words) + len(words),
        b.text.index(words),
        b.text.index(words) + len(words),
        len(words.split()),
    )


def test_a_shared_passage_has_one_number_on_both_sides():
    (row,) = [row for row in align_explained(A, B) if row.passage]
    (left,) = [piece.text for piece in row.left if piece.passage == row.passage]
    (right,) = [piece.text for piece in row.right if piece.passage == row.passage]
    assert SHARED in left
    assert SHARED in right
    assert row.words >= len(SHARED.split())


def test_figures_that_differ_are_marked_on_both_sides():
    rows = align_explained(A, B)
    assert [p.text for row in rows for p in row.left if p.clash] == ["12"]
    assert [p.text for row in rows for p in row.right if p.clash] == ["15"]


def test_facts_that_clash_are_marked_in_the_titles():
    facts = [fact for fact, _ in explain(A, B).clashes]
    assert "Series A" in [piece.text for piece in title_pieces(A, facts) if piece.clash]


def test_no_word_of_either_text_is_lost():
    rows = align_explained(A, B)
    assert "".join(text_of(row.left) for row in rows).strip() == A.text
    right = "".join(text_of(row.right) for row in rows)
    assert " ".join(right.split()) == f"We hear that {SHARED}, for 15 days & nights."


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["ab", "cd", "ef", "1", "2", "\n", "中", "."]), max_size=60), st.data()
)
def test_any_two_texts_come_back_whole(words, data):
    other = data.draw(st.permutations(words)) if data.draw(st.booleans()) else words[::-1]
    a, b = Article(id="a", text=" ".join(words)), Article(id="b", text=" ".join(other))
    rows = align_explained(a, b, min_words=2)
    assert "".join(text_of(row.left) for row in rows).split() == a.text.split()
    assert "".join(text_of(row.right) for row in rows).split() == b.text.split()


def test_passages_in_the_same_order_line_up_and_a_moved_one_keeps_its_number():
    a = Article(id="a", text="one two. three four. five six!")
    b = Article(id="b", text="zero three four. one two. five six!")
    passages = [passage_of(words, a, b) for words in ("one two", "three four", "five six")]
    rows = align(a, b, passages)
    anchors = [row.passage for row in rows if row.passage]
    assert anchors in ([1, 3], [2, 3])
    for side, article in enumerate((a, b)):
        pieces = [(row.passage, piece) for row in rows for piece in row[side]]
        joined = "".join(piece.text for _, piece in pieces)
        assert joined.replace(" ", "") == article.text.replace(" ", "")
        assert len([p for passage, p in pieces if p.passage and p.passage != passage]) == 1
    assert rows[-1].left[0].text.endswith("six!")


def test_the_chain_with_the_most_words_lines_up():
    a = Article(id="a", text="one two three four five. six. seven.")
    b = Article(id="b", text="six. seven. one two three four five.")
    passages = [passage_of(words, a, b) for words in ("one two three four five", "six", "seven")]
    assert [row.passage for row in align(a, b, passages) if row.passage] == [1]


def test_no_text_at_all_gives_no_rows():
    assert align(Article(id="a"), Article(id="b"), []) == []


def test_shortening_keeps_passages_unless_told_otherwise():
    a = Article(id="a", text=f"{'x' * 900} {'shared ' * 200}")
    b = Article(id="b", text="shared " * 200)
    rows = align_explained(a, b)
    gaps_only = shorten(rows, max_unshared=100)
    assert "characters" in text_of(gaps_only[0].left)
    assert text_of(gaps_only[-1].right).strip() == b.text.strip()
    assert len(text_of(shorten(rows, max_unshared=100, max_shared=100)[-1].right)) < 200


def test_html_marks_shared_moved_and_unshared_text():
    a = Article(id="a", text="one two. three four. five six!", language="en")
    b = Article(id="b", text="zero three four. one two. five six!")
    passages = [passage_of(words, a, b) for words in ("one two", "three four", "five six")]
    painted = "".join(paint_rows(align(a, b, passages), a, b))
    assert painted.count('class="row shared"') == 2
    assert painted.count('<mark class="moved') == 2
    assert '<ins><span class="hidden" dir="ltr">only here: </span>zero' in painted
    assert 'lang="en"' in painted


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("<b>&", "&lt;b&gt;&amp;"), ("a\x00b", "a\ufffdb"), ("\u202ex", "x"), ("\ud800", "?")],
)
def test_no_text_acts_as_markup(text, escaped):
    assert escape_text(text) == escaped
