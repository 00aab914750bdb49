"""How an agent ends, by itself and when we leave; and what it must not end."""

from pathlib import Path

import pytest

from tests.fake_agent.script import Played, Script
from tests.hosting import alive, run_turn, wait_until


@pytest.mark.check(41)
@pytest.mark.parametrize(
    ("script", "how"),
    [
        (Script().handshake().prompt().stderr("no more tea\n").exit(1), "code 1"),
        (Script().handshake().prompt().stderr("no more tea\n").exit(0), "code 0"),
        (Script().handshake().prompt().stderr("no more tea\n").kill(), "SIGKILL"),
    ],
)
def test_an_agent_that_dies_in_a_turn_is_told_of(tmp_path: Path, script: Script, how: str) -> None:
    ran = run_turn(argv=script.argv(tmp_path))
    assert ran.code == 1
    assert how in ran.err
    assert "no more tea" in ran.err


@pytest.mark.check(55)
def test_a_refusal_is_said_to_drop_what_it_refused(tmp_path: Path) -> None:
    """What was refused won't be included in the next prompt; this should be reflected."""
    ran = run_turn(argv=Script().handshake().prompt().end_turn("refusal").argv(tmp_path))
    assert ran.code == 4
    assert "dropped from the conversation" in ran.err


@pytest.mark.check(42)
def test_a_flood_on_stderr_blocks_nothing(tmp_path: Path) -> None:
    script = Script().handshake().prompt().stderr("x" * 1023 + "\n", times=2048)
    ran = run_turn(argv=script.chunk("dry").end_turn().argv(tmp_path))
    assert ran.code == 0
    assert ran.out == "dry\n"
    Played(tmp_path).check()


@pytest.mark.check(43)
def test_who_stays_is_terminated_then_killed_with_all_it_started(tmp_path: Path) -> None:
    script = Script().handshake().prompt().spawn_grandchild(ignores_sigterm=True)
    script.ignore_eof().ignore_sigterm().end_turn().expect_eof()
    assert run_turn(argv=script.argv(tmp_path)).code == 0
    played = Played(tmp_path)
    assert played.grandchildren
    for pid in (played.pid, *played.grandchildren):
        wait_until(lambda pid=pid: not alive(pid))


@pytest.mark.check(43)
def test_who_leaves_at_the_end_of_its_input_is_not_killed(tmp_path: Path) -> None:
    script = Script().handshake().prompt().end_turn().expect_eof()
    assert run_turn(argv=script.argv(tmp_path)).code == 0
    Played(tmp_path).check()
