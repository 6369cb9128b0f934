"""Titles: what is cut off, what stays, how alike two are, and how one is found among many."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nearcopy.match.titles.index import TitleIndex, TitleMatch

from nearcopy.extract.titles import clean, normal, normals, recurring, stages
from nearcopy.extract.titles import stage_words as contrasts
from nearcopy.extract.titles.clean import SIGN, _without_end, _without_head
from nearcopy.fingerprint.blocking_keys import title_keys
from nearcopy.kernels import reference
from nearcopy.kernels.data_tables import title_weights
from nearcopy.kernels.reference.titles import stem, title_terms
from nearcopy.match.titles.contrast import contrast, exchanged, opposite
from nearcopy.match.titles.similarity import digest_similarity, scores, tracker_average
from nearcopy.match.titles.substitutions import (
    NAMES,
    PLACES,
    are_known,
    are_other,
    common_words,
    is_one,
    swapped,
)

VOCABULARY = """
storm storms stormed harbour harbor bridge ferry u s port 2024 10m x 新 闻 港 口 ال المدينة مدينة
straße killing killed kill aaaaa aaaab ด จ 한국 e
"""
WORDS = st.sampled_from(VOCABULARY.split())
TITLES = st.lists(WORDS, max_size=14).map(" ".join)
ANY = st.text(max_size=80)


def measured(a: str, b: str) -> dict[str, float]:
    found = scores([normal(a)], [normal(b)])
    return {name: float(values[0]) for name, values in found._asdict().items()}


def digest(a: str, b: str) -> float:
    found = measured(a, b)
    lengths = sorted((len(normal(a)), len(normal(b))))
    return digest_similarity(found["indel"], found["cosine"], length_share=lengths[0] / lengths[1])


# Cleaning


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
    found = clean(title, "www.theguardian.com")
    assert found == ("Ship & crew safe", "update 1 live updates", "The Guardian", True)


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
    found = clean(title, source)
    assert bool(normal(found.text)) == bool(normal(clean(found.text).text))
    if normal(title):
        assert len(found.text) <= len(title)


@pytest.mark.parametrize(
    "piece", ["a", " - ", "|", "&amp;", ": ", "(", "…", "UPDATE ", "\ud800", "\0"]
)
def test_a_megabyte_is_no_trouble(piece):
    title = piece * (1_000_000 // len(piece))
    folded = normal(clean(title, piece).text)
    found = scores([folded, folded], [folded, "ferry"])
    assert all(math.isnan(v[0]) or v[0] == 1 for v in found)
    assert contrast(stages(folded), stages(folded)) is None
    assert recurring(folded) is None
    assert len(title_keys([folded])[0]) <= 10


# Normal forms and scores


@given(titles=st.lists(ANY, max_size=5))
def test_normal_forms_are_the_same_one_by_one(titles):
    assert normals(titles) == [normal(title) for title in titles]


@given(a=TITLES, b=TITLES)
def test_scores_are_shares_and_do_not_mind_the_order(a, b):
    there, back, self_ = scores([a], [b]), scores([b], [a]), scores([a], [a])
    for one, other, same in zip(there, back, self_, strict=True):
        assert np.array_equal(one, other, equal_nan=True)
        assert np.isnan(one[0]) == (not a or not b)
        assert np.isnan(one[0]) or 0 <= one[0] <= 1
        assert same[0] == 1 or not a


def test_no_pairs_have_no_scores():
    assert all(len(each) == 0 for each in scores([], []))


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ("Claude 3.5 Sonnet 新發布", "Claude 3.5 Sonnet 發布", 0.9, 1),
        ("Cursor AI 編輯器 v0.40 發布新功能", "Cursor v0.40：AI 編輯器新功能發布", 0.8, 1),
        ("OpenAI 推出 GPT-4o", "新模型 GPT-4o 登場", 0, 0.6),
        ("GPT-4", "GPT-4 update", 0, 0),
    ],
)
def test_the_digest_examples_come_out_as_its_design_says(a, b, low, high):
    assert low <= digest(a, b) <= high


def test_the_tracker_examples_have_the_ratios_its_design_gives():
    volt = measured(
        "UPC Volt sets up Rs 5k cr data centre", "UPC Volt to invest 5000 crore in data centre"
    )
    rounds = measured("Startup X raises Series A $10M", "Startup X raises Series B $50M")
    assert round(100 * volt["token_set"]) == 74
    assert round(100 * rounds["token_set"]) == 93
    for found, high in ((volt, False), (rounds, True)):
        average = tracker_average(found["token_set"], found["partial"], found["token_sort"])
        assert (average >= 0.82) == high


def test_the_feed_example_is_its_levenshtein_similarity():
    assert measured("Breaking News", "Breaking News!")["ratio"] == 1
    assert measured("abcdefghij", "abcdefghix")["ratio"] == pytest.approx(0.9)


# The kernel


@given(pairs=st.lists(st.tuples(TITLES, TITLES), max_size=6))
def test_native_scores_equal_the_reference(native, pairs):
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for name in ("title_cosines", "title_fronts", "word_cosines"):
        made, expected = (getattr(kernel, name)(a, b) for kernel in (native, reference))
        assert made.tobytes() == expected.tobytes() or np.array_equal(made, expected, True)
    for made, expected in zip(native.title_keys(a), reference.title_keys(a), strict=True):
        assert made.tolist() == expected.tolist()


@given(a=ANY, b=ANY)
def test_native_scores_equal_the_reference_on_any_text(native, a, b):
    for name in ("title_cosines", "title_fronts", "word_cosines"):
        made, expected = (getattr(kernel, name)([a], [b]) for kernel in (native, reference))
        assert np.array_equal(made, expected, equal_nan=True)
    made, expected = (kernel.title_keys([a])[1] for kernel in (native, reference))
    assert made.tolist() == expected.tolist()


def test_a_lone_surrogate_is_a_letter_like_others(kernel):
    assert kernel.title_cosines(["\ud800 a"], ["\ud800 a"]).tolist() == [1]
    assert len(kernel.title_keys(["\ud800 a"])[1]) == 3


def test_the_native_kernel_says_what_is_wrong(native):
    with pytest.raises(TypeError, match=r"a\[0\] must be str, got int"):
        native.title_cosines([1], ["a"])
    with pytest.raises(TypeError, match="put it in a list"):
        native.title_keys("a title")
    with pytest.raises(ValueError, match="a has 1 titles, b 2"):
        native.word_cosines(["a"], ["a", "b"])


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("suspend suspends suspended suspending", "suspend"),
        ("stop stops stopped stopping", "stop"),
        ("party parties", "party"),
        ("rise rises rising", "ris"),
        ("kill kills killed killing", "kill"),
        ("المدينة مدينة", "مدينة"),
    ],
)
def test_inflections_have_one_stem(words, same):
    assert {stem(word) for word in words.split()} == {same}


@pytest.mark.parametrize("word", ["bus", "glass", "crisis", "red", "king", "need", "ios", "us"])
def test_short_words_are_left_whole(word):
    assert stem(word) == word


@pytest.mark.parametrize(
    ("title", "terms"),
    [
        ("u s port s plan", ["us", "port", "plan"]),
        ("plan b", ["plan", "b"]),
        ("新 闻 联 播 ai 港", ["新闻", "闻联", "联播", "ai", "港"]),
        ("gpt 4 5", ["gpt", "4", "5"]),
        ("", []),
    ],
)
def test_terms_of_a_title(title, terms):
    assert title_terms(title) == terms


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("harbour", "harbor", True),
        ("norwegian", "norway", False),
        ("investigators", "investigation", True),
        ("10000", "20000", False),
        ("ferry", "fairy", False),
        ("ferry", "ferri", True),
    ],
)
def test_words_alike_count_for_something(kernel, a, b, alike):
    assert (kernel.title_cosines([a], [b])[0] > 0) == alike


def test_rare_words_weigh_more_than_common_ones(kernel):
    common, rare = kernel.title_cosines(
        ["the zeppelin is on the river", "the zeppelin is on the river"],
        ["the gardener is on the lawn", "a zeppelin over some river"],
    )
    assert common < rare


def test_the_table_is_small_common_vocabulary():
    known, unknown = title_weights()
    assert 2000 <= len(known) <= 6000
    assert all(0 < weight <= unknown for weight in known.values())
    for word in ("the", "och", "der", "في", "de"):
        assert known[stem(word)] < unknown / 2
    assert all(" " not in term for term in known)


# Names in each other's place


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("nordell raises dividend", "tarvane raises dividend", (("nordell", "tarvane"),)),
        ("北京警方通报", "上海警方通报", (("北京", "上海"),)),
        ("河南暴雨停课", "河北暴雨停课", (("河南", "河北"),)),
        ("浙江暴雨停课", "黑龙江暴雨停课", (("浙江", "黑龙江"),)),
        ("特朗普宣布关税", "普京宣布关税", (("特朗普", "普京"),)),
        ("北京警方通报王小明案", "上海警方通报李大同案", (("北京", "上海"), ("王小明", "李大同"))),
        ("北京警方通报", "北京市警方通报", ()),
        ("北京警方通报一起重大案件", "上海天气", ()),
    ],
)
def test_what_stands_in_each_others_place(a, b, found):
    assert swapped(normal(a), normal(b)) == found


@pytest.mark.parametrize(
    ("x", "y", "leads", "other"),
    [
        ("北京", "上海", False, True),
        ("北京", "宁远", False, True),
        ("北京", "当地", False, False),
        ("王小明", "李大同", False, True),
        ("王", "李", False, True),
        ("发", "公", False, False),
        ("华为", "小米", True, True),
        ("华为", "小米", False, False),
        ("照片", "视频", True, False),
        ("湖人", "火箭", True, False),
        ("警方", "官方", True, False),
        ("推出", "发布", False, False),
        ("董事", "王者", False, False),
        ("第七代手机", "第八代手机", True, False),
    ],
)
def test_names_in_characters_are_told_by_looks_and_place(x, y, leads, other):
    assert are_other(x, y, leads=leads) is other
    assert are_other(y, x, leads=leads) is other


def test_tables_of_names_do_not_contradict_each_other():
    assert len(common_words()) > 5000
    assert PLACES.isdisjoint(common_words())
    assert all(len(word) == 2 for word in common_words())


def test_names_that_are_known_are_told_by_their_forms():
    assert are_known("iran", "iraq")
    assert not is_one("iran", "iraq")
    assert is_one("france", "french")
    assert not are_known("iran", "talks")
    assert all(normal(name) == name for name in NAMES)


# Contrasts and columns


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("acme buys globex", "globex buys acme", "acme buys globex / globex buys acme"),
        ("it said acme sues globex", "it said globex sues acme", "acme sues globex / globex sues"),
        ("elm town 2 1 harwick", "harwick 2 1 elm town", "elm town 2 1 harwick / harwick"),
        ("acme and globex agree", "globex and acme agree", None),
        ("ruiz to meet hale", "hale to meet ruiz", None),
        ("fire in harwick two hurt", "two hurt in harwick fire", None),
        ("acme buys globex", "globex sues acme", None),
        ("acme globex", "globex acme", None),
        ("", "", None),
    ],
)
def test_who_did_what_to_whom_is_told_apart(a, b, found):
    said = exchanged(a, b)
    assert (said is None) == (found is None)
    assert found is None or said.startswith(found)


@given(a=TITLES, b=TITLES)
def test_opposites_are_so_both_ways(a, b):
    assert (exchanged(a, b) is None) == (exchanged(b, a) is None)
    swap = swapped(a, b)
    assert (opposite(swap) is None) == (opposite([pair[::-1] for pair in swap]) is None)


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("port suspends ferry", "port resumes ferry", "suspends / resumes"),
        ("rovers win the cup", "rovers lose the cup", "win / lose"),
        ("captain arrested after crash", "captain charged after crash", "arrested / charged"),
        ("captain charged", "captain convicted", "charged / convicted"),
        ("captain convicted", "captain sentenced", "convicted / sentenced"),
        ("oil rises", "oil falls", "rises / falls"),
        ("oil rose", "oil fell", "rose / fell"),
        ("rovers v city preview", "rovers v city result", "preview / result"),
        ("yard delays new ferry", "yard launches new ferry", "delays / launches"),
        ("takeaways from the debate", "debate at the college", "takeaways / -"),
        ("boy shot dead", "man charged after boy shot dead", "- / charged"),
        ("captain jailed", "captain imprisoned", None),
        ("oil rises", "oil climbs", None),
        ("oil rises as gold falls", "gold falls while oil rises", None),
        ("ferry runs aground", "ferry afloat", None),
        ("", "", None),
    ],
)
def test_stages_and_sides_are_told_apart(a, b, found):
    assert contrast(stages(a), stages(b)) == found


@given(a=TITLES, b=TITLES)
def test_a_contrast_does_not_mind_the_order(a, b):
    assert (contrast(stages(a), stages(b)) is None) == (contrast(stages(b), stages(a)) is None)
    assert contrast(stages(a), stages(a)) is None


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
    assert recurring(normal(title)) == column


# The index


@pytest.fixture
def index() -> TitleIndex:
    made = TitleIndex()
    made.add(
        [3, 1, 2],
        [
            "Ferry runs aground off the Norwegian coast near Bergen",
            "Council approves second bridge over the Elm river",
            "渡轮在挪威海岸搁浅 无人受伤",
        ],
    )
    return made


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Ferry runs aground off the Norwegian coast near Bergen", 3),
        ("Near Bergen, ferry runs aground off Norwegian coast", 3),
        ("Ferry runs aground off the Swedish coast near Bergen", 3),
        ("Second Elm river bridge approved by council", 1),
        ("渡轮在挪威海岸搁浅", 2),
        ("A gardener wins the lottery", None),
        ("", None),
    ],
)
def test_edited_titles_are_found(index, title, found):
    assert [match.id for match in index.find(title, at_least=0.5)] == ([found] if found else [])


def test_the_same_title_scores_one_and_ties_go_by_id(index):
    index.add([9, 0], ["Elm river bridge opens"] * 2)
    best = [TitleMatch(0, 1.0), TitleMatch(9, 1.0)]
    assert index.find("Elm River bridge opens!", at_least=0.9) == best
    assert index.find("Elm river bridge opens", limit=1) == [TitleMatch(0, 1.0)]


def test_adding_again_replaces(index):
    index.add([3], ["Council rejects the harbour plan"])
    assert len(index) == 3
    assert index.find("Ferry runs aground off the Norwegian coast near Bergen") == []
    assert [match.id for match in index.find("Council rejects harbour plan")] == [3]


def test_within_one_batch_the_last_of_an_id_counts():
    index = TitleIndex()
    index.add([1, 1], ["Council approves the bridge", "Ferry runs aground"])
    assert len(index) == 1
    assert index.find("Council approves the bridge") == []


def test_a_crowd_under_one_key_does_not_hide_the_title():
    index = TitleIndex()
    crowd = [f"Zeppelin gardener number {number}" for number in range(5000)]
    index.add(range(5000), crowd)
    index.add([5000], ["Zeppelin gardener finds a purple walrus"])
    assert index.find("Zeppelin gardener finds purple walrus")[0].id == 5000
    assert index.find(crowd[4321])[0].score > 0.9


@given(titles=st.lists(TITLES.filter(bool), min_size=1, max_size=8))
def test_every_title_finds_itself(titles):
    index = TitleIndex()
    index.add(range(len(titles)), titles)
    for number, title in enumerate(titles):
        if title_terms(title):
            assert TitleMatch(number, 1.0) in index.find(title)


def test_keys_are_few_and_shared_by_titles_alike():
    a, b, c = title_keys(
        [
            normal("Ferry runs aground off the Norwegian coast"),
            normal("Off the Norwegian coast, a ferry has run aground"),
            normal("Council approves second bridge"),
        ]
    )
    assert len(a) == len(b) == 10
    assert a.dtype == np.uint64
    assert set(a.tolist()) & set(b.tolist())
    assert not set(a.tolist()) & set(c.tolist())


@given(
    word=st.sampled_from([*contrasts.SIDES, *contrasts.IRREGULAR, *contrasts.LINES]),
    cut=st.integers(0, 3),
    ending=st.text("esidngyl", max_size=4),
    article=st.booleans(),
)
def test_the_words_of_a_stage_are_those_with_its_stem(word, cut, ending, article):
    form = ("\u0627\u0644" if article else "") + word[: len(word) - cut] + ending
    sides = contrasts.SIDES.get(stem(contrasts.IRREGULAR.get(form, form)), ())
    line = (contrasts.LINES[form],) if form in contrasts.LINES else ()
    assert contrasts.WORDS.get(form, ()) == (*sides, *line)


@given(st.text(st.characters() | st.sampled_from("aA. 1"), max_size=60), ANY)
def test_a_title_without_a_sign_is_clean(title, source):
    text = title.strip()
    if SIGN(text) is None and ".." not in text:
        assert _without_head(text, source) is None
        assert _without_end(text, source, named=False) is None
