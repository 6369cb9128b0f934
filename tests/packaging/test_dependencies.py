"""Dependencies: in ranges, locked, with licences, and checked against advisories."""

import importlib.util
import json
import re
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
EXTRAS = {
    extra: [Requirement(line) for line in needed]
    for extra, needed in PROJECT["project"]["optional-dependencies"].items()
    if extra != "all"
}
NEEDED = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
TO_BUILD = [Requirement(line) for line in PROJECT["build-system"]["requires"]]
INSTALLED = [
    *NEEDED,
    *(requirement for needed in EXTRAS.values() for requirement in needed),
    *TO_BUILD,
]
GROUPS = PROJECT["dependency-groups"]  # dev includes build
DEV = [Requirement(line) for line in GROUPS["build"] + GROUPS["dev"] if isinstance(line, str)]
LICENCES = dict(re.findall(r"^\| ([\w-]+) \| ([^|]+?) \|", PAGE, re.M))
# Not in the lock: the tests do without it, or with another.
OUTSIDE = {"wordllama": "19 MB of words, for `embed` alone", "pandas": "2 where Spark is, else 3"}
# What the metadata of some calls a licence by another name.
CALLED = {"PSF-2.0": "Python Software Foundation License", "Apache-2.0": "Apache Software License"}


def audit_module():
    spec = importlib.util.spec_from_file_location("audit", ROOT / "tools" / "audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def audit():
    if not (ROOT / "tools").exists():
        pytest.skip("the tools are not part of this distribution")
    return audit_module()


def operators(needed: Requirement) -> set[str]:
    """The ends that its range has."""
    return {bound.operator for bound in needed.specifier}


def test_what_is_installed_has_a_range_with_two_ends():
    assert INSTALLED
    assert [str(needed) for needed in INSTALLED if operators(needed) != {">=", "<"}] == []


def test_what_tests_need_has_a_least_version():
    assert DEV
    assert [str(needed) for needed in DEV if ">=" not in operators(needed)] == []


def test_the_lock_is_within_the_range(audit):
    lock = audit.read_lock()
    bound = [needed for needed in (*INSTALLED, *DEV) if needed.name not in OUTSIDE]
    locked = [(needed, lock[canonicalize_name(needed.name)]) for needed in bound]
    assert [str(needed) for needed, at in locked if not needed.specifier.contains(at)] == []


def test_everything_is_listed_with_its_licence_and_nothing_else():
    assert set(LICENCES) - {"library"} == {requirement.name for requirement in [*INSTALLED, *DEV]}


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_pages_name_the_extras(extra):
    assert f"`{extra}`" in (ROOT / "README.md").read_text("utf-8")
    for requirement in EXTRAS[extra]:
        (row,) = re.findall(rf"^\| {requirement.name} \|.*$", PAGE, re.M)
        assert f"`{extra}`" in row


def test_all_is_all_extras():
    (everything,) = PROJECT["project"]["optional-dependencies"]["all"]
    assert Requirement(everything).extras == set(EXTRAS)


@pytest.mark.parametrize("name", sorted(LICENCES.keys() - {"library"}))
def test_a_licence_is_the_one_the_library_names(name):
    try:
        fields = metadata(name)
    except PackageNotFoundError:
        pytest.skip(f"{name} is not installed here")
    if fields["License-Expression"]:
        said = fields["License-Expression"]
        assert LICENCES[name] == said or said.startswith(f"{LICENCES[name]} AND ")  # as numpy's
        return
    said = " ".join([fields["License"] or "", *(fields.get_all("Classifier") or [])])
    family = LICENCES[name].partition("-")[0]  # BSD, MIT, Apache: older metadata says no more
    assert re.search(rf"\b{family}\b", said) or CALLED[LICENCES[name]] in said


def advisory(**affected):
    package = {"package": {"ecosystem": "PyPI", "name": "Made_Up"}}
    return {"id": "MADE-1", "summary": "reads too far", "affected": [package | affected]}


def fixed(introduced, other):
    return {"ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": introduced}, other]}]}


@pytest.mark.parametrize(
    ("affected", "told"),
    [
        (fixed("0", {"fixed": "1.5"}), True),
        (fixed("0", {"fixed": "1.4"}), False),
        (fixed("1.4.1", {"fixed": "2"}), False),
        (fixed("0", {"last_affected": "1.4"}), True),
        (fixed("0", {"last_affected": "1.3"}), False),
        ({"versions": ["1.3", "1.4"]}, True),
        ({"versions": ["as-of-2003"]}, False),
    ],
)
def test_advisories_are_held_against_versions(audit, tmp_path, affected, told):
    (tmp_path / "MADE-1.json").write_text(json.dumps(advisory(**affected)))
    vulnerabilities = list(audit.find_vulnerabilities(tmp_path, {"made-up": Version("1.4")}))
    assert vulnerabilities == (["made-up 1.4: MADE-1 reads too far"] if told else [])


def test_a_zip_is_read_and_what_was_withdrawn_is_left_out(audit, tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        one = advisory(versions=["1.4"])
        archive.writestr("MADE-1.json", json.dumps(one))
        archive.writestr("MADE-2.json", json.dumps(one | {"withdrawn": "2026-01-01T00:00:00Z"}))
    assert (
        len(list(audit.find_vulnerabilities(tmp_path / "all.zip", {"made-up": Version("1.4")})))
        == 1
    )


def test_without_a_database_it_is_told_what_to_give(audit, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["audit.py"])
    assert audit.main() == 2
    assert "give a folder or a zip" in capsys.readouterr().out
