"""Stores and exports of released versions can still be opened, give the same answers, and grow.

`old_versions` has a folder for each released version: a SQLite file of each schema version, an
export, and the answers on all articles. The files of a released version are never changed; before
a release, `python -m tests.stores.test_old_versions` writes those of this version.
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
from nearcopy.stores.sql.sqlite import LATEST, SqliteDatabase

ROOT = Path(__file__).parents[2]
OLD_VERSIONS = Path(__file__).parent / "old_versions"
VERSIONS = sorted(path.name for path in OLD_VERSIONS.iterdir()) if OLD_VERSIONS.exists() else []
STORES = [
    (version, path.name)
    for version in VERSIONS
    for path in sorted((OLD_VERSIONS / version).glob("*.db.zst"))
]
LATER = 4  # articles that are added after the store was written
MUST_LINK, KEPT_COPY = ("en-24", "en-01"), "en-02"


def wire() -> list[Article]:
    """Some articles of the example, oldest first; they were written for this project."""
    articles = read_articles(ROOT / "examples" / "wire.jsonl")
    return [article for article in articles if article.id[:2] == "en"][:16]


def fill(address: str) -> None:
    """Fill a store with articles, feedback and an action."""
    with Deduper(address) as deduper:
        list(deduper.run(wire()[:-LATER]))
        deduper.feedback(*MUST_LINK, same=True, note="one story")
        deduper.keep(KEPT_COPY, by="desk")


def answers(address: str) -> object:
    """The verdicts and stories of a store, and the verdicts on articles added then."""
    with Deduper(address) as deduper:
        verdicts = {
            verdict.id: [
                verdict.relation,
                verdict.is_duplicate,
                verdict.duplicate_of,
                verdict.rule,
                verdict.story_id,
            ]
            for verdict in deduper.verdicts([article.id for article in wire()[:-LATER]])
        }
        stories = {
            story.id: [story.kept, sorted(member.id for member in story.members)]
            for story in deduper.stories()
        }
        added = [
            [verdict.id, verdict.relation, verdict.duplicate_of]
            for verdict in map(deduper.add, wire()[-LATER:])
        ]
    return json.loads(json.dumps({"verdicts": verdicts, "stories": stories, "added": added}))


def unpack(version: str, name: str, folder: Path) -> str:
    """The address of an old store, as a file of the test's own."""
    packed = (OLD_VERSIONS / version / name).read_bytes()
    path = folder / name.removesuffix(".zst")
    path.write_bytes(zstandard.decompress(packed))
    return f"sqlite:///{path}"


def expected(version: str) -> object:
    return json.loads((OLD_VERSIONS / version / "answers.json").read_bytes())


def test_there_is_a_store_of_this_version():
    assert nearcopy.__version__ in VERSIONS


@pytest.mark.parametrize(("version", "name"), STORES)
def test_an_old_store_gives_the_same_answers_and_grows(version, name, tmp_path):
    address = unpack(version, name, tmp_path)
    with Deduper(address) as deduper:
        assert [check.name for check in deduper.verify() if not check.passed] == []
        assert len(deduper.all_feedback()) == len(deduper.actions()) == 1
    assert answers(address) == expected(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_export_restores_the_store(version, tmp_path):
    export = str(OLD_VERSIONS / version / "export.jsonl.zst")
    result = CliRunner().invoke(app, ["import", export, "--store", f"{tmp_path}/new.db"])
    assert result.exit_code == 0, result.output
    assert answers(f"sqlite:///{tmp_path}/new.db") == expected(version)


@pytest.mark.parametrize("words", [["stats"], ["verify"], ["migrate", "--yes"], ["add", "-"]])
def test_a_newer_store_is_refused_with_the_reason_and_left_alone(words, tmp_path):
    version, name = STORES[-1]
    address = unpack(version, name, tmp_path)
    path = Path(address.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"INSERT INTO migrations (number, name) VALUES ({LATEST + 1}, 'more')")
        file.commit()
    before = path.read_bytes()
    result = CliRunner().invoke(app, [*words, "--store", str(path)], input='{"id": "a"}\n')
    assert result.exit_code == 2
    error = result.stderr
    assert f"has schema {LATEST + 1}, this nearcopy knows {LATEST}: update nearcopy" in error
    assert f"go back with the newer one: `nearcopy migrate --to {LATEST}`" in error
    assert path.read_bytes() == before


def test_postgresql_gives_the_same_answers(postgres_address):
    fill(postgres_address)
    assert answers(postgres_address) == expected(nearcopy.__version__)


def write() -> None:
    """Write the files of this version."""
    folder = OLD_VERSIONS / nearcopy.__version__
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        address, path = f"sqlite:///{place}/seen.db", Path(place) / "seen.db"
        fill(address)
        export = ["export", "--all", "-o", str(folder / "export.jsonl.zst"), "--store", address]
        assert CliRunner().invoke(app, export).exit_code == 0
        _compact(address)
        packed = zstandard.compress(path.read_bytes(), 19)
        (folder / f"schema-{LATEST}.db.zst").write_bytes(packed)
        text = json.dumps(answers(address), indent=1) + "\n"
        (folder / "answers.json").write_text(text, encoding="utf-8")


def _compact(address: str) -> None:
    """Write the file without free pages and without a write-ahead log."""
    file = SqliteDatabase(address)
    file.run("VACUUM")
    file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()


if __name__ == "__main__":
    write()
