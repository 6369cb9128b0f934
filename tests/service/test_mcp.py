"""Assistants: the tools answer the SDK's own client, and nothing is written unless allowed."""

import asyncio
import json
import sys

import pytest
from tests.support import servers
from typer.testing import CliRunner

from nearcopy import Article, Deduper
from nearcopy.cli import app

mcp = servers.driver("mcp")
QUAY = "The harbour council voted to close the old quay after divers found shipworm in its piles. "
LOOKS = ["check", "similar", "compare", "explain", "stories", "story"]


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "seen.db"
    with Deduper(f"sqlite:///{path}") as deduper:
        for name in ("a", "b"):
            url = f"https://{name}.example/quay"
            deduper.add(Article(id=name, title="Council closes quay", text=QUAY * 6, url=url))
        deduper.add(Article(id="c", title="Tea dearer at the auction in the hills"))
    return path


def asked(store, *calls, write=False, **how):
    """What the server answers, started as assistants start it."""
    words = ["-m", "nearcopy.cli", "mcp", "--store", str(store), *(["--write"] if write else [])]

    async def talk():
        program = mcp.StdioServerParameters(command=sys.executable, args=words)
        async with mcp.Client(mcp.stdio_client(program), **how) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(talk())


def plain(result):
    """The answer, which is the same as data and as text."""
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def test_every_tool_answers(store):
    page = {"title": "Council closes quay", "text": QUAY * 6, "source": "Post"}
    tools, found = asked(
        store,
        ("check", page | {"published": "2026-05-04T12:00:00Z"}),
        ("check", {"title": "Glass bridge opens above Tarn"}),
        ("similar", {"id": "a", "limit": 5}),
        ("compare", {"a": page, "b": {"title": "Council closes quay", "text": QUAY * 5}}),
        ("explain", {"a": "a", "b": "b"}),
        ("stories", {"text": "quay"}),
        ("story", {"id": "b"}),
    )
    assert [tool.name for tool in tools] == LOOKS
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.description for tool in tools)
    copy, new, similar, compared, explained, stories, story = map(plain, found)
    assert (copy["is_duplicate"], copy["relation"]) == (True, "same_text")
    assert copy["matched"]["title"] == "Council closes quay"
    assert copy["evidence"]["same_text"] is True
    assert (new["is_duplicate"], new["match"]) == (False, None)
    assert [each["id"] for each in similar["similar"]] == ["b"]
    assert compared["is_duplicate"]
    assert explained["passages"]
    assert explained["articles"]["b"]["url"] == "https://b.example/quay"
    assert [each["kept"] for each in stories["stories"]] == [story["kept"]]
    assert {each["id"] for each in story["members"]} == {"a", "b"}


def test_what_is_wrong_is_told_and_it_goes_on(store):
    _, found = asked(
        store,
        ("similar", {"id": "nowhere"}),
        ("check", {}),
        ("check", {"title": "Tea", "published": "never"}),
        ("similar", {"id": "a", "limit": 10_000}),
        ("add", {"id": "d", "title": "Tea dearer"}),
        ("story", {"id": "a"}),
    )
    *wrong, right = found
    assert all(each.is_error for each in wrong)
    said = [each.content[0].text for each in wrong]
    assert "nowhere" in said[0]
    assert "text, title and url are missing" in said[1]
    assert "published is" in said[2]
    assert "limit" in said[3]
    assert "Unknown tool" in said[4]
    assert not right.is_error


def test_it_adds_only_where_that_is_allowed(store):
    tools, (added, again) = asked(
        store,
        ("add", {"id": "d", "title": "Council closes quay", "text": QUAY * 6}),
        ("add", {"id": "d", "title": "Council closes quay", "text": QUAY * 6}),
        write=True,
    )
    assert [tool.name for tool in tools] == [*LOOKS, "add"]
    assert tools[-1].annotations.read_only_hint is False
    assert plain(added)["is_duplicate"]
    assert plain(again) == plain(added)
    with Deduper(f"sqlite:///{store}") as deduper:
        assert deduper.article("d").title == "Council closes quay"


def test_checking_keeps_nothing(store):
    asked(store, ("check", {"title": "Glass bridge opens above Tarn"}))
    with Deduper(f"sqlite:///{store}") as deduper:
        assert sorted(deduper.latest()) == ["a", "b", "c"]


def test_a_store_that_is_not_there_is_said(tmp_path):
    done = CliRunner().invoke(app, ["mcp", "--store", str(tmp_path / "none.db")])
    assert done.exit_code == 2
    assert "no store at" in done.stderr


def test_the_tools_can_be_listed(store):
    words = ["mcp", "--store", str(store), "--list"]
    shown = CliRunner().invoke(app, words).stdout
    assert all(name in shown for name in LOOKS)
    lines = CliRunner().invoke(app, [*words, "--write", "--json"]).stdout.splitlines()
    assert [json.loads(line)["name"] for line in lines] == [*LOOKS, "add"]
