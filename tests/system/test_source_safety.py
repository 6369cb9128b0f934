"""What the source never does: run what it reads, hand words to a shell, leave half a file."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import nearcopy

SOURCE = Path(nearcopy.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
NAMES = [str(path.relative_to(SOURCE)) for path in FILES]

# Modules that run what they read, or that start programs.
UNSAFE = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "marshal",
    "shelve",
    "subprocess",
    "pty",
    "yaml",
}
RUNS = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "os.startfile"}
GUESSABLE = {"tempfile.mktemp", "mktemp", "os.tempnam"}
PRIVATE = {"TemporaryFile", "TemporaryDirectory", "mkstemp"}
WRITES = {"write_text", "write_bytes", "rename", "renames"}
# Where a file is made without `atomic_write`: what it is, and why half of it does no harm.
IN_PLACE = {
    "io/files/atomic_write.py": "the one place that does it",
    "cli/terminal.py": "/dev/null, for streams that were closed",
    "batch/local/work_folder.py": "a lock, which is empty",
    "io/feeds/poll.py": "a lock, which is empty",
    "io/files/read.py": "in a private folder that is removed",
    "service/auth.py": "the file of tokens, which SQLite writes, made for its owner alone",
    "service/request_bodies.py": "in a private folder that is removed",
    "stores/window_files.py": "derived from the store, checked when it is read, and made again",
    "batch/spark/checkpoints.py": "on a distributed file system: renamed when it is whole",
}


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """What is called, as it is written: `os.system`, `open`, `path.write_text`."""
    for node in nodes(path):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Each module that is imported, and the names of a `from` import."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def runs(name: str, call: ast.Call) -> bool:
    """Whether a call runs what it is given, or makes a file whose name others can guess."""
    arguments = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    return (
        name in RUNS | GUESSABLE or "shell" in arguments or arguments.get("allow_pickle") == "True"
    )


def opens_to_write(name: str, call: ast.Call) -> bool:
    """Whether a call makes or changes a file by its name."""
    last = name.rpartition(".")[2]
    if last in WRITES or name in ("os.rename", "os.mknod"):
        return True
    if name == "os.open":
        return any("O_CREAT" in ast.unparse(argument) for argument in call.args)
    if last != "open":
        return False
    positional = call.args[1:] if name == "open" else call.args
    modes = [*positional, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    texts = [m.value for m in modes if isinstance(m, ast.Constant) and isinstance(m.value, str)]
    return any(len(text) <= 3 and set(text) & set("wax+") for text in texts)


def test_nothing_that_is_read_is_run():
    for path in FILES:
        assert not {module.partition(".")[0] for module, _ in imports(path)} & UNSAFE, path
        assert [call.lineno for name, call in calls(path) if runs(name, call)] == [], path


def test_files_are_written_whole_or_where_half_of_one_does_no_harm():
    writers = {
        name
        for name, path in zip(NAMES, FILES, strict=True)
        if any(opens_to_write(*named_call) for named_call in calls(path))
    }
    assert writers == set(IN_PLACE)


def test_temporary_files_come_from_what_makes_them_private():
    """Files and folders for their owner alone, with names that cannot be guessed."""
    for path in FILES:
        imported = {name for module, name in imports(path) if module == "tempfile" and name}
        assert imported <= PRIVATE, path
        used = {name for name, _ in calls(path) if name.startswith("tempfile.")}
        assert used <= {f"tempfile.{name}" for name in PRIVATE}, path


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("open('a', 'w')", True),
        ("path.open('xb')", True),
        ("path.open(mode='a')", True),
        ("path.write_text('a')", True),
        ("os.open(path, os.O_CREAT | os.O_RDWR)", True),
        ("open('a')", False),
        ("path.open('rb')", False),
        ("os.open(folder, os.O_RDONLY)", False),
    ],
)
def test_what_opens_a_file_to_write_is_told(code, told):
    (call,) = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    assert opens_to_write(ast.unparse(call.func), call) is told
