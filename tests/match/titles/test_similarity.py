"""Titles compared: scores, names in each other's place, contrasts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.text import normalised
from nearcopy.extract.titles import find_stage_words
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.thresholds import title_average, title_mix
from nearcopy.match.titles.contrast import find_contrast, find_exchange, find_opposite
from nearcopy.match.titles.similarity import title_scores
from nearcopy.match.titles.substitutions import (
    NAMES,
    PLACES,
    are_different_names,
    common_words,
    find_swaps,
)
from nearcopy.models import Evidence

VOCABULARY = """
storm storms stormed harbour harbor bridge ferry u s port 2024 10m x 新 闻 港 口 ال المدينة مدينة
straße killing killed kill aaaaa aaaab ด จ 한국 e
"""
WORDS = st.sampled_from(VOCABULARY.split())
TITLES = st.lists(WORDS, max_size=14).map(" ".join)
ANY = st.text(max_size=80)


def measured(a: str, b: str) -> dict[str, float]:
    scores = title_scores([normalised(a)], [normalised(b)])
    return {name: float(values[0]) for name, values in scores._asdict().items()}


def digest(a: str, b: str) -> float:
    scores = measured(a, b)
    evidence = Evidence(title_indel=scores["indel"], title_cosine=scores["cosine"])
    return title_mix(EvidenceTable.of([evidence])).item()


@given(a=TITLES, b=TITLES)
def test_scores_are_shares_and_do_not_mind_the_order(a, b):
    forward, back, self_ = title_scores([a], [b]), title_scores([b], [a]), title_scores([a], [a])
    for one, other, same in zip(forward, back, self_, strict=True):
        assert np.array_equal(one, other, equal_nan=True)
        assert np.isnan(one[0]) == (not a or not b)
        assert np.isnan(one[0]) or 0 <= one[0] <= 1
        assert same[0] == 1 or not a


def test_no_pairs_have_no_scores():
    assert all(len(column) == 0 for column in title_scores([], []))


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ("Claude 3.5 Sonnet 新發布", "Claude 3.5 Sonnet 發布", 0.9, 1),
        ("Cursor AI 編輯器 v0.40 發布新功能", "Cursor v0.40：AI 編輯器新功能發布", 0.8, 1),
        ("OpenAI 推出 GPT-4o", "新模型 GPT-4o 登場", 0, 0.6),
        ("GPT-4", "GPT-4 update", 0.72, 0.73),  # the same from 0.8 on
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
    for ratios, high in ((volt, False), (rounds, True)):
        scores = {f"title_{name}": ratios[name] for name in ("token_set", "partial", "token_sort")}
        average = title_average(EvidenceTable.of([Evidence(**scores)])).item()
        assert (average >= 0.82) == high


def test_the_feed_example_is_its_levenshtein_similarity():
    assert measured("Breaking News", "Breaking News!")["ratio"] == 1
    assert measured("abcdefghij", "abcdefghix")["ratio"] == pytest.approx(0.9)


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
    assert find_swaps(normalised(a), normalised(b)) == found


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
    assert are_different_names(x, y, leads=leads) is other
    assert are_different_names(y, x, leads=leads) is other


def test_tables_of_names_do_not_contradict_each_other():
    assert len(common_words()) > 5000
    assert PLACES.isdisjoint(common_words())
    assert all(len(word) == 2 for word in common_words())


def test_names_that_are_known_are_told_by_their_forms():
    assert NAMES["iran"] != NAMES["iraq"]
    assert NAMES["france"] == NAMES["french"] != NAMES["germany"]
    assert "talks" not in NAMES
    assert all(normalised(name) == name for name in NAMES)


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
    said = find_exchange(a, b)
    assert (said is None) == (found is None)
    assert found is None or said.startswith(found)


@given(a=TITLES, b=TITLES)
def test_opposites_are_so_both_ways(a, b):
    assert (find_exchange(a, b) is None) == (find_exchange(b, a) is None)
    swap = find_swaps(a, b)
    assert (find_opposite(swap) is None) == (find_opposite([pair[::-1] for pair in swap]) is None)


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
    assert find_contrast(find_stage_words(a), find_stage_words(b)) == found


@given(a=TITLES, b=TITLES)
def test_a_contrast_does_not_mind_the_order(a, b):
    assert (find_contrast(find_stage_words(a), find_stage_words(b)) is None) == (
        find_contrast(find_stage_words(b), find_stage_words(a)) is None
    )
    assert find_contrast(find_stage_words(a), find_stage_words(a)) is None
