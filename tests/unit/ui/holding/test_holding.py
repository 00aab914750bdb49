"""Breakpoints and what they hold, as a person meets them in the inspector."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.gate_events import BreakpointSet, FaultSet, FrameHeld
from acp_tui.state.authentication import Program
from acp_tui.state.commands import (
    AnswerFrame,
    Command,
    DelayFrame,
    DropFrame,
    ReleaseFrame,
    RemoveBreakpoint,
    RemoveFault,
    SetBreakpoint,
    SetFault,
)
from acp_tui.state.interception import Switch
from acp_tui.ui.inspector.composer.body import JsonArea
from acp_tui.ui.inspector.holding.screen import EditScreen, HoldingScreen
from tests.examples import parametrize
from tests.unit.debug.scenes import Wire
from tests.unit.ui.inspector.scene import Inspecting, inspecting, talk

pytestmark = pytest.mark.anyio
READ = "dir:in method:fs/read_text_file"
DROP = "drop=10%"


def held_talk(*, chunk: str = "held words") -> Wire:
    """A request and a chunk are held; there is a fault, too."""
    wire = talk().happened(BreakpointSet(105.0, READ)).happened(FaultSet(105.0, DROP))
    for name in ("fs/read_text_file", "agent_message_chunk"):
        if name.startswith("fs/"):
            wire.ask(60, name, path="/w/tea")
        else:
            wire.chunk(chunk)
        frame = wire.records[-1]
        assert isinstance(frame, Frame)
        wire.records[-1] = frame._replace(stopped=Origin.BREAKPOINT)
        wire.happened(FrameHeld(wire.at, frame.number, Direction.IN, name, READ, session_id="s"))
    return wire


@asynccontextmanager
async def holding(
    *keys: str, size: tuple[int, int] = (100, 40), inspected: bool = False, **scene: Any
) -> AsyncIterator[tuple[Inspecting, list[Command]]]:
    """Open what is held over the conversation, which starts faster; or only the inspector."""
    asked: list[Command] = []
    async with inspecting(held_talk(**scene).records, size, opened=inspected) as it:
        it.app.tabs.agent.do = asked.append
        if not inspected:
            it.app.feature.holding.open()
        await it.press(*keys)
        yield it, asked


def numbers(it: Inspecting) -> list[int]:
    return list(it.app.tabs.agent.state.holding.frames)


async def test_b_holds_the_frames_of_the_kind_under_the_cursor() -> None:
    async with holding(inspected=True) as (it, asked):
        await it.press("home", "down", "b")
        await it.until(lambda: "dir:out method:initialize" in it.screen)
        await it.press(*" and x", "enter")
        assert asked == [SetBreakpoint("dir:out method:initialize and x")]
        await it.press("b", *["ctrl+u"], "enter")
        assert len(asked) == 1


async def test_what_is_held_is_in_view_with_one_age_and_the_conversation_says_so() -> None:
    async with holding(inspected=True) as (it, _):
        screen = it.screen
        assert "← fs/read_text_file  from the agent, for" in screen
        assert "H acts on them" in screen
        await it.press("H")
        assert it.screen.count("from the agent, for") == len(numbers(it))
        it.now += 7
        await it.press("escape")
        await it.until(lambda: "H acts on them" in it.screen)
        assert it.screen.count("from the agent, for") == len(numbers(it))
        await it.press("f12")
        assert "● 2 held at breakpoints" in it.screen


async def test_a_breakpoint_that_is_set_is_told_before_it_holds_anything() -> None:
    async with inspecting(talk().records) as it:
        breakpoints = it.app.tabs.agent.state.holding.breakpoints
        breakpoints["method:session/new"] = Switch()
        breakpoints["method:logout"] = Switch(on=False)
        it.inspector.changed(())
        await it.until(lambda: "· ◉ 1 breakpoint ·" in it.screen)
        await it.press("f12")
        await it.until(lambda: "◉ 1 breakpoint" in it.screen)
        breakpoints.clear()
        await it.press("f12")
        await it.until(lambda: "staying" in it.screen and "breakpoint" not in it.screen)


async def test_what_is_marked_has_its_ground_once_keys_rest_and_loses_it_when_it_goes() -> None:
    async with holding() as (it, _):
        words = [f"● #{number} " for number in numbers(it)]
        await it.until(lambda: it.ground(f"▌{words[0]}").startswith(f"▌{words[0]}"))
        await it.press("down")
        await it.until(lambda: it.ground(f"▌{words[1]}").endswith("   "))
        assert it.ground(f" {words[0]}") == ""
        it.app.tabs.agent.state.holding.frames.popitem()
        await it.until(lambda: "what was marked has gone" in it.screen)
        assert it.ground(f" {words[0]}") == ""
        assert it.ground(READ) == ""


@parametrize(1, "size", [(80, 24), (100, 40)])
async def test_each_row_is_acted_on_and_only_a_request_is_offered_to_be_answered(
    size: tuple[int, int],
) -> None:
    async with holding(size=size) as (it, asked):
        first, second = numbers(it)
        screen = it.screen
        assert '"method": "fs/read_text_file"' in screen
        assert "Enter pass on" in screen
        assert "a answer" in screen
        await it.press("enter", "down", "t", "d", "r")
        assert asked == [
            ReleaseFrame(first),
            ReleaseFrame(second, times=2),
            DropFrame(second),
            ReleaseFrame(first),
            ReleaseFrame(second),
        ]
        screen = it.screen
        assert "Enter pass on" in screen
        assert "a answer" not in screen
        asked.clear()
        await it.press("down", "space", "d")
        assert "Enter on or off" in it.screen
        await it.press("e", "down", "enter", "d")
        assert asked == [
            SetBreakpoint(READ, on=False),
            RemoveBreakpoint(READ),
            SetFault(DROP, on=False),
            RemoveFault(DROP),
        ]
        await it.press("escape")
        assert not isinstance(it.app.screen, HoldingScreen)


@parametrize(1, "size", [(80, 24), (200, 60)])
async def test_all_keys_of_a_row_are_in_view(size: tuple[int, int]) -> None:
    """Of a request, which has the most of them, and of a long one."""
    async with holding(size=size, chunk="long words " * 500) as (it, _):
        screen = it.screen
        for words in ("Enter pass on", "a answer", "r all", "Esc back"):
            assert words in screen
        await it.press("down")
        screen = it.screen
        assert "a answer" not in screen
        assert "Esc back" in screen


async def test_a_frame_is_edited_in_place_and_passed_on_only_as_json_or_on_demand() -> None:
    async with holding("down", "e") as (it, asked):
        _, number = numbers(it)
        area = it.app.screen.query_one(JsonArea)
        edited = json.loads(area.text) | {"more": "☕"}
        area.text = json.dumps(edited, indent=1)
        await it.press("ctrl+s")
        (command,) = asked
        assert isinstance(command, ReleaseFrame)
        assert command.frame == number
        assert json.loads(command.raw) == edited
        assert b"\n" not in command.raw
        await it.press("e")
        it.app.screen.query_one(JsonArea).text = "no JSON \\xff"
        await it.press("ctrl+s")
        assert "✗ not JSON" in it.screen
        assert len(asked) == 1
        await it.press("alt+g")
        assert asked[1:] == [ReleaseFrame(number, b"no JSON \xff")]
        await it.press("e", "escape")
        assert len(asked) == 2


async def test_a_request_is_answered_and_nothing_else_is() -> None:
    async with holding("a") as (it, asked):
        number, _ = numbers(it)
        assert isinstance(it.app.screen, EditScreen)
        await it.press("ctrl+s")
        assert asked == [AnswerFrame(number, b'{"jsonrpc":"2.0","id":60,"result":{}}')]
        await it.press("down", "a")
        assert isinstance(it.app.screen, HoldingScreen)


async def test_later_takes_a_number_of_seconds_and_tells_where_it_comes_too_late() -> None:
    async with holding("w") as (it, asked):
        number, _ = numbers(it)
        await it.press(*"soon", "enter")
        assert asked == []
        await it.press("w", *"2.5", "enter")
        await it.press("w", "escape")
        assert asked == [DelayFrame(number, 2.5)]
        await it.press("w")
        del it.app.tabs.agent.state.holding.frames[number]
        await it.press("2", "enter")
        assert len(asked) == 1
        told = it.app.notes[-1]
        assert told.words == f"#{number} is no longer held: it can't be delayed"


async def test_a_frame_that_a_person_looks_at_or_acts_on_goes_on_by_itself_no_longer() -> None:
    async with holding() as (it, asked):
        first, second = numbers(it)
        for held in it.app.tabs.agent.state.holding.frames.values():
            held.due = 1e9
        assert asked == []
        await it.press("e", "escape")
        assert asked == [DelayFrame(first, None)]
        it.app.tabs.agent.state.holding.frames[first].due = None
        await it.press("down")
        assert asked[1:] == [DelayFrame(second, None)]
        it.app.tabs.agent.state.holding.frames[second].due = None
        await it.press("up", "w", "escape", "a", "escape")
        assert len(asked) == 2


async def test_a_key_that_repeats_itself_removes_one_breakpoint_only() -> None:
    async with holding("down", "down") as (it, asked):
        holds = it.app.tabs.agent.state.holding
        screen = it.app.screen
        assert isinstance(screen, HoldingScreen)
        for _ in range(3):
            await it.press("d")
            holds.breakpoints.clear()
            screen.show()
        await it.press("enter")
        assert asked == [RemoveBreakpoint(READ)]
        await it.press("up", "enter")
        assert asked[1:] == [SetFault(DROP, on=False)]


async def test_all_that_is_shown_is_passed_on_and_nothing_that_came_since() -> None:
    async with holding() as (it, asked):
        first, second = numbers(it)
        frames = it.app.tabs.agent.state.holding.frames
        frames[99] = replace(frames[first], number=99)
        await it.press("r")
        assert asked == [ReleaseFrame(first), ReleaseFrame(second)]


async def test_a_breakpoint_or_a_fault_is_written_and_a_wrong_one_again() -> None:
    async with holding("b") as (it, asked):
        await it.press(*"dir:inn", "enter")
        await it.until(lambda: "did you mean in?" in it.screen)
        await it.press("backspace", "enter", "f", *"dorp", "enter")
        await it.until(lambda: "did you mean drop?" in it.screen)
        await it.press("escape", "f", *"delay", "enter", "f", "enter")
        assert asked == [SetBreakpoint("dir:in"), SetFault("delay")]


async def test_what_comes_from_the_editor_is_shown_before_it_is_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VISUAL", "vi")
    written = ['{"jsonrpc": "2.0",\n "method": "x"}\n', ""]

    async def edits(program: Program) -> int:
        path = Path(program.argv[-1])
        if written[0]:
            path.write_text(written[0])
        return 0

    async with holding("down") as (it, asked):
        _, number = numbers(it)
        it.app.tabs.agent.run_program = edits
        await it.press("E")
        await it.until(lambda: isinstance(it.app.screen, EditScreen))
        assert asked == []
        await it.press("ctrl+s")
        assert asked == [ReleaseFrame(number, b'{"jsonrpc":"2.0","method":"x"}')]
        written.pop(0)
        await it.press("E")
        assert isinstance(it.app.screen, HoldingScreen)


async def test_too_long_a_frame_is_not_edited() -> None:
    async with holding("down", "e", chunk="x" * 1_100_000) as (it, _):
        assert isinstance(it.app.screen, HoldingScreen)


async def test_a_key_for_a_frame_that_has_gone_hits_no_other_one() -> None:
    async with holding() as (it, asked):
        first, second = numbers(it)
        del it.app.tabs.agent.state.holding.frames[first]
        screen = it.app.screen
        assert isinstance(screen, HoldingScreen)
        screen.show()
        await it.press("d", "enter", "t")
        assert asked == []
        assert "what was marked has gone; ↑ or ↓ marks another row" in it.screen
        await it.press("down", "d")
        assert asked == [DropFrame(second)]


async def test_what_is_written_for_a_frame_that_has_gone_is_not_lost_in_silence() -> None:
    async with holding("e") as (it, asked):
        first, _ = numbers(it)
        del it.app.tabs.agent.state.holding.frames[first]
        it.app.screen.query_one(JsonArea).text = "{}"
        await it.press("ctrl+s")
        assert asked == []
        (told,) = it.app.notes
        assert told.words == (f"#{first} is no longer held: what you wrote is not sent")


async def test_without_anything_held_only_what_can_be_done_is_offered() -> None:
    async with inspecting(talk().records, (80, 24)) as it:
        await it.press("H")
        await it.until(lambda: "b add a breakpoint" in it.screen)
        assert "match its filter; the" in it.screen
        assert "others pass." in it.screen
        assert "on or off" not in it.screen
        assert "▌" not in "".join(it.rows[it.rows.index(it.row("╭─ Held")) :][:6])
