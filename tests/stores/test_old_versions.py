"""Stores as earlier versions wrote them: they open, say what they said, and take more.

A folder of `old_stores` a released version: its SQLite file, what it looks like at each schema
before, an export of all, and what was told of every article. What was released is never written
anew; before a release, `python -m tests.stores.test_old_versions` writes what this version makes.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import zstandard
from typer.testing import CliRunner

import nearcopy
from nearcopy import Article, Deduper
from nearcopy.cli import app
from nearcopy.io.files import read_articles
from nearcopy.stores.postgres.schema import LATEST as LATEST_OF_POSTGRES
from nearcopy.stores.sqlite import SqliteDatabase
from nearcopy.stores.sqlite import LATEST

ROOT = Path(__file__).parents[2]
OLD = Path(__file__).parent / "old_versions"
VERSIONS = sorted(path.name for path in OLD.iterdir()) if OLD.exists() else []
STORES = [(name, path.name) for name in VERSIONS for path in sorted((OLD / name).glob("*.db.zst"))]
# What a schema does not hold yet, and a store that goes back to it loses.
RELATIONS, FEEDBACK, ACTS = 3, 6, 8
RELATIONS_OF_POSTGRES = 2
MORE = 4  # articles that come after the store was made
TOLD, KEPT = ("en-24", "en-01"), "en-02"


def wire() -> list[Article]:
    """Some articles of the example, oldest first; they were written for this project."""
    found = read_articles(ROOT / "examples" / "wire.jsonl")
    return [each for each in found if each.id[:2] == "en"][:16]


def told(deduper: Deduper, ids: list[str]) -> dict[str, object]:
    """What is said of articles, and their stories."""
    said = {
        each.id: [each.relation, each.is_duplicate, each.duplicate_of, each.rule, each.story_id]
        for each in deduper.verdicts(ids)
    }
    stories = {
        story.id: [story.kept, sorted(member.id for member in story.members)]
        for story in deduper.stories()
    }
    return {"verdicts": said, "stories": stories}


def plain(value: object) -> object:
    return json.loads(json.dumps(value))


def stage(schema: int) -> str:
    """How far a store has come that has all that a schema can hold."""
    return "kept" if schema >= ACTS else "told" if schema >= FEEDBACK else "measured"


def live(address: str, schema: int) -> None:
    """Fills a store with all that a schema can hold."""
    with Deduper(address) as deduper:
        list(deduper.run(wire()[:-MORE]))
        if schema >= FEEDBACK:
            deduper.feedback(*TOLD, same=True, note="one story")
        if schema >= ACTS:
            deduper.keep(KEPT, by="desk")


def answers(address: str) -> dict[str, object]:
    """What a store says, and what it says of articles that come then."""
    with Deduper(address) as deduper:
        said = told(deduper, [each.id for each in wire()[:-MORE]])
        return {**said, "added": added(deduper, wire()[-MORE:])}


def added(deduper: Deduper, articles: list[Article]) -> list[object]:
    return [[each.id, each.relation, each.duplicate_of] for each in map(deduper.add, articles)]


def unpacked(version: str, name: str, folder: Path) -> str:
    """The address of an old store, as a file of the test's own."""
    packed = (OLD / version / name).read_bytes()
    path = folder / name.removesuffix(".zst")
    path.write_bytes(zstandard.decompress(packed))
    return f"sqlite:///{path}"


def schema_of(name: str) -> int:
    return int(name.partition("-")[2].partition(".")[0])


def expected(version: str) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads((OLD / version / "told.json").read_bytes())
    return found


def test_there_is_a_store_of_this_version():
    assert nearcopy.__version__ in VERSIONS


