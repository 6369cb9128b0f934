"""Figures in Han characters: what is read of a title when two are compared, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, Evidence, Fingerprint, fingerprints
from nearcopy.extract.facts import add_chinese_facts
from nearcopy.extract.facts.number_parser import parse_chinese, parse_chinese_integer
from nearcopy.match.compare import compare


def made(title: str) -> Fingerprint:
    (fingerprint,) = fingerprints([Article(id="a", title=title)])
    return fingerprint


def compared(a: str, b: str) -> Evidence:
    return compare(made(a), made(b))


@pytest.mark.parametrize(
    ("title", "kind", "value", "about"),
    [
        ("台風造成三人死亡", "count", "3", "toll dead"),
        ("死亡人数升至三十一人", "count", "31", "toll dead"),
        ("爆炸致三死五伤", "count", "5", "toll hurt"),
        ("地震后二十人失蹤", "count", "20", "toll missing"),
        ("警方逮捕兩人", "count", "2", "toll held"),
        ("一人死亡 警方逮捕三人", "count", "3", "toll held"),
        ("港口事故一人死亡", "count", "1", "toll dead"),
        ("公司裁员三千人", "count", "3000", "人"),
        ("市内新增十二家工厂", "count", "12", "家"),
        ("法院判处男子三年监禁", "count", "3", "年"),
        ("三十多人被困山中", "count", "30", "人"),
        ("某公司融资三百万元", "money", "CNY 3000000", "CNY"),
        ("某公司融资三点五億美元", "money", "USD 350000000", "USD"),
        ("失业率降至百分之五点五", "percent", "5.5", ""),
        ("四十二岁男子获救", "age", "42", "year"),
        ("北部发生六点三级地震", "magnitude", "6.3", ""),
        ("港队三比一击败山队", "score", "3-1", ""),
        ("会议三月五日举行", "date", "03-05", ""),
        ("会议定于十月举行", "month", "10", ""),
        ("二〇二五年预算公布", "year", "2025", ""),
        ("企业三季度营收增长", "quarter", "q3", "q"),
        ("东京で三人が死亡", "count", "3", "toll dead"),
    ],
)
def test_a_figure_with_a_unit_is_read(title, kind, value, about):
    facts = add_chinese_facts(made(title)).facts
    assert (kind, value, about) in [(fact.kind, fact.value, fact.about) for fact in facts]


@pytest.mark.parametrize(
    "title",
    [
        *("这件事十分重要", "大家一起来看", "千万不要忘记", "万一下雨怎么办", "一些顾客不满"),
        *("三明治店开张", "三亚机场恢复通航", "九江大桥通车", "七台河煤矿复产", "五台山迎来游客"),
        *("五一假期出行增长", "双十一销量公布", "十三五规划发布", "二十国集团峰会", "四川长虹合作"),
        *("一家公司宣布破产", "三分之二选民支持", "三年级学生参观", "二次元展览开幕", "数百人参加"),
        *(
            "几十人参加",
            "两国领导人会晤",
            "两地签署协议",
            "三星发布新机",
            "五角大楼回应",
            "决一死战",
        ),
        *("百万富翁捐款", "三轮车禁行", "八十年代歌曲", "球队万岁"),
    ],
)
def test_a_figure_within_a_word_is_none(title):
    assert add_chinese_facts(made(title)).facts == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("台風造成三人死亡", "台风造成3人死亡"),
        ("某公司获五千万美元融资", "某公司获5000万美元融资"),
        ("失业率降至百分之五", "失业率降至5%"),
        ("市内新增十二家工厂", "市内新增12家工厂"),
    ],
)
def test_figures_agree_in_either_script(a, b):
    evidence = compared(a, b)
    assert evidence.agreements
    assert not evidence.clashes
    assert not evidence.moved
    assert evidence.title_soft == 1.0


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("市内新增三家工厂", "市内新增五家工厂", "count"),
        ("市内新增3家工厂", "市内新增5家工厂", "count"),
        ("市内新增3家工厂", "市内新增五家工厂", "count"),
        ("某公司融资三百万元", "某公司融资五百万元", "money"),
        ("某公司融资5000万美元", "某公司融资8000万美元", "money"),
        ("失业率降至百分之五", "失业率降至百分之七", "percent"),
        ("四十二岁男子获救", "五十七岁男子获救", "age"),
        ("港队三比一击败山队", "港队三比二击败山队", "score"),
        ("会议定于三月五日举行", "会议定于三月九日举行", "date"),
        ("企业三季度营收增长", "企业二季度营收增长", "quarter"),
    ],
)
def test_other_figures_clash(a, b, kind):
    assert kind in [fact.kind for fact, _ in compared(a, b).clashes]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("台風造成三人死亡", "台風造成五人死亡"),
        ("台风造成3人死亡", "台风造成五人死亡"),
        ("警方通报三人被捕", "警方通报五人被捕"),
        ("警方通报3人被捕", "警方通报5人被捕"),
        ("地震已致十二人丧生", "地震已致二十人丧生"),
    ],
)
def test_tolls_move_and_do_not_clash(a, b):
    evidence = compared(a, b)
    assert evidence.moved
    assert not evidence.clashes


def test_a_fingerprint_holds_what_it_held():
    fingerprint = made("台風造成三人死亡")
    assert (fingerprint.facts, fingerprint.gist) == ((), fingerprint.title)


def test_titles_without_han_characters_are_as_they_are():
    for title in ("Storm kills 3 in the north", "Три человека погибли", "Orkan fordert drei Tote"):
        fingerprint = made(title)
        assert add_chinese_facts(fingerprint) is fingerprint


@pytest.mark.parametrize(("numeral", "number"), [("十", 10), ("兩百", 200), ("一千零一", 1001)])
def test_numerals_amount_to_numbers(numeral, number):
    assert parse_chinese(numeral.replace("兩", "两")) == number == parse_chinese_integer(numeral)


TITLES = st.text(st.sampled_from("一二三十百万亿两零点分之百月日年人死亡伤个元美岁比第 3510%北京"))


@given(TITLES)
def test_reading_takes_what_it_finds_out_of_the_gist_and_nothing_else(title):
    before = made(title)
    after = add_chinese_facts(before)
    left = iter(before.gist.split())
    assert all(word in left for word in after.gist.split())
    assert len(after.facts) >= len(before.facts)
    assert compare(before, before).clashes == ()


@given(TITLES, TITLES)
def test_comparing_does_not_mind_the_order(a, b):
    one, other = compared(a, b), compared(b, a)
    assert {(x, y) for x, y in one.clashes} == {(y, x) for x, y in other.clashes}
    assert one.name_swap == other.name_swap
