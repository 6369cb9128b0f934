"""The tables of the README are made from the results, the results by what is asked for."""

import ast
import importlib
import importlib.util
import json
import sys
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from nearcopy import Deduper

TABLE = Path(__file__).resolve().parents[2] / "benchmarks" / "table.py"
MACHINE = {
    "date": "2025-01-02T03:04:05+00:00",
    "processor": "Some Processor",
    "kernels": "avx2",
    "python": "3.12.1",
}


@pytest.fixture(scope="module")
def table():
    """benchmarks/table.py, which imports nothing of the project."""
    if not TABLE.exists():
        pytest.skip("the benchmarks are not part of this distribution")
    spec = importlib.util.spec_from_file_location("benchmark_table", TABLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def results():
    """A race won, one lost, one without its peer, and a measurement without a bar."""
    race = {
        "work": "text",
        "unit": "docs/s",
        "against": "peer",
        "bar": {"limit": ">=", "value": 10},
    }
    return {
        "machine": MACHINE,
        "peers": {"peer": "1.0"},
        "measurements": [
            race | {"ours": 123456.7, "theirs": 6172.8, "ratio": 20.0, "passed": True},
            race | {"ours": 123456.7, "theirs": 98765.4, "ratio": 1.25, "passed": False},
            race | {"ours": 123456.7},
            {"work": "pages", "unit": "MB/s", "ours": 1234.5},
        ],
    }


def test_a_row_says_by_how_much_and_whether_the_bar_held(table, results):
    lines = table.markdown(results).splitlines()
    assert "| text | 123,000 docs/s | peer | 6,170 | 20 | >= 10 | yes |" in lines
    assert "| text | 123,000 docs/s | peer | 98,800 | 1.25 | >= 10 | **no** |" in lines


def test_an_absent_peer_is_not_a_bar_held(table, results):
    assert "| text | 123,000 docs/s | peer |  |  | >= 10 | not measured |" in table.markdown(
        results
    )


def test_what_has_no_bar_stands_in_a_table_of_its_own(table, results):
    with_bars, besides = table.markdown(results).split("Also measured")
    assert "pages" not in with_bars
    assert "| pages | 1,230 MB/s |  |  |  |" in besides


def test_the_heading_names_machine_and_peers(table, results):
    heading = table.markdown(results).splitlines()[0]
    assert heading.startswith("2025-01-02, Some Processor, one core, avx2 kernels, Python 3.12.1")
    assert heading.endswith("peer 1.0.")


def test_only_what_is_between_the_markers_is_renewed(table, results, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n", encoding="utf-8")
    assert table.renew(readme, results)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- bench -->\n2025-01-02")
    assert text.endswith("|\n<!-- /bench -->\nafter\n")
    assert "old" not in text
    assert table.renew(readme, results)
    assert readme.read_text(encoding="utf-8") == text


def test_a_file_without_markers_is_left_alone(table, results, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("as it was\n", encoding="utf-8")
    assert not table.renew(readme, results)
    assert readme.read_text(encoding="utf-8") == "as it was\n"


@pytest.mark.parametrize(
    ("value", "said"),
    [(123456.7, "123,000"), (1234.5, "1,230"), (45.678, "45.7"), (1.7, "1.7"), (0.98765, "0.988")],
)
def test_numbers_have_three_digits_that_count(table, value, said):
    assert table.number(value) == said


@pytest.fixture(scope="module")
def benchmark_module():
    """The modules of the benchmarks by name, as they import each other."""
    if not TABLE.exists():
        pytest.skip("the benchmarks are not part of this distribution")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TABLE.parent))
        yield importlib.import_module


@pytest.fixture(scope="module")
def newswire(benchmark_module, tmp_path_factory):
    """The made-up wire, of made-up words."""
    module = benchmark_module("newswire")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.corpora, "DATA", tmp_path_factory.mktemp("no-data"))
        module._parts.cache_clear()
        yield module
        module._parts.cache_clear()


def test_pages_show_what_was_measured_last(benchmark_module):
    table, accuracy = benchmark_module("table"), benchmark_module("accuracy_page")
    folder, pages = TABLE.parent / "results", TABLE.parent.parent
    speed = json.loads((folder / "fingerprints.json").read_bytes())
    quality = json.loads((folder / "quality.json").read_bytes())
    readme = (pages / "README.md").read_text("utf-8")
    assert table.brief(speed) in readme
    assert accuracy.brief(quality) in readme
    assert table.markdown(speed) in (pages / "docs" / "speed.md").read_text("utf-8")
    assert accuracy.markdown(quality) in (pages / "docs" / "accuracy.md").read_text("utf-8")


