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


def test_each_run_of_the_agent_is_played_to_a_process_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "it.jsonl"
    wire = Wire()
    for words in ("one", "two"):
        wire.started().prompted().chunk(words).ended()
    path.write_text("\n".join([header({}), *map(dump, wire.records), ""]), "utf-8")
    agent = ["--", sys.executable, "-m", "acp_tui", "play", "--speed", "0", "--run", "2", str(path)]
    recorded = tmp_path / "made.jsonl"
    argv = ["play", "--as-client", str(path), "--record", str(recorded), *agent]
    assert main.run(argv) == 1
    out, _ = capfd.readouterr()
    assert out.splitlines()[0] == "run 1"
    assert 'content.text: "one" → "two"' in out
    assert out.splitlines()[-2:] == ["run 2", "4 the same"]
    assert main.run(["log", str(recorded)]) == 0
    assert capfd.readouterr().out.count("initialize") >= 2
    assert main.run(["play", str(path), "--run", "3"]) == 2
    assert "it has 2 runs of the agent, no run 3" in capfd.readouterr().err
