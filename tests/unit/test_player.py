"""The pipes around a play: files of one folder, and an agent that doesn't play along."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.config.private_files import write_whole
from acp_tui.player.client import FolderFiles
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.recordings.recording import format_header, format_record
from tests.unit.debug.scenes import Wire


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
    ("code", "timeout", "words"),
    [
        ("import time; time.sleep(60)", "0.3", "no answer to initialize for 0.3 s"),
        ("pass", "30", "new     ← exit"),
        ("input(); print('noise', flush=True)", "30", "new     ← no message noise"),
    ],
)
def test_an_agent_that_doesn_t_play_along_is_told_and_ended(
    code: str, timeout: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "it.jsonl"
    lines = [format_header({}), *map(format_record, Wire().prompted().ended().records), ""]
    path.write_text("\n".join(lines), "utf-8")
    argv = ["--timeout", timeout, "--no-record", "--", sys.executable, "-S", "-c", code]
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
    path.write_text("\n".join([format_header({}), *map(format_record, wire.records), ""]), "utf-8")
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
    assert "it has 2 runs of the agent, but no run 3" in capfd.readouterr().err


def played(tmp_path: Path, wire: Wire, *options: str) -> tuple[list[str], str, int]:
    """What the player says to a client that begins a turn: its chunks, its stderr, its exit code."""
    path = tmp_path / "it.jsonl"
    path.write_text("\n".join([format_header({}), *map(format_record, wire.records), ""]), "utf-8")
    argv = [sys.executable, "-m", "acp_tui", "play", "--speed", "0", *options, str(path)]
    asked = [one.raw for one in Wire().prompted().records if one.direction == Direction.OUT]
    ran = subprocess.run(argv, input=b"\n".join([*asked, b""]), capture_output=True, check=False)
    messages = [json.loads(line) for line in ran.stdout.splitlines()]
    updates = [one["params"]["update"] for one in messages if one.get("method")]
    return [one["content"]["text"] for one in updates], ran.stderr.decode(), ran.returncode


def test_a_client_that_starts_the_player_again_can_go_on_with_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    wire = Wire()
    for words in ("one", "two", "three"):
        wire.started().prompted().chunk(words).died()
    noted = tmp_path / "state/acp-tui/plays"
    write_whole(noted / "999999999-of-who-is-gone", "2")
    for words in ("one", "two", "three", "one"):
        said, complaint, code = played(tmp_path, wire, "--run", "next")
        assert (said, code) == ([words], 1)
        if words == "two":
            assert "--run 3 goes on" in complaint
    assert len(list(noted.iterdir())) == 1
    assert played(tmp_path, wire)[0] == ["one"]
    twice = ("--fault", "in:duplicate=100%:kind:agent_message_chunk")
    assert played(tmp_path, wire, "--run", "next", *twice)[0] == ["two", "two"]


def test_the_next_run_is_for_an_agent_that_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.run(["play", "--run", "next", "--as-client", "it.jsonl", "--", "agent"])
    assert "doesn't work with --as-client" in capsys.readouterr().err
    assert main.run(["play", "--run", "next", "none.jsonl"]) == 2


@pytest.mark.parametrize(
    ("code", "signal", "ends"),
    [
        (3, None, 3),
        (10**12 + 7, None, (10**12 + 7) & 0xFF),
        (None, "SIGTERM", -15),
        (4, "SIGSTOP", 4),
        (4, "SIGTSTP", 4),
        (4, "SIG_DFL", 4),
        (4, "nothing", 4),
    ],
)
def test_the_player_ends_as_the_agent_did_and_always_ends(
    tmp_path: Path, code: int | None, signal: str | None, ends: int
) -> None:
    wire = Wire().started().prompted()
    wire.happened(ProcessExited(wire.at, code, signal))
    assert played(tmp_path, wire)[2] == ends
