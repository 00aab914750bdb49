"""What an agent or a terminal started and let go of: gone when we are, however that came."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import leaving_program
from tests.e2e.terminal import terminal
from tests.examples import parametrize
from tests.fake_agent.script import Script
from tests.hosting import alive, command, wait_until
from tests.leaving_program import HELD, WIPED, pids

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere less is promised")

READY = "Ask the agent"


class Left:
    """Folders with the pids of what an agent and one of its terminals started."""

    def __init__(self, folder: Path) -> None:
        self.agent, self.terminal = folder / "by the agent", folder / "by a terminal"
        self.agent.mkdir()
        self.terminal.mkdir()

    def script(self, *ways: str) -> Script:
        """A turn in which both start something in each of the ways."""
        agent, terminal = (leaving_program.argv(one, *ways) for one in (self.agent, self.terminal))
        script = Script().handshake().prompt().spawn(agent)
        params = {"sessionId": "s1", "command": terminal[0], "args": terminal[1:]}
        script.request("terminal/create", params).expect_answer("create").chunk("busy\n")
        return script.expect("session/cancel").end_turn("cancelled")

    def pids(self, *ways: str) -> list[int]:
        return pids(self.agent, *ways) + pids(self.terminal, *ways)

    def wait_for(self, *ways: str) -> list[int]:
        """Wait until all of it runs."""
        wait_until(lambda: len(self.pids(*ways)) == 2 * len(ways))
        return self.pids(*ways)


@pytest.fixture
def left(tmp_path: Path) -> Iterator[Left]:
    it = Left(tmp_path)
    yield it
    for pid in it.pids(*HELD, WIPED):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


# test_run_leaving.py sends a turn each of these signals
@parametrize(1, "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_leaves_nothing_of_a_turn(
    tmp_path: Path, left: Left, number: signal.Signals
) -> None:
    ways = (*HELD, WIPED)
    words = command("--no-record", argv=left.script(*ways).argv(tmp_path))
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        found = left.wait_for(*ways)
        program.send_signal(number)
        program.wait()
        assert [pid for pid in found if alive(pid)] == []


def test_killed_we_leave_nothing_that_can_still_be_told(tmp_path: Path, left: Left) -> None:
    words = command("--no-record", argv=left.script(*HELD).argv(tmp_path))
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        found = left.wait_for(*HELD)
        program.kill()
        program.wait()
        wait_until(lambda: [pid for pid in found if alive(pid)] == [])


@pytest.mark.parametrize("way", ["quit", "kill", pytest.param("hang up", marks=pytest.mark.slow)])
def test_a_window_that_closes_leaves_nothing(tmp_path: Path, left: Left, way: str) -> None:
    ways = HELD if way == "kill" else (*HELD, WIPED)
    with terminal("--no-record", "--", *left.script(*ways).argv(tmp_path)) as it:
        it.wait_for(READY)
        it.type_line("hello")
        it.wait_for("busy")
        found = left.wait_for(*ways)
        if way == "quit":
            it.leave()
            it.wait_until(lambda: it.process.poll() is not None or "Leave" in it.text, "end")
            it.send("y")
            assert it.wait_for_exit() == 0
        elif way == "hang up":
            it.hang_up()
            it.process.wait()
        else:
            it.process.kill()
            it.process.wait()
        wait_until(lambda: [pid for pid in found if alive(pid)] == [])
