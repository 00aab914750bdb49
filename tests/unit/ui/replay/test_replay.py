"""A recording played: when records are due, and the app on it."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from textual.pilot import Pilot

from acp_tui.log_files import open_log
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.recordings.recording import format_header, format_record, read_events
from acp_tui.state.fold import replay_events
from acp_tui.ui.app import AcpApp
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.inspector import history
from acp_tui.ui.replay.feature import ReplayFeature, make_replay_app
from acp_tui.ui.replay.player import LONGEST_PAUSE, ReplayPlayer
from tests.hosting import PATIENCE
from tests.unit.ui.app.running import Clock
from tests.unit.ui.inspector.scene import talk
from tests.unit.ui.screens import screen_text
from tests.unit.ui.settling import moment, settled


def started(speed: float = 1.0) -> tuple[ReplayPlayer, Clock]:
    clock = Clock(0.0)
    player = ReplayPlayer(talk().records, clock, speed)
    player.play()
    return player, clock


def run(player: ReplayPlayer, clock: Clock, seconds: float) -> None:
    until = clock.now + seconds
    while (wait := player.wait()) is not None and clock.now + wait <= until:
        clock.now += wait
        player.play()
    clock.now = until


def test_records_come_in_their_own_time() -> None:
    player, clock = started()
    assert player.position == 1
    run(player, clock, 0.055)
    assert player.position == 6
    assert player.time() == pytest.approx(100.055)


def test_long_pauses_are_cut_short() -> None:
    player, clock = started()
    run(player, clock, 1.7)
    assert player.position == 18
    run(player, clock, LONGEST_PAUSE - 0.1)
    assert player.position == 18
    run(player, clock, 0.2)
    assert player.position >= 19


def test_speed() -> None:
    player, clock = started(10.0)
    run(player, clock, 0.17)
    assert player.position == 18
    player.faster()
    assert player.speed == 50.0
    player.slower()
    player.slower()
    assert player.speed == 5.0


def test_what_was_played_need_not_be_gone_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "APART", 4)
    player, clock = started(1000.0)
    run(player, clock, 60)
    assert player.at_end
    assert player.checkpoints.before(19) == 16


def test_in_a_pause_time_stands_still() -> None:
    player, clock = started()
    player.pause()
    assert player.wait() is None
    at = player.time()
    clock.now += 5
    assert player.time() == at
    player.pause()
    assert player.wait() == pytest.approx(0.01)


def test_a_seek_gives_the_state_there() -> None:
    player, _ = started()
    for position in (12, 4, 99):
        player.seek(position)
        while player.wait() == 0.0 and player.goal is not None:
            player.play()
        assert player.history.state == replay_events(read_events(talk().records[:position]))
    assert player.at_end
    assert player.wait() is None


def test_steps_pause() -> None:
    player, _ = started()
    player.step(1)
    player.play()
    assert (player.position, player.paused) == (2, True)
    player.step(-1)
    while (moved := player.play()) == []:
        pass
    assert moved is None
    assert player.position == 1


def test_a_seek_can_be_stopped_and_tells_what_moved_on_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("acp_tui.ui.replay.player.BUDGET", 0.0)
    player, _ = started()
    player.seek(12)
    assert player.play() == player.play() == []
    player.pause()
    assert player.paused
    assert player.wait() is None
    assert player.play()
    assert player.position == 2


def test_at_the_end_space_begins_again() -> None:
    player, clock = started()
    run(player, clock, 60)
    assert player.at_end
    player.pause()
    player.play()
    assert player.position == 0
    assert not player.paused


def app_of(player: ReplayPlayer) -> AcpApp:
    return make_replay_app(player, theme_name="night")


def replay_of(app: AcpApp) -> ReplayFeature:
    replay = app.feature.by_name["replay"]
    assert isinstance(replay, ReplayFeature)
    return replay


def player_of(app: AcpApp) -> ReplayPlayer:
    return replay_of(app).player


@asynccontextmanager
async def playing(speed: float) -> AsyncIterator[tuple[AcpApp, Pilot[None]]]:
    app = app_of(ReplayPlayer(talk().records, time.monotonic, speed))
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        yield app, pilot


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Wait until it is so."""
    with anyio.fail_after(PATIENCE):
        while not holds():
            await moment(pilot)


@pytest.mark.anyio
async def test_the_app_shows_the_recording_as_it_goes_and_goes_back_in_time() -> None:
    async with playing(1000.0) as (app, pilot):
        # It plays faster than it is drawn.
        await until(pilot, lambda: "frame 19 of 19" in screen_text(app) and player_of(app).at_end)
        await until(pilot, lambda: "Again." in screen_text(app))
        screen = screen_text(app)
        assert "Let me see." in screen
        assert "■ end of replay  ━" in screen
        assert "Space play again" in screen
        assert "Enter send" not in screen
        assert "○ idle" in screen
        assert "ready" not in screen
        await pilot.press("comma", "comma", "comma")
        await until(
            pilot, lambda: "Again." not in screen_text(app) and "All done." in screen_text(app)
        )
        assert "Space play " in screen_text(app)
        await pilot.press("full_stop", "full_stop")
        await until(pilot, lambda: "Again." in screen_text(app))
        await pilot.press("g", *"#8", "enter")
        await until(pilot, lambda: player_of(app).position == 9)
        await until(
            pilot, lambda: "filter" not in screen_text(app) and "Space play " in screen_text(app)
        )


