"""The inspector and a replay in the whole program, on a terminal."""

from pathlib import Path

import pytest

from tests.e2e.terminal import ESCAPE, terminal

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

F12 = "\x1b[24~"
FAST = {"ACP_DEMO_SPEED": "0"}


def test_the_frames_of_a_live_session_and_then_its_replay(tmp_path: Path) -> None:
    recording = tmp_path / "demo.jsonl"
    with terminal("demo", "--record", str(recording), env=FAST) as it:
        it.wait_for("Ask the agent")
        it.type_line("/noise")
        it.wait_for("Enter send")
        it.send(F12)
        it.wait_for("E8")
        it.send("n")
        it.wait_for("stdout-noise")
        it.send(F12)
        it.wait_for("Ask the agent")
        it.leave()
        assert it.wait_for_exit() == 0
    with terminal("replay", str(recording), "--speed", "50") as it:
        it.wait_for("■ end")
        it.wait_for("/noise")
        it.send(",")
        it.wait_for("paused")
        it.send(F12)
        it.wait_for("E8")
        it.send(ESCAPE)
        it.wait_for("nothing can be sent")
        it.leave()
        assert it.wait_for_exit() == 0
        assert it.processes == []
