"""Agents that fail: the client says how, loses nothing, and can start them again."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from acp_tui.client.connection import requests
from acp_tui.client.launch import Launch
from acp_tui.client.process import carrier
from acp_tui.config.limits import Limits
from acp_tui.host import hosts as host_module
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import OwnFault
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.commands import Cancel, Restart, SendPrompt
from acp_tui.state.entries import MessageEntry, NoticeEntry
from acp_tui.state.peer import Phase
from tests.fake_agent.script import Played, Script
from tests.hosting import alive, eventually, hosting

pytestmark = pytest.mark.anyio


async def trouble(argv: list[str], cwd: Path, **launch: Any) -> str:
    """What is said of an agent that can't be used."""
    async with hosting(argv, cwd, **launch) as host:
        await host.until(lambda: host.state.peer.trouble)
        assert host.state.peer.phase in (Phase.FAILED, Phase.EXITED)
        return host.state.peer.trouble or ""


async def test_a_missing_command_is_named(tmp_path: Path) -> None:
    assert "'no-such-agent': no such command" in await trouble(["no-such-agent"], tmp_path)


async def test_a_file_that_is_not_executable_is_named(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\n")
    assert "chmod +x" in await trouble([f"{tmp_path}/agent"], tmp_path)


async def test_an_exit_at_once_keeps_the_code_and_stderr(tmp_path: Path) -> None:
    code = "import sys; print('no API key', file=sys.stderr); sys.exit(7)"
    async with hosting([sys.executable, "-S", "-c", code], tmp_path) as host:
        await host.until(lambda: host.state.peer.process.exit)
        peer = host.state.peer
        assert peer.phase is Phase.EXITED
        assert peer.process.exit is not None
        assert (peer.process.exit.code, peer.process.exit.asked) == (7, False)
        assert list(peer.output.stderr) == ["no API key"]


async def test_no_answer_to_initialize_is_told_and_a_late_one_still_counts(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = Script().expect("initialize").until(gate)
    script.reply("initialize", {"protocolVersion": 1})
    async with hosting(
        script.new_session().argv(tmp_path), tmp_path, limits=Limits(initialize=0.2)
    ) as host:
        await host.until(lambda: host.state.peer.trouble)
        assert host.state.peer.trouble == "no answer to initialize within 0.2 s"
        assert host.state.peer.phase is Phase.FAILED
        gate.touch()
        await host.opened()
        assert host.state.peer.phase is Phase.CONNECTED


async def test_an_error_to_initialize_ends_the_agent_and_is_told(tmp_path: Path) -> None:
    error = {"code": -32603, "message": "broken", "data": {"details": "no config file"}}
    script = Script().expect("initialize").reply("initialize", error=error).expect_eof()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.until(lambda: host.state.peer.process.exit)
        assert "broken" in (host.state.peer.trouble or "")
        assert "no config file" in (host.state.peer.trouble or "")
    Played(tmp_path).check()


@pytest.mark.parametrize(
    ("script", "lost"),
    [
        (Script().handshake().prompt().chunk("half").exit(0), "exited with code 0"),
        (Script().handshake().prompt().chunk("half").exit(9), "exited with code 9"),
        (Script().handshake().prompt().chunk("half").raw(b'{"jsonrpc').kill(), "SIGKILL"),
        (Script().handshake().prompt().chunk("half").kill(signal.SIGSEGV), "SIGSEGV"),
        (Script().handshake().prompt().chunk("half").close_stdout(), "closed its output"),
    ],
)
async def test_a_turn_ends_with_its_agent(tmp_path: Path, script: Script, lost: str) -> None:
    async with hosting(script.tool_call().argv(tmp_path), tmp_path) as host:
        end = await host.turn()
        assert end.lost is not None
        assert lost in end.lost
        assert host.said == "half"
        assert not host.state.calls


async def test_the_rest_of_a_line_cut_by_death_is_kept(tmp_path: Path) -> None:
    script = Script().handshake().raw(b'{"jsonrpc": "2.0", "meth').kill()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.until(lambda: host.state.peer.process.exit)
        (problem,) = host.problems
        assert "mid-line" in problem.reason
        assert problem.excerpt == '{"jsonrpc": "2.0", "meth'


async def test_without_an_agent_a_prompt_is_refused_in_the_transcript(tmp_path: Path) -> None:
    async with hosting(Script().handshake().exit(3).argv(tmp_path), tmp_path) as host:
        await host.until(lambda: host.state.peer.process.exit)
        host.do(SendPrompt("s1", (TextContent(text="at once"),)))
        await eventually(lambda: host.client._carrier is None)
        host.do(SendPrompt("s1", (TextContent(text="later"),)))
        assert [(one.title, one.severity) for one in host.notices] == [("Not sent", "error")] * 2


async def test_with_closed_output_a_prompt_is_refused(tmp_path: Path) -> None:
    script = Script().handshake().close_stdout()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.until(lambda: host.state.peer.output.stdout_closed)
        assert host.state.peer.trouble == "the agent closed its output but still runs"
        host.do(SendPrompt("s1", (TextContent(text="anybody?"),)))
        (notice,) = host.notices
        assert notice.description == "The agent has closed its output."
    assert Played(tmp_path).calls("session/prompt") == []


async def test_an_agent_that_closed_its_output_is_ended_and_started_again(tmp_path: Path) -> None:
    first, second = Script().handshake().close_stdout(), Script("s2").handshake().prompt()
    async with hosting(first.argv(tmp_path, second.end_turn()), tmp_path) as host:
        await host.until(lambda: host.state.peer.output.stdout_closed)
        pid = Played(tmp_path).pid
        host.do(Restart())
        await host.until(lambda: "s2" in host.state.sessions and host.session.opened)
        assert not alive(pid)
        assert (await host.turn()).stop_reason == "end_turn"


async def test_a_restart_goes_on_in_the_same_transcript(tmp_path: Path) -> None:
    first = Script().handshake().prompt().chunk("one").end_turn().exit(1)
    second = Script("s2").handshake().prompt().chunk("two").end_turn()
    async with hosting(first.argv(tmp_path, second), tmp_path) as host:
        await host.turn("first")
        await host.until(lambda: host.state.peer.process.exit)
        host.do(Restart())
        await host.opened()
        await host.turn("second")
        assert list(host.state.sessions) == ["s2"]
        texts = [
            one.text if isinstance(one, MessageEntry) else one.title
            for one in host.entries
            if isinstance(one, MessageEntry | NoticeEntry)
        ]
        assert texts == ["first", "one", "A new session begins here", "second", "two"]
    Played(tmp_path).check()
    Played(tmp_path, run=2).check()


async def test_a_restart_ends_what_still_runs(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(carrier, "EXIT_TIMEOUT", 0.1)
    stuck = Script().expect("initialize").spawn_grandchild(ignores_sigterm=True)
    stuck.ignore_eof().ignore_sigterm().stderr("stuck\n")
    async with hosting(stuck.argv(tmp_path, Script().handshake()), tmp_path) as host:
        await host.until(lambda: host.state.peer.output.stderr)
        host.do(Restart())
        host.do(Restart())
        await host.opened()
        old = Played(tmp_path)
        assert not alive(old.pid)
        assert not any(alive(pid) for pid in old.grandchildren)
        assert host.state.peer.process.pid == Played(tmp_path, run=2).pid


async def test_a_restart_after_a_command_that_was_missing(tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    argv = Script().handshake().argv(tmp_path)
    async with hosting([str(agent)], tmp_path) as host:
        await host.until(lambda: host.state.peer.trouble)
        agent.write_text("#!/bin/sh\nexec " + " ".join(argv) + "\n")
        agent.chmod(0o755)
        host.do(Restart())
        await host.opened()
        assert host.state.peer.phase is Phase.CONNECTED


async def test_an_agent_that_stops_reading_is_told_and_blocks_nothing(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(carrier, "STALL", 0.1)
    monkeypatch.setattr(requests, "OUTBOX_LIMIT", 1_000_000)
    script = Script().handshake().stop_reading().chunk("deaf").ignore_eof()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        await host.until(lambda: host.said)
        host.prompt("x" * 2_000_000)
        await host.until(lambda: host.state.peer.stalled)
        assert host.state.peer.waiting > 1_000_000
        host.do(Cancel("s1"))
        host.do(SendPrompt("s1", (TextContent(text="more"),)))
        (notice,) = host.notices
        assert notice.description == "The agent has stopped reading its input."


async def test_two_megabytes_wait_for_an_agent_that_reads_late(tmp_path: Path) -> None:
    script = Script().handshake().chunk("busy").prompt().chunk("read").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        await host.until(lambda: host.said)
        host.prompt("x" * 2_000_000)
        assert host.client._core.requests.link is not None
        assert host.client._core.requests.link.waiting > 2_000_000
        await host.until(lambda: host.state.session("s1").turn is None)
        assert host.client._core.requests.link.waiting == 0
    (prompt,) = Played(tmp_path).calls("session/prompt")
    assert len(prompt["params"]["prompt"][0]["text"]) == 2_000_000


async def test_what_waits_for_an_agent_that_reads_nothing_is_bounded(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(requests, "OUTBOX_LIMIT", 1_000_000)
    (tmp_path / "big.txt").write_text("x" * 900_000)
    asked = {
        "jsonrpc": "2.0",
        "method": "fs/read_text_file",
        "params": {"sessionId": "s1", "path": str(tmp_path / "big.txt")},
    }
    lines = [json.dumps({**asked, "id": number}) + "\n" for number in range(20)]
    at_once = "".join(lines).encode()  # none is begun any more once answers to others wait
    script = Script().handshake().stop_reading().raw(at_once).ignore_eof()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()

        def answers() -> list[Responded]:
            found = [one for one in host.events if isinstance(one, Responded)]
            return [one for one in found if one.request.method == "fs/read_text_file"]

        await host.until(lambda: len(answers()) == 20)
        refused = [one.error for one in answers() if one.error is not None]
        assert len(refused) == 18
        assert "read your input" in refused[0].message


@pytest.mark.slow
async def test_a_flood_of_stderr_blocks_nothing_and_is_bounded(tmp_path: Path) -> None:
    script = Script().handshake().prompt().stderr("noise\n" * 1000, times=100).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        assert (await host.turn()).stop_reason == "end_turn"
        await host.until(lambda: len(host.state.peer.output.stderr) == 500)


async def test_leaving_leaves_nothing_behind(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(carrier, "EXIT_TIMEOUT", 0.1)
    script = Script().handshake().ignore_eof().ignore_sigterm().spawn_grandchild()
    script.spawn_grandchild(ignores_sigterm=True, holds_stdout=True).prompt()
    script.request("terminal/create", {"sessionId": "s1", "command": "sleep", "args": ["61"]})
    script.expect_answer("create").chunk("ready")
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.said)
        terminals = (
            host.client._connection.services.terminals._terminals if host.client._connection else {}
        )
        (terminal,) = terminals.values()
        pids = [Played(tmp_path).pid, *Played(tmp_path).grandchildren, terminal.group.pid]
        assert all(alive(pid) for pid in pids)
    assert not any(alive(pid) for pid in pids)


async def test_a_crash_of_ours_leaves_nothing_behind(tmp_path: Path) -> None:
    script = Script().handshake().spawn_grandchild().chunk("ready")

    async def crashing() -> None:
        async with hosting(script.argv(tmp_path), tmp_path) as host:
            await host.until(lambda: host.said)
            raise RuntimeError("a bug")

    with pytest.raises(ExceptionGroup) as crash:
        await crashing()
    assert crash.group_contains(RuntimeError, match="a bug")
    played = Played(tmp_path)
    assert not any(alive(pid) for pid in (played.pid, *played.grandchildren))


async def test_a_fault_of_ours_in_serving_a_request_is_told_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("tea\nfor none")

    monkeypatch.setattr("acp_tui.client.files.text_file.cut_lines", broken)
    (tmp_path / "tea").write_text("green")
    script = Script().handshake().prompt()
    script.request("fs/read_text_file", {"sessionId": "s1", "path": str(tmp_path / "tea")})
    script.expect_answer("read_text_file", error={"code": -32603}).chunk("still here").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn("go")
        assert host.said == "still here"
        (notice,) = host.notices
        assert notice.title == "A bug in acp-tui, in fs/read_text_file"
        (fault,) = [one for one in host.records if isinstance(one, OwnFault)]
        assert fault.error == "ZeroDivisionError: tea\nfor none"
        assert "in broken" in fault.traceback
    Played(tmp_path).check()


async def test_what_breaks_where_nobody_waits_for_it_is_told(tmp_path: Path) -> None:
    def broken() -> None:
        raise ZeroDivisionError("nobody waits")

    script = Script().handshake()
    async with host_module.host_agents() as (hosts, _):
        client = hosts.start(Launch(tuple(script.argv(tmp_path)), str(tmp_path)), None)
        Thread(target=broken, name="of tea").start()
        asyncio.get_running_loop().call_soon(broken)
        await eventually(lambda: len(client.state.notices) >= 2)
        titles = [one.title for one in client.state.notices]
        assert "A bug in acp-tui, in the thread of tea" in titles
        assert any("Exception in callback" in one for one in titles)


async def test_a_grandchild_with_our_pipes_does_not_hide_the_exit(tmp_path: Path) -> None:
    script = Script().handshake().spawn_grandchild(holds_stdout=True).exit(5)
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.until(lambda: host.state.peer.process.exit)
        assert host.state.peer.process.exit is not None
        assert host.state.peer.process.exit.code == 5
        (grandchild,) = Played(tmp_path).grandchildren
        await eventually(lambda: not alive(grandchild))


async def test_the_environment_and_the_folder_reach_the_agent(tmp_path: Path) -> None:
    code = "import json, os, sys; print(json.dumps([os.getcwd(), os.environ['A'], os.environ['HOME']]), file=sys.stderr)"
    argv = [sys.executable, "-S", "-c", code]
    async with hosting(argv, tmp_path, env={"A": "b=c"}) as host:
        await host.until(lambda: host.state.peer.process.exit)
        assert json.loads(host.state.peer.output.stderr[0]) == [
            str(tmp_path.resolve()),
            "b=c",
            os.environ["HOME"],
        ]
