"""Several agents in one window of the whole program."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.e2e.terminal import ENTER, Terminal, terminal
from tests.fake_agent.script import Script

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

ALT_N, CTRL_S, CTRL_T, ALT_W = "\x1bn", "\x13", "\x14", "\x1bw"
FIRST, SECOND = "\x1b1", "\x1b2"
"""Alt and a number: tabs."""


def agent(folder: Path, name: str, script: Script) -> list[str]:
    (folder / name).mkdir()
    return script.argv(folder / name)


def named(title: str) -> Script:
    info = {"agentInfo": {"name": title.lower(), "title": title, "version": "1"}}
    return Script().handshake(info)


def settings(folder: Path, **agents: list[str]) -> dict[str, str]:
    """An environment whose settings name these agents."""
    (folder / "acp-tui").mkdir()
    text = "".join(
        f"[agents.{name}]\ncommand = {json.dumps(argv)}\n" for name, argv in agents.items()
    )
    (folder / "acp-tui" / "settings.toml").write_text(text, "utf-8")
    return {"XDG_CONFIG_HOME": str(folder)}


def answer(it: Terminal, asked: str) -> None:
    """Allow what is asked, once keys count."""
    it.wait_for(asked)
    it.wait_for_keys()
    it.send("1")


def left(it: Terminal) -> None:
    it.leave()
    assert it.wait_for_exit() == 0
    assert it.processes == []
    assert "Traceback" not in it.text


@pytest.mark.parametrize("size", [(80, 24), pytest.param((200, 60), marks=pytest.mark.slow)])
def test_two_agents_work_at_once_and_each_is_answered_apart_until_one_dies(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    tea = named("Tea").prompt().chunk("leaves").end_turn()
    tea = tea.prompt().chunk("second leaves").ask_permission()
    tea = tea.expect_answer("ask").chunk(", then water").end_turn().expect_eof()
    bread = named("Bread").prompt().chunk("dough").ask_permission()
    rejected = {"outcome": {"outcome": "selected", "optionId": "no"}}
    bread = bread.expect_answer("ask", result=rejected).chunk(" and salt").end_turn()
    bread = bread.prompt().chunk("cold").ask_permission()
    bread = bread.expect_answer("ask").chunk(" and fire").stderr("burnt\n").exit(3)
    env = settings(tmp_path, tea=agent(tmp_path, "1", tea), bread=agent(tmp_path, "2", bread))
    options = ("--no-record", "--agent", "tea", "--agent", "bread")
    with terminal(*options, size=size, env=env) as it:
        it.wait_for("2 ○ bread")
        assert len(it.processes) == 4
        it.send(SECOND)
        it.wait_for("Bread 1")
        it.type_line("bake")
        it.wait_for("bread asks for permission")
        it.send(FIRST)
        it.wait_for("◆ 2 bread waiting for you")
        assert "asks for permission" not in it.text
        it.type_line("no milk")
        it.wait_for("leaves")
        assert "◆ 2 bread waiting for you" in it.text
        it.send(CTRL_S)
        it.wait_for("bread asks for permission")
        it.wait_for_keys()
        it.send("no do not")
        it.wait_for("▌ no do not")
        it.wait_for("Enter rejects and sends this")
        it.send(ENTER)
        it.wait_for("cold")

        answer(it, "bread asks for permission")
        it.wait_for("Bread exited with code 3")
        it.wait_for("burnt")
        it.wait_for("✗ bread (not running)")
        it.send(FIRST)
        it.wait_for("Tea 1")
        it.type_line("brew")
        answer(it, "tea asks for permission")
        it.wait_for(", then water")
        assert "dough" not in it.text
        left(it)


def test_an_agent_is_started_and_ended_in_the_window(tmp_path: Path) -> None:
    tea = named("Tea").prompt().chunk("leaves").end_turn().expect_eof()
    bread = named("Bread").prompt().chunk("dough").end_turn().expect_eof()
    env = settings(tmp_path, bread=agent(tmp_path, "2", bread))
    env["XDG_STATE_HOME"] = str(tmp_path / "state")
    with terminal("--", *agent(tmp_path, "1", tea), env=env) as it:
        it.wait_for("Ask the agent")
        it.wait_for("○ ready")
        it.type_line("tea")
        it.wait_for("leaves")
        it.send(CTRL_T)
        it.wait_for("New tab")
        it.send("bread")
        it.wait_until(lambda: "once more" not in it.text, "narrowed list")
        it.send(ENTER)
        it.wait_for("2 ○ bread")
        it.type_line("bread")
        it.wait_for("dough")
        assert len(it.processes) == 4
        it.send(ALT_W)
        it.wait_for_keys()
        it.send("2")
        it.wait_for("bread is ended")
        it.wait_for("leaves")
        it.wait_until(lambda: len(it.processes) == 3, "end of the agent")
        left(it)
    assert len(list((tmp_path / "state" / "acp-tui" / "recordings").iterdir())) == 2


@pytest.mark.slow
def test_whatever_is_written_is_started_and_told_if_it_cannot_be(tmp_path: Path) -> None:
    tea = named("Tea").expect_eof()
    with terminal("--no-record", "--", *agent(tmp_path, "1", tea)) as it:
        it.wait_for("○ ready")
        it.send(ALT_N)
        it.wait_for("New tab")
        it.send("/no/such/agent")
        it.wait_for("Enter twice starts this command")
        it.send(ENTER)
        it.wait_for("Enter again starts this command")
        it.send(ENTER)
        it.wait_for("✗ agent (not running)")
        it.send(FIRST)
        it.wait_for("Tea 1")
        left(it)


def test_a_signal_ends_all_of_them(tmp_path: Path) -> None:
    busy = Script().handshake().prompt().chunk("on and on").sleep(60)
    stubborn = Script().handshake().ignore_eof().ignore_sigterm().sleep(60)
    env = settings(
        tmp_path, busy=agent(tmp_path, "1", busy), stubborn=agent(tmp_path, "2", stubborn)
    )
    with terminal("--no-record", "--agent", "busy", "--agent", "stubborn", env=env) as it:
        it.wait_for("2 ○ stubborn")
        it.wait_for("○ ready")
        it.type_line("go")
        it.wait_for("on and on")
        os.kill(it.process.pid, signal.SIGTERM)
        assert it.wait_for_exit() == 128 + signal.SIGTERM
        it.assert_as_it_came()
