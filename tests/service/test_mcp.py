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
READ_TOOLS = ["check", "similar", "compare", "explain", "stories", "story"]


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "seen.db"
    with Deduper(f"sqlite:///{path}") as deduper:
        for name in ("a", "b"):
            url = f"https://{name}.example/quay"
            deduper.add(Article(id=name, title="Council closes quay", text=QUAY * 6, url=url))
        deduper.add(Article(id="c", title="Tea dearer at the auction in the hills"))
    return path


def call_tools(store, *calls, write=False, **how):
    """The answers of the server, started as assistants start it."""
    words = ["-m", "nearcopy", "mcp", "--store", str(store), *(["--write"] if write else [])]

    async def run():
        program = mcp.StdioServerParameters(command=sys.executable, args=words)
        async with mcp.Client(mcp.stdio_client(program), **how) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def answer_of(result):
    """The answer, which is the same as data and as text."""
    assert not result.is_error, result.content
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def test_every_tool_answers(store):
    page = {"title": "Council closes quay", "text": QUAY * 6, "source": "Post"}
    tools, results = call_tools(
        store,
        ("check", page | {"published": "2026-05-04T12:00:00Z"}),
        ("check", {"title": "Glass bridge opens above Tarn"}),
        ("similar", {"id": "a", "limit": 5}),
        ("compare", {"a": page, "b": {"title": "Council closes quay", "text": QUAY * 5}}),
        ("explain", {"a": "a", "b": "b"}),
        ("stories", {"text": "quay"}),
        ("story", {"id": "b"}),
    )
    assert [tool.name for tool in tools] == READ_TOOLS
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.description for tool in tools)
    copy, new, similar, compared, explained, stories, story = map(answer_of, results)
    assert (copy["is_duplicate"], copy["relation"]) == (True, "same_text")
    assert copy["matched"]["title"] == "Council closes quay"
    assert copy["evidence"]["same_text"] is True
    assert (new["is_duplicate"], new["match"]) == (False, None)
    assert [article["id"] for article in similar["similar"]] == ["b"]
    assert compared["is_duplicate"]
    assert explained["passages"]
    assert explained["articles"]["b"]["url"] == "https://b.example/quay"
    assert [row["kept"] for row in stories["stories"]] == [story["kept"]]
    assert {member["id"] for member in story["members"]} == {"a", "b"}


def test_errors_are_reported_and_the_server_continues(store):
    _, results = call_tools(
        store,
        ("similar", {"id": "nowhere"}),
        ("check", {}),
        ("check", {"title": "Tea", "published": "never"}),
        ("similar", {"id": "a", "limit": 10_000}),
        ("add", {"id": "d", "title": "Tea dearer"}),
        ("story", {"id": "a"}),
    )
    *errors, success = results
    assert all(error.is_error for error in errors)
    messages = [error.content[0].text for error in errors]
    assert "nowhere" in messages[0]
    assert "text, title and url are all empty" in messages[1]
    assert "published is" in messages[2]
    assert "limit" in messages[3]
    assert "Unknown tool" in messages[4]
    assert not success.is_error


def test_adding_needs_write(store):
    tools, (added, repeat) = call_tools(
        store,
        ("add", {"id": "d", "title": "Council closes quay", "text": QUAY * 6}),
        ("add", {"id": "d", "title": "Council closes quay", "text": QUAY * 6}),
        write=True,
    )
    assert [tool.name for tool in tools] == [*READ_TOOLS, "add"]
    assert tools[-1].annotations.read_only_hint is False
    assert answer_of(added)["is_duplicate"]
    assert answer_of(repeat) == answer_of(added)
    with Deduper(f"sqlite:///{store}") as deduper:
        assert deduper.article("d").title == "Council closes quay"


def test_a_check_stores_nothing(store):
    call_tools(store, ("check", {"title": "Glass bridge opens above Tarn"}))
    with Deduper(f"sqlite:///{store}") as deduper:
        assert sorted(deduper.latest()) == ["a", "b", "c"]


def test_a_missing_store_is_reported(tmp_path):
    done = CliRunner().invoke(app, ["mcp", "--store", str(tmp_path / "none.db")])
    assert done.exit_code == 2
    assert "no store at" in done.stderr


def test_tools_are_listed(store):
    words = ["mcp", "--store", str(store), "--list"]
    shown = CliRunner().invoke(app, words).stdout
    assert all(name in shown for name in READ_TOOLS)
    lines = CliRunner().invoke(app, [*words, "--write", "--json"]).stdout.splitlines()
    assert [json.loads(line)["name"] for line in lines] == [*READ_TOOLS, "add"]
