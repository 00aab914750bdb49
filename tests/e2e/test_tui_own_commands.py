"""A command of the person's, run from the prompt on their own terminal."""

from pathlib import Path

import pytest

from tests.e2e.terminal import ENTER, terminal
from tests.e2e.test_tui import ALTERNATE_SCREEN, READY
from tests.fake_agent.script import Played, Script

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

SHELL = {"SHELL": "/bin/sh"}
ASKED = "y  add output to prompt"


def test_a_command_has_the_terminal_and_its_output_goes_along_unsent_if_one_wants(
    tmp_path: Path,
) -> None:
    (work := tmp_path / "work").mkdir()
    (work / "tea.py").touch()
    argv = Script().handshake().argv(tmp_path)
    given = ("--no-record", "--cwd", str(work), "--", *argv)
    with terminal(*given, env=SHELL) as it:
        it.wait_for(READY)
        it.send("!read tea; printf '\\033[31mgot %s\\033[0m\\n' \"$tea\"; stty size; ls; exit 3")
        it.wait_for("Enter run it here")
        it.send(ENTER)
        it.wait_until(lambda: ALTERNATE_SCREEN not in it.screen.mode, "plain screen")
        it.type_line("oolong")
        it.wait_for("ended with 3. y  add")
        assert "24 80" in it.text
        assert "\ntea.py" in it.text, "it ran in another folder than the session's"
        it.send("y")
        it.wait_until(lambda: ALTERNATE_SCREEN in it.screen.mode, "app again")
        it.wait_for("▌ got oolong")
        it.wait_for("▌ [ended with 3]")
        it.wait_for("You ran: read tea;")

        it.send("\x03")
        it.wait_for(READY)
        it.type_line("!echo $((6 * 7)); exec sleep 600")
        it.wait_until(lambda: "\n42" in it.text, "output")
        it.send("\x03")
        it.wait_for(ASKED)
        it.send(ENTER)
        it.wait_until(lambda: ALTERNATE_SCREEN in it.screen.mode, "app again")
        it.wait_for(READY)
        it.wait_for("You ran: echo $((6 * 7))")
        assert "▌ 42" not in it.text, "the output is in the prompt"

        it.type_line("!sleep 600 & echo went on")  # what is left in the background holds nobody up
        it.wait_for(ASKED)
        it.send("n")
        it.wait_for(READY)
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
    assert Played(tmp_path).calls("session/prompt") == []
