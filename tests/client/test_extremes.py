"""Agents that send too much, too deep or too odd: memory stays bounded, the next prompt works."""

import gc
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from copy import deepcopy
from ctypes import CDLL
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.client import Client
from acp_tui.client.launch import Launch
from acp_tui.client.terminals import MOST_TERMINALS
from acp_tui.config.limits import Limits
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.wire_events import Unreadable
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.recordings.recording import read_events
from acp_tui.state.commands import Cancel, OpenSession, Restart
from acp_tui.state.entries import RawEntry, ToolCallEntry
from acp_tui.state.fold import replay_events
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, alive, hosting, running

pytestmark = pytest.mark.anyio

MIB = 2**20
SECONDS = 60.0
STATM = Path("/proc/self/statm")


class Bystander(Host):
    """A host that keeps no record, so that its memory is the client's alone."""

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self.client = Client(launch, tap=lambda _: None, make_gatekeeper=Interceptor)
        self.client.listen(lambda _, __: self._moved.set())


@asynccontextmanager
async def watching(argv: list[str], cwd: Path) -> AsyncIterator[Bystander]:
    host = Bystander(Launch(tuple(argv), str(cwd)))
    async with running(host):
        yield host


@contextmanager
def growing_by_less_than(most: int) -> Iterator[None]:
    """See that this process has not so many MiB of memory more afterwards (Linux only)."""

    def resident() -> int:
        gc.collect()
        if sys.platform == "linux":
            CDLL(None).malloc_trim(0)  # what is free is not held: tests before this one left holes
        return int(STATM.read_text().split()[1]) * 4096 // MIB if STATM.exists() else 0

    before = resident()
    yield
    assert resident() - before < most


async def two_turns(host: Host) -> None:
    """A turn, and the next one works too."""
    await host.opened()
    host.prompt("one")
    await host.until(lambda: len(host.ends) == 1, SECONDS)
    host.prompt("two")
    await host.until(lambda: len(host.ends) == 2, SECONDS)
    assert [one.stop_reason for one in host.ends] == ["end_turn"] * 2


def update(**fields: Any) -> str:
    """The line of an update."""
    params = {"sessionId": "s1", "update": fields}
    return json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}) + "\n"


