"""A command of the person's, run from the prompt on their own terminal."""

from pathlib import Path

import pytest

from tests.e2e.terminal import ENTER, terminal
from tests.e2e.test_tui import ALTERNATE_SCREEN, FAST, READY

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

SHELL = {"SHELL": "/bin/sh"}
ASKED = "y  add output to prompt"


def test_a_command_has_the_terminal_and_its_output_goes_along_unsent() -> None:
    with terminal("demo", "--no-record", env=FAST | SHELL) as it:
        it.wait_for(READY)
        it.send("!read tea; printf '\\033[31mgot %s\\033[0m\\n' \"$tea\"; stty size; exit 3")
        it.wait_for("Enter run it here")
        it.send(ENTER)
        it.wait_until(lambda: ALTERNATE_SCREEN not in it.screen.mode, "plain screen")
        it.type_line("oolong")
        it.wait_for("ended with 3. y  add")
        it.wait_for("24 80")
        it.send("y")
        it.wait_until(lambda: ALTERNATE_SCREEN in it.screen.mode, "app again")
        it.wait_for("▌ got oolong")
        it.wait_for("▌ [ended with 3]")
        it.wait_for("You ran: read tea;")
        assert "Thought" not in it.text, "nothing was sent"
        it.leave()
        it.wait_for_exit()
        it.assert_as_it_came()


def test_ctrl_c_ends_the_command_and_another_key_leaves_its_output() -> None:
    with terminal("demo", "--no-record", env=FAST | SHELL) as it:
        it.wait_for(READY)
        it.type_line("!exec python3 -c 'print(6 * 7, flush=True); __import__(\"time\").sleep(600)'")
        it.wait_until(lambda: "\n42" in it.text, "output")
        it.send("\x03")
        it.wait_for(ASKED)
        it.send(ENTER)
        it.wait_until(lambda: ALTERNATE_SCREEN in it.screen.mode, "app again")
        it.wait_for(READY)
        it.wait_for("You ran: exec python3")
        assert "▌ 42" not in it.text, "the output is in the prompt"
        it.leave()
        assert it.wait_for_exit() == 0


def test_it_runs_in_the_folder_of_the_session(tmp_path: Path) -> None:
    with terminal("demo", "--no-record", env=FAST | SHELL) as it:
        it.wait_for(READY)
        it.type_line("!ls")
        it.wait_for("tea.py")
        it.wait_for(ASKED)
        it.send("n")
        it.wait_for(READY)
        it.leave()
        it.wait_for_exit()


def test_what_is_left_in_the_background_holds_nobody_up() -> None:
    with terminal("demo", "--no-record", env=FAST | SHELL) as it:
        it.wait_for(READY)
        it.type_line("!sleep 600 & echo went on")
        it.wait_for(ASKED)
        it.send("n")
        it.wait_for(READY)
        it.leave()
        assert it.wait_for_exit() == 0
