"""What a news editor would say: different news is never dropped, evident copies are found."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import Article, Relation, explain

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NOTICE = (
    "The board of {name} met on Friday at its offices and announced that {who} has been named "
    "chief executive of the company with effect from the coming month. It thanked the outgoing "
    "chief executive for years of service and said that the search for a successor had been "
    "thorough. {name} makes pumps, valves and fittings for shipyards around the northern sea and "
    "has customers in many countries. The shares of {name} were little changed after the news, "
    "and analysts said that they saw no change in the course of the company."
)
QUAKE = (
    "An earthquake struck the hills above Velmar before dawn on Sunday, and rescuers dug through "
    "the night for survivors under collapsed houses. At least {toll} people were killed, the "
    "governor said, and hospitals in the valley were full. Roads were blocked by falling rock and "
    "helicopters carried the wounded to the coast. Schools will stay closed for the week, the "
    "ministry said, and neighbouring regions have sent doctors, tents and water to the valley "
    "towns where many people spent the night in the open for fear of further shocks."
)


def titled(title: str, text: str = "", *, days: float = 0, **more) -> Article:
    published = NOON + timedelta(days=days)
    return Article(id=title, title=title, text=text, published=published, **more)


def relation(a: Article, b: Article) -> Relation:
    return explain(a, b).decision.relation


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Suicide bomber kills 12 in Kabul mosque", "Suicide bomber kills 30 in Quetta mosque"),
        ("Gunman wounds 2 in Houston nightclub", "Gunman wounds 4 in Dallas nightclub"),
        ("Second suspect arrested in museum theft", "Third suspect arrested in museum theft"),
        ("Minister confirms talks with rebels", "Minister denies talks with rebels"),
        ("Flood warning issued for the Elm valley", "Flood warning lifted for the Elm valley"),
        ("Chipmaker beats estimates on strong demand", "Chipmaker misses estimates on demand"),
        ("Rovers gewinnt das Spiel gegen Elmstadt", "Rovers verliert das Spiel gegen Elmstadt"),
        (
            "Parliament passes the pension reform bill",
            "Opinion: Parliament's pension reform bill is a mistake",
        ),
        ("Nordell raises dividend after strong year", "Tarvane raises dividend after strong year"),
        ("Iran launches missile test", "Iraq launches missile test"),
        ("Austria elects new president", "Australia elects new president"),
        ("Prime Minister of Japan resigns", "Prime Minister of Nepal resigns"),
        ("Ford recalls 100,000 cars over brakes", "Honda recalls 100,000 cars over brakes"),
        ("Senate passes budget bill", "House passes budget bill"),
        ("Oil prices rise 2%", "Gold prices rise 2%"),
        ("Hurricane Maria hits the coast", "Hurricane Irma hits the coast"),
        ("Shares up 5% after results", "Shares down 5% after results"),
        ("Airline strike called off", "Airline strike goes ahead"),
        ("Governor signs climate bill", "Governor vetoes climate bill"),
        ("Man arrested over harbour stabbing", "Woman arrested over harbour stabbing"),
        ("Acme buys Globex for $2bn", "Globex buys Acme for $2bn"),
        ("Elm Rovers beat Harwick 2-1", "Harwick beat Elm Rovers 2-1"),
        ("Elmstadt schlägt Harwick 3:1", "Harwick schlägt Elmstadt 3:1"),
        ("北京警方通报三人被捕", "上海警方通报三人被捕"),
        ("台北捷運新線通車典禮舉行", "高雄捷运新线通车典礼举行"),
        ("杭州召开第十二届互联网大会", "杭州召开第十三届互联网大会"),
        ("市内新增三家工厂下月开工", "市内新增五家工厂下月开工"),
        ("某公司融资三百万元扩建工厂", "某公司融资五百万元扩建工厂"),
        ("王小明当选新任协会主席", "李大同当选新任协会主席"),
        ("東京の工場で火災が発生", "大阪の工場で火災が発生"),
    ],
)
def test_different_news_under_like_titles_is_kept(a, b):
    decision = explain(titled(a), titled(b)).decision
    assert not decision.duplicate, decision


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "Ex-mayor of Harwick sentenced to prison for bribery",
            "Ex-mayor of Harwick jailed for bribery",
        ),
        (
            "Airline to charge for cabin bags from June",
            "From June airline will charge for cabin bags",
        ),
        ("Report highlights risk to harbour walls", "Report: risk to harbour walls highlighted"),
        ("Elmstadt and Harwick agree on a bridge", "Harwick and Elmstadt agree on a bridge"),
        ("Germany and France sign bridge treaty", "France and Germany sign bridge treaty"),
        ("German president opens the bridge", "Germany president opens the bridge"),
        ("Fire in Harwick: two people hurt", "Two people hurt in Harwick fire"),
        ("台風造成三人死亡道路中斷", "台风造成3人死亡道路中断"),
        ("某公司获五千万美元融资", "某公司获5000万美元融资"),
        ("蘋果今日推出新款折疊手機", "苹果今日发布新款折叠手机"),
        ("警方通报男子坠楼事件", "官方通报男子坠楼事件"),
        ("央行宣布下调存款准备金率", "央行决定下调存款准备金率"),
    ],
)
def test_the_same_news_in_another_order_is_found(a, b):
    assert explain(titled(a), titled(b)).decision.duplicate


def test_one_form_for_two_firms_is_two_pieces_of_news():
    a = titled(
        "Nordell names Ana Ruiz chief executive", NOTICE.format(name="Nordell", who="Ana Ruiz")
    )
    b = titled(
        "Tarvane names Tom Hale chief executive", NOTICE.format(name="Tarvane", who="Tom Hale")
    )
    assert relation(a, b) is Relation.DISTINCT


def test_a_mark_of_filing_again_does_not_join_two_firms():
    a = titled(
        "Nordell names Ana Ruiz chief executive", NOTICE.format(name="Nordell", who="Ana Ruiz")
    )
    b = titled(
        "UPDATE 1-Tarvane names Tom Hale chief executive",
        NOTICE.format(name="Tarvane", who="Tom Hale"),
    )
    assert not explain(a, b).decision.duplicate


def test_a_toll_that_rose_is_a_revision_with_and_without_the_text():
    title, later = "Earthquake kills 12 in Velmar hills", "Earthquake kills 31 in Velmar hills"
    assert relation(titled(title), titled(later)) is Relation.REVISION
    a = titled(title, QUAKE.format(toll=12), source="Coast Wire")
    b = titled(later, QUAKE.format(toll=31), source="Coast Wire", days=0.3)
    c = titled(later, QUAKE.format(toll=31), source="Hill Post", days=0.3)
    assert relation(a, b) is Relation.REVISION
    assert relation(a, c) is Relation.REVISION


def test_a_toll_that_rose_in_chinese_is_a_revision():
    assert relation(titled("台風造成三人死亡"), titled("台風造成五人死亡")) is Relation.REVISION
    assert relation(titled("台风造成3人死亡"), titled("台风造成五人死亡")) is Relation.REVISION


# One wire's first report of an earthquake, sentence by sentence, and what came later.
FIRST = (
    "A strong earthquake struck the coast of Valparo early on Monday, killing at least 4 people.",
    "The quake brought down houses in three villages and cut the road to the port.",
    "Rescue teams were on their way from the capital.",
    "The mayor asked people to stay out of damaged buildings.",
)
LATER = (
    "The death toll rose to 31 by the evening, the interior ministry said.",
    "Hospitals in the region were treating dozens of injured people.",
)


@pytest.mark.parametrize("later", ["UPDATE 2-Toll rises to 31", "Toll in quake rises to 31"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (FIRST[:2], (LATER[0], FIRST[1], LATER[1])),
        (FIRST[:3], (LATER[0], *FIRST[1:3], LATER[1])),
        (FIRST, (LATER[0], *FIRST[1:3], LATER[1])),
        (FIRST, (LATER[0], *FIRST)),
    ],
)
def test_what_one_source_wrote_on_is_a_revision_however_short(first, second, later):
    a = titled("At least 4 dead in quake", " ".join(first), source="Coast Wire")
    b = titled(later, " ".join(second), source="Coast Wire", days=0.2)
    assert relation(a, b) is Relation.REVISION


def test_two_accidents_in_the_form_of_one_site_are_no_revision():
    form = (
        "Sign up for our newsletter to get the latest from the region every morning. Follow us on "
        "our channels and share this story. Contact the newsroom with tips at any hour of the day."
    )
    fire = "A fire in a textile factory in Marholm killed 3 workers in the night, the brigade said."
    bus = "A bus left the mountain road near Kestrel and fell into a ravine, killing 5 passengers."
    a = titled("3 killed in factory fire", f"{fire} {form}", source="Coast Wire")
    b = titled("UPDATE 1-Five killed in bus crash", f"{bus} {form}", source="Coast Wire")
    assert not explain(a, b).decision.duplicate


def test_a_reason_says_nothing_of_texts_and_sources_that_is_not_so():
    title, later = "At least 4 dead in Valparo quake", "Valparo quake toll rises to 31"
    assert "texts" not in explain(titled(title), titled(later)).decision.reason
    a = titled(title, QUAKE.format(toll=4), source="Coast Wire")
    b = titled(later, QUAKE.format(toll=31), source="Hill Post", days=0.3)
    assert "source" not in explain(a, b).decision.reason
    assert "the same source" in explain(a, replace(b, source="Coast Wire")).decision.reason


def test_a_digest_does_not_swallow_a_brief():
    brief = titled("Harbour library reopens", " ".join(QUAKE.format(toll=3).split()[:70]))
    digest = titled(
        "News digest: five things from the region",
        QUAKE.format(toll=3) + " " + NOTICE.format(name="Nordell", who="Ana Ruiz"),
    )
    assert not explain(brief, digest).decision.duplicate


def test_the_same_title_beyond_the_window_is_other_news():
    title = "Central bank keeps interest rates unchanged"
    assert relation(titled(title), titled(title, days=1)) is Relation.SAME_TITLE
    assert not explain(titled(title), titled(title, days=90)).decision.duplicate


def test_a_weaker_relation_says_why_it_is_no_surer_one():
    explanation = explain(
        titled("Port suspends its ferry service"), titled("Port resumes its ferry service")
    )
    assert explanation.decision.relation is Relation.RELATED
    assert "suspends / resumes" in explanation.decision.reason


def test_two_words_for_one_thing_are_no_two_names():
    text = "Seventeen Noranda copper miners were found alive on Monday after a fire below ground. "
    notice = NOTICE.format(name="Noranda", who="the mine manager")
    a = titled("Missing Noranda miners found alive", text + notice, source="Coast Wire")
    b = titled(
        "Missing copper miners found alive", text + notice + " More soon.", source="Coast Wire"
    )
    assert relation(a, b) is Relation.NEAR_TEXT
