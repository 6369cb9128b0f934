"""Whole corpora on a real cluster: the same answer as on one machine, whatever becomes of it."""

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import servers, spark_cluster
from tests.support.corpora import lines, read
from tests.support.synthetic_news import news
from typer.testing import CliRunner

from nearcopy import POLICIES, RECIPES
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.local import CorpusJob
from nearcopy.batch.local import deduplicate as on_one_machine
from nearcopy.batch.local.article_clusters import read_article_edges
from nearcopy.batch.shared_keys import LEADING_ROWS, PRECEDING_ROWS, neighbour_positions
from nearcopy.cli import app
from nearcopy.io.files import UniqueIds
from nearcopy.io.serializers import VERDICT_COLUMNS
from nearcopy.match import candidate_index

pa = servers.driver("pyarrow")
servers.driver("pyspark")

from nearcopy.batch.spark import checkpoints as work_module  # noqa: E402
from nearcopy.batch.spark import run  # noqa: E402
from nearcopy.batch.spark.candidate_pairs import PairLimits, _no_weights, _pair_batches  # noqa: E402
from nearcopy.batch.spark.compare import edge_of  # noqa: E402
from nearcopy.batch.spark.row_reader import PLACE, read_rows  # noqa: E402

WHOLE = os.environ.get("NEARCOPY_FAULTS") == "whole"
COUNT, CROWD = (5000, 900) if WHOLE else (150, 650)
OURS = VERDICT_COLUMNS
DEMO = Path(__file__).parents[3] / "examples" / "wire.jsonl"
PAGE = (Path(__file__).parents[3] / "docs" / "scale.md").read_text(encoding="utf-8")
(SHOWN,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture(scope="session")
def cluster() -> Iterator[spark_cluster.Cluster]:
    try:
        with spark_cluster.cluster() as started:
            yield started
    except servers.NoServer as why:
        servers.unavailable(why)


@pytest.fixture(scope="session")
def spark(request):
    """A session; its master and worker live in the driver where none of them is killed."""
    from pyspark.sql import SparkSession

    master = request.getfixturevalue("cluster").address if WHOLE else spark_cluster.IN_DRIVER
    os.environ.update(spark_cluster.environment())
    builder = SparkSession.builder.appName("tests").master(master)
    for name, value in spark_cluster.SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def wire(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "wire.jsonl"
    path.write_text("".join(lines(news(COUNT))), encoding="utf-8")
    return path


def marks(rows) -> dict[str, tuple]:
    """What each row is, by id."""
    return {row["id"]: tuple(row[name] for name in OURS) for row in rows}


def told_by_one_machine(path: Path, out: Path, preset: str) -> dict[str, tuple]:
    on_one_machine(CorpusJob(path, out, recipe=RECIPES[preset], policy=POLICIES[preset]))
    return marks(read(out / path.name))


class Stop(Exception):
    """The driver is stopped here."""


@pytest.mark.faults
@pytest.mark.usefixtures("spark")
def test_a_killed_worker_and_a_stopped_driver_change_nothing(cluster, wire, tmp_path, monkeypatch):
    """The program of the page on scale, run until it is stopped, and once more."""
    stages, make = [], work_module.Checkpoints._write_stage

    def noted(self, name, table, mark):
        stages.append(name)
        if name == "edges":
            threading.Timer(0.2, cluster.kill_worker).start()
        if name == "links" and stages.count(name) == 1:
            raise Stop
        return make(self, name, table, mark)

    monkeypatch.setattr(work_module.Checkpoints, "_write_stage", noted)
    names = {"crawl.jsonl": wire, "begun": tmp_path / "work", "marked.parquet": tmp_path / "marked"}
    program = re.sub(f'"({"|".join(names)})"', lambda name: repr(str(names[name[1]])), SHOWN)
    with pytest.raises(Stop):
        exec(program)  # noqa: S102
    assert len(cluster.workers) == 1
    cluster.add_worker()
    exec(program)  # noqa: S102
    assert stages.count("articles") == stages.count("pairs") == stages.count("edges") == 1
    assert not names["begun"].exists()
    rows = rows_in(names["marked.parquet"])
    assert list(rows[0])[-len(OURS) :] == list(OURS)
    assert marks(rows) == told_by_one_machine(wire, tmp_path / "out", "default")


def test_all_that_is_known_is_judged_as_on_one_machine(spark, wire, tmp_path, monkeypatch):
    monkeypatch.setattr(candidate_index, "MAX_PAIRS", COUNT * COUNT)  # nothing is truncated
    settings = {"recipe": RECIPES["default"], "policy": POLICIES["default"]}
    result = run(spark.read.json(str(wire)), Settings(**settings), work=str(tmp_path / "work"))
    job = CorpusJob(wire, tmp_path / "out", **settings)
    on_one_machine(job, keep_work=True)
    assert marks(result.table.collect()) == marks(read(job.paths.output / wire.name))
    assert result.summary.oversized_keys.skipped_pairs == 0
    edges = [edge_of(row) for row in rows_in(tmp_path / "work" / "edges")]
    local = read_article_edges(job)
    assert by_pair(edges) == by_pair(local.decode(job, np.arange(len(local.later))).values())


def test_crowded_keys_are_salted_and_bounded_all_the_same(spark, tmp_path):
    """Near copies by the hundred, whose keys are parted among machines."""
    base = [f"word{place}" for place in range(100)]
    rows = []
    for number in range(CROWD):
        words = [*base]
        words[number % 100] = f"own{number}"
        rows.append(json.dumps({"id": f"{number:03d}", "text": " ".join(words)}) + "\n")
    path, work = tmp_path / "in.jsonl", tmp_path / "work"
    path.write_text("".join(rows))
    copies = {"recipe": RECIPES["copies"], "policy": POLICIES["copies"]}
    expected = on_one_machine(CorpusJob(path, tmp_path / "out", **copies))
    result = run(spark.read.json(str(path)), Settings(**copies), work=str(work), largest_key=1)
    assert marks(result.table.collect()) == marks(read(tmp_path / "out" / path.name))
    assert result.summary.oversized_keys == expected.oversized_keys
    articles, hot, pairs = (rows_in(work / name) for name in ("articles", "hot_keys", "pairs"))
    assert max(len(row["bounds"]) for row in hot) >= 2
    keys = [(column, key, row["row"]) for row in articles for column, key in enumerate(row["keys"])]
    result = {(row["later"], row["earlier"]) for row in pairs if row["later"] is not None}
    assert result == paired(keys, 10_000)


@pytest.mark.parametrize("partitions", [1, 7])
def test_ids_are_those_of_one_machine_whatever_the_partitions(spark, tmp_path, partitions):
    ids = [f"{'ab'[place % 2]}{'#2' * (place % 3)}{'#3' * (place % 5 == 0)}" for place in range(60)]
    rows = [(own, f"text {place}") for place, own in enumerate(ids)]
    table = spark.createDataFrame(
        spark.sparkContext.parallelize(rows, partitions), "id string, text string"
    )
    unique = {
        row["text"]: row["id"] for row in run(table, work=str(tmp_path / "work")).table.collect()
    }
    assert [unique[text] for _, text in rows] == list(map(UniqueIds().assign, ids))


def test_the_demo_gets_the_columns_of_one_machine(spark, tmp_path):
    on_one_machine(CorpusJob(DEMO, tmp_path / "out"))
    result = run(spark.read.json(str(DEMO)), work=str(tmp_path / "work"))
    assert marks(result.table.collect()) == marks(read(tmp_path / "out" / DEMO.name))


@pytest.mark.usefixtures("spark")
def test_a_large_removal_is_to_be_confirmed(tmp_path):
    text = " ".join(f"The harbour office counted {n} ships on day {n}." for n in range(12))
    rows = (json.dumps({"id": str(number), "text": text}) + "\n" for number in range(9))
    (tmp_path / "in.jsonl").write_text("".join(rows))
    out, removed = tmp_path / "out", tmp_path / "removed"
    words = ["spark", str(tmp_path / "in.jsonl"), str(out), "--format", "clean"]
    words += ["--removed", str(removed)]
    guarded = CliRunner().invoke(app, words)
    assert guarded.exit_code == 3
    assert "8 of 9 articles are duplicates (89%): nothing was written" in guarded.stderr
    assert not out.exists()
    assert CliRunner().invoke(app, [*words, "--yes", "--quiet"]).exit_code == 0
    kept, copies = (
        [row for part in sorted(folder.glob("*.json")) for row in read(part)]
        for folder in (out, removed)
    )
    assert [row["id"] for row in kept] == ["0"]
    assert {row["duplicate_of"] for row in copies} == {"0"}


def by_pair(edges) -> dict[frozenset[str], tuple]:
    """What is between any two."""
    return {frozenset(edge[:2]): edge[2:5] for edge in edges}


def rows_in(path: Path) -> list[dict]:
    from pyarrow import parquet

    return parquet.read_table(path).to_pylist()


@pytest.mark.usefixtures("spark")
def test_rows_keep_what_they_have_and_get_ids_of_their_own(tmp_path, monkeypatch):
    text = " ".join(f"The council of town {number} voted on plan {number}." for number in range(30))
    given_rows = [
        {"id": "a", "text": text, "relation": "cousin"},
        {"id": "a", "text": text + " And no more was said.", "note": "twice"},
        {"id": None, "text": "Something else was on the list of the evening altogether."},
        {"id": None, "text": None},
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in given_rows))
    monkeypatch.chdir(tmp_path)
    words = ["spark", str(path), str(tmp_path / "out"), "--json"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 2
    assert "1 of 4 rows are not articles, so nothing was written" in refused.stderr
    assert "neither an id nor a title, text or url" in refused.stderr
    words += ["--rejected", str(tmp_path / "bad")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    summary = json.loads(next(line for line in result.stderr.splitlines() if line[0] == "{"))
    counts = {name: summary[name] for name in ("rows", "kept", "rejected", "repeated_ids")}
    assert counts == {"rows": 3, "kept": 2, "rejected": 1, "repeated_ids": 1}
    bad = [row for part in sorted(Path("bad").glob("*.json")) for row in read(part)]
    assert [(row["why"][:13], row["raw"]) for row in bad] == [("neither an id", "{}")]
    rows = [row for part in sorted(Path("out").glob("*.json")) for row in read(part)]
    by_text = {row.get("text"): row for row in rows}
    assert by_text[text]["id"] == "a"
    assert by_text[given_rows[1]["text"]]["id"] == "a#2"
    assert by_text[given_rows[1]["text"]]["note"] == "twice"
    assert by_text[given_rows[1]["text"]]["duplicate_of"] == "a"
    assert by_text[given_rows[2]["text"]]["id"].startswith("t-")
    assert len(rows) == 3
    assert not Path("out.nearcopy").exists()
    rerun = CliRunner().invoke(app, words)
    assert rerun.exit_code == 2
    assert "already exists" in rerun.stderr


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_a_batch_without_an_article_tells_why(preset):
    rows = pa.RecordBatch.from_pydict({PLACE: [7, 8], "id": [None, None], "text": ["", None]})
    (batch,) = read_rows(Settings(recipe=RECIPES[preset], policy=POLICIES[preset]), [rows])
    assert batch["place"].to_pylist() == [7, 8]
    assert batch["row"].null_count == batch["keys"].null_count == 2
    assert all("neither an id" in why for why in batch["why"].to_pylist())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("in.jsonl", "in.jsonl"), "would be overwritten"),
        (("out/in.jsonl", "out"), "would be overwritten"),
        (("in.jsonl", "out", "--format", "odd"), "choose one of annotations, clean"),
        (("in.jsonl", "out", "--kind", "odd"), "choose one of csv, json, parquet"),
    ],
)
def test_the_command_says_what_is_wrong(words, said):
    result = CliRunner().invoke(app, ["spark", *words])
    assert result.exit_code == 2
    assert said in result.stderr