FLOODS = {
    "1 GB of stderr": Script().handshake().prompt().stderr("x" * 65536, times=16_384),
    "lines of stderr": Script().handshake().prompt().stderr("word word word\n" * 4096, times=256),
    "noise": Script().handshake().prompt().raw((b"x" * 1023 + b"\n") * 64, times=2048),
    "a line past the limit": Script()
    .handshake()
    .prompt()
    .raw(b"x" * 65536, times=300 * 16)
    .raw(b"\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
async def test_a_flood_costs_no_memory_and_holds_up_nobody(tmp_path: Path, flood: str) -> None:
    script = deepcopy(FLOODS[flood]).end_turn().prompt().end_turn()
    async with watching(script.argv(tmp_path), tmp_path) as host:
        with growing_by_less_than(30):
            await two_turns(host)
    Played(tmp_path).check()


@pytest.mark.slow
async def test_a_line_of_200_megabytes_is_answered_with_an_error(tmp_path: Path) -> None:
    content = {"type": "text", "text": "RAW"}
    line = update(sessionUpdate="agent_message_chunk", content=content).encode()
    begin, _, end = line.partition(b"RAW")
    script = Script().handshake().prompt().raw(begin).raw(b"word " * 2000, times=20_000)
    script.raw(end).end_turn().prompt().end_turn()
    async with watching(script.argv(tmp_path), tmp_path) as host:
        with growing_by_less_than(300):
            await two_turns(host)
    (refused,) = (one for one in Played(tmp_path).messages if "error" in one)
    assert (refused["id"], refused["error"]["code"]) == (None, -32700)
    assert "longer than the 16 MiB" in refused["error"]["message"]


async def test_what_is_too_long_for_a_line_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("word " * (4 * MIB))
    params = {"sessionId": "s1", "path": f"{tmp_path}/a.txt"}
    script = Script().handshake().prompt().request("fs/read_text_file", params, save="r")
    script.expect_answer("r", error={"code": -32603}).end_turn().prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        host.prompt("word " * (4 * MIB))
        await host.until(lambda: host.notices)
        assert "The prompt is too long: 20," in str(host.notices[0].description)
        await host.turn()
        assert replay_events(read_events(host.records)) == host.state
    Played(tmp_path).check()


def frame(raw_input: str) -> bytes:
    """An update with this JSON in it."""
    line = update(sessionUpdate="tool_call", toolCallId="t", title="T", rawInput="RAW")
    return line.replace('"RAW"', raw_input).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    "odd",
    [
        "NaN",
        "-Infinity",
        "1e999999",
        "9" * 5000,
        "-0.0",
        '{"a":1,"a":2}',
        '"\\ud800 \\udfff\\ud800"',
        '"\\u0000"',
        '"\ud800"',
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        json.dumps({f"k{n}": n for n in range(20_000)}),
    ],
    ids=lambda odd: odd[:12],
)
async def test_odd_values_end_nothing(tmp_path: Path, odd: str) -> None:
    script = Script().handshake().prompt().raw(frame(odd)).chunk("after").end_turn()
    async with hosting(script.prompt().end_turn().argv(tmp_path), tmp_path) as host:
        await two_turns(host)
        assert host.said == "after"
        calls = [one for one in host.entries if isinstance(one, ToolCallEntry)]
        unread = [one for one in host.entries if isinstance(one, RawEntry)]
        refused = [one for one in host.problems if isinstance(one, Unreadable)]
        assert len(calls) + len(unread) + len(refused) == 1


@pytest.mark.parametrize("levels", [180, 300, 100_000])
async def test_a_request_however_deep_is_answered(tmp_path: Path, levels: int) -> None:
    (tmp_path / "a.txt").write_text("hello")
    body = {
        "jsonrpc": "2.0",
        "id": "deep",
        "method": "fs/read_text_file",
        "params": {"sessionId": "s1", "path": f"{tmp_path}/a.txt", "_meta": {"deep": "RAW"}},
    }
    line = json.dumps(body).replace('"RAW"', '{"a":[' * (levels // 2) + "]}" * (levels // 2))
    script = Script().handshake().prompt().raw(f"{line}\n".encode())
    script.end_turn().prompt().end_turn()

    def answers() -> list[Any]:
        sent = [one for one in host.records if isinstance(one, Frame) and one.direction == "out"]
        return [
            json.loads(one.raw)
            for one in sent
            if b'"id":"deep"' in one.raw or b'"id":null' in one.raw
        ]

    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await two_turns(host)
        await host.until(answers)
        refused = [one for one in host.problems if isinstance(one, Unreadable)]
        assert len(refused) == (levels > 200)
    (answer,) = answers()
    if levels < 200:
        assert answer["result"] == {"content": "hello"}
    else:
        told = "nested deeper than the 200 levels that are read"
        assert answer["error"] == {"code": -32700, "message": told}


@pytest.mark.slow
async def test_ten_thousand_requests_at_once_get_one_answer_each(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    script = Script().handshake().prompt()
    for number in range(10_000):
        params = {"sessionId": "s1", "path": f"{tmp_path}/a.txt"}
        script.request("fs/read_text_file", params, save=f"r{number}", id=number)
    for number in range(10_000):  # in any order
        script.expect_answer(f"r{number}", timeout=SECONDS)
    script.end_turn().prompt().end_turn()
    async with watching(script.argv(tmp_path), tmp_path) as host:
        with growing_by_less_than(150):
            await two_turns(host)
    answers = [one for one in Played(tmp_path).messages if "method" not in one]
    assert sorted(one["id"] for one in answers) == list(range(10_000))
    assert all(one["result"] == {"content": "hello"} for one in answers)


@pytest.mark.slow
async def test_a_thousand_terminals_at_once_are_refused_past_the_limit(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for number in range(1000):
        params = {"sessionId": "s1", "command": "sleep", "args": ["63"]}
        script.request("terminal/create", params, save=f"c{number}")
    for number in range(1000):
        script.expect_answer(f"c{number}", timeout=SECONDS)
    argv = script.end_turn().prompt().end_turn().argv(tmp_path)
    async with watching(argv, tmp_path) as host:
        await two_turns(host)
        assert host.client._connection is not None
        terminals = list(host.client._connection.services.terminals._terminals.values())
        assert len(terminals) == MOST_TERMINALS
    answers = [one for one in Played(tmp_path).messages if "method" not in one]
    refusals = [one["error"]["message"] for one in answers if "error" in one]
    assert len(refusals) == 1000 - MOST_TERMINALS
    assert "which is the limit; release some first" in refusals[0]
    assert not any(alive(terminal.group.pid) for terminal in terminals)


DEATHS: dict[str, tuple[dict[str, Any], Script]] = {
    "during a permission": ({}, Script().handshake().prompt().ask_permission()),
    "in mid-terminal": (
        {},
        Script()
        .handshake()
        .prompt()
        .request("terminal/create", {"sessionId": "s1", "command": "sleep", "args": ["62"]})
        .expect_answer("create"),
    ),
    "during the set-up": ({}, Script().initialize().expect("session/new")),
    "during a load": (
        {"opening": OpenSession("s1")},
        Script()
        .initialize({"agentCapabilities": {"loadSession": True}})
        .expect("session/load")
        .chunk("so far"),
    ),
}


@pytest.mark.parametrize("death", DEATHS)
async def test_whenever_it_dies_all_that_waits_ends_and_a_restart_works(
    tmp_path: Path, death: str
) -> None:
    launch, script = DEATHS[death]
    again = Script("s2").initialize({"agentCapabilities": {"loadSession": bool(launch)}})
    if launch:
        again.expect("session/load").reply("load").update("session_info_update", title="x")
        again.session_id = "s1"
    else:
        again.new_session()
    argv = deepcopy(script).kill().argv(tmp_path, again.prompt().chunk("back").end_turn())
    async with hosting(argv, tmp_path, **launch) as host:
        if not launch and death != "during the set-up":
            await host.opened()
            host.prompt()
        await host.until(lambda: host.state.peer.process.exit)
        assert host.state.peer.process.exit is not None
        assert host.state.peer.process.exit.signal == signal.SIGKILL.name
        assert not host.state.calls
        assert not host.state.waiting_permissions()
        assert all(session.turn is None for session in host.state.sessions.values())
        host.do(Restart())
        await host.until(
            lambda: host.state.peer.process.exit is None and host.state.peer.initialized
        )
        await host.opened()
        host.prompt("again")
        await host.until(lambda: "back" in host.said)


async def test_what_is_never_answered_is_ended_by_a_restart(tmp_path: Path) -> None:
    silent = Script().handshake().prompt().expect("session/cancel").chunk("heard")
    later = Script("s2").handshake().prompt().end_turn()
    async with hosting(silent.argv(tmp_path, later), tmp_path) as host:
        await host.opened()
        host.prompt()
        host.do(Cancel("s1"))
        await host.until(lambda: host.said == "heard")
        turn = host.session.turn
        assert turn is not None
        assert turn.cancelled is not None
        host.do(Restart())
        await host.turn_ended()
        assert host.ends[0].lost is not None
        await host.turn("again")


async def test_no_answer_to_a_new_session_is_told(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = Script().initialize().expect("session/new").until(gate)
    script.reply("new", {"sessionId": "s1"})
    async with hosting(script.argv(tmp_path), tmp_path, limits=Limits(new=0.2)) as host:
        await host.until(lambda: host.state.peer.trouble)
        assert host.state.peer.trouble == "no answer to session/new within 0.2 s"
        gate.touch()
        await host.opened()  # a late one still counts


async def test_a_clock_that_jumps_back_ends_nothing(tmp_path: Path) -> None:
    """Times come from a monotonic clock; even so, nothing may rest on their order."""
    times = iter(range(1_000_000, 0, -1))
    script = Script().handshake().prompt().chunk("x").end_turn().prompt().end_turn()
    host = Host(Launch(tuple(script.argv(tmp_path)), str(tmp_path)))
    host.client._core.clock = lambda: float(next(times))
    async with running(host):
        await two_turns(host)


@pytest.mark.parametrize("is_added", [False, True])
async def test_a_folder_whose_name_no_json_holds_is_not_sent(
    is_added: bool, tmp_path: Path
) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    extra = {"additional_directories": (str(odd),)} if is_added else {}
    offered = {"sessionCapabilities": {"additionalDirectories": {}}}
    script = Script().initialize({"agentCapabilities": offered})
    async with hosting(script.argv(tmp_path), tmp_path if is_added else odd, **extra) as host:
        await host.until(lambda: host.state.notices)
        (notice,) = host.state.notices
        assert "isn't UTF-8, and JSON can't hold it" in (notice.description or "")
    assert Played(tmp_path).calls("session/new") == []
