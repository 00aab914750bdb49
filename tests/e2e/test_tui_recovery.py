"""What a person wrote outlives the agent, and this program."""

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.terminal import ENTER, Terminal, terminal
from tests.fake_agent.script import Played, Script

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

READY = "Ask the agent"
RESTART, F8 = "\x1ba", "\x1b[19~"


def drafts(state: Path) -> str:
    """All that is kept."""
    files = state.glob("acp-tui/drafts/*.json")
    return "".join(file.read_text("utf-8") for file in files)


def kept(it: Terminal, state: Path, words: str) -> None:
    it.wait_until(lambda: words in drafts(state), f"draft {words!r}")


def killed(it: Terminal) -> None:
    os.kill(it.process.pid, signal.SIGKILL)
    it.process.wait()
    it.wait_until(lambda: it.processes == [], "end")


@pytest.mark.slow
def test_a_draft_and_the_queue_outlive_a_kill_and_go_when_they_are_sent(tmp_path: Path) -> None:
    state, work = tmp_path / "state", tmp_path / "work"
    work.mkdir()
    env = {"XDG_STATE_HOME": str(state)}
    again = Script("s2").handshake().prompt().chunk("one").end_turn()
    again.expect("session/prompt", {"prompt": [{"type": "text", "text": "half a word"}]}, save="b")
    again.chunk("two").reply("b", {"stopReason": "end_turn"})
    argv = Script().handshake().prompt().chunk("busy").argv(tmp_path, again)
    with terminal("--no-record", "--", *argv, env=env, cwd=work) as it:
        it.wait_for(READY)
        it.type_line("first")
        it.wait_for("busy")
        it.type_line("to come")
        it.wait_for("queued: 1 prompt")
        it.send("half a word")
        kept(it, state, "half a word")
        killed(it)
    with terminal("--no-record", "--", *argv, env=env, cwd=work) as it:
        it.wait_for("half a word")
        it.wait_for("queued: 1 prompt held")
        it.wait_for("is back")
        it.send(ENTER)  # the queue goes first
        it.wait_for("two")
        it.wait_until(lambda: drafts(state) == "", "empty folder")
        it.leave()
        assert it.wait_for_exit() == 0
    Played(tmp_path, run=2).check()


@pytest.mark.slow
def test_what_is_not_sent_outlives_leaving_and_another_folder_is_none_of_its_business(
    tmp_path: Path,
) -> None:
    state, here, there = (tmp_path / name for name in ("state", "here", "there"))
    here.mkdir()
    there.mkdir()
    env = {"XDG_STATE_HOME": str(state)}
    argv = Script().handshake().argv(tmp_path)
    with terminal("--no-record", "--", *argv, env=env, cwd=here) as it:
        it.wait_for(READY)
        it.send("not yet")
        it.wait_for("not yet")
        it.leave()
        assert it.wait_for_exit() == 0
    assert "not yet" in drafts(state)
    with terminal("--no-record", "--", *argv, env=env, cwd=there) as it:
        it.wait_for("○ ready")
        it.send("other")
        kept(it, state, "other")
        assert "not yet" not in it.text
        it.leave()
        it.wait_for_exit()
    with terminal("--no-record", "--", *argv, env=env, cwd=here) as it:
        it.wait_for("not yet")
        it.wait_for("is back")


@pytest.mark.slow
def test_drafts_that_cannot_be_kept_are_told_of_once(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    argv = Script().handshake().argv(tmp_path)
    with terminal("--no-record", "--", *argv, env=env, cwd=tmp_path) as it:
        it.wait_for(READY)
        it.send("words")
        it.wait_for("What you write is not kept")
        it.leave()
        assert it.wait_for_exit() == 0


@pytest.mark.slow
def test_a_question_is_counted_in_the_title_of_the_terminal(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for name in ("a", "b"):
        script.ask_permission({"toolCallId": name, "title": "Bake"}, save=name)
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("go")
        it.wait_until(lambda: it.screen.title.startswith("(2) acp-tui"), "title")
        assert it.screen.title.endswith("waiting for you")


def test_an_agent_killed_in_mid_turn_goes_on_with_one_key(tmp_path: Path) -> None:
    again = Script().initialize({"agentCapabilities": {"sessionCapabilities": {"resume": {}}}})
    again.expect("session/resume").reply("resume").prompt().chunk("whole").end_turn()
    gate = tmp_path / "gate"
    argv = Script().handshake().prompt().chunk("half").until(gate).kill().argv(tmp_path, again)
    with terminal("--no-record", "--", *argv, env={"XDG_STATE_HOME": str(tmp_path)}) as it:
        it.wait_for(READY)
        it.type_line("first")
        it.wait_for("half")
        it.type_line("next")
        it.wait_for("queued")
        gate.touch()
        it.wait_for("killed by SIGKILL")
        it.send(RESTART)
        it.wait_for("It has resumed this session.")
        it.wait_for("queued: 1 prompt held")
        it.send(ENTER)
        it.wait_for("whole")
    Played(tmp_path, run=2).check()


@pytest.mark.slow
def test_the_next_start_says_that_we_were_killed(tmp_path: Path) -> None:
    env, work = {"XDG_STATE_HOME": str(tmp_path / "state")}, tmp_path / "work"
    work.mkdir()
    options = ("--cwd", str(work), "--", *Script().handshake().argv(tmp_path))
    with terminal(*options, env=env, size=(120, 30)) as it:
        it.wait_for("○ ready")
        killed(it)
    for told in (True, False):
        with terminal(*options, env=env, size=(120, 30)) as it:
            it.wait_for("○ ready")
            it.send(F8)
            it.wait_for("Notifications")
            assert ("was killed before it could quit" in it.text) is told
            it.leave()
            assert it.wait_for_exit() == 0
    assert list((tmp_path / "state" / "acp-tui" / "runs").iterdir()) == []
