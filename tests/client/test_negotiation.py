"""Agents that don't know the version that they are asked in: what is said, and what is tried next."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.limits import Limits
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import Negotiating, ProcessStarted
from acp_tui.state.peer import Phase
from tests.examples import parametrize
from tests.hosting import Host, hosting

pytestmark = pytest.mark.anyio

AGENT = """
import json, sys

first = {first!r}
for line in sys.stdin:
    call = json.loads(line)
    answer = {{"jsonrpc": "2.0", "id": call["id"]}}
    if call["method"] == "initialize":
        if "clientCapabilities" in call["params"]:
            answer["result"] = {{"protocolVersion": 1, "agentCapabilities": {{}}}}
        elif first == "die":
            sys.exit(3)
        elif first == "hang":
            continue
        else:
            answer |= first
    else:
        answer["result"] = {{"sessionId": "s1"}}
    print(json.dumps(answer), flush=True)
"""
IN_1: dict[str, Any] = {"protocolVersion": 1, "agentCapabilities": {}}
IN_2: dict[str, Any] = {
    "protocolVersion": 2,
    "info": {"name": "two", "version": "1"},
    "capabilities": {"session": {}},
}


def failing(code: int, data: Any = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": "no", "data": data}}


def agent(folder: Path, first: Any) -> list[str]:
    """An agent that does this when it is asked in version 2, and knows version 1 well."""
    path = folder / "agent.py"
    path.write_text(AGENT.format(first=first))
    return [sys.executable, str(path)]


def asked(host: Host) -> list[list[str]]:
    """The names in the params of each `initialize` that was sent."""
    sent = [
        json.loads(one.raw)
        for one in host.records
        if isinstance(one, Frame) and one.direction is Direction.OUT
    ]
    return [sorted(one["params"]) for one in sent if one["method"] == "initialize"]


FORM_1 = ["clientCapabilities", "clientInfo", "protocolVersion"]
FORM_2 = ["capabilities", "info", "protocolVersion"]
UNABLE = [
    {"result": IN_1},
    {"result": {**IN_1, "protocolVersion": 2}},
    {"result": {**IN_2, "protocolVersion": 3}},
    {"result": None},
    failing(-32022, {"requested": 2, "supported": [1]}),
    failing(-32022),
    failing(-32600),
    failing(-32602),
    "die",
    "hang",
]
ABLE = [
    {"result": IN_2},
    {"result": {**IN_2, "protocolVersion": "2"}},
    {"result": {**IN_1, **IN_2}},
]


@pytest.mark.check(102)
@parametrize(3, "first", UNABLE, ids=str)
async def test_an_agent_that_knows_only_version_1_is_asked_again_in_it(
    tmp_path: Path, first: Any
) -> None:
    limits = Limits(initialize=2.0 if first == "hang" else 60.0)
    argv = agent(tmp_path, first)
    async with hosting(argv, tmp_path, protocol="auto", limits=limits) as host:
        seen: list[Phase] = []
        host.client.listen(lambda *_: seen.append(host.state.peer.phase))
        await host.until(host.state.open_sessions)
        assert host.state.peer.version == 1
        assert asked(host) == [FORM_2, FORM_1]
        assert not {Phase.FAILED, Phase.EXITED} & set(seen)
        [notice] = [one for one in host.state.notices if "version 1 of ACP" in one.title]
        assert "\n" not in notice.title
        assert sum(isinstance(one, ProcessStarted) for one in host.events) == 2
        assert sum(isinstance(one, Negotiating) for one in host.events) == 1


@pytest.mark.check(101)
@pytest.mark.parametrize("first", ABLE, ids=str)
async def test_an_agent_that_knows_version_2_is_asked_once(tmp_path: Path, first: Any) -> None:
    async with hosting(agent(tmp_path, first), tmp_path, protocol="auto") as host:
        await host.until(host.state.open_sessions)
        assert host.state.peer.version == 2
        assert asked(host) == [FORM_2]


@pytest.mark.check(104)
@parametrize(2, "first", UNABLE[:8], ids=str)
async def test_where_only_version_2_is_wanted_the_way_to_version_1_is_named(
    tmp_path: Path, first: Any
) -> None:
    async with hosting(agent(tmp_path, first), tmp_path, protocol="2") as host:
        await host.until(lambda: host.state.peer.trouble)
        assert "--protocol auto" in (host.state.peer.trouble or "")
        assert asked(host) == [FORM_2]


@pytest.mark.check(103)
async def test_version_1_is_asked_in_its_own_form_only(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path, {"result": IN_2}), tmp_path) as host:
        await host.until(host.state.open_sessions)
        assert asked(host) == [FORM_1]


@pytest.mark.check(105)
async def test_in_version_2_no_files_and_no_commands_of_ours_are_served(tmp_path: Path) -> None:
    async with hosting(agent(tmp_path, {"result": IN_2}), tmp_path, protocol="2") as host:
        await host.until(host.state.open_sessions)
        offered = host.client._core.capabilities
        assert not offered.fs.read_text_file
        assert not offered.fs.write_text_file
        assert not offered.terminal


async def test_a_command_that_cannot_be_started_is_not_tried_again(tmp_path: Path) -> None:
    async with hosting([str(tmp_path / "none")], tmp_path, protocol="auto") as host:
        await host.until(lambda: host.state.peer.trouble)
        assert host.state.peer.phase is Phase.FAILED
        assert not [one for one in host.state.notices if "version 1" in one.title]
