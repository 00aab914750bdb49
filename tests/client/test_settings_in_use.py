"""Settings that a person changes while the agent runs hold from then on."""

from pathlib import Path

import pytest

from acp_tui.client.launch import SpanExport
from acp_tui.state.commands import ListSessions, UseSetting
from tests.client.test_deadlines import OFFERED, told
from tests.client.test_restarts import starts
from tests.fake_agent.script import Script
from tests.hosting import hosting

pytestmark = pytest.mark.anyio


async def test_a_limit_holds_for_what_is_asked_next(tmp_path: Path) -> None:
    script = Script().handshake(OFFERED).expect("session/list").prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.opened()
        host.do(UseSetting("limits.list", 0.2))
        host.do(ListSessions())
        await host.until(lambda: told(host))
        assert told(host) == ["no answer to session/list within 0.2 s"]


async def test_an_agent_that_fails_is_started_again_once_that_is_wanted(tmp_path: Path) -> None:
    again = Script("s2").handshake()
    argv = Script().handshake().prompt().kill().argv(tmp_path, again)
    async with hosting(argv, tmp_path) as host:
        await host.opened()
        host.do(UseSetting("restart.first_wait", 0.02))
        host.do(UseSetting("restart.when", "on-failure"))
        assert (await host.turn()).lost is not None
        await host.until(lambda: starts(host) == 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("limits.list", "soon"), ("limits.list", -1.0), ("restart.most", 0), ("files.changed", "x")],
)
async def test_what_is_no_value_is_told_and_changes_nothing(
    tmp_path: Path, name: str, value: str | float
) -> None:
    async with hosting(Script().handshake().argv(tmp_path), tmp_path) as host:
        before = host.client._core.launch
        host.do(UseSetting(name, value))
        assert host.client._core.launch == before
        assert told(host) == [f"{name} can't be {value!r}"]


async def test_an_export_that_cannot_begin_is_told_and_ends_nothing(tmp_path: Path) -> None:
    def refuse(_: bool) -> None:
        raise ValueError("OTEL_BSP_MAX_QUEUE_SIZE must be positive")

    argv = Script().handshake().prompt().chunk("fine").end_turn().argv(tmp_path)
    async with hosting(argv, tmp_path, export=SpanExport(use=refuse)) as host:
        await host.opened()
        host.do(UseSetting("otel", True))
        assert told(host) == ["otel can't be used"]
        assert (await host.turn()).lost is None
