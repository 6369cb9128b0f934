"""What is read in a title: each kind of fact, and what only looks like one."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.facts import (
    LONGEST_TITLE,
    MOST_FACTS,
    describe_fact,
    parser,
    read_facts,
    read_titles,
)
from nearcopy.extract.facts.versions_and_names import code_names

READ = [
    # money
    ("Plant to cost Rs 5k cr", "money", ["INR 50000000000"]),
    ("Plant to cost ₹5,000 crore", "money", ["INR 50000000000"]),
    ("Plant to cost 5000 crore", "money", ["INR 50000000000"]),
    ("A Rs. 5,000-crore plant", "money", ["INR 50000000000"]),
    ("State clears INR 12 lakh grant", "money", ["INR 1200000"]),
    ("Deal worth $1.5bn", "money", ["USD 1500000000"]),
    ("Deal worth $1.48 billion", "money", ["USD 1480000000"]),
    ("Deal worth US$10M", "money", ["USD 10000000"]),
    ("Deal worth A$3.2m", "money", ["AUD 3200000"]),
    ("Deal worth HK$400 million", "money", ["HKD 400000000"]),
    ("Deal worth €16bn", "money", ["EUR 16000000000"]),
    ("Deal worth 16 billion euros", "money", ["EUR 16000000000"]),
    ("Auktion bringt 1,5 Milliarden Euro", "money", ["EUR 1500000000"]),
    ("Fined £250,000 for leak", "money", ["GBP 250000"]),
    ("Bank lends two million dollars", "money", ["USD 2000000"]),
    ("Skogen såldes för 12 miljoner kronor", "money", ["SEK 12000000"]),
    ("工厂投资5亿元", "money", ["CNY 500000000"]),
    ("工場に300万円", "money", ["JPY 3000000"]),
    ("صفقة بقيمة ٣ مليار دولار", "money", ["USD 3000000000"]),
    ("5 lakh farmers march", "money", []),
    ("Chef loses 40 pounds in a year", "money", []),
    ("Trio of 3 won gold", "money", []),
    ("Fund of 3 billion won set up", "money", ["KRW 3000000000"]),
    # percent
    ("Exports grow 7%", "percent", ["7"]),
    ("Exports grow 7 per cent", "percent", ["7"]),
    ("Exporte steigen um 2,5 Prozent", "percent", ["2.5"]),
    ("ارتفاع الصادرات ٥ بالمئة", "percent", ["5"]),
    ("निर्यात 5 प्रतिशत बढ़ा", "percent", ["5"]),
    ("Index jumps 7%: Live updates", "percent", []),
    ("Bank cuts rate by 25 basis points", "basis points", ["25"]),
    # dates
    ("Summit opens Oct. 30", "date", ["10-30"]),
    ("Summit opens on 30 October 2025", "date", ["2025-10-30"]),
    ("Summit opens October 30th, 2025", "date", ["2025-10-30"]),
    ("Gipfel beginnt am 30. Oktober", "date", ["10-30"]),
    ("Le sommet ouvre le 1er août 2025", "date", ["2025-08-01"]),
    ("La cumbre abre el 30 de octubre", "date", ["10-30"]),
    ("Draw results for 12/13/25", "date", ["2025-12-13"]),
    ("Draw results for 2025-12-13", "date", ["2025-12-13"]),
    ("Ziehung vom 13.12.2025", "date", ["2025-12-13"]),
    ("峰会10月30日开幕", "date", ["10-30"]),
    ("Szczyt od 1 stycznia", "date", ["01-01"]),
    ("Zirve 8 Mart 2020 günü", "date", ["2020-03-08"]),
    ("Саммит 30 октября", "date", ["10-30"]),
    ("峰會２０２５年１０月３０日開幕", "date", ["2025-10-30"]),
    ("Half of 1/2 is a quarter", "date", []),
    # clock, weekday, month, year, quarter, season
    ("Polls close at 8 p.m.", "clock", ["20:00"]),
    ("Polls close at 20:00", "clock", ["20:00"]),
    ("15 maj 07.55, brand i villa", "clock", ["07:55"]),
    ("Vote delayed to Thursday", "weekday", ["thursday"]),
    ("Abstimmung am Donnerstag", "weekday", ["thursday"]),
    ("اجتماع يوم الخميس", "weekday", ["thursday"]),
    ("投票延至星期四", "weekday", ["thursday"]),
    ("The best Black Friday offers", "weekday", []),
    ("Prices fell in March", "month", ["03"]),
    ("This may be the end", "month", []),
    ("Preise sinken im Oktober", "month", ["10"]),
    ("Thousands march in the capital", "month", []),
    ("Buyers' guide, May 2026", "month", ["05"]),
    ("Election of 2026 nears", "year", ["2026"]),
    ("Firm to hire 2000 people", "year", []),
    ("Profit up in Q3", "quarter", ["q3"]),
    ("Third-quarter profit up", "quarter", ["q3"]),
    ("Loss widens in H1", "quarter", ["h1"]),
    ("Budget for FY26 passed", "quarter", ["fy26"]),
    ("League sets 2025-26 calendar", "season", ["2025-26"]),
    # series
    ("Startup raises Series A", "series", ["series a"]),
    ("Quiz night recap: Week 4", "series", ["week 4"]),
    ("Recap of Season 2 Episode 9", "series", ["season 2", "episode 9"]),
    ("Word puzzle #896 solved", "series", ["# 896"]),
    ("Minutes of camp No. 5", "series", ["no 5"]),
    ("Act II of the opera", "series", ["act 2"]),
    ("Game Five preview", "series", ["game 5"]),
    ("Drug passes Phase 3", "series", ["phase 3"]),
    ("Drug passes Phase III", "series", ["phase 3"]),
    ("Drug enters Phase I", "series", ["phase 1"]),
    ("City drawn in Group B", "series", ["group b"]),
    ("City reach round of 16", "series", ["round of 16"]),
    ("City in the last 16 - live", "series", ["round of 16"]),
    ("第12次会议召开", "series", ["第 12"]),
    ("第十二次会议召开", "series", ["第 12"]),
    ("This week two men were freed", "series", []),
    ("The book I read on the train", "series", []),
    ("Cast makes the series a success", "series", []),
    ("startup raises series a", "series", ["series a"]),
    ("Chain files for Chapter 11", "series", []),
    # versions
    ("Phone maker ships iOS 17.1", "version", ["17.1"]),
    ("Editor v0.40 is out", "version", ["0.40"]),
    ("Lab shows GPT-4o", "version", ["4o"]),
    ("Game updated to Version 1.0.2", "version", ["1.0.2"]),
    ("Rates rise to 4.5 in May", "version", []),
    # magnitude, age, score, ordinal
    ("Magnitude 6.3 quake off coast", "magnitude", ["6.3"]),
    ("6.3-magnitude quake off coast", "magnitude", ["6.3"]),
    ("M6.3 quake off coast", "magnitude", ["6.3"]),
    ("42-year-old held", "age", ["42"]),
    ("Farmer aged 42 wins", "age", ["42"]),
    ("Ann Smith, 42, wins", "age", ["42"]),
    ("Painter dies at 91", "age", ["91"]),
    ("Schüler (14) rettet Hund", "age", ["14"]),
    ("Un hombre de 42 años gana", "age", ["42"]),
    ("Más de 25 años de obras", "age", []),
    ("City beat Rovers 2-1", "score", ["2-1"]),
    ("Rovers lose 1–2 to City", "score", ["2-1"]),
    ("Union agrees 12th sanctions package", "ordinal", ["12"]),
    ("Union agrees twelfth sanctions package", "ordinal", ["12"]),
    ("A 30 second film", "ordinal", []),
    ("The Premier League returns", "ordinal", []),
    # counts
    ("Factory cuts 300 jobs", "count", ["300"]),
    ("Twelve boats lost", "count", ["12"]),
    ("Thirty-two boats lost", "count", ["32"]),
    ("Leak hits 1.5m customers", "count", ["1500000"]),
    ("Rund 1.234 Betriebe schliessen", "count", ["1234"]),
    ("5 lakh farmers march", "count", ["500000"]),
    ("3人死亡", "count", ["3"]),
    ("الشركة توظف و22 مهندسا", "count", ["22"]),
    ("Dozens hurt, thousands flee", "count", []),
    ("Index down 800 points", "count", []),
    ("40+ deals for the garden", "count", []),
    ("One of the boats sank", "count", []),
    ("UPDATE 2-Ministry denies report", "count", []),
]


@pytest.mark.parametrize(("title", "kind", "values"), READ)
def test_a_kind_is_read(title, kind, values):
    assert [fact.value for fact in read_facts(title).facts if fact.kind == kind] == values


@pytest.mark.parametrize(
    "name",
    ["F-16", "G7", "COVID-19", "MH370", "Boeing 737", "Formula 1", "9/11", "Channel 4", "Big 12",
     "S&P 500", "iPhone 17", "49ers", "5G"],
)  # fmt: skip
def test_figures_in_names_are_names(name):
    facts = read_facts(f"Report on the {name} is out")
    assert {fact.kind for fact in facts.facts} == {"name"}
    assert facts.remainder == f"Report on the {name} is out"


@pytest.mark.parametrize(
    ("title", "about"),
    [
        ("At least 12 killed in landslide", "toll dead"),
        ("Landslide kills at least 12", "toll dead"),
        ("Landslide death toll rises to 12", "toll dead"),
        ("Landslide leaves 12 people injured", "toll hurt"),
        ("12 missing after landslide", "toll missing"),
        ("Fever cases in the north reach 12", "toll ill"),
        ("One dead after 12 boats collide", "boat"),
        ("Factory cuts 12 jobs", "job"),
    ],
)
def test_a_count_knows_what_it_counts(title, about):
    assert read_facts(title).facts[-1].about == about


def test_facts_are_cut_out_and_names_are_not():
    facts = read_facts("Acme raises Series A $10M from Globex on Oct. 30")
    assert facts.remainder.split() == ["Acme", "raises", "from", "Globex", "on"]
    assert [fact.kind for fact in facts.facts] == ["series", "money", "name", "date"]


def test_a_fact_knows_its_neighbours():
    (fact,) = read_facts("the old mill cuts 300 jobs in two more valleys").facts[:1]
    assert (fact.before, fact.after) == ("old mill cuts", "jobs in two")


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("The mayor of Springfield meets Jane Doe", ["springfield", "jane doe"]),
        ("Jane Doe to meet the mayor", ["jane doe"]),
        ("Talks between the U.S. and the EU resume", ["us", "eu"]),
        ("Mayor Of Springfield Meets Jane Doe In NATO Row", ["nato"]),
        ("MAYOR MEETS JANE DOE", []),
        ("Why the talks failed", []),
        ("OpenAI 推出新模型", ["openai"]),
        ("the mayor meets nobody", []),
    ],
)
def test_names_are_read_where_capitals_tell(title, names):
    assert [fact.value for fact in read_facts(title).facts if fact.kind == "name"] == names


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Plant to cost Rs 5k cr", "5,000 crore rupees"),
        ("Deal worth $1.48 billion", "1.48 billion dollars"),
        ("Startup raises Series A", "Series A"),
        ("Summit opens Oct. 30", "30 October"),
        ("Union agrees twelfth package", "12th package"),
        ("Exports grow 7%", "7 %"),
        ("42-year-old held", "42 years old"),
        ("Editor v0.40 is out", "version 0.40"),
        ("Landslide kills 1,200", "1,200 dead"),
        ("City reach round of 16", "Round of 16"),
        ("Vote delayed to Thursday", "Thursday"),
        ("Prices fell in March", "March"),
        ("Profit up in Q3", "Q3"),
        ("quake of magnitude 6.3", "magnitude 6.3"),
    ],
)
def test_a_fact_in_words(title, words):
    assert describe_fact(read_facts(title).facts[-1]) == words


PIECES = """12 3.5 1,234.5 $ € Rs cr % 第 次 十 月 日 年 Oct. 30 2025 -26 / : . , - – ’ ' # No.
Series A v0.4 GPT-4o F-16 killed at least one two thirty -two first 8 p.m. Thursday q3 quarter
week old 万 亿 元 ٥ بالمئة İ ß \ud800 \0 \ue000 magnitude percent live updates Jane Doe U.S. 5k
crore 13.12.2025"""
TITLES = st.one_of(
    st.text(),
    st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join),
    st.lists(st.sampled_from(PIECES.split()), max_size=12).map("".join),
)


@given(TITLES)
def test_spans_lie_in_the_title_in_order_and_apart(title):
    place = 0
    for fact in read_facts(title).facts:
        assert place <= fact.start < fact.end <= len(title)
        place = fact.end


@given(TITLES)
def test_the_rest_holds_no_span_of_a_fact(title):
    facts = read_facts(title)
    left = list(title[:LONGEST_TITLE])
    for fact in facts.facts:
        if fact.kind != "name":
            left[fact.start : fact.end] = [""] * (fact.end - fact.start)
    remaining = iter("".join(left))
    assert all(c in remaining for c in "".join(facts.remainder.split()))  # in order, nothing added


@given(TITLES)
def test_every_fact_has_words(title):
    assert all(describe_fact(fact) for fact in read_facts(title).facts)


HOSTILE = ["1", "1,", "1.", "1 000 ", "a1", "A-", "A ", "A.", "$", "$1", "one ", "twenty-", "第",
           "一", "12/", "1-", "v1.", "Oct ", "1 Oct ", "killed 1 ", "week 1 ", "İ", "’",
           "\ud800"]  # fmt: skip


def test_only_the_first_facts_of_a_list_are_kept():
    facts = read_facts("7 cows " * 60)
    assert len(facts.facts) == MOST_FACTS
    assert "7" not in facts.remainder


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_long_title_is_read_no_further(unit):
    title = unit * 500_000
    start = time.thread_time()
    facts = read_facts(title)
    assert time.thread_time() - start < 0.5
    assert all(fact.end <= LONGEST_TITLE for fact in facts.facts)


CALLING = sorted(word for word in parser.TRIGGERS if word.isascii())
SPOKEN = st.lists(
    st.sampled_from([*CALLING, "ferry", "a", "iv", "twelve", "-", ", ", "'", "Harbour", "7"]),
    max_size=9,
).map(" ".join)
# Titles that are read at a glance, and some with a letter for which they are not.
TITLES = SPOKEN | st.text("aBé9 .,-'’$%第\u00a0\ue000", max_size=40) | st.text(max_size=40)


@given(st.lists(TITLES, max_size=5))
def test_many_titles_give_the_facts_of_each(titles):
    facts = [read_facts(title) for title in titles]
    columns = read_titles(titles)
    assert columns.figures == [row.figures for row in facts]
    assert columns.names == [row.names for row in facts]
    assert columns.remainders == [row.remainder for row in facts]


@given(SPOKEN | st.text("abc '-%1", max_size=20))
def test_the_scan_triggers_the_rules_that_the_words_trigger(text):
    (rules,), _ = parser.SCANNER.scan([text])
    assert rules == parser._triggered_rules(text.lower())


@given(TITLES)
def test_all_rules_find_nothing_unless_the_scan_triggers_one(title):
    ascii_title, _ = parser._scan_title(title, parser.NOT_ASCII)
    lower = parser._lower(ascii_title)
    text = parser.blank_out(lower, list(code_names(ascii_title)))
    if not parser._matching_rules(lower, parser._triggered_rules(lower)):
        assert not any(list(rule.find(text)) for rule in parser.RULES)


@pytest.mark.parametrize(
    ("title", "kind", "value"),
    [
        (
            "Greve marcada para terca-feira",
            "weekday",
            "tuesday",
        ),  # the scan splits it at the hyphen
        ("Votação na terça-feira, diz jornal", "weekday", "tuesday"),
        ("बैठक शनिवार, दिल्ली", "weekday", "saturday"),  # vowel signs, and a comma
        ("اجتماع والخميس", "weekday", "thursday"),  # a prefix
        ("投票延至Thursday举行", "weekday", "thursday"),  # no space around the word
        ("会议将于March举行", "month", None),
        ("会议October召开", "month", "10"),
        ("Exports fall nine %", "percent", "9"),
        ("Doors on 3 May 17.30 at the port", "clock", "17:30"),
        ("Build v1.2 17.30 for the port", "clock", None),  # no date before it
    ],
)
def test_the_scan_triggers_the_rule_that_finds_a_word(title, kind, value):
    values = [fact.value for fact in read_facts(title).facts if fact.kind == kind]
    assert values == ([] if value is None else [value])
    assert read_titles([title]).figures == [read_facts(title).figures]


@given(SPOKEN)
def test_rules_that_need_another_word_find_nothing_without_one(text):
    lower = text.lower()
    called = parser._triggered_rules(lower)
    idle = called & ~parser._matching_rules(lower, called)
    rules = [rule for bit, rule in enumerate(parser.RULES) if idle >> bit & 1]
    assert [list(rule.find(lower)) for rule in rules] == [[]] * len(rules)
