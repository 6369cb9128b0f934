"""The commands that ask a store and look after it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy import BadPolicy
from nearcopy.cli import app, terminal
from nearcopy.cli.commands.purge import parse_time

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
VERDICT = ["id", "relation", "is_duplicate", "duplicate_of", "match", "story_id", "confidence"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEARCOPY_STORE", "seen.db")
    return lambda *words, **more: CliRunner().invoke(app, list(words), **more)


@pytest.fixture
def filled(run):
    assert run("add", WIRE).exit_code == 0
    return run


def rows(result):
    assert result.exit_code in (0, 1), result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_add_gives_a_verdict_for_every_article(run, tmp_path):
    result = run("add", WIRE, "--json")
    verdicts = rows(result)
    assert len(verdicts) == 66
    assert all(list(row)[: len(VERDICT)] == VERDICT for row in verdicts)
    assert (tmp_path / "seen.db").exists()
    duplicates = sum(row["is_duplicate"] for row in verdicts)
    assert f"66 articles, {duplicates} duplicates" in result.stderr


def test_a_table_shows_relation_match_and_kept_copy(run):
    verdicts = {row["id"]: row for row in rows(run("add", WIRE, "--json"))}
    assert (verdicts["en-08"]["match"], verdicts["en-08"]["duplicate_of"]) == ("en-06", "en-07")
    shown = run("check", WIRE, "--window", "all", env={"COLUMNS": "200"}).stdout.splitlines()
    of = {row["id"]: row for row in rows(run("check", WIRE, "--window", "all", "--json"))}
    for line in (line for line in shown if line.startswith("│")):
        name, relation, match, _, because = (cell.strip() for cell in line.strip("│").split("│"))
        row = of[name]
        assert match == (row["match"] or "")
        assert relation == (row["relation"] if match else "stored")
        another = row["duplicate_of"] not in (None, match)
        assert because.endswith(f"kept: {row['duplicate_of']}") == another


TEA = {"id": "tea", "text": "The price of tea rose at the morning auction."}


@pytest.mark.parametrize("verb", ["check", "add"])
@pytest.mark.parametrize(
    ("row", "kind", "why"),
    [
        (TEA, "stored", "the store already has this id"),
        (TEA | {"text": "It fell."}, "stored", "already has this id, with other content"),
        ({"id": "quay", "text": "The old quay closes for good."}, "new", "│  "),
    ],
)
def test_an_id_of_the_store_is_shown_as_stored(run, verb, row, kind, why):
    assert run("add", "-", input=json.dumps(TEA)).exit_code == 0
    shown = run(verb, "-", input=json.dumps(row), env={"COLUMNS": "120"})
    (line,) = (line for line in shown.stdout.splitlines() if row["id"] in line)
    assert line.split("│")[2].strip() == kind
    assert why in line
    assert "1 article, 0 duplicates" in shown.stderr


def test_added_articles_are_new_and_json_is_unchanged_on_a_second_run(run):
    assert "new" in run("add", "-", input=json.dumps(TEA)).stdout
    verdicts = rows(run("add", "-", "--json", input=json.dumps(TEA)))
    assert verdicts == rows(run("add", "-", "--json", "--store", "b.db", input=json.dumps(TEA)))


@pytest.mark.parametrize("verb", ["check", "add"])
def test_the_help_explains_stored(run, verb):
    assert "stored where the store" in " ".join(
        run(verb, "--help").stdout.replace("│", " ").split()
    )


@pytest.mark.parametrize(
    "words", [("check", WIRE), ("similar", "en-01"), ("stories",), ("verify",)]
)
def test_a_memory_store_cannot_be_queried(run, words):
    result = run(*words, "--store", "memory://")
    assert result.exit_code == 2
    assert "memory:// begins empty and is lost when the command ends" in result.stderr
    assert "seen.db" in result.stderr


def test_add_to_memory_compares_the_input_with_itself(run):
    assert sum(row["is_duplicate"] for row in rows(run("add", WIRE, "--json"))) == sum(
        row["is_duplicate"] for row in rows(run("add", WIRE, "--json", "--store", "memory://"))
    )


def test_a_warning_is_neither_pass_nor_failure(run, redis_address):
    assert run("add", WIRE, "--store", redis_address).exit_code == 0
    result = run("verify", "--store", redis_address, env={"COLUMNS": "150"})
    assert result.exit_code == 0
    (line,) = (line for line in result.stdout.splitlines() if "durability" in line)
    assert [cell.strip() for cell in line.split("│")[1:3]] == ["durability", "warning"]
    checks = rows(run("verify", "--store", redis_address, "--json"))
    assert [check["name"] for check in checks if check["warning"]] == ["durability"]
    assert f"{len(checks) - 1} of {len(checks)} checks passed, 1 warning" in result.stderr


@pytest.mark.parametrize(
    ("name", "held"),
    [("a.csv", ""), ("a.csv", "id,text\n"), ("a.jsonl", "\n"), ("a.json", "[]"), ("noname", "")],
)
@pytest.mark.parametrize("verb", ["check", "add", "dedupe", "pairs", "import", "fingerprint"])
def test_a_file_without_rows_is_named(filled, tmp_path, verb, name, held):
    (tmp_path / name).write_text(held)
    result = filled(verb, name)
    assert result.exit_code == 0, result.stderr
    assert f"warning: {name} has no rows" in result.stderr


def test_only_empty_files_are_named(run, tmp_path):
    (tmp_path / "none.csv").write_text("id,text\n")
    result = run("add", WIRE, "none.csv", "-", input="")
    warned = [line for line in result.stderr.splitlines() if line.startswith("warning")]
    assert warned == ["warning: none.csv has no rows", "warning: <stdin> has no rows"]


UNTITLED = "warning: no column was taken for the title: the columns are "


@pytest.mark.parametrize("verb", ["check", "add", "dedupe", "pairs", "import"])
def test_an_unrecognised_title_column_is_warned_of(filled, verb):
    articles = "".join(
        json.dumps({"id": name, "titel": "Old quay closes", "url": f"https://a.example/{name}"})
        + "\n"
        for name in "ab"
    )
    Path("a.jsonl").write_text(articles)
    result = filled(verb, "a.jsonl")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count(f"{UNTITLED}id, titel, url; call one of them title, or") == 1
    assert "warning" not in result.stdout


@pytest.mark.parametrize(
    "values",
    [
        {"text": "The price of tea rose.", "headline": ""},
        {"text": "The price of tea rose."},
        {"text": "The price of tea rose.", "views": 17, "note": ""},
        {"text": "The price of tea rose.", "relation": "distinct", "rule": "kept"},
    ],
)
def test_articles_without_titles_give_no_warning(run, values):
    result = run("add", "-", input=json.dumps({"id": "a", "date": "2026-03-04"} | values))
    assert result.exit_code == 0
    assert "warning" not in result.stderr


def test_named_columns_give_no_warning(run):
    row = json.dumps({"id": "a", "titel": "Old quay closes", "inhalt": "Divers found shipworm."})
    for words in (["--title-field", "titel"], ["--text-field", "inhalt"]):
        stderr = run("dedupe", "-", *words, input=row).stderr
        assert (UNTITLED in stderr) == ("titel" not in words)
    only = json.dumps({"id": "a", "inhalt": "Divers found shipworm."})
    assert UNTITLED not in run("dedupe", "-", "--text-field", "inhalt", input=only).stderr


def test_check_never_writes(filled):
    new = json.dumps({"id": "new", "text": "The price of tea rose at the morning auction."})
    assert rows(filled("check", "-", "--json", input=new))[0]["relation"] == "distinct"
    assert filled("similar", "new").exit_code == 2


def test_a_stored_article_is_found_under_another_id(filled):
    wire = [json.loads(line) for line in Path(WIRE).read_text("utf-8").splitlines()]
    copy = json.dumps(wire[0] | {"id": "copy", "url": None})
    (row,) = rows(filled("check", "-", "--json", "--evidence", input=copy))
    assert (row["relation"], row["match"], row["is_duplicate"]) == (
        "same_text",
        wire[0]["id"],
        True,
    )
    assert row["evidence"]["same_text"]
    shown = filled("check", "-", input=copy)
    assert "are identical" in shown.stdout
    assert "1 article, 1 duplicate" in shown.stderr


@pytest.mark.parametrize(("text", "code"), [("The price of tea rose again.", 0), (None, 1)])
def test_the_exit_code_can_report_a_duplicate(filled, text, code):
    first = json.loads(Path(WIRE).read_text("utf-8").splitlines()[0])
    row = first | {"id": "new"} if text is None else {"id": "new", "text": text}
    assert filled("check", "-", "--exit-code", input=json.dumps(row)).exit_code == code
    assert filled("check", "-", input=json.dumps(row)).exit_code == 0


def test_nothing_is_added_when_a_row_cannot_be_read(run, tmp_path):
    articles = '{"id": "a", "text": "b c d"}\n{"id": "c", "date": "whenever"}\n'
    result = run("add", "-", input=articles)
    assert result.exit_code == 2
    assert ":2: " in result.stderr
    assert not (tmp_path / "seen.db").exists()
    assert len(rows(run("add", "-", "--rejected", "bad.jsonl", "--json", input=articles))) == 1


def test_a_store_of_another_recipe_is_refused(filled):
    result = filled("check", WIRE, "--preset", "feed")
    assert result.exit_code == 2
    assert "was filled with recipe" in result.stderr


def test_similar_articles_come_best_first(filled):
    similar = rows(filled("similar", "en-01", "--json"))
    assert {row["id"] for row in similar} >= {"en-02", "en-03"}
    scores = [row["similarity_score"] for row in similar]
    assert scores == sorted(scores, reverse=True)
    assert len(rows(filled("similar", "en-01", "--json", "--limit", "1"))) == 1
    assert "en-02" in filled("similar", "en-01").stdout


def test_the_spread_of_a_story_is_a_table_and_a_timeline(filled):
    shown = filled("stories", "en-01", "--spread", env={"COLUMNS": "150"}).stdout
    assert "first: meridianwire.example, 2025-10-07 11:42, en-01" in shown
    assert "5 outlets, 5 articles, 3 syndicated" in shown
    assert "credits: Meridian Wire in 2 articles" in shown
    assert "█" in shown
    (row,) = rows(filled("stories", "en-01", "--spread", "--json"))
    assert [outlet["name"].split(".")[0] for outlet in row["outlets"]] == [
        "meridianwire",
        "caldercourier",
        "dailysignal",
        "northgatepost",
        "harbourtimes",
    ]


def test_a_spread_reports_missing_times_and_outlets(run):
    text = "The old quay was closed at noon and all of the boats had to wait outside for the tide. "
    lines = [
        {"id": "a", "text": 4 * text, "source": "post"},
        {"id": "b", "text": 4 * text, "published": "2026-03-04T12:00:00Z"},
        {"id": "c", "text": 4 * text, "published": "2026-03-04T12:00:00Z", "source": "wire"},
    ]
    articles = "\n".join(map(json.dumps, lines))
    assert run("add", "-", input=articles).exit_code == 0
    shown = run("stories", "a", "--spread", env={"COLUMNS": "150"}).stdout
    assert "first: an unnamed outlet, 2026-03-04 12:00, b; at the same time c" in shown
    assert "1 article dated by when they were seen (~)" in shown
    assert "1 article of no known outlet" in shown


def test_spread_requires_one_story(filled):
    result = filled("stories", "--spread")
    assert result.exit_code == 2
    assert "nearcopy stories ID --spread" in result.stderr


def test_stories_have_several_articles_by_default(filled):
    several = rows(filled("stories", "--json"))
    assert several
    assert all(len(row["members"]) >= 2 for row in several)
    every = rows(filled("stories", "--json", "--min-members", "1"))
    assert sum(len(row["members"]) for row in every) == 66
    shown = filled("stories", env={"COLUMNS": "150"})
    assert "outlets" in shown.stdout
    assert f"{len(several)} in all" in shown.stderr


def test_stories_of_several_articles_come_first_newest_first(run):
    texts = {news: " ".join(f"{news}{n}" for n in range(60)) for news in ("quay", "mill", "a", "b")}
    ids = ["quay", "a", "mill", "mill-2", "quay-2", "b"]
    lines = [json.dumps({"id": name, "text": texts[name.split("-")[0]]}) for name in ids]
    assert run("add", "-", input="\n".join(lines)).exit_code == 0
    listed = rows(run("stories", "--json", "--min-members", "1"))
    assert [sorted(member["id"] for member in row["members"]) for row in listed] == [
        ["quay", "quay-2"], ["mill", "mill-2"], ["b"], ["a"]
    ]  # fmt: skip


def test_stories_can_be_listed_largest_first(filled):
    sizes = [len(row["members"]) for row in rows(filled("stories", "--json", "--order", "largest"))]
    assert sizes == sorted(sizes, reverse=True)
    refused = filled("stories", "--order", "oldest")
    assert refused.exit_code == 2
    assert "order is 'oldest': choose newest or largest" in refused.stderr


def test_one_story_has_all_its_members(filled):
    (row,) = rows(filled("stories", "en-01", "--json"))
    ids = {member["id"] for member in row["members"]}
    assert ids >= {"en-01", "en-02", "en-03"}
    shown = filled("stories", row["id"], env={"COLUMNS": "120"}).stdout
    assert all(name in shown for name in ids)
    assert f"kept {row['kept']}: " in shown


def test_forgotten_articles_are_listed_and_removed(filled):
    result = filled("forget", "en-01", "nowhere", "--json")
    assert rows(result) == [{"forgotten": 1, "ids": ["en-01"], "missing": ["nowhere"]}]
    assert "nowhere: not in the store" in result.stderr
    assert "forgot 1 article" in result.stderr
    assert filled("similar", "en-01").exit_code == 2


def test_articles_before_a_time_are_purged(filled):
    kept = sum(
        json.loads(line)["published"] >= "2025-10-01"
        for line in Path(WIRE).read_text("utf-8").splitlines()
    )
    (row,) = rows(filled("purge", "--before", "2025-10-01", "--json"))
    assert row == {"removed": 66 - kept, "before": "2025-10-01T00:00:00+00:00"}
    assert 0 < kept < 66


@pytest.mark.parametrize("words", [("forget", "en-01"), ("purge", "--before", "2030-01-01")])
def test_on_a_terminal_removal_is_confirmed(filled, monkeypatch, words):
    monkeypatch.setattr("nearcopy.cli.terminal.is_interactive", lambda: True)
    assert terminal.is_interactive()
    assert filled(*words, input="n\n").exit_code == 0
    assert filled("similar", "en-01").exit_code == 0
    assert filled(*words, "--yes").exit_code == 0
    assert filled("similar", "en-01").exit_code == 2


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("30d", NOON - timedelta(days=30)),
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T09:00:00Z", datetime(2026, 1, 31, 9, tzinfo=UTC)),
    ],
)
def test_a_time_is_a_date_or_an_age(text, time):
    assert parse_time(text, NOON) == time


@pytest.mark.parametrize("text", ["", "soon", "9999999d", "999999999999999w", "31/31/2026"])
def test_other_times_are_refused(text):
    with pytest.raises(BadPolicy):
        parse_time(text, NOON)


def test_a_consistent_store_passes_every_check(filled):
    result = filled("verify", "--json")
    assert result.exit_code == 0
    checks = rows(result)
    assert all(row["passed"] for row in checks)
    assert {"window", "known duplicate"} <= {row["name"] for row in checks}
    assert f"{len(checks)} of {len(checks)} checks passed" in result.stderr
    assert "known duplicate" in filled("verify").stdout


def test_a_failed_check_exits_with_1(filled, monkeypatch):
    from nearcopy.models import Check

    monkeypatch.setattr(
        "nearcopy.deduper.deduper.Deduper.verify",
        lambda _: [Check("file", False, "a page is torn")],
    )
    result = filled("verify")
    assert result.exit_code == 1
    assert "a page is torn" in result.stdout
    assert "0 of 1 checks passed" in result.stderr


def test_redis_has_no_migrations(run, redis_server, redis_address):
    assert run("add", WIRE, "--store", redis_address).exit_code == 0
    result = run("migrate", "--store", redis_address, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["steps"] == []
    assert "Redis has no migrations: the store has format 1" in result.stderr
    refused = run("migrate", "--store", redis_address, "--to", "3", "--yes")
    assert (refused.exit_code, "leave out --to" in refused.stderr) == (2, True)
    redis_server.client().hset("nearcopy:{default}:meta", "format", "99")
    other = run("migrate", "--store", redis_address)
    assert (other.exit_code, "has format 99, this nearcopy reads 1" in other.stderr) == (2, True)


def test_migrations_go_forward_and_with_yes_back(filled):
    assert "latest schema" in filled("migrate").stderr
    refused = filled("migrate", "--to", "0")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    (row,) = rows(filled("migrate", "--to", "0", "--yes", "--json"))
    assert row["steps"]
    assert all(step.startswith("back ") for step in row["steps"])


@pytest.mark.parametrize(
    "words",
    [
        ("check", WIRE),
        ("similar", "en-01"),
        ("stories",),
        ("forget", "en-01"),
        ("purge", "--before", "30d"),
        ("verify",),
        ("migrate",),
    ],
)
def test_a_store_that_is_only_queried_must_exist(run, tmp_path, words):
    result = run(*words)
    assert result.exit_code == 2
    assert "no store at seen.db" in result.stderr
    assert not (tmp_path / "seen.db").exists()


@pytest.mark.parametrize("words", [("check", WIRE), ("add", WIRE), ("stories",), ("verify",)])
def test_without_a_store_it_says_how_to_name_one(run, words):
    result = run(*words, env={"NEARCOPY_STORE": ""})
    assert result.exit_code == 2
    assert "which store? Give --store seen.db" in result.stderr


def test_articles_of_a_store_are_compared_with_its_recipe(run):
    assert run("add", WIRE, "--preset", "crawler").exit_code == 0
    (row,) = rows(run("compare", "en-12", "en-13", "--json"))
    assert "overlap" not in row["evidence"]
    assert "distance" in row["evidence"]


def test_ids_of_a_store_can_be_explained_and_compared(filled):
    assert "near_text" in filled("explain", "en-12", "en-13").stdout
    (row,) = rows(filled("compare", "en-12", "en-13", "--store", "seen.db", "--json"))
    assert row["relation"] == "near_text"
