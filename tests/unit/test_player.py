"""The pipes around a play: files of one folder, and an agent that doesn't play along."""

import sys
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.player.files import FolderFiles
from acp_tui.wire.recording import dump, header
from tests.unit.wire.scenes import Wire


def test_only_files_of_the_folder_are_read_and_written(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.write_text("secret")
    (inside / "link").symlink_to(outside)
    files = FolderFiles(inside)
    assert files.write(f"{inside}/deep/a.txt", "text\r\n")
    assert (inside / "deep/a.txt").read_bytes() == b"text\r\n"
    assert files.read(f"{inside}/deep/a.txt") is not None
    for path in (
        str(outside),
        f"{inside}/../out",
        f"{inside}/link",
        "a.txt",
        "a\0b",
        f"{inside}/none",
    ):
        assert files.read(path) is None
    for path in (str(outside), f"{inside}/link", "a.txt", f"{inside}/deep"):
        assert not files.write(path, "no")
    assert outside.read_text() == "secret"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import time; time.sleep(60)", "no answer to initialize for 0.3 s"),
        ("pass", "new     ← exit"),
        ("input(); print('noise', flush=True); input()", "new     ← no message noise"),
    ],
)
def test_an_agent_that_doesn_t_play_along_is_told_and_ended(
    code: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "it.jsonl"
    lines = [header({}), *map(dump, Wire().prompted().ended().records), ""]
    path.write_text("\n".join(lines), "utf-8")
    argv = ["--timeout", "0.3", "--no-record", "--", sys.executable, "-S", "-c", code]
    assert main.run(["play", "--as-client", str(path), *argv]) == 1
    out, err = capfd.readouterr()
    assert words in out + err