@pytest.mark.parametrize(("version", "name"), STORES)
def test_an_old_store_opens_says_what_it_said_and_goes_on(version, name, tmp_path):
    address, schema = unpacked(version, name, tmp_path), schema_of(name)
    if schema < RELATIONS:
        address = rebuilt(address, tmp_path)
    with Deduper(address) as deduper:
        assert [each.name for each in deduper.verify() if not each.passed] == []
        assert len(deduper.all_feedback()) == (schema >= FEEDBACK)
        assert len(deduper.actions()) == (schema >= ACTS)
    assert plain(answers(address)) == expected(version)[stage(schema)]


def rebuilt(address: str, folder: Path) -> str:
    """A store whose relations an early schema did not hold, compared anew."""
    done = CliRunner().invoke(app, ["rebuild", "--store", address, "--to", f"{folder}/new.db"])
    assert done.exit_code == 0, done.output
    return f"sqlite:///{folder}/new.db"


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_export_makes_the_store_again(version, tmp_path):
    export = str(OLD / version / "export.jsonl.zst")
    done = CliRunner().invoke(app, ["import", export, "--store", f"{tmp_path}/new.db"])
    assert done.exit_code == 0, done.output
    assert plain(answers(f"sqlite:///{tmp_path}/new.db")) == expected(version)["kept"]


@pytest.mark.parametrize("words", [["stats"], ["verify"], ["migrate", "--yes"], ["add", "-"]])
def test_a_newer_store_is_refused_with_the_reason_and_left_alone(words, tmp_path):
    version, name = STORES[-1]
    address = unpacked(version, name, tmp_path)
    path = Path(address.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"INSERT INTO migrations (number, name) VALUES ({LATEST + 1}, 'more')")
        file.commit()
    before = path.read_bytes()
    done = CliRunner().invoke(app, [*words, "--store", str(path)], input='{"id": "a"}\n')
    assert done.exit_code == 2
    assert f"has schema {LATEST + 1}, this nearcopy knows {LATEST}: update nearcopy" in done.stderr
    assert f"go back with the newer one: `nearcopy migrate --to {LATEST}`" in done.stderr
    assert path.read_bytes() == before


def test_postgresql_goes_back_and_up_again_and_says_the_same(postgres_address):
    """As far back as relations are held; a step at a time, in one store."""
    from nearcopy.stores.postgres.database import PostgresDatabase

    live(postgres_address, FEEDBACK - 1)
    wanted = expected(nearcopy.__version__)["measured"]
    ids = list(wanted["verdicts"])
    for schema in range(LATEST_OF_POSTGRES - 1, RELATIONS_OF_POSTGRES - 1, -1):
        database = PostgresDatabase(postgres_address)
        database.migrate(schema)
        database.close()
        with Deduper(postgres_address) as deduper:
            said = plain(told(deduper, ids))
            assert said == {name: wanted[name] for name in said}, schema
            assert [each.name for each in deduper.verify() if not each.passed] == []
    assert plain(answers(postgres_address)) == wanted


def write() -> None:
    """Writes the stores of this version."""
    folder = OLD / nearcopy.__version__
    folder.mkdir(parents=True, exist_ok=True)
    said: dict[str, object] = {}
    for schema in range(LATEST, 0, -1):
        with TemporaryDirectory() as place:
            address, path = f"sqlite:///{place}/seen.db", Path(place) / "seen.db"
            live(address, schema)
            if schema == LATEST:
                export = ["export", "--all", "-o", str(folder / "export.jsonl.zst")]
                assert CliRunner().invoke(app, [*export, "--store", address]).exit_code == 0
            _go_back(address, schema)
            packed = zstandard.compress(path.read_bytes(), 19)
            (folder / f"schema-{schema}.db.zst").write_bytes(packed)
            live(f"sqlite:///{place}/other.db", schema)  # it never went back
            said[stage(schema)] = answers(f"sqlite:///{place}/other.db")
    (folder / "told.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _go_back(address: str, schema: int) -> None:
    file = SqliteDatabase(address)
    file.migrate(schema)
    file.run("VACUUM")
    file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()


if __name__ == "__main__":
    write()
