"""`acp-tui export`, on a recording that `acp-tui run` made."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.recordings.recording import format_header, format_record
from tests.examples import parametrize
from tests.fake_agent.script import Script
from tests.hosting import run_turn
from tests.in_process import run_program
from tests.unit.debug.scenes import Wire

AGENT = [sys.executable, "-m", "acp_tui.demo_agent"]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("recorded") / "tour.jsonl"
    options = ("--record", str(file), "--permissions", "allow")
    run_turn(*options, argv=AGENT, prompt="/tools", cwd=file.parent, env={"ACP_DEMO_SPEED": "0"})
    return file


def export(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    ran = run_program("export", *words, cwd=cwd)
    out, err = ran.stdout.decode(), ran.stderr.decode()
    return subprocess.CompletedProcess(ran.args, ran.returncode, out, err)


@parametrize(
    1, ("suffix", "beginning"), [("md", "# "), ("html", "<!DOCTYPE html>"), ("svg", "<svg ")]
)
def test_a_new_file_here_is_named_for_the_recording(
    recording: Path, tmp_path: Path, suffix: str, beginning: str
) -> None:
    for name in (f"tour.{suffix}", f"tour-2.{suffix}"):
        ran = export(str(recording), "--format", suffix, cwd=tmp_path)
        assert (ran.returncode, ran.stdout) == (0, f"{name}\n"), ran.stderr
        assert (tmp_path / name).read_text("utf-8").startswith(beginning)


def test_the_suffix_of_the_output_names_the_format(recording: Path, tmp_path: Path) -> None:
    assert export(str(recording), "-o", "a.html", "--theme", "day", cwd=tmp_path).returncode == 0
    page = (tmp_path / "a.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "Demo agent" in page


def test_a_suffix_that_names_no_format_is_said(recording: Path, tmp_path: Path) -> None:
    ran = export(str(recording), "-o", "a.pdf", cwd=tmp_path)
    assert (ran.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "a.pdf doesn't end in .md, .html, .svg" in ran.stderr
    assert export(str(recording), "-o", "a.pdf", "--format", "md", cwd=tmp_path).returncode == 0


def test_stdout_is_written_to_when_asked(recording: Path, tmp_path: Path) -> None:
    ran = export(str(recording), "-o", "-", cwd=tmp_path)
    assert "## You\n\n> /tools\n" in ran.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_recording_is_not_written_over(recording: Path) -> None:
    before = recording.read_bytes()
    ran = export(str(recording), "-o", f"./{recording.name}", cwd=recording.parent)
    assert (ran.returncode, recording.read_bytes()) == (2, before)
    assert "would overwrite it" in ran.stderr


@parametrize(1, "started", ["NaN", "1e300", "-1e300"])
def test_a_date_that_no_calendar_has_is_left_out(
    recording: Path, tmp_path: Path, started: str
) -> None:
    head, _, rest = recording.read_text("utf-8").partition("\n")
    strange = tmp_path / "strange.jsonl"
    facts = re.sub(r'"started": [\d.]+', f'"started": {started}', head)
    strange.write_text(f"{facts}\n{rest}", "utf-8")
    assert export(str(strange), "-o", "it.md", cwd=tmp_path).returncode == 0
    assert "- Date:" not in (tmp_path / "it.md").read_text("utf-8")


def test_a_session_that_was_only_named_is_not_the_last(tmp_path: Path) -> None:
    records = Wire().prompted().chunk("tea").ended().chunk("stray", session="nobody's").records
    lines = [format_header({}), *map(format_record, records)]
    (tmp_path / "stray.jsonl").write_text("\n".join(lines) + "\n")
    ran = export("stray.jsonl", "-o", "-", cwd=tmp_path)
    assert "tea" in ran.stdout
    assert "exporting session s; --session chooses another: s, nobody's" in ran.stderr


def test_the_session_of_a_subagent_is_exported_within_that_of_its_parent(tmp_path: Path) -> None:
    wire = Wire().prompted().chunk("tea").update("subagent_update", sessionId="c", title="Ada")
    records = wire.chunk("It is hot", session="c").ended().records
    lines = [format_header({}), *map(format_record, records)]
    (tmp_path / "tasted.jsonl").write_text("\n".join(lines) + "\n")
    ran = export("tasted.jsonl", "-o", "-", cwd=tmp_path)
    assert (ran.stderr, "- Session: s\n" in ran.stdout) == ("", True)
    assert "#### Ada: Agent\n\n> It is hot\n" in ran.stdout
    alone = export("tasted.jsonl", "--session", "c", "-o", "-", cwd=tmp_path)
    assert "- Session: c\n" in alone.stdout


@parametrize(
    2,
    ("words", "complaint"),
    [
        (["missing.jsonl"], "missing.jsonl: there is no file"),
        (["bad"], "bad: no line is"),
        (["empty"], "no session in it has any content"),
        (["{}", "--session", "x"], "no session x; there are: demo-"),
        (["{}", "--theme", "x", "--format", "svg"], "export: there is no theme 'x'"),
        (["{}", "-o", "no/such/folder.md"], "No such file or directory"),
        (["{}", "--width", "5"], "from 20 to 1000"),
    ],
)
def test_what_can_not_be_exported_is_said(
    recording: Path, tmp_path: Path, words: list[str], complaint: str
) -> None:
    (tmp_path / "bad").write_text("{}{\n")
    (tmp_path / "empty").write_text('{"acp-tui": 1}\n')
    ran = export(*(word.format(recording) for word in words), cwd=tmp_path)
    assert ran.returncode == 2
    assert complaint in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("kind", ["md", "html", "svg"])
def test_what_looks_like_a_secret_is_masked_and_said(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "talk.jsonl"
    agent = Script().handshake().prompt()
    for piece in ("the key is ghp_abcdefgh", "ijklmnopqrstuvwxyz", "0123456789, keep it"):
        agent.chunk(piece)
    call = {"toolCallId": "t", "title": "log in", "kind": "execute", "status": "completed"}
    agent.update("tool_call", **call, rawInput={"command": "log-in", "env": {"ANY": "hunter2"}})
    run_turn("--record", str(file), argv=agent.end_turn().argv(tmp_path), cwd=tmp_path)
    assert "hunter2" in file.read_text("utf-8")
    ran = export(str(file), "--format", kind, "-o", "-", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "[masked]" in ran.stdout
    assert not re.search("abcdefgh|klmnop|012345|hunter2", ran.stdout)
    assert "masked 2" in ran.stderr
