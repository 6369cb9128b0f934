"""The public names: listed once, imported at first use, also by several threads at once."""

import subprocess
import sys

import pytest

import nearcopy

THREADS = """
import threading, nearcopy
names = ["compare", "Deduper", "explain", "fingerprints", "errors", "batch", "io"]
start, failed = threading.Barrier(len(names)), []
def use(name):
    start.wait()
    try:
        getattr(nearcopy, name)
    except BaseException as error:
        failed.append(f"{name}: {error!r}")
threads = [threading.Thread(target=use, args=[name]) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("; ".join(failed))
"""


def run(code: str) -> str:
    python = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(python, capture_output=True, text=True, check=True).stdout.strip()


def test_they_are_listed_once_and_exist():
    assert sorted(set(nearcopy.__all__)) == sorted(nearcopy.__all__)
    assert all(hasattr(nearcopy, name) for name in nearcopy.__all__)
    assert {*nearcopy.__all__, "__version__"} <= set(dir(nearcopy))


def test_importing_the_package_imports_nothing_but_the_standard_library():
    code = "import sys; before = {*sys.modules}; import nearcopy; print(*{*sys.modules} - before)"
    imported = set(run(code).split())
    assert not imported & {"asyncio", "json", "logging", "sqlite3", "tomllib"}
    assert [n for n in imported if n.split(".")[0] not in sys.stdlib_module_names] == ["nearcopy"]


def test_the_first_public_name_imports_only_what_a_deduper_needs():
    imported = run("import sys; from nearcopy import Deduper; print(*sys.modules)").split()
    absent = {"typer", "rich", "pydantic", "pyarrow", "scipy", "psycopg", "redis", "fastapi"}
    assert not absent & set(imported)


@pytest.mark.parametrize("_", range(2))
def test_threads_may_use_the_first_ones_at_the_same_time(_):
    assert run(THREADS) == ""


def test_rooms_are_attributes_without_being_imported():
    assert run("import nearcopy; print(nearcopy.errors.BadPolicy.__name__)") == "BadPolicy"


@pytest.mark.parametrize("room", ["extract.facts", "match.titles", "kernels.native", "cluster"])
def test_any_room_may_be_imported_first(room):
    code = f"import nearcopy.{room}; import nearcopy.kernels; print(nearcopy.kernels.native)"
    assert run(code).startswith("<module 'nearcopy.kernels.native'")


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'nearcopy' has no attribute 'nothing'"):
        _ = nearcopy.nothing
