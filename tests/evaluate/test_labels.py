"""Tables of pairs: which columns say what, which labels mean the same, what is passed over."""

import pytest

from nearcopy import Article, Policy
from nearcopy.errors import NearcopyError
from nearcopy.evaluate.labels import LabelOptions, find_scheme, positive_relations, read_labels

POLICY = Policy()
KNOWN = {name: Article(id=name, title=f"Title {name}", language="en") for name in "abcd"}


def table(header, *rows):
    names = header.split(",")
    return [
        (line, dict(zip(names, row.split(","), strict=True)))
        for line, row in enumerate(rows, start=2)
    ]


def make(values, name):
    fields = {key: values[key] for key in ("title", "text") if key in values}
    return Article(id=values.get("id") or name, **fields)


def read(rows, articles=KNOWN, **asked):
    by = find_scheme(LabelOptions(**asked), rows, POLICY)
    return by, read_labels(rows, by, articles, make)


GUESSED = [
    # header, a row, label column, grade column, target, the same
    ("a,b,overall,geography,lang_a,lang_b", "a,b,1.5,1,en,de", None, "overall", "event", True),
    ("a,b,overall", "a,b,2.5", None, "overall", "event", False),
    ("title_a,title_b,similarity", "x,y,4.2", None, "similarity", "event", True),
    ("title_a,title_b,similarity", "x,y,3.8", None, "similarity", "event", False),
    ("a,b,jaccard5,containment5", "a,b,0.5,0.9", None, "jaccard5", "copy", True),
    ("a,b,jaccard5,containment5", "a,b,0.4,0.9", None, "jaccard5", "copy", False),
    ("sentence_a,sentence_b,same", "x,y,1", "same", None, "duplicate", True),
    (
        "set,a,b,jaccard5,relation,certain",
        "s,a,b,0.9,revision,yes",
        "relation",
        None,
        "duplicate",
        True,
    ),
    (
        "id_a,id_b,title_a,title_b,label,trap",
        "a,b,x,y,SAME,prefix",
        "label",
        None,
        "duplicate",
        True,
    ),
    ("a,b,relation", "a,b,near_text", "relation", None, "duplicate", True),
]


@pytest.mark.parametrize(("header", "row", "label", "grade", "target", "same"), GUESSED)
def test_the_header_tells_what_the_columns_are(header, row, label, grade, target, same):
    by, labels = read(table(header, row))
    assert (by.label, by.grade, by.target) == (label, grade, target)
    assert [pair.same for pair in labels.pairs] == [same]


def test_relations_mean_the_same_as_far_as_the_target_goes():
    rows = table("a,b,relation", "a,b,same_title", "a,c,same_event", "a,d,near_text")
    expected = {"duplicate": [1, 0, 1], "event": [1, 1, 1], "copy": [0, 0, 1]}
    for target, same in expected.items():
        _, labels = read(rows, target=target)
        assert [pair.same for pair in labels.pairs] == [bool(flag) for flag in same]
    assert positive_relations("duplicate", POLICY) == POLICY.duplicates


def test_labels_are_those_asked_for():
    rows = table("a,b,label,kind", "a,b,x,same", "a,c,y,other", "a,d,z,same")
    by, labels = read(rows, positive=("X", "y"), ignore=("z",))
    assert [pair.same for pair in labels.pairs] == [True, True]
    assert labels.ignored == 1
    assert by.about == "label is x, y"
    _, labels = read(rows, label="kind")
    assert [pair.same for pair in labels.pairs] == [True, False, True]


def test_a_bound_and_a_direction_can_be_given():
    rows = table("a,b,points", "a,b,10", "a,c,20", "a,d,30")
    by, labels = read(rows, grade="points", positive=("20",))
    assert [pair.same for pair in labels.pairs] == [False, True, True]
    assert by.about == "points is 20 or more"
    by, labels = read(rows, grade="points", positive=("20",), higher_is_less=True)
    assert [pair.same for pair in labels.pairs] == [True, True, False]
    _, labels = read(rows, grade="points")
    assert [pair.same for pair in labels.pairs] == [None, None, None]
    _, labels = read(rows, grade="points", label="a", positive=("a",))
    assert [(pair.same, pair.grade) for pair in labels.pairs] == [
        (True, 10),
        (True, 20),
        (True, 30),
    ]


