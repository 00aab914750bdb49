"""Several agents side by side, as real processes: each goes its own way, all end."""

import os
from pathlib import Path

import pytest

from acp_tui.client.client import Client
from acp_tui.client.launch import Launch
from acp_tui.client.recorder import recorder_at
from acp_tui.host.hosts import host_agents
from acp_tui.protocol.content import TextContent
from acp_tui.recordings import recording
from acp_tui.state.commands import AnswerPermission, SendPrompt
from acp_tui.state.entries import MessageEntry, Role, TurnEndEntry
from acp_tui.state.fold import replay_events
from acp_tui.state.peer import Phase
from acp_tui.state.state import State
from tests.fake_agent.script import Script
from tests.hosting import alive, eventually

pytestmark = pytest.mark.anyio


def launch(folder: Path, name: str, script: Script) -> Launch:
    (folder / name).mkdir()
    return Launch(tuple(script.argv(folder / name)), os.path.realpath(folder))


def prompt(client: Client) -> None:
    client.do(SendPrompt("s1", (TextContent(text="go"),)))


def said(client: Client) -> str:
    entries = client.state.sessions["s1"].entries
    messages = [one for one in entries if isinstance(one, MessageEntry)]
    return "".join(one.text for one in messages if one.role is Role.AGENT)


def ended(client: Client) -> bool:
    return any(isinstance(one, TurnEndEntry) for one in client.state.sessions["s1"].entries)


def pid(client: Client) -> int:
    assert client.state.peer.process.pid is not None
    return client.state.peer.process.pid


def recorded(path: Path) -> State:
    """What a recording says so far."""
    lines = path.read_text("utf-8").splitlines()
    return replay_events(recording.read_events(recording.read_records(lines)))


async def opened(client: Client) -> None:
    await eventually(lambda: client.state.open_sessions())


def asking(word: str) -> Script:
    script = Script().handshake().prompt().chunk(word).ask_permission()
    return script.expect_answer("ask").chunk(f" {word} again").end_turn().expect_eof()


async def test_both_stream_and_ask_at_once_and_each_has_its_recording(tmp_path: Path) -> None:
    launches = [launch(tmp_path, name, asking(name)) for name in ("tea", "bread")]
    async with host_agents() as (hosts, _):
        clients = []
        for number, one in enumerate(launches):
            clients.append(hosts.start(one, recorder_at(tmp_path / f"{number}.jsonl", one)))
        for client in clients:
            await opened(client)
            prompt(client)
        for client in clients:
            await eventually(client.state.waiting_permissions)
        for client in reversed(clients):
            (permission,) = client.state.waiting_permissions()
            client.do(AnswerPermission(permission.number, "yes"))
            await eventually(lambda client=client: ended(client))
        assert [said(client) for client in clients] == ["tea tea again", "bread bread again"]
        pids = [pid(client) for client in clients]
    assert not any(alive(one) for one in pids)
    for number, client in enumerate(clients):
        assert recorded(tmp_path / f"{number}.jsonl") == client.state


async def test_one_dies_in_its_turn_and_the_other_goes_on(tmp_path: Path) -> None:
    dies = Script().handshake().prompt().chunk("half").exit(7)
    gate = tmp_path / "gate"
    lives = Script().handshake().prompt().chunk("one").until(gate).chunk(" two").end_turn()
    async with host_agents() as (hosts, _):
        dying = hosts.start(launch(tmp_path, "dies", dies), None)
        living = hosts.start(launch(tmp_path, "lives", lives.expect_eof()), None)
        for client in (dying, living):
            await opened(client)
            prompt(client)
        await eventually(lambda: dying.state.peer.phase is Phase.EXITED)
        gate.touch()
        await eventually(lambda: ended(living))
        assert said(dying) == "half"
        assert said(living) == "one two"
        assert living.state.peer.phase is Phase.CONNECTED


async def test_one_is_ended_with_its_recording_while_the_other_stays(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("still here").end_turn().expect_eof()
    ends, stays = launch(tmp_path, "ends", script), launch(tmp_path, "stays", script)
    path = tmp_path / "ends.jsonl"
    async with host_agents() as (hosts, _):
        ending = hosts.start(ends, recorder_at(path, ends))
        staying = hosts.start(stays, None)
        await opened(ending)
        await opened(staying)
        gone = pid(ending)
        hosts.stop(ending)
        await eventually(lambda: not alive(gone))
        await eventually(lambda: ending.state.peer.process.exit and recorded(path) == ending.state)
        prompt(staying)
        await eventually(lambda: ended(staying))


async def test_agents_that_want_to_stay_are_ended_side_by_side(tmp_path: Path) -> None:
    stubborn = Script().handshake().ignore_eof().ignore_sigterm().spawn_grandchild().sleep(60)
    async with host_agents() as (hosts, _):
        clients = [
            hosts.start(launch(tmp_path, f"agent-{number}", stubborn), None) for number in range(4)
        ]
        for client in clients:
            await opened(client)
        pids = [pid(client) for client in clients]
    assert not any(alive(one) for one in pids)
    asked = [client.state.peer.process.exit for client in clients]
    assert all(one is not None and one.asked for one in asked)
