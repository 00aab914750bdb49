"""Folders that are nested deeper than Python calls functions: any program can make them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.git.blocking_files import find_blocking_file
from acp_tui.rewind.checkpoint import ChangeType
from acp_tui.rewind.store import changed_since
from acp_tui.rewind.unkept_files import find_usual, find_written
from tests.unit.rewind.conftest import TURN, Scene

FEWER_CALLS = 400
"""A lower limit than Python's own of 1,000: the deeper a folder, the slower the tests."""
DEEP = "/".join("d" * (FEWER_CALLS + 100))


@pytest.fixture
def deep(scene: Scene) -> Iterator[Path]:
    """A file in such a folder."""
    subprocess.run(["mkdir", "-p", f"{scene.top}/{DEEP}"], check=True)
    calls = sys.getrecursionlimit()
    sys.setrecursionlimit(FEWER_CALLS)
    yield Path(f"{scene.top}/{DEEP}/tea")
    sys.setrecursionlimit(calls)
    subprocess.run(["rm", "-rf", f"{scene.top}/d"], check=True)


def test_a_file_in_a_deep_folder_is_kept_and_comes_back(scene: Scene, deep: Path) -> None:
    deep.write_text("green\n")
    before = scene.store.make_checkpoint(TURN)
    deep.write_text("black\n")
    [change] = changed_since(scene.store, before.tree)[0]
    assert (change.shown, change.change_type) == (f"{DEEP}/tea", ChangeType.CHANGED)
    assert scene.back().skipped == ()
    assert deep.read_text() == "green\n"


def test_a_file_in_a_deep_ignored_folder_is_found(scene: Scene, deep: Path) -> None:
    scene.write(".gitignore", "d\n")
    began = time.time() - 1
    deep.write_text("green\n")
    left_out = changed_since(scene.store, scene.store.make_checkpoint(TURN).tree)[1]
    assert str(deep) in [one.path for one in find_written(scene.store, left_out, began)]
    assert find_usual(scene.store) == (str(scene.top / "d"),)


def test_deep_empty_folders_in_the_way_of_a_file_are_left_there(scene: Scene, deep: Path) -> None:
    scene.write("tea", "green\n")
    scene.store.make_checkpoint(TURN)
    (scene.top / "tea").unlink()
    (scene.top / "d").rename(scene.top / "tea")
    [skipped] = scene.back().skipped
    assert skipped[0] == "tea"
    (scene.top / "tea").rename(scene.top / "d")


def test_a_pipe_in_a_deep_folder_is_found(scene: Scene, deep: Path) -> None:
    os.mkfifo(deep.with_name(".gitignore"))
    assert "which is a pipe" in str(find_blocking_file(scene.top))