def test_the_benchmarks_import_what_is_there():
    root = TABLE.parent.parent
    folders = (TABLE.parent, root / "tools", root / "tests" / "support")
    own = {path.stem for folder in folders for path in folder.glob("*.py")}
    for path in TABLE.parent.glob("*.py"):
        if path.name.startswith("peer_"):  # they run in an environment of their own
            continue
        for name in imported(path) - own:
            assert importlib.util.find_spec(name), f"{path.name} imports {name}"


def imported(path):
    """The first part of each module that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    whence = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.split(".")[0] for name in plain | whence}


def test_every_page_that_shows_results_has_its_markers(table):
    for page in table.PAGES.values():
        text = page.read_text(encoding="utf-8")
        assert text.index(table.START) < text.index(table.END)


def test_the_wire_is_the_same_every_time(newswire):
    assert list(newswire.wire(50, 14)) == list(newswire.wire(50, 14))
    assert list(newswire.wire(50, 14)) != list(newswire.wire(50, 14, name="b"))


def test_the_wire_is_spread_evenly_in_the_order_of_dates(newswire):
    dates = [article.published for article in newswire.wire(28, 14)]
    assert dates == sorted(dates)
    assert {later - earlier for earlier, later in pairwise(dates)} == {timedelta(hours=12)}


def test_articles_of_the_wire_have_400_words_and_ids_and_addresses_of_their_own(newswire):
    articles = list(newswire.wire(200, 14))
    assert {len(article.text.split()) for article in articles} == {400}
    assert (
        len({article.id for article in articles})
        == len({article.url for article in articles})
        == 200
    )


def test_about_a_tenth_of_the_wire_are_copies_and_nearcopy_finds_them(newswire):
    with Deduper() as deduper:
        duplicates = sum(verdict.is_duplicate for verdict in deduper.run(newswire.wire(150, 14)))
    assert 9 <= duplicates <= 21


def test_every_other_question_is_a_copy_of_something_known(newswire):
    articles = list(newswire.wire(100, 14))
    with Deduper() as deduper:
        list(deduper.run(articles))
        duplicates = [
            deduper.check(question).is_duplicate for question in newswire.questions(40, 1, articles)
        ]
    assert sum(duplicates[::2]) >= 18
    assert sum(duplicates[1::2]) <= 2


def test_a_command_in_its_own_process_is_timed_and_its_output_kept(benchmark_module):
    process_usage = benchmark_module("process_usage")
    usage = process_usage.run([sys.executable, "-c", "held = bytearray(60_000_000); print('done')"])
    assert usage.output == "done"
    assert usage.wall > 0
    assert 60e6 < usage.peak_bytes < 200e6


def test_memory_of_a_command_is_not_that_of_the_process_that_asked(benchmark_module):
    process_usage = benchmark_module("process_usage")
    held = bytearray(b"x") * 300_000_000
    assert process_usage.run([sys.executable, "-c", "pass"]).peak_bytes < len(held) / 3


def test_a_command_in_its_own_process_that_fails_says_why(benchmark_module):
    process_usage = benchmark_module("process_usage")
    with pytest.raises(process_usage.ProcessError, match="no such luck"):
        process_usage.run([sys.executable, "-c", "import sys; sys.exit('no such luck')"])


def test_the_time_of_a_question_is_the_median_of_its_rounds(benchmark_module):
    stores = benchmark_module("stores")
    rounds = [{"times": times} for times in ([0.001, 0.5], [0.002, 0.004], [0.003, 0.003])]
    assert stores.Asked(rounds).milliseconds.tolist() == pytest.approx([2.0, 4.0])


def test_few_articles_go_through_all_steps_of_the_stores(benchmark_module, monkeypatch, tmp_path):
    stores, context = benchmark_module("stores"), benchmark_module("context")
    monkeypatch.setattr(stores, "SMALL", 40)
    monkeypatch.setattr(stores, "FEW", replace(stores.FEW, each_writer=20))
    run_context = context.Context(context.QUICK, None, tmp_path, lambda _: None)
    lines = [*stores.small_store(run_context), *stores.writers(run_context)]
    assert [line.name for line in lines] == ["stores/small", "stores/writers"]
    assert all(line.ours > 0 and line.passed is None for line in lines)
