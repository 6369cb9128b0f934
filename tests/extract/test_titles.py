"""Titles: what is cut off, what stays, and the words of stages and recurring columns."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.text import normalised
from nearcopy.extract.titles import clean, find_stage_words, recurring_column
from nearcopy.extract.titles import stages_and_columns as stages
from nearcopy.extract.titles.clean import SIGN, _strip_prefix, _strip_suffix
from nearcopy.kernels import title_keys
from nearcopy.kernels.reference.titles import stem
from nearcopy.match.titles.contrast import find_contrast
from nearcopy.match.titles.similarity import title_scores

ANY = st.text(max_size=80)


@pytest.mark.parametrize(
    ("title", "source", "text", "tail"),
    [
        ("Ferry runs aground - The Guardian", None, "Ferry runs aground", "The Guardian"),
        ("Ferry runs aground | Reuters", None, "Ferry runs aground", "Reuters"),
        ("Ferry runs aground – BBC News", None, "Ferry runs aground", "BBC News"),
        ("Ferry runs aground — Elmstadt Herald", None, "Ferry runs aground", "Elmstadt Herald"),
        ("Fähre auf Grund | Ostsee-Zeitung", None, "Fähre auf Grund", "Ostsee-Zeitung"),
        ("Färja på grund - Elmtidningen", None, "Färja på grund", "Elmtidningen"),
        ("Ferry runs aground - elmstadt.com", None, "Ferry runs aground", "elmstadt.com"),
        ("Ferry runs aground :: Elmview", "elmview.org", "Ferry runs aground", "Elmview"),
        ("Ferry runs aground » Elm View", "www.elmview.org", "Ferry runs aground", "Elm View"),
        ("Ferry runs aground - The Elmview", "Elmview", "Ferry runs aground", "The Elmview"),
        ("Ferry runs aground - Elm Valley View", "evv.se", "Ferry runs aground", "Elm Valley View"),
        ("BBC News: ferry runs aground", None, "ferry runs aground", "BBC News"),
        ("Elm View: ferry runs aground", "elmview.org", "ferry runs aground", "Elm View"),
        ("Ferry runs aground (Reuters)", None, "Ferry runs aground", "Reuters"),
        ("Ferry aground \\| World | The Guardian", None, "Ferry aground", "The Guardian"),
        ("渡轮搁浅 - 新华网", None, "渡轮搁浅", "新华网"),
    ],
)
def test_the_publisher_is_cut_off(title, source, text, tail):
    assert clean(title, source)[:3] == (text, None, tail)


@pytest.mark.parametrize(
    "title",
    [
        "Prince Harry - The interview",
        "Manchester City 2 - Arsenal 1",
        "Wordle hints - Nov 3",
        "Elm Valley - a town in good times",
        "Markets slump - Bad News",
        "Harbour strike - what to know",
        "Space: why the harbour wants a telescope",
        "Live-action film shot in the harbour",
        "LIVE-ACTION FILM SHOT",
        "Ferry leaves at 10:30 - or so",
        "Breaking News",
        "Reuters",
        "BREAKING:",
        "Elm - Reuters",
        "Updates to the harbour plan",
        "Watch the tide rise",
        "",
        " ",
    ],
)
def test_what_means_something_stays(title):
    assert clean(title) == (title.strip(), None, None, False)


@pytest.mark.parametrize(
    ("title", "text", "prefix", "refiled"),
    [
        ("BREAKING: Ferry aground", "Ferry aground", "breaking", False),
        ("Breaking News - Ferry aground", "Ferry aground", "breaking news", False),
        ("UPDATE 2-Ferry aground", "Ferry aground", "update 2", True),
        ("RPT-UPDATE 1-Ferry aground", "Ferry aground", "rpt update 1", True),
        ("WRAPUP 3-Ferry aground", "Ferry aground", "wrapup 3", True),
        ("CORRECTED-Ferry aground", "Ferry aground", "corrected", True),
        ("Correction: Ferry aground", "Ferry aground", "correction", True),
        ("REFILE-Ferry aground", "Ferry aground", "refile", True),
        ("Watch: Ferry aground", "Ferry aground", "watch", False),
        ("Exclusive: Ferry aground", "Ferry aground", "exclusive", False),
        ("🔴 LIVE: Ferry aground", "Ferry aground", "live", False),
        ("Live updates: Ferry aground", "Ferry aground", "live updates", False),
        ("Opinion | Ferry aground", "Ferry aground", "opinion", False),
        ("Ferry aground: Live updates", "Ferry aground", "live updates", False),
        ("Ferry aground - live updates", "Ferry aground", "live updates", False),
        ("Ferry aground – harbour strike live", "Ferry aground", "harbour strike live", False),
        ("Ferry aground – as it happened", "Ferry aground", "as it happened", False),
        ("Ferry aground (UPDATED)", "Ferry aground", "updated", True),
        ("Ferry aground [VIDEO]", "Ferry aground", "video", False),
        ("BREAKING: LIVE: Ferry aground", "Ferry aground", "breaking live", False),
        ("Eilmeldung: Fähre auf Grund", "Fähre auf Grund", "eilmeldung", False),
        ("Live-Ticker: Fähre auf Grund", "Fähre auf Grund", "live ticker", False),
        ("URGENT : ferry échoué", "ferry échoué", "urgent", False),
        ("ÚLTIMA HORA | Encalla un ferri", "Encalla un ferri", "ultima hora", False),
        ("Son dakika: Feribot karaya oturdu", "Feribot karaya oturdu", "son dakika", False),
        ("JUST NU: Färja på grund", "Färja på grund", "just nu", False),
        ("عاجل: جنوح عبارة", "جنوح عبارة", "عاجل", False),
        ("عاجل.. جنوح عبارة", "جنوح عبارة", "عاجل", False),
        ("快訊：渡輪擱淺", "渡輪擱淺", "快 讯", False),
        ("【速報】フェリー座礁", "フェリー座礁", "速 报", False),
        ("[속보] 여객선 좌초", "여객선 좌초", "속보", False),
    ],
)
def test_marks_are_cut_off_and_named(title, text, prefix, refiled):
    assert clean(title) == (text, prefix, None, refiled)


def test_marks_and_publisher_go_together():
    title = "UPDATE 1-Ship &amp; crew safe &#8211; live updates | World | The Guardian"
    cleaned = clean(title, "www.theguardian.com")
    assert cleaned == ("Ship & crew safe", "update 1 live updates", "The Guardian", True)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Ship &amp; crew", "Ship & crew"),
        ("Ship&#8217;s crew", "Ship’s crew"),
        ("Ship&amp;#x2019;s crew", "Ship’s crew"),
        ("Q&A on R&D", "Q&A on R&D"),
        ("&#" + "9" * 5000 + ";", "&#" + "9" * 5000 + ";"),
    ],
)
def test_characters_of_html_are_decoded(title, text):
    assert clean(title).text == text


@given(title=ANY, source=st.none() | ANY)
def test_cleaning_never_fails_and_never_empties(title, source):
    cleaned = clean(title, source)
    assert bool(normalised(cleaned.text)) == bool(normalised(clean(cleaned.text).text))
    if normalised(title):
        assert len(cleaned.text) <= len(title)


@pytest.mark.parametrize(
    "piece", ["a", " - ", "|", "&amp;", ": ", "(", "…", "UPDATE ", "\ud800", "\0"]
)
def test_a_megabyte_is_no_trouble(piece):
    title = piece * (1_000_000 // len(piece))
    folded = normalised(clean(title, piece).text)
    scores = title_scores([folded, folded], [folded, "ferry"])
    assert all(math.isnan(v[0]) or v[0] == 1 for v in scores)
    assert find_contrast(find_stage_words(folded), find_stage_words(folded)) is None
    assert recurring_column(folded) is None
    assert len(title_keys([folded])[1]) <= 10


@pytest.mark.parametrize(
    ("title", "column"),
    [
        ("Today in History: October 3", "today in history"),
        ("Wordle hints and answer for Monday", "puzzle"),
        ("Connections puzzle: hints for Monday", "puzzle"),
        ("Your daily horoscope", "horoscope"),
        ("Ihr Horoskop für Montag", "horoscope"),
        ("Morning briefing: the harbour and more", "briefing"),
        ("Stock market today: shares drift", "markets"),
        ("Powerball numbers for Saturday", "lottery"),
        ("Die Lottozahlen vom Samstag", "lottery"),
        ("Weather forecast for the coast", "weather"),
        ("Letters to the editor: the bridge", "letters"),
        ("The week in review", "week in review"),
        ("Rovers vs City: start time and score", "sport"),
        ("Harbour strike live blog", None),
        ("Ferry runs aground off Norway", None),
        ("Baker wins the lottery", None),
        ("Shortest day in history nears", None),
        ("", None),
    ],
)
def test_columns_that_come_back_are_recognised(title, column):
    assert recurring_column(normalised(title)) == column


@given(
    word=st.sampled_from([*stages.SIDES_BY_STEM, *stages.IRREGULAR_FORMS, *stages.SIDES_BY_LINE]),
    cut=st.integers(0, 3),
    ending=st.text("esidngyl", max_size=4),
    article=st.booleans(),
)
def test_the_words_of_a_stage_are_those_with_its_stem(word, cut, ending, article):
    form = ("\u0627\u0644" if article else "") + word[: len(word) - cut] + ending
    sides = stages.SIDES_BY_STEM.get(stem(stages.IRREGULAR_FORMS.get(form, form)), ())
    line = (stages.SIDES_BY_LINE[form],) if form in stages.SIDES_BY_LINE else ()
    assert stages.STAGE_WORDS.get(form, ()) == (*sides, *line)


@given(st.text(st.characters() | st.sampled_from("aA. 1"), max_size=60), ANY)
def test_a_title_without_a_sign_is_clean(title, source):
    text = title.strip()
    if SIGN(text) is None and ".." not in text:
        assert _strip_prefix(text, source) is None
        assert _strip_suffix(text, source, named=False) is None