def test_what_nobody_was_sure_of_is_passed_over_and_counted():
    rows = table("a,b,label", "a,b,same", "a,c,unsure", "a,d,", "b,c,other")
    _, labels = read(rows)
    assert ([pair.label for pair in labels.pairs], labels.ignored) == (["same", "other"], 2)


def test_ids_that_no_article_has_are_told_once_each():
    rows = table("a,b,label", "a,b,same", "a,x,same", "y,x,other")
    _, labels = read(rows)
    assert (len(labels.pairs), labels.unknown, labels.unpaired) == (1, ["x", "y"], 2)


def test_articles_may_stand_in_the_rows():
    rows = table("sentence1,sentence2,same", "Rain in the hills,Hills get rain,1")
    _, labels = read(rows, articles=None)
    (pair,) = labels.pairs
    assert (pair.a.id, pair.a.title, pair.b.title) == ("2a", "Rain in the hills", "Hills get rain")
    rows = [(7, {"a": {"title": "Rain"}, "b": {"id": "z", "text": "Sun"}, "label": "other"})]
    _, labels = read(rows, articles=None, positive=("other",))
    assert [(pair.a.id, pair.b.id) for pair in labels.pairs] == [("7a", "z")]


def test_known_articles_are_preferred_to_what_stands_in_the_rows():
    rows = table("id_a,id_b,title_a,title_b,label", "a,b,x,y,same")
    assert read(rows)[1].pairs[0].a is KNOWN["a"]
    assert read(rows, articles=None)[1].pairs[0].a.title == "x"


@pytest.mark.parametrize(
    ("row", "language"), [("a,b,1,en,en", "en"), ("a,b,1,en,de", "de / en"), ("a,b,1,,", "en")]
)
def test_the_language_is_that_of_both_or_the_two(row, language):
    (pair,) = read(table("a,b,overall,lang_a,lang_b", row))[1].pairs
    assert pair.language == language


@pytest.mark.parametrize(
    ("header", "row", "asked", "message"),
    [
        ("a,b,c", "a,b,1", {}, "no column of labels or grades among a, b, c"),
        ("a,b,label", "a,b,x", {}, "which labels are positive? label is x"),
        ("a,b,label", "a,b,x", {"positive": ("y",)}, "--positive y: no such label, label is x"),
        ("a,b,label", "a,b,same", {"ignore": ("y",)}, "--ignore y: no such label"),
        ("a,b,label", "a,b,x", {"label": "lable"}, "--label lable: no such column"),
        ("a,b,label", "a,b,x", {"grade": "g"}, "--grade g: no such column"),
        ("a,b,overall", "a,b,x", {}, "line 2: overall is 'x': give a number"),
        ("a,b,overall", "a,b,nan", {}, "line 2: overall is 'nan': give a number"),
        ("a,b,overall", "a,b,1", {"positive": ("1", "2")}, "takes one bound"),
        ("a,b,overall", "a,b,1", {"positive": ("one",)}, "--positive is 'one': give a number"),
    ],
)
def test_what_cannot_be_read_says_what_to_do(header, row, asked, message):
    with pytest.raises(NearcopyError) as error:
        read(table(header, row), **asked)
    assert message in str(error.value)


def test_ids_without_articles_ask_for_them():
    with pytest.raises(NearcopyError, match="give these with --articles"):
        read(table("a,b,label", "a,b,same"), articles=None)


def test_an_article_that_is_none_is_told_with_its_line():
    def refuse(values, name):
        raise NearcopyError(f"{name}: {values}")

    rows = table("title_a,title_b,same", ",,1")
    with pytest.raises(NearcopyError, match="line 2: 2a"):
        read_labels(rows, find_scheme(LabelOptions(), rows, POLICY), None, refuse)
