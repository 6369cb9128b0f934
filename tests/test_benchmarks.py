"""The tables of the README are made from the results."""

import importlib.util
from pathlib import Path

import pytest

TABLE = Path(__file__).resolve().parent.parent / "benchmarks" / "table.py"
MACHINE = {
    "date": "2025-01-02T03:04:05+00:00",
    "processor": "Some Processor",
    "kernels": "avx2",
    "python": "3.12.1",
}


@pytest.fixture(scope="module")
def table():
    """benchmarks/table.py, which stands alone."""
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
