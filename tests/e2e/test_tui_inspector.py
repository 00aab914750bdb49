"""The inspector and a replay in the whole program, on a terminal."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import ESCAPE, terminal
from tests.in_process import run_program

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

F12 = "\x1b[24~"
DOWN, END, BACKSPACE, CTRL_S = "\x1b[B", "\x1b[F", "\x7f", "\x13"
FAST = {"ACP_DEMO_SPEED": "0"}


PAGE = Path(__file__).parents[2] / "docs/debugging.md"


def test_the_session_at_a_breakpoint_is_as_the_page_tells(tmp_path: Path) -> None:
    """The agent hears what a person wrote, and the client was never asked."""
    section = PAGE.read_text("utf-8").partition("## Breakpoints")[2]
    command = section.partition("    acp-tui ")[2].partition("\n")[0]
    rows = section.partition("```text\n")[2].partition("```")[0].splitlines()
    recording = tmp_path / "demo.jsonl"
    with terminal(*shlex.split(command), "--record", str(recording), env=FAST) as it:
        it.wait_for("Ask the agent")
        it.type_line("/permission")
        it.wait_for("● 1 held")
        it.send(F12)
        it.wait_for("H acts on them")
        it.send("H")
        for row in rows:
            it.wait_for(row)
        it.send("a")
        it.wait_for('"optionId": "once"')
        it.send(DOWN * 6 + END + BACKSPACE * 5 + 'no"')
        it.wait_for('"optionId": "no"')
        it.send(CTRL_S)
        it.wait_for("Nothing is held")
        it.send(ESCAPE)
        it.wait_for("✎ response to")
        it.send(F12)
        it.wait_for("You chose No")
        it.leave()
        assert it.wait_for_exit() == 0
    assert '"by": "hand", "of": ' in recording.read_text()


def test_the_frames_of_a_replay_have_the_findings_of_the_session(tmp_path: Path) -> None:
    """Those of a live session are in the demo's tour of findings."""
    recording = tmp_path / "demo.jsonl"
    options = ("--record", str(recording), "--cwd", str(tmp_path), "--findings")
    agent = [sys.executable, "-m", "acp_tui.demo_agent"]
    ran = run_program("run", *options, "/noise", "--", *agent, env=FAST)
    assert b"8 errors" in ran.stderr
    with terminal("replay", str(recording), "--speed", "50") as it:
        it.wait_for("■ end")
        it.wait_for("/noise")
        it.send(",")
        it.wait_for("paused")
        it.send(F12)
        it.wait_for("8 errors")
        it.send("n")
        it.wait_for("stdout-noise")
        it.send(ESCAPE)
        it.wait_for("Space play")
        it.leave()
        assert it.wait_for_exit() == 0
        assert it.processes == []
