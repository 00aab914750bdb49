"""One frame in full: folded, searched, copied, saved; and the keys that the last row shows."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from acp_tui.protocol.events import TimedOut
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.recording import read_records
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.help.screen import HelpScreen
from acp_tui.ui.inspector.detail import Detail
from acp_tui.ui.inspector.frames import as_command, as_line, frame_json
from acp_tui.ui.inspector.pages import StatisticsPage
from acp_tui.ui.inspector.pane import FramesPane
from acp_tui.ui.inspector.screen import InspectorScreen
from tests.hosting import PATIENCE
from tests.unit.debug.scenes import Wire
from tests.unit.ui.inspector.scene import Inspecting, inspecting, talk
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio

ATTACK = b"ls -la\x1b[201~\x1b]52;c;eA==\x07\r\xc2\x9b5n"


async def at_prompt(it: Inspecting) -> Detail:
    """Go to the last prompt, and over to it in full."""
    it.inspector.table.go_to_record(18)
    await it.until(lambda: "its answer is #19" in it.screen)
    await it.press("tab")
    detail = it.inspector.frames.detail
    assert detail.has_focus
    return detail


async def test_objects_and_lists_are_folded_and_unfolded_as_their_signs_tell() -> None:
    async with inspecting(talk().records) as it:
        await at_prompt(it)
        await it.press("end", *["up"] * 2, "left")
        it.inspector.frames.show_now()  # as when the cursor is found to rest there
        await settled(it.pilot)
        assert '▸ "prompt": [… 1 ]' in it.selected_line
        assert '"type": "text"' not in it.screen
        await it.press("enter")
        screen = it.screen
        assert '▾ "prompt": [' in screen
        assert '"type": "text"' in screen
        assert '▾ "method"' not in screen
        await it.press("home", *["down"] * 4, "space")
        assert "{… 4 }" in it.screen
        await it.press("right")
        assert '"type": "text"' in it.screen


async def test_what_happened_is_shown_as_json_and_bytes_that_are_json_have_its_colors() -> None:
    async with inspecting(talk().records) as it:
        await it.press("home")
        screen = it.screen
        assert "ProcessStarted" in screen
        assert '"--acp"' in screen
        assert "('agent'" not in screen
        await at_prompt(it)
        await it.press("v")
        palette = it.inspector.frames.detail._colors()
        row = next(y for y, text in enumerate(it.rows) if '{"jsonrpc":' in text)
        styles = {
            segment.text.strip(): segment.style.color
            for segment in it.app.screen._compositor.render_strips()[row]
            if segment.style is not None
        }
        assert styles['"2.0",'] == palette["token.literal.string"].color
        assert styles["3,"] == palette["token.literal.number"].color


async def test_a_frame_is_searched_and_what_is_found_is_counted() -> None:
    async with inspecting(talk().records) as it:
        detail = await at_prompt(it)
        await it.press("slash", *"prompt")
        screen = it.screen
        assert "find in this frame prompt" in screen
        assert re.search(r"1 of \d", screen)
        await it.press("enter")
        assert detail.has_focus
        assert "end the search (1 of " in it.rows[-1]
        first = it.selected_line
        assert "session/prompt" in first
        await it.press("n")
        assert '"method": "session/prompt"' in it.selected_line
        await it.press("N")
        assert it.selected_line == first
        await it.press("escape", "n")  # without a search it goes to findings
        assert it.inspector.table.at == 13
        await it.press("slash", *"xyz")
        assert "not in this frame" in it.screen
        await it.press("enter")
        keys = it.rows[-1]
        assert "end the search (not in this frame)" in keys
        assert "n next" not in keys


async def test_the_last_row_has_the_keys_of_what_has_the_focus_or_is_written() -> None:
    async with inspecting(Wire().prompted().ended().records, (80, 24)) as it:
        keys = it.rows[-1]
        for key in ("F12 back", "/ filter", "p pair", "v raw", "w time", "S stats", "F1 keys"):
            assert key in keys
        assert "n finding" in keys
        await it.press("slash")
        assert "Enter keep it   Esc clear it" in it.rows[-1]
        await it.press("escape")
        assert "n finding" in it.rows[-1]
        await it.press("tab")
        keys = it.rows[-1]
        for key in (
            "F12 back",
            "/ search",
            "Tab table",
            "y copy",
            "v raw",
            "Enter fold",
            "F1 keys",
        ):
            assert key in keys
        await it.press("slash")
        assert "Enter to the first   Esc cancel" in it.rows[-1]
        await it.press("escape")
        assert "Enter fold" in it.rows[-1]
        await it.press("tab")
        assert "n finding" in it.rows[-1]


async def test_keys_that_do_the_same_in_the_frame_keep_their_places() -> None:
    async with inspecting(Wire().prompted().ended().records, (120, 40)) as it:
        frames = it.rows[-1]
        await it.press("tab")
        assert "Enter fold" in it.rows[-1]
        other = [new for old, new in zip(frames, it.rows[-1], strict=True) if old != new]
        assert len(other) < len("search table fold")


async def test_from_within_a_frame_p_goes_to_the_pair_and_esc_to_the_messages_and_then_out() -> (
    None
):
    async with inspecting(talk().records) as it:
        await at_prompt(it)
        inspector = it.app.screen
        assert "its request is" not in it.screen
        await it.press("p")
        assert "its request is" in it.screen
        assert it.inspector.frames.detail.has_focus
        await it.press("escape")
        assert it.inspector.table.has_focus
        assert it.app.screen is inspector
        await it.press("escape")
        assert it.app.screen is not inspector


async def test_a_request_and_its_time_out_name_each_other_as_what_they_are() -> None:
    wire = talk().prompt(9)
    request = len(wire.records) - 1
    wire.happened(TimedOut(wire.records[-1].at + 30, 9, 30.0))
    async with inspecting(wire.records) as it:
        it.inspector.table.go_to_record(request + 1)
        await it.until(lambda: f"its request is #{wire.frames}, 30.00s apart (p)" in it.screen)
        screen = it.screen
        assert "not on the wire" in screen  # so it has no size
        assert "0 bytes" not in screen
        await it.press("p")
        await it.until(lambda: "no answer, but timed_out, 30.00s apart (p)" in it.screen)


async def test_ctrl_c_never_leaves_from_the_frames_and_question_mark_is_help_but_in_a_text() -> (
    None
):
    async with inspecting(talk().records) as it:
        await it.press("ctrl+c", "ctrl+c", "ctrl+c")
        assert "Ctrl+Q quits" in it.rows[-2]
        await it.press("S", "ctrl+c", "ctrl+c")
        assert isinstance(it.app.screen, StatisticsPage)
        assert "Esc goes back, Ctrl+Q quits acp-tui" in it.screen
        await it.press("escape", "question_mark", "ctrl+c")
        assert isinstance(it.app.screen, HelpScreen)
        assert "Esc goes back, Ctrl+Q quits acp-tui" in it.screen
        await it.press("escape", "slash", "question_mark")
        assert "filter ?" in it.screen
        await it.press("ctrl+c", "ctrl+c")
        assert isinstance(it.app.screen, InspectorScreen)


async def test_a_frame_is_copied_as_a_line_and_as_a_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with inspecting(talk().records) as it:
        it.inspector.table.go_to_record(18)
        copied: list[str] = []
        monkeypatch.setattr(it.app, "copy_to_clipboard", copied.append)
        await it.press("y", "Y")
        await it.press("p", "Y")
    record = talk().records[18]
    assert isinstance(record, Frame)
    line, command, answer = copied
    assert line == record.raw.decode()
    assert printed(command) == record.raw + b"\n"
    assert json.loads(answer)["result"] == {"stopReason": "end_turn"}
    assert "\n" in answer


def printed(command: str) -> bytes:
    return subprocess.run(
        ["bash", "-c", f"{command} cat"], capture_output=True, timeout=PATIENCE, check=True
    ).stdout


@pytest.mark.parametrize(
    "raw", [ATTACK, json.dumps({"a": "ü%s\\ '\n"}).encode(), bytes(range(1, 10)) + b"\xff%d'"]
)
def test_what_is_copied_acts_on_no_terminal_and_prints_the_same_bytes(raw: bytes) -> None:
    frame = Frame(Direction.IN, raw, 0.0, 1)
    for text in (as_line(frame), frame_json(frame), as_command(frame)):
        assert text.replace("\n", "").isprintable()
    assert printed(as_command(frame)) == raw + b"\n"


def test_what_a_json_text_hides_is_copied_as_escapes() -> None:
    frame = Frame(Direction.IN, '{"a":"x\u202ey\x9b"}'.encode(), 0.0, 1)
    assert json.loads(as_line(frame)) == json.loads(frame_json(frame)) == {"a": "x\u202ey\x9b"}
    assert as_line(frame) == '{"a":"x\\u202ey\\u009b"}'


async def test_what_the_filter_shows_is_saved_without_secrets(tmp_path: Path) -> None:
    wire = Wire()
    wire.prompted().chunk("one").chunk("two").got(method="_x", params={"apiKey": "hunter2hunter2"})
    async with inspecting(wire.ended().records) as it:
        it.app.agent.state.peer.cwd = str(tmp_path)
        await it.press("slash", *"_x or kind:agent_message_chunk", "enter", "e")
        await it.until(lambda: any(told.words.count("3 frames") for told in it.app.notes))
        (path,) = tmp_path.iterdir()
    text = path.read_text()
    assert "hunter2" not in text
    assert len(list(read_records(text.splitlines(keepends=True)))) == 3
    assert path.stat().st_mode & 0o777 == 0o600


async def test_files_go_where_exports_go(tmp_path: Path) -> None:
    async with inspecting(Wire().prompted().ended().records) as it:
        it.app.agent.state.peer.cwd = "/nonexistent/on/another/machine"
        it.app.feature.exports.folder = tmp_path
        said_before: set[Path] = set()

        def said() -> set[Path]:
            words = "".join(one.words for one in it.app.notes)
            return {path for path in tmp_path.iterdir() if path.name in words} - said_before

        for key in "eB":
            await it.press(key)
            await it.until(lambda: len(said()) == 1)
            said_before |= said()


@pytest.mark.parametrize("version", [1, 2])
async def test_the_times_of_a_turn_that_goes_on_say_so_and_go_on(version: int) -> None:
    wire = Wire().prompted() if version == 1 else Wire().running_2().later(1)
    wire.chunk("one")
    async with inspecting(wire.records, (100, 40)) as it:
        await it.press("w")
        screen = it.screen
        assert "Where the time went so far" in screen
        assert " · 1 chunk · " in screen
        if version == 1:
            wire.later(2).chunk("two").ended()
        else:
            wire.update("state_update", "other", state="idle").later(2).chunk("two").idle()
        await it.until(lambda: "2 chunks" in it.screen)
        await it.until(lambda: "so far" not in it.screen)
        assert ("█" if version == 1 else "2.0") in it.row("│  message")


async def test_a_turn_of_version_2_that_is_not_accepted_ends_with_the_error() -> None:
    wire = Wire().opened_2().prompt(2).later(1).got(id=2, error={"code": -32603, "message": "no"})
    async with inspecting(wire.chunk("late").records, (100, 40)) as it:
        await it.press("w")
        await it.until(lambda: "0 chunks" in it.screen)
        assert "so far" not in it.screen


async def test_the_time_of_the_turn_is_shown_at_a_row_of_its_subagents() -> None:
    wire = Wire().prompted().update("subagent_update", sessionId="c", title="Taster")
    wire.update("subagent_update", "c", sessionId="d", title="Blower")
    wire.update("subagent_update", "d", sessionId="c", title="Taster")
    for row in ("c", "d"):
        wire.update("tool_call", row, toolCallId=f"t{row}", title="Blow")
    async with inspecting(wire.records, (100, 40)) as it:
        await it.press("end")
        for row in ("d", "c"):
            await it.press("w")
            assert "↪ Taster" in it.row("↪ Taster"), row
            await it.press("escape", "up")


async def test_the_waterfall_tells_how_long_the_first_update_took() -> None:
    wire = Wire().prompted().later(1).update("usage_update", used=1, size=9).later(1).chunk()
    async with inspecting(wire.ended().records, (100, 40)) as it:
        await it.press("w")
        await it.until(lambda: "1.01s" in it.row("first update: usage_update"))
        assert "2.02s" in it.row("first token: message")
        assert it.row("first update:").count("─") < it.row("first token:").count("─")


async def test_a_bar_leads_to_its_frame_by_key_or_click_also_where_a_filter_hides_it() -> None:
    async with inspecting(talk().records, (100, 40)) as it:
        await it.press("slash", *"method:session/prompt", "enter", "home", "w")
        assert it.row("│ ▌").startswith("│ ▌first update: message")
        await it.press("down", "down")
        await it.until(lambda: "Write tea.py" in it.ground("Write tea.py"))
        await it.press("enter")
        assert "← tool_call " in it.row("▌")
        assert it.inspector.source.filter == ""
        await it.press("w")
        at = it.rows.index(it.row("│  session/request"))
        await it.pilot.click(offset=(10, at))
        assert it.row("│ ▌").startswith("│ ▌session/request")
        await it.pilot.click(offset=(10, at))
        assert "…request_permission" in it.row("▌")


async def test_a_long_method_has_room_where_there_is_any() -> None:
    wire = Wire().prompted().ask(7, "terminal/wait_for_exit", terminalId="t").out(id=7, result={})
    async with inspecting(wire.records, (240, 40)) as it:
        assert any("response to terminal/wait_for_exit " in row[:80] for row in it.rows)
        await it.pilot.resize_terminal(80, 24)
        await it.until(lambda: "response to …wait_for" in it.screen)


async def test_tab_goes_to_the_frames_beside_and_on_and_each_shows_its_keys() -> None:
    async with inspecting(talk().records, (140, 40), opened=False) as it:
        await it.press("shift+f12")
        await it.until(lambda: "response to session/prompt" in it.screen)
        await it.press("tab")
        frames = it.app.query_one(FramesPane).frames
        assert it.app.focused is frames.table
        assert "p pair" in it.rows[-1]
        await it.press("tab")
        assert it.app.focused is frames.detail
        assert "Enter fold" in it.rows[-1]
        await it.press("tab")
        assert it.app.focused is it.app.conversation.transcript
        await it.press("tab")
        assert it.app.focused is it.app.conversation.prompt
        assert "Enter send" in it.rows[-1]


async def test_the_chunks_of_a_message_are_read_as_one() -> None:
    wire = Wire().prompted()
    for text in ("One ", "is ", "none."):
        wire.chunk(text, messageId="m")
    async with inspecting(wire.records) as it:
        await it.until(lambda: "3 chunks, the first below" in it.screen)
        assert "One is none." in "\n".join(row for row in it.rows if " x3" not in row)


async def test_what_was_done_is_said_beside_the_counts_until_a_field_or_a_page_opens() -> None:
    async with inspecting(talk().records) as it:
        for key in ("g", "S"):
            await it.press("y")
            rows = it.rows
            assert "copied as one line" in rows[-2]
            assert "frames and" in rows[-2]
            assert "F12 back" in rows[-1]
            await it.press(key)
            assert "copied as one line" not in it.screen, key
            await it.press("escape")


async def test_a_tool_call_that_failed_stands_out() -> None:
    wire = talk().update("tool_call_update", toolCallId="call-1", status="failed")
    async with inspecting(wire.records, (120, 40)) as it:
        palette = Palette.of(it.app)
        strip = it.app.screen._compositor.render_strips()[it.rows.index(it.row("failed"))]
        status = next(one for one in strip if one.text.strip() == "failed")
        assert status.style is not None
        assert status.style.color == palette["error"].color
        assert "call-1" in it.row("failed")
        assert "call-1" in it.row("completed")
        assert "completed" not in it.row("completed").split("call-1", 1)[1]


async def test_a_request_to_an_agent_that_is_gone_is_unanswered() -> None:
    async with inspecting(talk().prompt(9).died().records, (80, 24)) as it:
        assert any("→ session/prompt" in row and "unanswered" in row for row in it.rows)
        assert "1 unanswered" in it.rows[-2]
        assert "pending" not in it.screen
