"""Every block and every command of the pages is run by a test, or listed with why it is not."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from nearcopy import POLICIES, Article, Deduper
from nearcopy.cli import app
from nearcopy.config import TEXT_VERSION
from nearcopy.config.policy_file import read_policy
from nearcopy.io.streams.kafka import read_kafka_config

ROOT = Path(__file__).parents[2]
COMMANDS = typer.main.get_command(app).commands
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "presets").glob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("benchmarks", "examples", "fuzz")),
]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
SPAN = re.compile(r"`([^`\n]+)`")

# Run by a test, whole: a page's blocks of a kind.
RUN = {
    ("README.md", "console"): "docs/test_examples.py::test_the_demo_prints_what_the_readme_shows",
    ("README.md", "python"): "docs/test_examples.py::test_the_readme_code_runs",
    ("docs/commands.md", "console"): (
        "docs/test_commands_page.py::test_the_commands_print_what_the_page_shows"
    ),
    ("docs/service.md", "console"): (
        "docs/test_service_page.py::test_the_service_answers_what_the_page_shows"
    ),
    ("docs/coming_from.md", "toml"): "docs/test_code_blocks.py::test_the_policy_is_one",
    ("docs/corpora.md", "python"): "docs/test_code_blocks.py::test_the_corpus_is_gone_through",
    (
        "docs/how_it_works.md",
        "text",
    ): "docs/test_code_blocks.py::test_the_path_of_an_article_is_there",
    (
        "docs/scale.md",
        "python",
    ): "batch/spark/test_pipeline.py::test_a_killed_worker_and_a_stopped_driver_change_nothing",
    ("docs/stores.md", "sql"): "docs/test_code_blocks.py::test_a_role_with_a_schema_is_enough",
    ("docs/streams.md", "ini"): "docs/test_code_blocks.py::test_the_settings_of_kafka_are_read",
    ("docs/streams.md", "json"): "docs/test_code_blocks.py::test_an_assistant_finds_its_command",
}
# Not run, by their first line, and why; options that they name are checked here.
NOT_RUN = {
    "make bench ": "takes hours, and a quiet machine",
    "make quality ": "takes the labelled news, which is not in this repository",
    "$ nearcopy spark crawl.parquet marked": "wants clusters; test_spark.py has its own",
    "tail -f crawl.ndjson": "never ends; examples/lines.py runs it in a pipeline",
    "redis-cli XADD pages": "never ends; examples/redis_stream.py runs it on a server",
    "nearcopy consume --brokers": "wants brokers; examples/kafka_topics.py runs it on a mock",
    "podman run": "wants a container",
    "nearcopy consume --redis-stream pages": "never ends; examples/crawler_path.py runs it",
    "nearcopy feeds subs.opml": "asks the web; test_feeds_polling.py has its own server",
    "Glass bridge opens above Tarn": "wants feeds; test_feeds_polling.py holds the form",
    "ITEM_PIPELINES": "settings of a spider; examples/spider.py runs with the same",
}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks() -> list[tuple[str, str, str]]:
    """Every block of the pages: the page, its language, and its content."""
    return [
        (name_of(page), kind, code)
        for page in PAGES
        for kind, code in FENCED.findall(page.read_text("utf-8"))
    ]


def block(page: str, kind: str) -> str:
    (code,) = [code for name, other, code in blocks() if (name, other) == (page, kind)]
    return code


def is_doctest(page: str, kind: str, code: str) -> bool:
    """Whether docs/test_examples.py::test_the_examples_in_the_docs_run runs it."""
    return page.startswith("docs/") and kind == "python" and code.startswith(">>> ")


def test_a_block_is_run_or_says_why_not():
    unrun = [
        (page, code)
        for page, kind, code in blocks()
        if (page, kind) not in RUN
        and not is_doctest(page, kind, code)
        and not code.startswith(tuple(NOT_RUN))
    ]
    assert unrun == [], "run these in a test, or list them"


def test_nothing_is_listed_that_is_not_there():
    for start in NOT_RUN:
        assert any(code.startswith(start) for _, _, code in blocks()), start
    kinds = {(page, kind) for page, kind, _ in blocks()}
    assert RUN.keys() <= kinds
    for test in RUN.values():
        file, _, name = test.partition("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text("utf-8"), test


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_stands_in_fences(page):
    """Where it can be found: not as lines that are set in."""
    prose = FENCED.sub("", page.read_text("utf-8"))
    assert not re.search(r"\n\n    \S", prose)


def said(page: Path) -> list[str]:
    """The code spans of a page, and each command of its blocks."""
    text = page.read_text("utf-8")
    lines = [
        line.removeprefix("$ ")
        for kind, code in FENCED.findall(text)
        for line in code.replace("\\\n", " ").split("\n")
        if line.startswith("$ ") or kind in ("", "sh")
    ]
    return [*SPAN.findall(FENCED.sub("", text)), *lines]


def nearcopy_commands() -> set[tuple[str, str]]:
    pattern = re.compile(r"(?:^|[|] )nearcopy ([a-z][a-z-]+)((?: [^|>`#]*)?)")
    return {command for page in PAGES for text in said(page) for command in pattern.findall(text)}


def options_of(name: str) -> set[str]:
    """The options of a command."""
    return {
        option
        for param in COMMANDS[name].imported.params
        for option in param.opts + param.secondary_opts
    }


def test_commands_are_there_with_the_options_they_name():
    commands = sorted(nearcopy_commands())
    assert {name for name, _ in commands} <= set(COMMANDS)
    unknown = []
    for name, words in commands:
        named = {word.partition("=")[0] for word in words.split() if word.startswith("--")}
        options = {word.strip("[],.)") for word in named} - options_of(name) - {"--help", "--"}
        unknown += [(name, option) for option in sorted(options)]
    assert unknown == []


def test_targets_of_make_are_there():
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    pattern = re.compile(r"^(?:\w+=\S+ )?make (\w+)")
    named = {target for page in PAGES for text in said(page) for target in pattern.findall(text)}
    assert "demo" in named
    assert named <= set(targets)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_scripts_are_there_and_know_the_options_named(page):
    for text in said(page):
        for script, words in re.findall(
            r"((?:benchmarks|tools|fuzz|tests|examples)/\w+\.(?:py|sh))(.*)", text
        ):
            code = (ROOT / script).read_text("utf-8")
            assert all(
                option in code for option in re.findall(r"--[a-z][\w-]+", words.partition("#")[0])
            )


def test_the_policy_is_one():
    policy = read_policy(block("docs/coming_from.md", "toml"))
    assert policy.near_overlap == 0.7
    assert policy != POLICIES["copies"]


def test_the_corpus_is_gone_through(tmp_path):
    text = (
        "The harbour council voted on Tuesday to close the old quay, after divers found shipworm. "
        * 4
    )
    (tmp_path / "crawl").mkdir()
    rows = ({"id": str(number), "text": text} for number in range(3))
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "crawl" / "a.jsonl").write_text(lines)
    (tmp_path / "script.py").write_text(block("docs/corpora.md", "python"))
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("3 1 ")
    assert (tmp_path / "marked" / "a.jsonl").exists()


def test_the_path_of_an_article_is_there():
    for name in re.findall(r"[\w/]+\.py|\w+/", block("docs/how_it_works.md", "text")):
        assert (ROOT / "src" / "nearcopy" / name).exists(), name


def test_a_role_with_a_schema_is_enough(postgres_server):
    address = postgres_server.address(user="nearcopy", schema="nearcopy")
    assert address.partition("&options=")[2] in (ROOT / "docs" / "stores.md").read_text("utf-8")
    postgres_server.run(*filter(str.strip, block("docs/stores.md", "sql").split(";")))
    try:
        with Deduper(address) as deduper:
            deduper.add(Article(id="a", text="The harbour council closed the old quay."))
            assert all(check.passed for check in deduper.verify())
    finally:
        postgres_server.run("DROP SCHEMA nearcopy CASCADE", "DROP ROLE nearcopy")


def test_the_settings_of_kafka_are_read(tmp_path):
    (tmp_path / "kafka.properties").write_text(block("docs/streams.md", "ini"))
    settings = read_kafka_config(tmp_path / "kafka.properties")
    assert settings["security.protocol"] == "SASL_SSL"
    assert len(settings) == 4


def test_an_assistant_finds_its_command():
    (server,) = json.loads(block("docs/streams.md", "json"))["mcpServers"].values()
    assert server["command"] == "nearcopy"
    name, *words = server["args"]
    assert COMMANDS[name].make_context(name, words)


@pytest.mark.parametrize(
    "words", ["consume crawl.ndjson --store seen.db --index pages.db", "consume - --store seen.db"]
)
def test_lines_are_followed_to_their_end(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert f"nearcopy {words}" in (ROOT / "docs" / "streams.md").read_text("utf-8")
    line = json.dumps({"id": "a", "title": "Glass bridge opens above Tarn"}) + "\n"
    (tmp_path / "crawl.ndjson").write_text(line)
    done = CliRunner().invoke(app, shlex.split(words), input=line)
    assert done.exit_code == 0, done.output
    assert "1 message" in done.stderr or '"id": "a"' in done.stdout


def test_the_changelog_names_the_version_of_fingerprints():
    entry = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("**Fingerprints**: ")[2]
    assert f"`TEXT_VERSION` {TEXT_VERSION}." in entry.splitlines()[0]
