"""Block pages: notices are kept apart from news about them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, Deduper
from nearcopy.extract.block_pages import (
    MAX_WORDS,
    block_page_reason,
    block_page_reasons,
)
from nearcopy.extract.text import words


def why(text: str, title: str = "") -> str | None:
    return block_page_reason(title, text, len(words(text)))


NOTICES = [
    # English
    ("block page", "You must be logged in to view this video. Viewer discretion is advised."),
    ("site notice", "All rights reserved. This material may not be published or broadcast."),
    ("site notice", "Donate to the Elm Post. Your contribution will pay for our reporters."),
    ("block page", "Access Denied. You don't have permission to access this server."),
    ("block page", "Please verify you are a human. Complete the CAPTCHA to go on."),
    ("block page", "Checking your browser before you go on. Ray ID: 7f00ba11. Please be patient."),
    ("block page", "We noticed unusual traffic from your network. I'm not a robot."),
    ("error page", "404 Not Found\nThe page you requested does not exist.\nReturn to the homepage"),
    ("script notice", "This app needs a script. Please enable JavaScript in your browser."),
    (
        "ad blocker notice",
        "You are using an ad blocker. Please whitelist our site, ads pay for it.",
    ),
    (
        "consent wall",
        "We value your privacy. We and our partners store data on your device. Accept all cookies "
        "or manage preferences at any time.",
    ),
    ("paywall", "Subscribe to continue reading. Already a subscriber? Log in."),
    ("region notice", "451: This content is not available in your region, for legal reasons."),
    ("sign-up box", "Sign up for our daily newsletter! Your email address:"),
    ("block page", "Request unsuccessful. Incident ID: 77-12. Press and hold: you are a human?"),
    ("error page", "Sorry, nothing was found here. The link you followed may be broken."),
    ("paywall", "This piece is for registered users. Register for free to keep reading."),
    ("site notice", "Type your search above and press enter. Press Esc to go back."),
    ("site notice", "Got a story? Email us or call the desk."),
    ("sign-up box", "The best of Elmsworth in your inbox at seven. Unsubscribe at any time."),
    # German, French, Spanish, Polish
    ("site notice", "Haben Sie einen Hinweis für uns? Schreiben Sie uns, wir lesen alles."),
    ("paywall", "Il vous reste la moitié de ce récit. La suite est réservée aux abonnés."),
    ("site notice", "Masz dla nas temat? Napisz do nas jeszcze dziś."),
    ("block page", "Bitte bestätigen Sie, dass Sie kein Roboter sind."),
    ("consent wall", "Wir verwenden Cookies. Mehr dazu in unserer Datenschutzerklärung."),
    ("paywall", "Jetzt weiterlesen! Bereits Abonnent? Melden Sie sich an."),
    ("error page", "Page introuvable. La page que vous cherchez a disparu."),
    ("consent wall", "Nous utilisons des cookies. Tout accepter. Tout refuser."),
    ("paywall", "Cet article est réservé aux abonnés. Déjà abonné ? Connectez-vous."),
    ("error page", "Página no encontrada. La página que buscas ya no está."),
    ("consent wall", "Utilizamos cookies propias. Aceptar todas. Política de privacidad."),
    ("paywall", "Contenido exclusivo solo para suscriptores. Inicia sesión."),
    ("consent wall", "Używamy plików cookie. Szczegóły w naszej polityce prywatności."),
    ("ad blocker notice", "Korzystasz z AdBlocka? Wyłącz AdBlocka na tej stronie."),
    ("paywall", "Tekst tylko dla prenumeratorów. Zaloguj się, aby czytać dalej."),
    # Turkish, Arabic, Russian, Chinese
    ("consent wall", "Bu sitede çerez kullanıyoruz. Çerez politikası ve gizlilik politikası."),
    ("error page", "Sayfa bulunamadı. Aradığınız sayfa taşınmış olabilir."),
    ("consent wall", "نستخدم ملفات تعريف الارتباط. اقرأ سياسة الخصوصية."),
    ("block page", "يرجى التأكيد أنك لست روبوت."),
    ("paywall", "هذا المقال للمشتركين فقط. سجل الدخول لمتابعة القراءة."),
    ("block page", "Доступ запрещен. Подтвердите, что вы не робот."),
    ("consent wall", "Мы используем cookie. Политика конфиденциальности. Принять все."),
    ("paywall", "Материал только для подписчиков. Оформите подписку."),
    ("block page", "请输入验证码，确认您不是机器人。"),
    ("error page", "抱歉，您访问的页面不存在。返回首页"),
    ("paywall", "登录后继续阅读全文，立即订阅。"),
]


@pytest.mark.parametrize(("kind", "text"), NOTICES)
def test_a_notice_is_no_article(kind, text):
    assert (why(text) or "none").split(":")[0] == kind


NEWS = [
    "The driver, who cannot be named for legal reasons, was fined.",
    "Five ways to get more out of your subscription to the local gym.",
    "The regulator fined the retailer two million euros because its cookie banner gave visitors no "
    "way to refuse. The firm said it would appeal and had changed its site in March.",
    "Researchers taught a program to solve picture puzzles better than people do, and say that the "
    "days of the captcha are over. Sites will have to find another way.",
    "Journalists were denied access to the port on Monday. A spokesman said the access denied to "
    "them would be restored once the inquiry is closed, perhaps within a week.",
    "The paper will put its sport pages behind a paywall from June. Readers will pay four pounds a "
    "month, half of what the daily costs now, and students nothing at all.",
    "Storms cut power to nine villages in the north overnight. Crews hope to have it back by noon, "
    "the grid operator said. Subscribe to continue reading.",
    "We use cookies. The mayor opened the new bridge on Friday, two years late and well over the "
    "price agreed. Traffic was heavy from the first hour, and the old ferry made its last crossing "
    "in the evening with a band on board.",
    "Das Gericht entschied, dass Cookies nur mit Zustimmung gesetzt werden dürfen. Der Verband der "
    "Händler nannte das Urteil am Dienstag weltfremd und kündigte Beschwerde an.",
    "Роботы впервые вышли на старт марафона в столице. До финиша добрались трое, последний пришёл "
    "через шесть часов после победителя.",
]


NEWS += [
    "The reader that the publisher sells for tablets is gone from the App Store and Google Play.",
    "Customers can sign up to the new tariff from June, at nine euros per month for two years.",
    "The ferry is no longer available on weekdays, and the bridge remains closed until further "
    "notice, the harbour office said.",
]


@pytest.mark.parametrize("text", NEWS)
def test_news_about_notices_or_with_one_is_an_article(text):
    assert why(text) is None


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("404 Not Found", "", "error page: its title says so"),
        ("Access denied", "Reference 18.2f", "block page: its title says so"),
        ("Attention Required! | Cloudflare", "Sorry.", "block page: its title says so"),
        ("Access denied: how a port closed its gates", "A long read.", None),
        ("Access denied", "The port shut its gates to the press. " * 5, None),
    ],
)
def test_a_title_counts_where_the_text_says_nothing_against_it(title, text, expected):
    assert why(text, title) == expected


def test_markup_is_not_read():
    page = "<div title='a long story. of a storm.'><p>We use cookies.</p><p>Accept all</p></div>"
    assert block_page_reason("", page, 5, html=True) == "consent wall: we use cookies"


def test_long_texts_are_not_looked_at():
    notice = "Please enable JavaScript. We use cookies. Access denied. Please sign in. "
    assert why(notice * (MAX_WORDS // 11)) is not None
    assert why(notice * (MAX_WORDS // 11 + 1)) is None


CLAUSES = [
    "Dear reader, we use cookies and would like you to know what for.",
    "Your personal data are kept by us and by our partners.",
    "You may withdraw your consent at any time under cookie settings.",
    "What our partners store on your device is told in the privacy notice.",
]


@pytest.mark.parametrize(("times", "expected"), [(1, True), (8, True), (40, False)])
def test_a_long_consent_wall_is_one_up_to_a_length(times, expected):
    assert (why(" ".join(CLAUSES * times)) is not None) is expected


def test_the_options_of_a_form_are_no_text_of_its_own():
    places = "Northland Southland Westland Eastland Midland " * 60
    form = "Start your free trial. Enter your details below. Your password must be long enough."
    assert why(f"{form} Registered users can read three reports.\n{places}") is not None
    results = " ".join(f"Elmsworth {number} Northam {number % 7}" for number in range(75))
    streets = "A car stood in the street. " * 50
    for content in (results, streets):
        assert why(f"{form} Registered users can read three reports.\n{content}") is None


def test_a_long_article_that_begins_with_a_box_is_an_article():
    box = "Sign up for our daily newsletter. Invalid email. Thank you for subscribing. "
    news = "The council of Elmsworth voted on Monday to mend the old bridge over the river. " * 20
    assert why(box + news + "Send us your pictures. Download our app. Our privacy policy.") is None


def test_a_long_article_that_ends_in_a_notice_is_an_article():
    news = "The council of Elmsworth voted on Monday to mend the old bridge over the river. " * 20
    assert why(news + " ".join(CLAUSES)) is None


def test_a_short_page_that_opens_with_an_appeal_is_a_masthead():
    appeal = "Donate to the site. Support our work."
    motto = "For a town that reads, argues and votes, in the valley since the year of the flood"
    assert why(f"{appeal} {motto}") == "site notice: support our work"
    assert why(f"{motto}. Donate to the site.") is None


@given(st.text(), st.text(alphabet=st.characters(), max_size=200), st.integers(0, 300))
def test_any_text_has_an_answer(title, text, count):
    assert block_page_reason(title, text, count) is None or text or title


SENTENCES = [
    "Please enable JavaScript to read this page.", "We use cookies and similar technologies.",
    "Access denied.", "The ferry sank in the night, the harbour master said on Monday.",
    "Accept all cookies", "<p>", "Privacy policy", "404", "Page not found", "ferry " * 150,
]  # fmt: skip
SAID = st.lists(st.sampled_from(SENTENCES), max_size=9).map(" ".join)


@given(st.lists(st.tuples(SAID, SAID, st.booleans()), max_size=5))
def test_the_pages_of_a_batch_are_what_each_is_alone(pages):
    titles, texts, html = ([page[column] for page in pages] for column in range(3))
    sizes = [len(words(text, html=marked)) for _, text, marked in pages]
    reasons = block_page_reasons(titles, texts, sizes, html=html)
    assert reasons == [
        block_page_reason(title, text, size, html=marked)
        for (title, text, marked), size in zip(pages, sizes, strict=True)
    ]


@pytest.mark.parametrize("unit", ["\n", "access denied ", ". ", ".", "\ud800", "\n!?。 "])
def test_time_grows_with_the_length(unit):
    def seconds(size: int) -> float:
        text = "access denied. we use cookies " + unit * (size // len(unit))
        start = time.thread_time()
        block_page_reason("", text, 10)
        return time.thread_time() - start

    short = max(min(seconds(25_000) for _ in range(3)), 1e-3)
    assert min(seconds(400_000) for _ in range(2)) < 80 * short


PAGES = [
    Article(id="wall", title="Storm cuts power", text="Please enable JavaScript to read on."),
    Article(id="twin", title="Storm cuts power", text="Please enable JavaScript to read on."),
    Article(id="news", title="Storm cuts power", text="Nine villages in the north were dark."),
    Article(id="other", title="Club sells its captain", text="He leaves in June, for a record."),
]


def block_page(verdicts) -> set[str]:
    return {verdict.id for verdict in verdicts if "block_page" in verdict.flags}


@pytest.mark.parametrize("pages", [PAGES, PAGES[::-1]], ids=["in order", "turned"])
def test_a_page_is_flagged_for_what_it_says_itself_however_it_comes(pages):
    with Deduper() as deduper:
        checked = [deduper.check(page) for page in pages]
        added = [deduper.add(page) for page in pages]
        standing = list(deduper.verdicts([page.id for page in pages]))
    with Deduper() as deduper:
        at_once = list(deduper.run(pages))
    for verdicts in (checked, added, standing, at_once):
        assert block_page(verdicts) == {"wall", "twin"}


def test_a_page_that_is_like_nothing_says_why_it_is_no_article():
    with Deduper() as deduper:
        verdict = deduper.add(PAGES[0])
    assert verdict.reasons == ("no article: script notice: enable javascript",)
