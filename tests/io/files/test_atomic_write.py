"""Files are renamed into place whole, and are private before."""

import os
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest

from nearcopy.errors import NearcopyError
from nearcopy.io.files.atomic_write import open_atomic, write_atomic

MASKS = (0o022, 0o077)


@contextmanager
def masked(mask: int):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def begun(folder: Path) -> Path:
    """The file that is being written."""
    (part_file,) = folder.glob(".*.part")
    return part_file


@pytest.mark.parametrize("lasting", [True, False])
def test_a_file_is_there_when_all_is_written_and_not_before(tmp_path, lasting):
    path = tmp_path / "a.txt"
    with open_atomic(path, durable=lasting) as file:
        file.write(b"all of it")
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("wrong", [RuntimeError, KeyboardInterrupt])
def test_work_that_fails_leaves_all_as_it_was(tmp_path, wrong):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def fail():
        with open_atomic(path) as file:
            file.write(b"half")
            raise wrong

    with pytest.raises(wrong):
        fail()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mask", MASKS)
def test_what_is_being_written_is_its_owners_alone(tmp_path, mask):
    with masked(mask), open_atomic(tmp_path / "a.txt"):
        assert rights(begun(tmp_path)) == 0o600


@pytest.mark.parametrize("mask", MASKS)
def test_a_new_file_has_the_rights_of_any_new_file(tmp_path, mask):
    with masked(mask):
        write_atomic(tmp_path / "a.txt", "new")
        assert rights(tmp_path / "a.txt") == 0o666 & ~mask
        assert os.umask(mask) == mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_one_that_was_there_keeps_its_rights(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.touch()
    path.chmod(mode)
    write_atomic(path, b"other")
    assert rights(path) == mode


def test_nobody_can_lay_a_link_in_its_way(tmp_path):
    """The name of what is being written cannot be guessed from the process."""
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / f".a.txt.{os.getpid()}.part").symlink_to(tmp_path / "theirs")
    write_atomic(tmp_path / "a.txt", "ours")
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_what_a_link_points_to_is_replaced_and_devices_are_written_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomic(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "text"
    write_atomic(Path("/dev/null"), "text")


@pytest.mark.parametrize("name", ["n" * 255, "新" * 85])
def test_a_name_as_long_as_names_may_be_is_written(tmp_path, name):
    path = tmp_path / name
    write_atomic(path, "text")
    assert path.read_text() == "text"


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(NearcopyError, match="create it first"):
        write_atomic(tmp_path / "none" / "a.txt", "text")


def test_letters_that_utf_8_lacks_are_written_as_a_question_mark(tmp_path):
    write_atomic(tmp_path / "a.txt", "half a letter: \ud800")
    assert (tmp_path / "a.txt").read_text() == "half a letter: ?"
