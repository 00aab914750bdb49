"""Signing in by a program on the real terminal, from which the app steps aside."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import ENTER, ESCAPE, terminal
from tests.e2e.test_tui import ALTERNATE_SCREEN
from tests.fake_agent.script import Played, Script

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

AUTH_REQUIRED = {"code": -32000, "message": "Authentication required"}
LOGIN = """
import sys
code = input("the code, please: ")
print("wrong code" if code != "1234" else "welcome")
sys.exit(0 if code == "1234" else 3)
"""


def agent(folder: Path, *later: Script) -> list[str]:
    """An agent that wants a sign-in by a program that asks for a code."""
    login = folder / "login.py"
    login.write_text(LOGIN, "utf-8")
    program: dict[str, Any] = {"command": sys.executable, "args": [str(login)]}
    method = {"id": "login", "name": "Log in", "_meta": {"terminal-auth": program}}
    first = Script().initialize({"authMethods": [method]})
    first.expect("session/new").reply("new", error=AUTH_REQUIRED).expect_eof()
    return first.argv(folder, *later)


def test_the_program_has_the_terminal_and_the_agent_starts_anew(tmp_path: Path) -> None:
    then = Script().handshake().prompt().chunk("here I am").end_turn()
    with terminal("--no-record", "--", *agent(tmp_path, then)) as it:
        it.wait_for("wants a sign-in")
        it.wait_for_keys()
        it.send("1")
        it.wait_for("Run this on your terminal?")
        it.wait_for_keys()
        it.send("2")
        it.wait_for("the code, please:")
        assert ALTERNATE_SCREEN not in it.screen.mode
        it.type_line("1234")
        it.wait_until(lambda: ALTERNATE_SCREEN in it.screen.mode, "app again")
        it.wait_for("○ ready")
        it.type_line("hello")
        it.wait_for("here I am")
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
        assert b"welcome" in it.written
    Played(tmp_path, 2).check()


@pytest.mark.slow
def test_a_failed_program_can_be_read_and_tried_again(tmp_path: Path) -> None:
    with terminal("--no-record", "--", *agent(tmp_path)) as it:
        it.wait_for("wants a sign-in")
        it.wait_for_keys()
        it.send("1")
        it.wait_for("Run this on your terminal?")
        it.wait_for_keys()
        it.send("2")
        it.wait_for("the code, please:")
        it.type_line("0000")
        it.wait_for("exited with code 3; Enter goes back")
        assert "wrong code" in it.text
        it.send(ENTER)
        it.wait_for("the program exited with code 3")
        it.wait_for_keys()
        it.send(ESCAPE)
        it.wait_until(lambda: "wants a sign-in" not in it.text, "closed dialog")
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
