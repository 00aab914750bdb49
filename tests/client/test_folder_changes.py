"""Which files outside a session's folder were written after they were denied."""

import time
from pathlib import Path

import pytest

from acp_tui.client.files import folder_changes
from acp_tui.client.files.folder_changes import EarlierFolder
from acp_tui.state.commands import CompareFolder


def written(tmp_path: Path, *paths: Path, seconds_ago: float = 5.0) -> list[str]:
    """Return which of some paths, denied a while ago, were written outside of `w` since then."""
    folder = tmp_path / "w"
    folder.mkdir(exist_ok=True)
    kept = CompareFolder("s", str(folder), str(tmp_path / "store"), "tree")
    denied = {str(path): time.time() - seconds_ago for path in paths}
    return [one.path for one in EarlierFolder(kept, "tree", 0.0, 0.0, 0.0).written_outside(denied)]


def test_a_file_outside_the_folder_that_was_written_after_it_was_denied(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("x\n")
    assert written(tmp_path, outside) == [str(outside)]
    assert written(tmp_path, outside, seconds_ago=-5.0) == []


def test_files_in_the_folder_missing_ones_folders_and_devices_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    inside, missing = tmp_path / "w" / "inside.txt", tmp_path / "missing.txt"
    inside.write_text("x\n")
    assert written(tmp_path, inside, missing, tmp_path, Path("/proc/self/status")) == []


def test_the_files_that_the_program_writes_itself_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    monkeypatch.setattr(folder_changes, "recordings_folder", lambda: state / "recordings")
    history, output = state / "history", tmp_path / "output.txt"
    history.write_text("x\n")
    with output.open("w") as file:
        file.write("x\n")
        file.flush()
        assert written(tmp_path, history, output) == []
