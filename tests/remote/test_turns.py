"""Whole turns with an agent over a network, and what the line is told and not told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.client.launch import Launch
from acp_tui.config.remote import Remote
from acp_tui.protocol.events import Disconnected, TransportFact
from acp_tui.session.commands import AnswerPermission
from acp_tui.wire import recording
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, running
from tests.remote.bridge import bridged

pytestmark = pytest.mark.anyio
SECRET = "very-secret-4711"
SCHEMES = ("ws", "http")


@asynccontextmanager
async def reaching(url: str, folder: Path, **launch: Any) -> AsyncIterator[Host]:
    """Reach an agent until the block ends; a replay of what was recorded gives the same state."""
    remote = launch.pop("remote", None) or Remote(url)
    host = Host(Launch((), str(folder), remote=remote, **launch))
    async with running(host):
        yield host
    lines = [recording.header({}), *(recording.dump(record) for record in host.records)]
    assert recording_state(lines) == host.state
    assert SECRET not in "".join(lines)


def recording_state(lines: list[str]) -> Any:
    from acp_tui.session.fold import replay

    return replay(recording.events(recording.load(lines)))


def facts(host: Host) -> list[str]:
    return [event.what for event in host.events if isinstance(event, TransportFact)]


def ends(host: Host) -> list[Disconnected]:
    return [event for event in host.events if isinstance(event, Disconnected)]


def working(session: str = "s1") -> Script:
    script = Script(session).handshake().prompt().ask_permission()
    script.expect_answer("ask", result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    return script.chunk("done ✓").end_turn()


async def allow(host: Host) -> None:
    (permission,) = await host.permission()
    host.do(AnswerPermission(permission.number, "yes"))


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_whole_turn(tmp_path: Path, scheme: str) -> None:
    async with bridged(working().argv(tmp_path), tmp_path) as bridge:
        async with reaching(bridge.url(scheme), tmp_path) as host:
            await host.opened()
            host.prompt()
            await allow(host)
            assert (await host.turn_ended()).stop_reason == "end_turn"
            assert host.said == "done ✓"
            assert "connected: " in facts(host)[0]
            assert "connection-1" in facts(host)[0]
        assert [end.words for end in ends(host)] == ["disconnected: acp-tui ended the connection"]
        assert ends(host)[0].asked
        if scheme == "http":
            assert bridge.seen[-1].method == "DELETE"
    Played(tmp_path).check()
