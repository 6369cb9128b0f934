"""The examples of the five earlier designs, each by its preset and by the default."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from nearcopy import POLICIES, RECIPES, Article, Decision, Policy, Relation, fingerprints
from nearcopy.match.compare import compare, overlap
from nearcopy.match.decide import decide

RANDOM = random.Random(11)
VOCABULARY = [
    "".join(RANDOM.choices("abcdefghijklmnoprstuvw", k=RANDOM.randint(3, 9))) for _ in range(3000)
]


def prose(words: int, seed: int) -> list[str]:
    """Words that no other seed strings together."""
    return random.Random(seed).choices(VOCABULARY, k=words)


def edited(words: list[str], share: float, seed: int = 5) -> list[str]:
    """The words with this share of them replaced, spread evenly."""
    step = round(1 / share)
    fresh = iter(prose(len(words), seed))
    return [next(fresh) if place % step == step // 2 else word for place, word in enumerate(words)]


def judge(a: Article, b: Article, preset: str = "default") -> Decision:
    recipe = RECIPES[preset]
    left, right = fingerprints([a, b], recipe)
    counted = overlap(a, b, recipe) if recipe.minhash and left.words and right.words else None
    return decide(compare(left, right, counted=counted), POLICIES[preset])


def titled(title: str, **more) -> Article:
    return Article(id=title or "untitled", title=title, **more)


def judge_titles(a: str, b: str, preset: str = "default") -> Decision:
    return judge(titled(a), titled(b), preset)


def both(preset: str):
    return pytest.mark.parametrize("preset", [preset, "default"])


# A. Feed storage service.

BODY = prose(600, seed=1)
STORY = " ".join(BODY)


@both("feed")
def test_an_exact_address_is_a_duplicate(preset):
    decision = judge(
        Article(id="a", url="https://news.example.com/2026/harbour-closes"),
        Article(id="b", url="https://news.example.com/2026/harbour-closes"),
        preset,
    )
    assert (decision.relation, decision.duplicate) == (Relation.SAME_URL, True)


@both("feed")
def test_markup_punctuation_and_case_do_not_hide_a_copy(preset):
    marked = "<p>" + "!</p>\n<p>".join(word.upper() for word in BODY) + "</p>"
    decision = judge(Article(id="a", text=STORY), Article(id="b", text=marked, html=True), preset)
    assert (decision.relation, decision.duplicate) == (Relation.SAME_TEXT, True)
    assert decision.confidence == 1.0


@both("feed")
def test_a_text_within_three_bits_is_a_duplicate(preset):
    longer = " ".join(prose(3000, seed=2)[:700])
    decision = judge(Article(id="a", text=longer), Article(id="b", text=longer + " tail"), preset)
    assert (decision.relation, decision.duplicate) == (Relation.NEAR_TEXT, True)


@both("feed")
def test_titles_nine_tenths_alike_are_a_duplicate(preset):
    decision = judge_titles(
        "Harbour council votes to close the old ferry terminal",
        "Harbour council votes to close the old ferry terminals",
        preset,
    )
    assert (decision.relation, decision.duplicate) == (Relation.SAME_TITLE, True)
    assert 0 < decision.confidence <= 1


def test_titles_under_nine_tenths_are_not_in_the_feed():
    a, b = "Harbour council closes ferry terminal", "Harbour council opens a bus terminal"
    assert not judge_titles(a, b, "feed").duplicate


def test_the_feed_reads_the_first_five_thousand_characters_only():
    head = " ".join(prose(1200, seed=6))[:5000].rsplit(" ", 1)[0].ljust(5000)
    a, b = (Article(id=name, text=head + " ".join(prose(400, seed))) for name, seed in ("a3", "b4"))
    assert judge(a, b, "feed").duplicate
    assert RECIPES["feed"].max_chars == 5000


@both("feed")
@pytest.mark.parametrize("title", ["Breaking News", "Live", "Watch", "Update", "News"])
def test_titles_that_say_nothing_never_match(title, preset):
    decision = judge_titles(title, title, preset)
    assert decision.relation is Relation.DISTINCT
    assert not decision.duplicate


# B. Tracker with a rolling window.


@both("tracker")
@pytest.mark.parametrize(
    "other",
    [
        "http://www.example.in/volt?utm_source=x&utm_medium=y",
        "https://example.in/volt/?fbclid=1",
        "https://www.example.in/volt?gclid=2",
        "https://example.in/volt?ref=home",
    ],
)
def test_tracking_www_and_scheme_do_not_make_another_address(other, preset):
    decision = judge(
        Article(id="a", url="https://example.in/volt"), Article(id="b", url=other), preset
    )
    assert (decision.relation, decision.duplicate) == (Relation.SAME_URL, True)


@both("tracker")
def test_entities_establish_sameness(preset):
    a = "UPC Volt sets up Rs 5k cr data centre"
    b = "UPC Volt to invest 5000 crore in data centre"
    decision = judge_titles(a, b, preset)
    assert (decision.relation, decision.duplicate) == (Relation.SAME_TITLE, True)


@both("tracker")
def test_the_veto_by_facts_wins(preset):
    a, b = "Startup X raises Series A $10M", "Startup X raises Series B $50M"
    decision = judge_titles(a, b, preset)
    assert decision.relation is Relation.DISTINCT
    assert decision.rule == "vetoed"
    assert "clash" in decision.reason


@both("tracker")
@pytest.mark.parametrize("money", ["Rs 5,000 crore", "Rs 5k cr", "5000 crore", "₹5,000 crore"])
def test_one_amount_however_it_is_written(money, preset):
    decision = judge_titles(
        f"Volt invests {money} in a new data centre",
        "Volt invests Rs 5,000 crore in a new data centre",
        preset,
    )
    assert decision.duplicate


@both("tracker")
def test_other_amounts_make_two_items_different(preset):
    a = "Volt raises $10 million from Alpine Capital"
    assert not judge_titles(a, "Volt raises $50 million from Alpine Capital", preset).duplicate


def test_other_names_make_two_items_different_in_the_tracker():
    a = "The ministry says Alpine Motors wins the contract for electric buses"
    b = "The ministry says Borealis Wheels wins the contract for electric buses"
    assert not judge_titles(a, b, "tracker").duplicate


@pytest.mark.parametrize("days", [7, 14, 30])
def test_the_window_is_configurable(days):
    assert Policy(window=timedelta(days=days)).window.days == days
    assert POLICIES["tracker"].window.days == 14


# C. Search-engine crawler.

PAGE = prose(900, seed=21)


def page(name: str, words: list[str], **more) -> Article:
    return Article(id=name, title=f"{name} page", text=" ".join(words), **more)


@both("crawler")
def test_a_mirror_is_a_copy(preset):
    a = page("one", PAGE, url="https://one.example/a")
    b = page("one", PAGE, url="https://mirror.example/a")
    assert judge(a, b, preset).relation is Relation.SAME_TEXT


@both("crawler")
def test_header_and_footer_do_not_hide_a_copy(preset):
    a = page("one", PAGE)
    b = page("two", ["home", *PAGE, "imprint"])
    assert judge(a, b, preset).relation is Relation.NEAR_TEXT


@both("crawler")
def test_a_republished_story_with_a_small_edit_is_found(preset):
    a, b = page("one", PAGE), page("two", [*PAGE[:450], "replaced", *PAGE[451:]])
    assert judge(a, b, preset).relation is Relation.NEAR_TEXT


@both("crawler")
def test_other_pages_are_not_copies(preset):
    assert not judge(page("one", PAGE), page("two", prose(900, seed=22)), preset).duplicate


def test_similar_pages_are_more_than_0_85_alike():
    distance = POLICIES["crawler"].related_max_hamming
    assert distance is not None
    assert 1 - distance / 64 > 0.85 > 1 - (distance + 1) / 64
    assert POLICIES["crawler"].window == timedelta(days=30)


# D. Multilingual digest.


@both("digest")
@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Claude 3.5 Sonnet 新發布", "Claude 3.5 Sonnet 發布", True),
        ("OpenAI 推出 GPT-4o", "新模型 GPT-4o 登場", False),
        ("Cursor AI 編輯器 v0.40 發布新功能", "Cursor v0.40：AI 編輯器新功能發布", True),
        ("GPT-4", "GPT-4 update", False),
    ],
)
def test_chinese_english_and_mixed_titles(a, b, same, preset):
    assert judge_titles(a, b, preset).duplicate is same


@both("digest")
def test_scripts_and_variants_do_not_hide_a_copy(preset):
    a, b = "蘋果公司今天發布新款手機與電腦", "苹果公司今天发布新款手机与电脑"
    assert judge_titles(a, b, preset).duplicate
    assert judge_titles(a, a.replace("發布", "發佈"), preset).duplicate


def test_titles_under_ten_characters_are_not_matched_by_title_and_not_lost():
    assert not judge_titles("GPT-5 發布", "GPT-5 發布", "digest").duplicate
    assert len(list(fingerprints([titled("GPT-5 發布")], RECIPES["digest"]))) == 1


def test_like_titles_over_different_bodies_are_a_policy():
    a = titled("Council to vote on harbour plan this week", text=" ".join(prose(200, 31)))
    b = titled("Council to vote on the harbour plan this week", text=" ".join(prose(200, 32)))
    left, right = fingerprints([a, b])
    evidence = compare(left, right)
    assert decide(evidence, Policy(like_titles="two")).relation is Relation.SAME_EVENT
    assert decide(evidence, Policy(like_titles="one")).relation is Relation.SAME_TITLE


# E. Similarity engine.

PIECE = prose(400, seed=41)


@both("similarity")
def test_identical_text_is_certain(preset):
    decision = judge(
        Article(id="a", text=" ".join(PIECE)), Article(id="b", text=" ".join(PIECE)), preset
    )
    assert (decision.relation, decision.confidence) == (Relation.SAME_TEXT, 1.0)


@both("similarity")
def test_five_per_cent_of_edits_are_found(preset):
    a = Article(id="a", text=" ".join(PIECE))
    b = Article(id="b", text=" ".join(edited(PIECE, 0.05)))
    decision = judge(a, b, preset)
    assert (decision.relation, decision.duplicate) == (Relation.NEAR_TEXT, True)


@both("similarity")
def test_unrelated_text_is_under_a_tenth_alike(preset):
    a = Article(id="a", text=" ".join(PIECE))
    b = Article(id="b", text=" ".join(prose(400, seed=42)))
    left, right = fingerprints([a, b], RECIPES[preset])
    assert compare(left, right).overlap < 0.1
    assert judge(a, b, preset).relation is Relation.DISTINCT


@both("similarity")
def test_under_fifty_words_are_flagged_and_not_trusted(preset):
    a = Article(id="a", text=" ".join(PIECE[:49]))
    b = Article(id="b", text=" ".join([*PIECE[:48], "other"]))
    decision = judge(a, b, preset)
    assert "short" in decision.flags
    assert not decision.duplicate


# Beyond all five.


def test_a_changed_text_at_the_same_address_is_a_revision():
    url = "https://example.org/storm"
    a = Article(id="a", url=url, text=" ".join(PIECE))
    b = Article(id="b", url=url, text=" ".join(PIECE[:100] + prose(400, seed=43)))
    assert judge(a, b).relation is Relation.REVISION


def test_an_excerpt_is_contained():
    a = Article(id="a", text=" ".join(PIECE))
    b = Article(id="b", text=" ".join(PIECE[:130]))
    assert judge(a, b).relation is Relation.CONTAINED


def test_a_toll_that_moved_is_a_revision():
    a = "Ferry sinks off Lindholm, at least 12 people killed"
    b = "Ferry sinks off Lindholm, at least 19 people killed"
    assert judge_titles(a, b).relation is Relation.REVISION


def test_a_notice_with_another_figure_is_other_news():
    form = " ".join(PIECE[:80])
    a = Article(
        id="a",
        text=f"{form} dividend of 14 cents per share payable on May 3 to holders of record April 9",
    )
    b = Article(
        id="b",
        text=f"{form} dividend of 17 cents per share payable on June 8 to holders of record May 21",
    )
    decision = judge(a, b)
    assert (decision.relation, decision.duplicate) == (Relation.DISTINCT, False)


def test_a_consent_wall_is_never_an_original():
    wall = (
        "We value your privacy. Please accept all cookies to continue to the site. Manage options."
    )
    a = Article(id="a", title="Harbour closes", text=wall, url="https://example.org/a")
    b = Article(id="b", title="Election called", text=wall, url="https://example.org/b")
    decision = judge(a, b)
    assert not decision.duplicate
    assert "block_page" in decision.flags


def test_confidence_is_a_share_and_times_are_compared():
    when = datetime(2026, 3, 1, tzinfo=UTC)
    a = titled("Harbour council closes the ferry terminal", published=when)
    b = titled("Harbour council closes the ferry terminal", published=when + timedelta(hours=6))
    left, right = fingerprints([a, b])
    assert compare(left, right).hours_apart == 6
