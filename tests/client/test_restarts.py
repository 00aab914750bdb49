"""An agent that fails is started again by itself, where that was asked for, and not for ever."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.limits import Limits
from acp_tui.config.settings import RestartSettings
from acp_tui.protocol.process_events import ProcessStarted, RestartPlanned
from acp_tui.state.commands import Restart, StopRestarting
from tests.fake_agent.script import Played, Script
from tests.hosting import Host, eventually, hosting

pytestmark = pytest.mark.anyio

SOON = RestartSettings(when="on-failure", first_wait=0.02, longest_wait=0.05, most=4)
LATER = RestartSettings(when="on-failure", first_wait=60.0)


def planned(host: Host) -> list[RestartPlanned]:
    return [event for event in host.events if isinstance(event, RestartPlanned)]


def starts(host: Host) -> int:
    return sum(isinstance(event, ProcessStarted) for event in host.events)


@asynccontextmanager
async def failing(argv: list[str], folder: Path, **launch: Any) -> AsyncIterator[Host]:
    """Host an agent that ends; afterwards it is decided whether it is started again."""
    async with hosting(argv, folder, **launch) as host:
        restarts = host.client._restarts
        before = restarts._countdown
        await eventually(lambda: restarts._countdown is not before)
        yield host


async def test_after_a_failure_it_starts_again_and_no_turn_is_sent_again(tmp_path: Path) -> None:
    again = Script("s2").handshake().prompt().chunk("back").end_turn()
    argv = Script().handshake().prompt().kill().argv(tmp_path, again)
    async with hosting(argv, tmp_path, restart=SOON) as host:
        assert (await host.turn("first")).lost is not None
        await host.until(lambda: starts(host) == 2)
        assert host.state.peer.restart.planned is None
        await host.turn("next")
        assert host.session.opening.continues == "s1"
        assert host.said == "back"
    Played(tmp_path, run=2).check()
    assert len(Played(tmp_path, run=2).calls("session/prompt")) == 1


async def test_waits_grow_and_after_too_many_failures_it_is_left_alone(tmp_path: Path) -> None:
    async with hosting(Script().exit(3).argv(tmp_path), tmp_path, restart=SOON) as host:
        await host.until(lambda: host.state.peer.restart.stopped)
        assert host.state.peer.restart.stopped == "4 failures within 300 s"
        assert [event.seconds for event in planned(host)] == [0.02, 0.04, 0.05]
        assert starts(host) == 4
        host.do(Restart())
        await host.until(lambda: len(planned(host)) == 4)
        assert planned(host)[-1].failures == 1  # a person has looked at it


async def test_without_being_asked_for_it_stays_down(tmp_path: Path) -> None:
    async with failing(Script().exit(3).argv(tmp_path), tmp_path) as host:
        assert host.state.peer.process.exit is not None
        assert planned(host) == []


@pytest.mark.parametrize("in_turn", [True, False])
async def test_exit_code_0_is_a_failure_only_in_mid_turn(tmp_path: Path, in_turn: bool) -> None:
    script = Script().handshake()
    argv = (script.prompt() if in_turn else script).exit(0).argv(tmp_path)
    async with hosting(argv, tmp_path, restart=LATER) as host:
        before = host.client._restarts._countdown
        if in_turn:
            await host.turn()
        await eventually(lambda: host.client._restarts._countdown is not before)
        assert (host.state.peer.restart.planned is not None) is in_turn


async def test_a_person_can_stop_it_or_have_it_now(tmp_path: Path) -> None:
    argv = Script().exit(3).argv(tmp_path, Script().handshake())
    async with hosting(argv, tmp_path, restart=LATER) as host:
        host.do(StopRestarting())  # there is nothing to stop yet
        await host.until(lambda: host.state.peer.restart.planned)
        host.do(StopRestarting())
        assert host.state.peer.restart.planned is None
        assert host.state.peer.restart.stopped == "you stopped it"
        host.do(Restart())
        await host.opened()


@pytest.mark.parametrize("trouble", ["closes its output", "never answers"])
async def test_what_lives_on_but_can_do_nothing_is_ended_and_started_again(
    tmp_path: Path, trouble: str
) -> None:
    useless = Script().close_stdout() if trouble == "closes its output" else Script()
    again = Script().handshake().prompt().chunk("back").end_turn()
    argv = useless.ignore_eof().sleep(60).argv(tmp_path, again)
    limits = Limits(initialize=1.0)
    async with hosting(argv, tmp_path, restart=SOON, limits=limits) as host:
        await host.until(lambda: starts(host) == 2)
        assert len(planned(host)) == 1
        await host.turn()
        assert host.said == "back"


async def test_what_cannot_be_started_is_not_tried_again_and_again(tmp_path: Path) -> None:
    async with failing(["no-such-agent"], tmp_path, restart=SOON) as host:
        assert host.state.peer.trouble
        assert planned(host) == []
