"""What git says of changed files, for a list: a quick look, and never an error."""

import subprocess
from pathlib import Path

from acp_tui.checkpoints.changed import changed_files


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@e")
    subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)


def test_changed_new_and_renamed_files_are_told_relative_to_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "in side"
    inside.mkdir()
    git(tmp_path, "init", "-q")
    for name in ("same", "other", "gone", "old"):
        (inside / name).write_text(f"{name}\n" * 9)
    (tmp_path / "outside").write_text("x")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    (inside / "other").write_text("changed")
    (inside / "gone").unlink()
    git(inside, "mv", "old", "renämed")
    (inside / "fresh").write_text("x")
    (tmp_path / "outside").write_text("y")
    told = {"other": "changed", "renämed": "renamed", "fresh": "new"}
    assert changed_files(str(inside)) == told
    assert changed_files(str(tmp_path))["outside"] == "changed"


def test_without_a_repository_nothing_is_told_and_no_setting_of_one_runs(tmp_path: Path) -> None:
    assert changed_files(str(tmp_path)) == {}
    assert changed_files(str(tmp_path / "missing")) == {}
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/ran; true")
    (tmp_path / "a").write_text("x")
    assert changed_files(str(tmp_path)) == {"a": "new"}
    assert not (tmp_path / "ran").exists()
