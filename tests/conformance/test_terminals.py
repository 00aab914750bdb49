"""Terminals."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.wire_events import Responded
from tests.conformance.conftest import Play
from tests.fake_agent.script import Script
from tests.hosting import alive, wait_until

pytestmark = pytest.mark.anyio


class Terminals(Script):
    """A script that runs commands."""

    def create(self, command: str, *args: str, save: str = "term", **params: Any) -> "Terminals":
        call = {"sessionId": "s1", "command": command, "args": list(args), **params}
        self.request("terminal/create", call, save=save)
        return self.expect_answer(save)

    def call(self, method: str, *, of: str = "term", **wanted: Any) -> "Terminals":
        params = {"sessionId": "s1", "terminalId": f"${{{of}.result.terminalId}}"}
        self.request(f"terminal/{method}", params, save="call")
        return self.expect_answer("call", **wanted)


def terminals() -> Terminals:
    return Terminals().handshake().prompt()


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)


@pytest.mark.check(31)
async def test_create_answers_at_once_and_waiting_blocks_nothing(play: Play, work: Path) -> None:
    """The Client returns a Terminal ID immediately without waiting for completion."""
    (work / "a.txt").write_text("hi")
    script = terminals().create("sleep", "60")
    params = {"sessionId": "s1", "terminalId": "${term.result.terminalId}"}
    script.request("terminal/wait_for_exit", params, save="wait")
    script.request("fs/read_text_file", {"sessionId": "s1", "path": f"{work}/a.txt"}, save="read")
    script.expect_answer("read", result={"content": "hi"})
    script.call("output", result={"truncated": False}).call("kill", result={})
    script.expect_answer("wait", result={"signal": "SIGTERM"})
    async with play(script.end_turn()) as host:
        await host.turn()


@pytest.mark.check(32)
async def test_arguments_environment_and_folder_are_as_given(play: Play, work: Path) -> None:
    """command, args, env (a list of names and values) and cwd are those of the process."""
    (work / "sub").mkdir()
    code = "import os, sys; print(sys.argv[1:], os.environ['X'], os.getcwd(), os.environ['PATH'])"
    env = [{"name": "X", "value": "a b=c"}]
    script = terminals().create(
        *python(code), "two words", "$HOME;*", env=env, cwd=f"{work.resolve()}/sub"
    )
    output = f"['two words', '$HOME;*'] a b=c {work.resolve()}/sub {os.environ['PATH']}\n"
    script.call("wait_for_exit", result={"exitCode": 0})
    script.call("output", result={"output": output, "truncated": False})
    script.create("pwd", save="here").call("wait_for_exit", of="here")
    script.call("output", of="here", result={"output": f"{work.resolve()}\n"})
    async with play(script.end_turn()) as host:
        await host.turn()


@pytest.mark.check(33)
async def test_the_output_limit_keeps_the_end_at_a_character_boundary(play: Play) -> None:
    """Truncates from the beginning; the Client MUST ensure truncation happens at a character
    boundary to maintain valid string output.
    """
    script = terminals().create("printf", "%s", "äöüäöüäö€", outputByteLimit=10)
    script.call("wait_for_exit", result={"exitCode": 0})
    script.call("output", result={"output": "üäö€"[-4:], "truncated": True})
    async with play(script.end_turn()) as host:
        await host.turn()


@pytest.mark.check(34, 35)
async def test_the_exit_status_is_there_after_the_exit(play: Play) -> None:
    """exitStatus is present only if the command has exited; a signal is told by its name."""
    script = terminals().create("sleep", "60").call("output", result={})
    script.call("kill", result={}).call("wait_for_exit", result={"signal": "SIGTERM"})
    script.call("output", result={"output": "", "exitStatus": {"signal": "SIGTERM"}})
    script.create("sh", "-c", "exit 3", save="three").call("wait_for_exit", of="three")
    script.call("output", of="three", result={"output": "", "exitStatus": {"exitCode": 3}})
    async with play(script.end_turn()) as host:
        await host.turn()
        outputs = [
            event.raw
            for event in host.events
            if isinstance(event, Responded) and event.request.method == "terminal/output"
        ]
        before, after, _ = outputs
        assert before.get("exitStatus") is None
        assert after["exitStatus"].get("exitCode") is None


@pytest.mark.check(35)
async def test_release_kills_and_forgets(play: Play, tmp_path: Path) -> None:
    """terminal/release kills the command if it is still running; the id becomes invalid for all
    other terminal/* methods.
    """
    script = terminals().create("sh", "-c", f"sleep 60 & echo $! > {tmp_path}/pid; wait")
    while_not = f"until [ -s {tmp_path}/pid ]; do sleep 0.01; done"
    script.create("sh", "-c", while_not, save="ready").call("wait_for_exit", of="ready")
    script.call("release", result={})
    for method in ("output", "wait_for_exit", "kill", "release"):
        script.call(method, error={"code": -32602})
    async with play(script.end_turn()) as host:
        await host.turn()
        pid = int((tmp_path / "pid").read_text())
        wait_until(lambda: not alive(pid))


@pytest.mark.check(63)
async def test_what_a_released_terminal_printed_stays_in_sight(play: Play) -> None:
    """The Client SHOULD continue to display its output after release."""
    script = terminals().create("echo", "steeped").call("wait_for_exit", result={"exitCode": 0})
    async with play(script.call("release", result={}).end_turn()) as host:
        await host.turn()
        (terminal,) = host.state.terminals.values()
        assert terminal.output == b"steeped\n"


async def test_what_cannot_run_is_an_error(play: Play) -> None:
    """A command that can't be started, or a relative folder, fails with a reason."""
    script = terminals()
    for params in ({"command": "no-such-command", "args": ["x"]}, {"command": "true", "cwd": "x"}):
        script.request("terminal/create", {"sessionId": "s1", **params}, save="bad")
        script.expect_answer("bad", error={"code": -32602})
    script.request("terminal/create", {"sessionId": "other", "command": "true"}, save="bad")
    script.expect_answer("bad", error={"code": -32602})
    async with play(script.end_turn()) as host:
        await host.turn()