@pytest.mark.anyio
async def test_nothing_waits_for_the_person_and_the_prompt_takes_no_rows() -> None:
    player = ReplayPlayer(talk().records, time.monotonic)
    player.paused = True
    player.seek(len(talk().records))
    app = app_of(player)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "○ idle" in screen_text(app))
        assert "ready" not in screen_text(app)
        await until(pilot, lambda: "nothing can be sent" not in screen_text(app))
        transcript = app.conversation.transcript
        await until(pilot, lambda: transcript is not None and transcript.region.bottom == 27)
        replay_of(app).seek(11)
        await until(pilot, lambda: "◆ a question waits" in screen_text(app))


@pytest.mark.anyio
async def test_in_the_inspector_keys_are_the_inspectors_and_nothing_goes_back() -> None:
    async with playing(1000.0) as (app, pilot):
        await until(pilot, lambda: player_of(app).at_end)
        await pilot.press("alt+u")
        await until(pilot, lambda: "a replay can't be rewound" in screen_text(app))
        await pilot.press("f12")
        await until(pilot, lambda: "F12 replay" in screen_text(app))
        position = player_of(app).position
        await pilot.press("full_stop")
        await until(pilot, lambda: " of 19 · 6.7s · Esc now" in screen_text(app))
        assert player_of(app).position == position
        await pilot.press("escape", "slash", *"kind:plan", "enter")  # a filter, no place to go to
        await until(pilot, lambda: "0 match kind:plan" in screen_text(app))


@asynccontextmanager
async def at_the_end(exited: ProcessExited) -> AsyncIterator[tuple[AcpApp, Pilot[None]]]:
    records = talk().happened(exited).records
    app = app_of(ReplayPlayer(records, time.monotonic, 1000.0))
    async with app.run_test(size=(100, 30)) as pilot:
        replay_of(app).seek_end()
        while not player_of(app).at_end:
            await moment(pilot)
        await settled(pilot)
        yield app, pilot


@pytest.mark.anyio
async def test_an_agent_that_was_asked_to_go_is_in_no_trouble() -> None:
    async with at_the_end(ProcessExited(200.0, 0, None, asked=True)) as (app, _):
        assert "✗ a exited" not in screen_text(app)


@pytest.mark.anyio
async def test_how_the_agent_ended_is_told_without_keys_that_can_do_nothing() -> None:
    async with at_the_end(ProcessExited(200.0, 3, None)) as (app, pilot):
        assert "✗ a exited with code 3" in screen_text(app)
        assert "restart" not in screen_text(app)
        await pilot.press("f1")
        await settled(pilot)
        assert "Replay (acp-tui replay)" in screen_text(app)


@pytest.mark.slow
@pytest.mark.anyio
async def test_nothing_can_be_done_in_the_past() -> None:
    async with playing(1.0) as (app, pilot):
        app.agent.do(None)  # type: ignore[arg-type]
        await pilot.pause()
        assert "this is a replay" in next(iter(app.notes)).words


@pytest.mark.anyio
async def test_a_damaged_line_is_played_past(tmp_path: Path) -> None:
    lines = [format_header({}), *map(format_record, talk().records)]
    lines[6] = '{"dir": "in", "at": 1'
    path = tmp_path / "damaged.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    app = app_of(ReplayPlayer(open_log(path).records, time.monotonic, 1000.0))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: player_of(app).at_end)
        await pilot.press("f12")
        with anyio.fail_after(PATIENCE):
            while not all(
                words in screen_text(app) for words in ("line_damaged", "session/prompt")
            ):
                await moment(pilot)


@pytest.mark.anyio
async def test_the_inspector_knows_where_the_replay_stands() -> None:
    player = ReplayPlayer(talk().records, time.monotonic)
    player.paused = True
    player.seek(10)
    app = app_of(player)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "‖ replay paused" in screen_text(app))
        await pilot.press("f12")
        await until(pilot, lambda: "▶ replay at 0.3s" in screen_text(app))
        assert "F12 replay" in screen_text(app)
        assert "following" not in screen_text(app)
        strips = app.screen._compositor.render_strips()
        rows = ["".join(segment.text for segment in strip) for strip in strips]
        (at,) = [at for at, row in enumerate(rows) if row.startswith("▶")]
        assert "tool_call" in rows[at]
        muted = Palette.of(app)["muted"].color
        colors = [{one.style.color for one in strip if one.style} for strip in strips]
        later = next(row for row, text in enumerate(rows) if "request_permission" in text)
        assert colors[later] <= {muted, None}
        assert not colors[at] <= {muted, None}
        await pilot.press("f12")
        await until(pilot, lambda: "‖ replay paused" in screen_text(app))


@pytest.mark.anyio
async def test_the_welcome_of_a_replay_invites_nobody_to_write() -> None:
    player = ReplayPlayer(talk().records, time.monotonic)
    player.paused = True
    player.seek(5)
    app = make_replay_app(player, "2026-05-04 10:00", "night")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Recorded on 2026-05-04 10:00" in screen_text(app))
        assert "Space pauses it" in screen_text(app)
        assert "Type a request" not in screen_text(app)
        assert "Attach a file" not in screen_text(app)


@pytest.mark.anyio
async def test_a_long_replay_is_told_in_minutes() -> None:
    player = ReplayPlayer(talk().later(494).chunk("late").records, time.monotonic)
    player.paused = True
    app = app_of(player)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: " of 8m 2" in screen_text(app))
