"""The frames beside a conversation, and over a question."""

import pytest

from acp_tui.ui.following import terminal_title
from acp_tui.ui.inspector.pane import FramesPane
from acp_tui.ui.inspector.screen import InspectorScreen
from acp_tui.ui.inspector.table import FrameTable
from tests.unit.debug.scenes import Wire
from tests.unit.ui.inspector.scene import OPTIONS, inspecting, talk

pytestmark = pytest.mark.anyio


def asking() -> Wire:
    """A talk that ends in a question, with words on stderr behind it."""
    wire = talk().prompt(4).update("tool_call", toolCallId="call-2", title="Write it")
    wire.ask(51, "session/request_permission", toolCall={"toolCallId": "call-2"}, options=OPTIONS)
    return wire.chunk("Meanwhile …", session="other")


async def test_conversation_and_frames_side_by_side() -> None:
    async with inspecting(talk().records, (80, 30), opened=False) as it:
        for width, beside in ((80, False), (140, True)):
            await it.pilot.resize_terminal(width, 30)
            await it.press("shift+f12")
            await it.until(lambda: "response to " in it.screen)
            assert "Again." in it.screen
            assert (it.app.query_one(FramesPane).region.x > 0) is beside
            await it.press(*"hello")
            assert "hello" in it.screen
            await it.press("shift+f12")
            screen = it.screen
            assert "response to " not in screen
            assert "hello" in screen
            await it.press("ctrl+u")
            assert "hello" not in it.screen


async def test_where_there_is_no_room_for_the_frame_its_keys_say_so_and_tab_passes_it_by() -> None:
    async with inspecting(talk().records, (80, 24), opened=False) as it:
        await it.press("shift+f12", "tab")
        await it.until(lambda: it.app.query_one(FramesPane).frames.table.has_focus)
        screen = it.screen
        assert "F12 all of it" in screen
        assert "v raw" not in screen
        await it.press("v")
        assert "no room for the frame itself here: F12 shows all of it" in it.screen
        await it.press("tab")
        assert it.app.conversation.transcript is not None
        assert it.app.conversation.transcript.has_focus


async def test_a_key_that_finds_nothing_says_so_and_a_filter_holds_beside_the_conversation() -> (
    None
):
    async with inspecting(talk().records, (140, 40)) as it:
        it.app.screen.query_one(FrameTable).go_to_record(0)
        await it.press("p")
        assert "no pair: this is neither a request with a response nor a response" in it.screen
        await it.press("apostrophe")
        assert "no bookmark: m sets one" in it.screen
        await it.press("slash", *"kind:tool_call", "enter", "shift+f12")
        await it.until(lambda: not isinstance(it.app.screen, InspectorScreen))
        assert "1 match kind:tool_call" in it.screen


async def test_the_split_shows_what_comes_and_leads_to_the_entry() -> None:
    wire = talk()
    async with inspecting(wire.records, (140, 40), opened=False) as it:
        await it.press("shift+f12")
        wire.update("plan", entries=[])
        it.app.changed(it.app.agent, [])
        await it.until(lambda: "plan" in it.row("following") or "19 frames" in it.screen)
        table = it.app.query_one(FramesPane).frames.table
        table.focus()
        table.go_to_record(9)
        await it.press("i")
        transcript = it.app.conversation.transcript
        assert transcript is not None
        assert transcript.has_focus
        assert transcript.current == 2


async def test_f12_on_a_question_shows_the_frame_that_asked_it_and_ways_back() -> None:
    wire = asking()
    async with inspecting(wire.records, opened=False) as it:
        assert "asks for permission" in it.screen
        await it.press("f12")
        await it.until_read()
        assert it.inspector.table.at == len(wire.records) - 2
        assert "request_permission" in it.screen
        await it.press("f12")
        assert it.app.screen is it.app.conversation
        assert "asks for permission" in it.screen
        await it.press("f12")
        await it.until_read()
        it.app.refresh_view()
        await it.until(lambda: "waiting for you  Ctrl+S goes there" in it.screen)
        await it.press("ctrl+s")
        assert it.app.screen is it.app.conversation
        assert "asks for permission" in it.screen


async def test_where_somebody_else_is_asked_nobody_is_said_to_wait_for_the_person() -> None:
    async with inspecting(asking().records, opened=False) as it:
        assert "waiting for you" in terminal_title(it.app.tabs)
        it.app.conversation.only_show([], "A tap: only its editor sends", [])
        await it.press("f12")
        await it.until_read()
        it.app.refresh_view()
        assert it.inspector
        assert "waiting for you" not in it.screen
        assert "waiting for you" not in terminal_title(it.app.tabs)
