"""The pages in a browser: keyboard, light and dark mode, phone, hostile titles."""

import json
import re
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import httpx
import pytest
from tests.support import servers
from tests.support.demo_service import HOSTILE, WIRE, borderline_pairs, fill, hostile, wire
from tests.support.service_client import free_port, serving

from nearcopy.service.auth import Tokens
from nearcopy.service.settings import Settings

CHROMIUM = "chromium"
FLAGS = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-software-rasterizer"]
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 375, "height": 740}
PAIRS = 24

# Accessibility: elements without a name, text without contrast.
NAMES = """() => {
  const wrong = [];
  const seen = (each) => each.checkVisibility({ checkVisibilityCSS: true });
  const text = (each) => (each.innerText || each.textContent || "").trim();
  const named = (each) => {
    const by = (each.getAttribute("aria-labelledby") || "").split(/\\s+/).filter(Boolean);
    const telling = by.map((id) => document.getElementById(id)).filter(Boolean);
    if (telling.some((each) => text(each))) return true;
    if ((each.getAttribute("aria-label") || "").trim()) return true;
    if ([...(each.labels || [])].some((label) => text(label))) return true;
    return ["A", "BUTTON", "SUMMARY"].includes(each.tagName) && Boolean(text(each));
  };
  const fields = "a[href], button, summary, progress, textarea, select, svg[role=img]," +
    " [role=region], nav, input:not([type=hidden])";
  for (const each of document.querySelectorAll(fields)) {
    if (seen(each) && !named(each)) wrong.push(`no name: ${each.outerHTML.slice(0, 120)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`twice: #${id}`);
  for (const one of ["h1", "main", "header.masthead", "footer", "a.skip"]) {
    const count = document.querySelectorAll(one).length;
    if (count !== 1) wrong.push(`${count} of ${one}`);
  }
  let level = 1;
  for (const head of document.querySelectorAll("h1, h2, h3, h4")) {
    const mine = Number(head.tagName[1]);
    if (mine > level + 1) wrong.push(`h${level} is followed by ${head.outerHTML.slice(0, 80)}`);
    level = mine;
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption || !table.querySelector("th[scope]")) wrong.push("a table without heads");
  }
  for (const svg of document.querySelectorAll("svg")) {
    const told = svg.getAttribute("role") === "img" || svg.getAttribute("aria-hidden") === "true";
    if (!told) wrong.push(`a picture without words: ${svg.outerHTML.slice(0, 80)}`);
  }
  if (document.documentElement.lang !== "en") wrong.push("no language");
  if (!document.title.trim()) wrong.push("no title");
  return wrong;
}"""
CONTRAST = """() => {
  const parsed = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, under) => {
    const mix = (k) => top[k] * top.a + under[k] * (1 - top.a);
    return { r: mix("r"), g: mix("g"), b: mix("b"), a: 1 };
  };
  const luminance = ({ r, g, b }) => {
    const part = (c) => (c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const root = parsed(getComputedStyle(document.documentElement).backgroundColor);
  const ground = (each) => {
    const stack = [];
    for (let at = each; at; at = at.parentElement) {
      const colour = parsed(getComputedStyle(at).backgroundColor);
      stack.push(colour);
      if (colour.a === 1) break;
    }
    return stack.reduceRight((under, top) => over(top, under), root);
  };
  const wrong = [];
  let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const each = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !each.checkVisibility()) continue;
    if (each.closest(".hidden, .skip, title, noscript, script")) continue;
    const style = getComputedStyle(each);
    const inPicture = Boolean(each.closest("svg"));
    const behind = ground(each);
    const ink = over(parsed(inPicture ? style.fill : style.color), behind);
    const [high, low] = [luminance(ink), luminance(behind)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    count += 1;
    if (ratio < (large ? 3 : 4.5)) {
      const said = walker.currentNode.data.trim().slice(0, 40);
      wrong.push(`${ratio.toFixed(2)}: ${each.className} ${said}`);
    }
  }
  return { wrong, count };
}"""
GROUND = "() => getComputedStyle(document.documentElement).backgroundColor"
TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def browser():
    path = which(CHROMIUM)
    if path is None:
        servers.unavailable("there is no chromium here")
    api = servers.driver("playwright.sync_api")
    with api.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with the examples, pairs near a line, and a token of each scope."""
    folder = tmp_path_factory.mktemp("service")
    settings = Settings(
        store=f"{folder}/seen.db",
        tokens=f"{folder}/tokens.db",
        tuned=f"{folder}/tuned.toml",
        port=free_port(),
    )
    tokens = Tokens(settings.tokens)
    secret = tokens.add("Ada", ("admin",))
    tokens.close()
    with serving(settings) as address:
        bearer = {"authorization": f"Bearer {secret}"}
        fill(address, *wire(), *borderline_pairs(PAIRS), *hostile(), **bearer)
        client = httpx.Client(base_url=f"{address}/api/v1", headers=bearer, timeout=60)
        client.address, client.secret, client.folder = address, secret, folder
        yield client
        client.close()


@contextmanager
def open_page(browser, service, *, view=DESKTOP, signed=True):
    """A page in its own browser context; an error in it fails the test."""
    window = browser.new_context(
        base_url=service.address, color_scheme="light", viewport=view, accept_downloads=True
    )
    if signed:
        cookie = {"name": "nearcopy_token", "value": service.secret, "url": service.address}
        window.add_cookies([cookie])
    page = window.new_page()
    page.set_default_timeout(10_000)
    errors = []
    page.on("pageerror", lambda each: errors.append(str(each)))
    page.on("dialog", lambda each: errors.append(f"a dialog: {each.message}"))
    page.on("console", lambda each: errors.append(each.text) if each.type == "error" else None)
    page.errors = errors
    yield page
    window.close()
    assert errors == []


def story_of(service, article):
    return service.get(f"/articles/{article}").json()["verdict"]["story_id"]


def paths(service):
    return {
        "overview": "/?days=0",
        "stories": "/stories",
        "story": f"/stories/{story_of(service, 'en-01')}",
        "compare": "/compare?a=en-24&b=en-25",
        "which": "/compare",
        "review": "/review",
        "tune": "/review/tune",
        "try": "/try",
        "problem": "/stories/nothing",
    }


# Accessibility and layout.


def test_elements_have_names_and_text_has_contrast(browser, service):
    with open_page(browser, service) as page:
        for name, path in paths(service).items():
            page.goto(path)
            grounds = set()
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate(NAMES) == [], (name, scheme)
                grounds.add(page.evaluate(GROUND))
                contrast = page.evaluate(CONTRAST)
                assert contrast["wrong"] == [], (name, scheme)
                assert contrast["count"] > 5, (name, scheme)
            assert len(grounds) == 2, name
        page.errors[:] = [error for error in page.errors if "404" not in error]


def test_no_page_is_wider_than_a_phone(browser, service):
    with open_page(browser, service, view=PHONE) as page:
        for name, path in paths(service).items():
            page.goto(path)
            assert page.evaluate(TOO_WIDE) <= 0, name
        page.errors[:] = [error for error in page.errors if "404" not in error]


def test_the_skip_link_comes_first_and_focus_is_visible(browser, service):
    with open_page(browser, service) as page:
        page.goto("/stories")
        page.keyboard.press("Tab")
        skip = page.locator("a.skip")
        assert skip.evaluate("each => each === document.activeElement")
        assert skip.bounding_box()["x"] >= 0
        page.keyboard.press("Enter")
        assert page.evaluate("() => document.activeElement.id") == "content"
        page.keyboard.press("Tab")
        style = page.evaluate("() => getComputedStyle(document.activeElement).outlineWidth")
        assert style == "3px"


def test_titles_have_their_own_text_direction(browser, service):
    with open_page(browser, service) as page:
        page.goto("/compare?a=ar-01&b=ar-02")
        for text in page.locator(".row .text").all():
            assert text.evaluate("each => getComputedStyle(each).direction") == "rtl"
        assert page.locator("h2 bdi[lang=ar]").count() == 2
        page.goto("/stories?text=ferry")
        title = page.locator("h2 bdi").first
        assert title.evaluate("each => getComputedStyle(each).direction") == "ltr"


def test_hostile_titles_are_shown_as_text_everywhere(browser, service):
    one, other = (article["id"] for article in hostile())
    query = httpx.QueryParams({"a": one, "b": other})
    with open_page(browser, service) as page:
        for path in ("/", "/stories", "/review", f"/compare?{query}"):
            page.goto(path)
            assert page.locator("script:not([src]), img, main [onmouseover]").count() == 0
        assert page.locator("h2", has_text="<script>alert(1)</script>").count() == 2
        assert page.locator(".row", has_text="</textarea><script>alert(4)").count() > 0
        assert page.locator('a[href^="javascript"]').count() == 0
        page.goto("/stories")
        page.locator("h2 a", has_text="<script>alert(1)</script>").click()
        assert page.locator("h1").inner_text().startswith(HOSTILE[:30])
        page.get_by_role("button", name=re.compile("^Split")).first.wait_for()


# By keyboard.


def signed_out(page):
    return "/sign-in" in page.url


def test_signing_in_and_out(browser, service):
    with open_page(browser, service, signed=False) as page:
        page.goto("/stories?text=ferry")
        assert signed_out(page)
        assert page.evaluate(NAMES) == []
        page.keyboard.type("nc_wrong_token")
        page.keyboard.press("Enter")
        page.get_by_role("alert").wait_for()
        page.get_by_label("Token").fill(service.secret)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Stories").wait_for()
        assert page.url.endswith("/stories?text=ferry")
        (cookie,) = page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("heading", name="Sign in").wait_for()
        page.goto("/stories")
        assert signed_out(page)
        page.errors[:] = [error for error in page.errors if "401" not in error]


def answer_key(name):
    """The key for a pair: odd pairs close to a threshold are different."""
    match = re.fullmatch(r"pair(\d+)[ab]", name)
    return "s" if match is None or int(match[1]) % 2 == 0 else "d"


def test_pairs_are_reviewed_by_keyboard_and_used_for_tuning(browser, service):
    with open_page(browser, service) as page:
        page.goto("/review")
        current = page.locator(".pair.current")
        first = current.get_attribute("data-a")
        page.keyboard.press("j")
        second = current.get_attribute("data-a")
        assert second != first
        page.keyboard.press("k")
        assert current.get_attribute("data-a") == first
        reviewed = []
        for number in range(1, 11):
            a, b = current.get_attribute("data-a"), current.get_attribute("data-b")
            reviewed.append((a, b))
            page.keyboard.press("u" if a.startswith("en-") else answer_key(a))
            page.locator("#count", has_text=f"{number} pair").wait_for()
            page.locator(f'.pair.current:not([data-a="{a}"])').wait_for()
        page.keyboard.press("z")
        page.locator("#count", has_text="9 pairs").wait_for()
        page.keyboard.press(answer_key(reviewed[-1][0]))
        page.locator("#count", has_text="10 pairs").wait_for()
        feedback = service.get("/feedback").json()["feedback"]
        pairs = {frozenset((row["a"], row["b"])) for row in feedback}
        assert pairs == {frozenset(pair) for pair in reviewed}
        page.get_by_role("link", name="What would tuning change?").click()
        page.get_by_text("too few labels").wait_for()
    for number in range(PAIRS):
        feedback = {"a": f"pair{number}a", "b": f"pair{number}b", "same": number % 2 == 0}
        service.post("/feedback", json=feedback).raise_for_status()
    with open_page(browser, service) as page:
        page.goto("/review/tune")
        page.get_by_text("near_overlap").wait_for()
        assert page.evaluate(NAMES) == []
        file = service.folder / "tuned.toml"
        assert not file.exists()
        page.get_by_role("button", name="Write the policy").click()
        page.get_by_text("restart the service").wait_for()
        assert "near_overlap" in file.read_text()


def test_two_articles_are_compared(browser, service):
    with open_page(browser, service) as page:
        page.goto("/compare")
        page.get_by_label("Id of an article").fill("en-24")
        page.get_by_label("Id of another").fill("en-25")
        page.keyboard.press("Enter")
        page.get_by_role("heading", level=1, name=re.compile("clash", re.IGNORECASE)).wait_for()
        row = page.locator("tr.clash").first
        assert "clash" in row.inner_text()
        red, green, blue = map(
            int,
            re.findall(r"\d+", row.locator("td").first.evaluate("e => getComputedStyle(e).color")),
        )
        assert red > 2 * max(green, blue)
        shared = page.locator(".row.shared").first
        badges = shared.locator(".badge").all_inner_texts()
        assert badges[0][:1] == badges[1][:1] == "1"
        left, right = (element.bounding_box() for element in shared.locator(".text").all())
        assert abs(left["y"] - right["y"]) < 1
        assert left["x"] < right["x"]
        assert page.locator("ins").count() > 0


def test_a_merge_is_undone_and_recorded_in_the_audit_log(browser, service):
    story, other = story_of(service, "en-01"), story_of(service, "de-01")
    with open_page(browser, service) as page:
        page.goto(f"/stories/{story}")
        members = page.locator("table.members tbody tr")
        before = members.count()
        page.get_by_role("textbox", name="Id of another story").fill(other)
        page.get_by_label("Reason").fill("both are about bridges, perhaps")
        page.keyboard.press("Enter")
        page.get_by_role("status").get_by_text("Merged").wait_for()
        assert members.count() > before
        page.get_by_role("status").get_by_role("button", name="Undo").click()
        page.get_by_role("status").get_by_text("undone").wait_for()
        assert members.count() == before
        undone = page.locator(".audit-log li.undone").first
        assert "Ada" in undone.inner_text()
        page.goto(f"/stories/{other}")
        assert page.url.endswith(other)


def test_another_copy_is_kept_by_a_click(browser, service):
    story = story_of(service, "en-06")
    with open_page(browser, service) as page:
        page.goto(f"/stories/{story}")
        kept = page.locator("h1").inner_text()
        page.get_by_role("button", name=re.compile("^Keep")).first.click()
        page.get_by_text("Chosen by a user").wait_for()
        page.get_by_role("status").get_by_role("button", name="Undo").click()
        page.get_by_role("status").get_by_text("undone").wait_for()
        assert page.locator("h1").inner_text() == kept


DROPPED = """(area, [text, name]) => {
  const moved = new DataTransfer();
  moved.items.add(new File([text], name));
  area.dispatchEvent(new DragEvent("drop", { dataTransfer: moved, bubbles: true }));
}"""


def test_a_file_is_dropped_and_the_verdicts_downloaded(browser, service):
    text = WIRE.read_text(encoding="utf-8") + json.dumps(hostile()[0]) + '\n{"nothing": 1}\n'
    before = service.get("/stats").json()["articles"]
    with open_page(browser, service) as page:
        page.goto("/try")
        page.locator("#drop").evaluate(DROPPED, [text, "wire.jsonl"])
        page.get_by_text("67 checked").wait_for()
        assert page.locator("#rows tr").count() == 68
        assert "1 invalid" in page.locator("#status").inner_text()
        assert page.locator("#rows script, #rows img").count() == 0
        assert page.locator("#rows th", has_text="<script>alert(1)</script>").count() == 1
        assert page.evaluate(NAMES) == []
        assert page.evaluate(CONTRAST)["wrong"] == []
        with page.expect_download() as coming:
            page.get_by_role("button", name="Download JSON lines").click()
        lines = Path(coming.value.path()).read_text(encoding="utf-8").splitlines()
        assert len(lines) == 68
        assert {json.loads(line)["total"] for line in lines} == {68}
        with page.expect_download() as coming:
            page.get_by_role("button", name="Download CSV").click()
        assert coming.value.suggested_filename == "verdicts.csv"
    assert service.get("/stats").json()["articles"] == before


def test_a_pasted_text_is_stored_if_ticked(browser, service):
    words = "The lighthouse keeper of the western rocks retires after forty years this week, and no"
    with open_page(browser, service) as page:
        page.goto("/try")
        page.get_by_label("Text").fill(f"{words} other keeper follows him, the coast office said.")
        page.get_by_label("URL of the article").fill("https://rocks.example/keeper")
        page.get_by_label(re.compile("Add them")).check()
        page.get_by_role("button", name="Check").click()
        page.get_by_text("1 checked, 0 duplicates").wait_for()
        page.get_by_label(re.compile("Add them")).uncheck()
        page.get_by_role("button", name="Check").click()
        page.locator("#rows .mark").wait_for()
    assert service.get("/articles/https%3A%2F%2Frocks.example%2Fkeeper").status_code == 200


def test_a_file_that_cannot_be_read_says_why(browser, service):
    with open_page(browser, service) as page:
        page.goto("/try")
        page.locator("#drop").evaluate(DROPPED, ["nothing of the kind", "notes.txt"])
        page.get_by_text("Failed:").wait_for()
        page.errors[:] = [error for error in page.errors if "422" not in error]
