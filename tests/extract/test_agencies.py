"""Credits: agencies are found in credit lines, and not where they are merely mentioned."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy.extract.agencies import AGENCIES, agency, agency_of, credited_agencies, find_credits
from nearcopy.models import Article

BODY = "The old quay was closed at noon, the harbour master said, and boats had to wait outside."
AP = "Associated Press"

HEADS = [
    ("LONDON, March 3 (Reuters) - ", ["Reuters"]),
    ("(Reuters) - ", ["Reuters"]),
    ("PORT CALDER, Maine (AP) — ", [AP]),
    ("Berlin (dpa) - ", ["dpa"]),
    ("Kiel (dpa/lno) - ", ["dpa"]),
    ("FRANKFURT (dpa-AFX) - ", ["dpa"]),
    ("Madrid, 3 mar (EFE).- ", ["EFE"]),
    ("ROMA (ANSA) - ", ["ANSA"]),
    ("BEIJING, March 3 (Xinhua) -- ", ["Xinhua"]),
    ("MOSCOW, March 3. /TASS/. ", ["TASS"]),
    ("МОСКВА, 3 марта. /ТАСС/. ", ["TASS"]),
    ("МОСКВА, 3 мар — РИА Новости. ", ["RIA Novosti"]),
    ("ANKARA (AA) - ", ["Anadolu"]),
    ("New Delhi, Mar 3 (PTI) ", ["PTI"]),
    ("Port Blair [India], March 3 (ANI): ", ["ANI"]),
    ("Chennai, March 3 (IANS) ", ["IANS"]),
    ("TOKYO (Kyodo) -- ", ["Kyodo"]),
    ("【ロンドン共同】", ["Kyodo"]),
    ("【AFP=時事】", ["AFP", "Jiji"]),
    ("(서울=연합뉴스) 홍길동 기자 = ", ["Yonhap"]),
    ("SEOUL, March 3 (Yonhap) -- ", ["Yonhap"]),
    ("新华社北京3月3日电 ", ["Xinhua"]),
    ("（中央社記者陳小明台北3日電）", ["CNA"]),
    ("الرياض - واس\n", ["SPA"]),
    ("واس- الرياض: ", ["SPA"]),
    ("جدة (رويترز) - ", ["Reuters"]),
    ("طوكيو - «رويترز»: ", ["Reuters"]),
    ("March 3 (UPI) -- ", ["UPI"]),
    ("(Bloomberg) -- ", ["Bloomberg"]),
    ("NEW YORK, March 3, 2024 /PRNewswire/ -- ", ["PR Newswire"]),
    ("PORT CALDER, Oct 7 (Meridian Wire) - ", ["Meridian Wire"]),
    ("By Jane Roe, Associated Press\n\n", [AP]),
    ("By JANE ROE Associated Press\n\n", [AP]),
    ("Von Hanna Muster, dpa\n\n", ["dpa"]),
    ("von dpa\n\n", ["dpa"]),
    ("By Reuters\n\n", ["Reuters"]),
    ("Jane Roe, The Canadian Press\n\n", ["Canadian Press"]),
    ("AFP\n\n", ["AFP"]),
    ("AFP/file\n\n", ["AFP"]),
]
TAILS = [
    (" — AFP", ["AFP"]),
    (" - PTI", ["PTI"]),
    ("\n\n(dpa)", ["dpa"]),
    (" (dpa)", ["dpa"]),
    (" (AFP, dpa)", ["AFP", "dpa"]),
    (" dpa", ["dpa"]),
    (" EFE", ["EFE"]),
    ("\n\nreuters", ["Reuters"]),
    ("\n\ndj/sms (Reuters, AP, dpa)", ["Reuters", AP, "dpa"]),
    ("\n\nRND/dpa", ["dpa"]),
    ("\n\nKaynak: AA", ["Anadolu"]),
    ("\n\nKaynak: İHA", ["İHA"]),
    ("\n\nŹródło: PAP", ["PAP"]),
    ("\n\nFuente: Europa Press", ["Europa Press"]),
    ("\n\nCon información de AP", [AP]),
    ("\n\nAgencia EFE", ["EFE"]),
    ("\n\nPress Association", ["PA Media"]),
    ("\n\nAAP", ["AAP"]),
    ("\n\nThe Associated Press contributed to this report.", [AP]),
    ("\n\n___\n\nAssociated Press writer Jane Roe contributed to this report.", [AP]),
    ("\n\nCopyright 2024 The Associated Press. All rights reserved.", [AP]),
    ("\n\n© Thomson Reuters 2024", ["Reuters"]),
    ("\n\n(With inputs from ANI)", ["ANI"]),
    ("\n\n© dpa-infocom, dpa:240303-99-123456/2", ["dpa"]),
    ("\n\n(واس)", ["SPA"]),
]
MENTIONS = [
    "The maker of looms told Reuters that it would open a mill.",
    "According to the Associated Press, the quay was closed at noon.",
    "An AP reporter saw boats waiting outside.",
    "The news agency dpa reported on Monday that the bridge was shut.",
    "A Reuters poll of 40 economists had pointed to a fall.",
    "Michael Bloomberg - the former mayor - came by train.",
    "The Press Trust of India (PTI) news agency reported the failure.",
    "Philadelphia (PA) - The old quay was closed.",
    "وذكرت وكالة الأنباء السعودية (واس) اليوم أن الميناء أغلق.",
    "وبحسب «رويترز» قالت الوزارة إن الميناء أغلق.",
    "أغلق الميناء ظهرا، حسبما نقلت وكالة «رويترز».",
    "据新华社报道，旧码头中午关闭。",
    "Source close to the matter: the mill will open.",
    "The harbour master, who was asked by telephone, told the state news\nagency KUNA.\n   Boats",
    "The town is to sell a new kind of short-dated commercial paper (CP)\nprogram, a dealer said.",
    'ووفقاً لـ "رويترز"، فإن الميناء أغلق.',
    "The Common Agricultural Policy (CAP) is to change.",
]
PICTURES = [
    "Boats wait outside the quay. (Jane Roe/AP)",
    "(AP Photo/Jane Roe, File)",
    "Photo: Reuters",
    "Foto: Hanna Muster/dpa",
    "© dpa / Hanna Muster",
    "Jane Roe/AFP/Getty Images",
    "Jane Roe /AFP/Getty Images",
    "Credit: AP",
    "Image copyright AFP Image caption Boats wait outside",
    "(Photo by JANE ROE / POOL / AFP via Getty Images) - JANE ROE",
]


@pytest.mark.parametrize(("head", "names"), HEADS, ids=[head for head, _ in HEADS])
def test_a_dateline_or_a_byline_credits(head, names):
    assert list(find_credits(f"{head}{BODY}\n\n{BODY}")) == names


@pytest.mark.parametrize(("tail", "names"), TAILS, ids=[tail for tail, _ in TAILS])
def test_the_end_of_a_text_credits(tail, names):
    assert list(find_credits(f"{BODY} {BODY}\n\n{BODY}{tail}")) == names
    assert list(find_credits(f"{BODY} {BODY}\n\n{BODY * 9}{tail}\n")) == names


@pytest.mark.parametrize("sentence", MENTIONS)
def test_a_mention_is_no_credit(sentence):
    assert find_credits(f"{sentence} {BODY}") == ()
    assert find_credits(f"{BODY} {sentence} {BODY}") == ()
    assert find_credits(f"{BODY}\n\n{sentence}") == ()


@pytest.mark.parametrize("line", PICTURES)
def test_the_credit_of_a_picture_is_none_of_the_text(line):
    assert find_credits(f"{line}\n\n{BODY}\n\n{line}\n\n{BODY}") == ()


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Old quay closed - Reuters", ["Reuters"]),
        ("Old quay closed (AP)", [AP]),
        ("Reuters: old quay may close", []),
        ("Old quay closed - Port Times", []),
    ],
)
def test_a_title_credits_at_its_end(title, names):
    assert list(find_credits(BODY, title)) == names


def test_an_outlet_that_is_an_agency_credits_itself_once():
    assert find_credits(f"LONDON (Reuters) - {BODY}", source="reuters.com") == ("Reuters",)
    assert find_credits(BODY, source="www.apnews.com") == (AP,)
    assert find_credits(BODY, source="Harbour Times") == ()


def test_only_the_beginning_and_the_end_are_read():
    filler = BODY * 12
    assert find_credits(f"{filler}\n(Reuters) - {BODY}\n{filler}") == ()


def test_html_is_read_as_text():
    article = Article(id="a", text=f"<p>LONDON (Reuters) - {BODY}</p><p>{BODY}</p>", html=True)
    assert credited_agencies(article) == ("Reuters",)


def test_every_agency_of_the_table_is_known_by_its_names_and_sites():
    for line in AGENCIES.strip().splitlines():
        name, forms, sites = (cell.strip() for cell in line.split("|"))
        assert {agency(form.strip()) for form in forms.split(",")} == {name}
        assert {agency_of(site.strip()) for site in sites.split(",") if site} <= {name}


@given(st.text(), st.text(), st.none() | st.text())
def test_nothing_breaks_it(text, title, source):
    agencies = find_credits(text, title, source)
    assert len(set(agencies)) == len(agencies)


@given(st.text(alphabet="()[]/【】«» -–—\n.:;©AP,dpaReutersواس3共同新华社电", max_size=300))
def test_nothing_made_of_credits_breaks_it(text):
    assert all(find_credits(text))


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "AP (",
        "A ",
        "- ",
        "/a",
        "a/",
        "【共",
        "新华社1",
        ". ",
        "\n",
        "By ",
        "©",
        "\ud800",
        "x" * 9,
    ],
)
def test_long_input_is_read_in_no_time(piece):
    began = time.thread_time()
    for _ in range(20):
        find_credits(piece * 200_000, piece * 200_000)
    assert time.thread_time() - began < 2