def paired(keys: list[tuple[int, int, int]], size: int) -> set[tuple[int, int]]:
    """The pairs under keys, given in batches of so many rows."""
    ordered = sorted(keys)
    names = ("column", "key", "row")
    columns = {
        name: pa.array(list(values), pa.int64())
        for name, values in zip(names, zip(*ordered, strict=True), strict=True)
    }
    columns |= {"salt": pa.array([-1] * len(keys)), "fresh": pa.array([True] * len(keys))}
    whole = pa.RecordBatch.from_pydict(columns)
    batches = [whole.slice(at, size) for at in range(0, len(keys), size)]
    pairs: set[tuple[int, int]] = set()
    for batch in _pair_batches(PairLimits(), _no_weights, batches):
        pair_rows = batch.filter(batch["later"].is_valid())
        pairs |= set(
            zip(pair_rows["later"].to_pylist(), pair_rows["earlier"].to_pylist(), strict=True)
        )
    return pairs


@settings(max_examples=20)
@given(st.lists(st.integers(1, 120), min_size=1, max_size=3), st.integers(10, 100))
def test_batches_of_any_size_give_the_same_pairs(sizes, batch):
    keys = [(0, key, row) for key, size in enumerate(sizes) for row in range(size)]
    new = np.array([row == 0 for _, _, row in keys])
    expected = {
        (keys[later][2], keys[earlier][2])
        for positions in neighbour_positions(new)
        for later, earlier in zip(*(column.tolist() for column in positions), strict=True)
    }
    assert paired(keys, batch) == expected
    assert len(expected) <= sum(size * (PRECEDING_ROWS + LEADING_ROWS) for size in sizes)


if WHOLE:  # one more machine of Java takes its time

    def test_the_command_can_be_submitted(cluster, wire, tmp_path):
        import nearcopy

        cluster.add_worker()  # the others are the session's
        program = Path(nearcopy.__file__).with_name("__main__.py")
        words = [
            w
            for name, value in spark_cluster.SETTINGS.items()
            for w in ("--conf", f"{name}={value}")
        ]
        subprocess.run(
            [
                *(cluster.home / "bin" / "spark-submit", "--master", cluster.address, *words),
                *(program, "spark", wire, tmp_path / "out", "--quiet"),
            ],
            check=True,
            env={**os.environ, **spark_cluster.environment()},
        )
        files = (tmp_path / "out").glob("*.json")
        rows = [dict.fromkeys(OURS) | row for path in files for row in read(path)]
        assert marks(rows) == told_by_one_machine(wire, tmp_path / "one", "default")


@pytest.mark.usefixtures("spark")
def test_what_is_not_there_is_told_in_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["spark", "none.jsonl", "out"])
    assert result.exit_code == 2
    assert "none.jsonl does not exist: name a file, a folder or a pattern" in result.stderr
