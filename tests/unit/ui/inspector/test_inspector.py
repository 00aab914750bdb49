"""The inspector as a person meets it."""

import gc
import json
import re
from pathlib import Path
from weakref import ref
from zipfile import ZipFile

import pytest
from rich.style import Style

from acp_tui.protocol.frames import Direction
from acp_tui.recordings.recording import read_events
from acp_tui.state.fold import replay_events
from acp_tui.ui.inspector.ask_bar import AskBar
from acp_tui.ui.inspector.frames import Frames
from acp_tui.ui.inspector.screen import InspectorScreen
from tests.examples import parametrize
from tests.unit.debug.scenes import Wire
from tests.unit.ui.inspector.scene import OPTIONS, Inspecting, inspecting, talk
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


async def test_f12_opens_once_at_the_newest_finding_which_is_explained_and_goes_back() -> None:
    async with inspecting(talk().records) as it:
        screen = it.screen
        assert "→ session/prompt" in screen
        assert "response to …prompt" in screen
        assert "19 frames and 2 events" in screen
        assert it.inspector.table.at == 13
        words = "the newest finding; N the one before"
        assert words in screen
        await it.press("home")
        assert words not in it.screen
        await it.press("n")
        assert it.inspector.table.at == 13
        screen = it.screen
        assert "Debugger attached." in screen
        assert "E stdout-noise" in screen
        assert "“The agent MUST NOT write anything to its stdout" in screen
        await it.press("f1")
        screen = it.screen
        assert screen.index("Inspector") < screen.index("Filter the messages")
        assert "Everywhere" not in screen.split("Filter the messages")[0]
        await it.press("escape", "end", "f12")
        assert "Ask the agent" in it.screen
        await it.press("f12")
        assert it.inspector.table.following


async def test_it_reads_the_log_though_it_was_woken_before_it_was_mounted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(InspectorScreen, "on_screen_resume", lambda _: None)
    async with inspecting(talk().records) as it:
        assert "19 frames and 2 events" in it.screen


async def test_enter_unfolds_chunks_of_a_message_and_leads_into_any_other_frame() -> None:
    async with inspecting(talk().records) as it:
        assert "Let me see." in it.row("agent_message_chunk x3")
        it.inspector.table.go_to_record(6)
        await it.press("enter")
        rows = it.rows
        assert not any("agent_message_chunk x3" in row for row in rows)
        assert sum("agent_message_chunk" in row for row in rows) >= 4
        await it.press("enter")
        assert "agent_message_chunk x3" in it.screen
        it.inspector.table.go_to_record(2)
        await it.press("enter")
        assert it.inspector.frames.detail.has_focus
        await it.press("tab")
        assert it.inspector.table.has_focus


async def test_a_jump_goes_to_a_bookmark_a_frame_a_share_or_a_time() -> None:
    async with inspecting(talk().records, (80, 24)) as it:
        await it.press("home", "m", "j", "j", "m", "end", "apostrophe")
        assert it.inspector.table.at == 0
        await it.press("apostrophe")
        assert it.inspector.table.at == 2
        assert sum("●" in row for row in it.rows) == 2
        await it.press("end", "g")
        assert "#12 a frame · 1m30 a time · 50% a share" in it.screen
        assert it.row("→ session/prompt") or it.row("response to session/prompt")
        await it.press("escape")
        for words, number in (("#9", 9), ("0%", 0), ("0m7", 19)):
            await it.press("g", *words, "enter")
            group = it.inspector.table.group
            assert group is not None
            assert group.first.number == number
        await it.press("g", *"#900", "enter")
        assert "there is no frame #900: 1 to 19" in it.screen


async def test_a_filter_is_used_while_it_is_written_and_what_is_wrong_is_pointed_at() -> None:
    async with inspecting(talk().records) as it:
        await it.press("slash", *"kind:tool_")
        assert "tool_call_update" in it.row("Tab")
        await it.press("enter")
        assert "no update and no event is of the kind tool_" in it.screen
        await it.press("tab", "enter")
        assert it.inspector.source.filter == "kind:tool_call"
        screen = it.screen
        assert "1 match kind:tool_call" in screen
        assert "session/prompt" not in screen
        await it.press("escape")
        assert "session/prompt" in it.screen
        await it.press("slash", *"colour:red and size>1")
        at = it.row("filter colour").index("colour")
        assert it.row("there is no field 'colour'")[at:].startswith("^^^^^^^")
        await it.press("enter")
        assert "filter colour" in it.screen
        await it.press("escape")
        assert it.inspector.source.filter == ""


async def test_a_filter_may_come_at_once_and_one_that_nothing_passes_is_cleared_by_esc() -> None:
    async with inspecting(talk().records, (80, 24)) as it:
        await it.press("slash")
        box = it.inspector.query_one(AskBar).input
        for character in "kind:tool_":  # faster than they are looked at
            box.insert_text_at_cursor(character)
        await it.press("tab", "enter")
        assert "1 match kind:tool_call" in it.screen
        await it.press("escape", "slash", *"kind:plan", "enter")
        assert "None of 21 records passes kind:plan: Esc clears it." in it.screen
        await it.press("escape")
        assert "None of" not in it.screen


async def test_n_goes_to_each_chunk_of_a_message_that_has_a_finding() -> None:
    wire = talk().prompt(9).chunk("a").chunk("b", mood=1).chunk("c").chunk("d", mood=1)
    first = len(wire.records) - 4
    wire.prompt(10).chunk("a", mood=1).chunk("b").chunk("c")
    async with inspecting(wire.records) as it:
        it.inspector.table.go_to_record(first - 1)
        await it.press("n")
        assert it.inspector.table.at == first + 1
        assert "W custom-field  mood is not a field that the protocol has here" in it.screen
        await it.press("n")
        assert it.inspector.table.at == first + 3
        await it.press("N")
        assert it.inspector.table.at == first + 1
        await it.press("enter", "N")  # folded, then unfolded from its end
        assert it.inspector.table.at == first + 3
        await it.press("end")
        assert "3 chunks" in it.screen
        await it.press("N")  # a message whose first chunk has the finding is unfolded, too
        assert it.inspector.table.at == len(wire.records) - 3
        assert "3 chunks" not in it.screen


async def test_a_finding_says_what_broke_which_rule_where_and_a_filter_has_each_row_say_it() -> (
    None
):
    wire = talk().update("agent_message_chunk", content={"type": "text", "text": "x"}, mood=1)
    async with inspecting(wire.records, (80, 40)) as it:
        rows = it.rows
        at = rows.index(it.row(" W custom-field  mood is not a field that the protocol has here"))
        assert rows[at + 1].strip() == "at params.update.mood"
        assert rows[at + 2].strip().startswith("“Implementations MUST NOT add")
        await it.press("slash", *"finding:custom-field", "enter")
        assert "mood is not a field" in it.row("▌")
        await it.press("escape")
        assert "mood" not in it.row("▌")


async def test_bytes_that_are_no_text_are_shown_in_hex_and_escape_sequences_are_visible() -> None:
    wire = talk().raw(Direction.IN, b"\x1b]0;evil\x07 text").raw(Direction.IN, b"\xff\xfe text")
    async with inspecting(wire.records) as it:
        screen = it.screen
        assert "not UTF-8 at byte 0" in screen
        assert "ff fe 20 74 65 78 74" in screen
        it.inspector.table.go_to_record(len(wire.records) - 2)
        await it.press()
        screen = it.screen
        assert "\x1b" not in screen
        assert "␛]0;evil" in screen


async def test_of_a_long_line_the_beginning_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.ui.inspector.frame_parts.MOST_BYTES", 5)
    wire = talk()
    raws = [b"\xff\xfe and more words here", "漢字 and more words".encode()]
    for raw in raws:
        wire.raw(Direction.IN, raw)
    async with inspecting(wire.records) as it:
        for at, raw in enumerate(raws, len(wire.records) - 2):
            it.inspector.table.go_to_record(at)
            await it.press()
            detail = it.screen.split("not a message")[-1]
            assert f"… {len(raw) - 5} more bytes are not shown" in detail
            assert "more words" not in detail.split("more bytes")[0]
            assert ("漢" in detail) == (raw[0] != 0xFF)


async def test_of_a_path_too_long_for_the_column_the_end_is_shown() -> None:
    wire = talk()
    for at, lead in enumerate(["", "Write "]):
        path = f"{lead}/home/{'漢字' * 9}/{'deep/' * 20}file_{at}.py"
        wire.update("tool_call", toolCallId=f"call-{at + 2}", title=path)
    async with inspecting(wire.records, (80, 24)) as it:
        assert "…" in it.row("file_0.py")
        assert "Write …" in it.row("file_1.py")


async def test_meta_stands_apart() -> None:
    async with inspecting(talk().records, (170, 40)) as it:
        it.inspector.table.go_to_record(15)
        await it.until(lambda: "params.update._meta" in it.screen)
        await it.press("v")
        assert '"_meta":' in it.screen.replace(" ", "")


async def test_requests_without_an_answer_are_counted() -> None:
    async with inspecting(talk().prompt(9).got(id=77, result={}).records) as it:
        assert "1 pending" in it.screen
        assert "1 orphan" in it.screen
        assert "pending" in it.screen


async def test_new_frames_are_followed_until_paused_and_an_answer_reaches_its_request() -> None:
    wire = talk()
    async with inspecting(wire.records) as it:
        await it.press("end")
        wire.prompt(4)
        it.app.changed(it.app.agent, [])
        await it.until(lambda: it.inspector.table.at == len(wire.records) - 1)
        assert "pending" in it.row("id 4  ")
        await it.press("space")
        assert "staying here (End follows)" in it.screen
        await it.press("slash", *"status:pending", "enter")
        assert "1 match" in it.screen
        wire.ended(4)
        it.app.changed(it.app.agent, [])
        await it.until(lambda: "0 match" in it.screen)
        await it.press("escape")
        assert it.inspector.table.at == len(wire.records) - 2
        screen = it.screen
        assert f"its answer is #{wire.frames}" in screen
        assert "21 frames and 2 events" in screen


async def test_from_an_entry_to_its_frames_and_back_and_where_the_time_of_a_turn_went() -> None:
    async with inspecting(talk().records, opened=False) as it:
        transcript = it.app.conversation.transcript
        assert transcript is not None
        transcript.focus()
        transcript.show_entry("s", 2)
        await it.press("i")
        await it.until_read()
        assert it.inspector.table.at == 9
        assert sorted(it.inspector.table.linked) == [9, 10, 11, 12]
        await it.press("o")
        assert len(it.inspector.source.view) == 4
        await it.press("o", "j", "j", "j", "i")
        assert it.app.screen is it.app.conversation
        assert transcript.current == 2
        transcript.show_entry("s", 4)
        await it.press("enter")
        screen = it.screen
        assert "first token" in screen
        assert "person 1.01s" in screen
        await it.press("enter")
        assert "first token" not in it.screen


async def test_the_session_as_it_was_at_a_frame_and_at_an_event() -> None:
    records = talk().records
    async with inspecting(records, (140, 40)) as it:
        it.inspector.table.go_to_record(7)
        await it.press("full_stop", "full_stop", "full_stop")
        past = it.inspector.snapshot
        assert past.goal == 9
        history = past._history
        assert history is not None
        assert history.state == replay_events(read_events(records[:9]))
        rows = it.rows
        assert any("frame 8 of 19 ·" in row for row in rows)
        assert any("Let me see." in row for row in rows)
        assert not any("Write tea.py" in row[:60] for row in rows)
        await it.press("full_stop")
        assert any("Write tea.py" in row[:60] for row in it.rows)
        await it.press("comma", "comma")
        assert history.state == replay_events(read_events(records[:8]))
        await it.press("escape")
        assert "Esc now" not in it.screen
        assert past.is_live
        it.inspector.table.go_to_record(14)
        await it.press("full_stop")
        assert " after frame 13 of 19 ·" in it.screen
        await it.press("comma")
        screen = it.screen
        assert " frame 13 of 19 ·" in screen
        assert " after frame" not in screen
        it.inspector.table.go_to_record(0)
        await it.until(lambda: "before frame 1 of 19 ·" in it.screen)


async def test_in_the_past_the_way_back_stays_in_view_and_leads_to_what_was_shown() -> None:
    async with inspecting(talk().records, (80, 24)) as it:
        it.inspector.table.go_to_record(7)
        for opened in (False, True):
            await it.press(*["s"] * opened)
            before = it.rows
            assert any('"jsonrpc"' in row for row in before) is not opened
            await it.press("comma" if opened else "full_stop")
            rows = it.rows
            assert " · Esc now" in it.row(" of 19 · ")
            assert not any('"jsonrpc"' in row for row in rows)
            assert "time" in it.row(" what ").split()
            assert rows[-1].count(" back") == 1
            assert "F12 leave" in rows[-1]
            assert "F1 keys" in rows[-1]
            await it.press("escape")
            await it.until(lambda: it.rows == before)  # noqa: B023  # called at once


async def test_a_step_is_not_undone_by_the_row_that_it_began_in() -> None:
    async with inspecting(talk().records, (140, 40)) as it:
        it.inspector.table.go_to_record(7)
        await it.press("full_stop", "full_stop")
        it.inspector.frames.post_message(Frames.Settled())
        await it.press("full_stop")
        assert it.inspector.snapshot.goal == 9
        await it.press("down", "down")
        assert it.inspector.snapshot.goal == 11


async def test_columns_can_be_left_out() -> None:
    async with inspecting(talk().records, (200, 30)) as it:
        assert "issues" in it.rows[0]
        await it.press("C", "up")
        assert "▌ ☑ issues" in it.screen
        await it.press("space")
        assert "▌ ☐ issues" in it.screen
        await it.press("escape")
        assert "issues" in it.rows[0]
        await it.press("C", "up", "space", "enter")
        assert "issues" not in it.rows[0]


async def test_why_a_column_does_not_show_is_said() -> None:
    async with inspecting(Wire().prompted().chunk().records, (80, 30)) as it:
        await it.press("C")
        await it.until(lambda: "one session only" in it.row("☑ session"))
        assert "no issues" in it.row("☑ issues")
        needed = re.search(r"needs (\d+) columns", it.row("☑ took"))
        assert needed is not None
        await it.press("escape")
        await it.pilot.resize_terminal(int(needed[1]) + 2, 30)
        await it.until(lambda: "took" in it.rows[0])


async def test_the_column_that_is_marked_has_its_ground_once_keys_rest() -> None:
    async with inspecting(talk().records, (200, 30)) as it:
        await it.press("C")
        await it.until(lambda: it.ground("☑ # number").startswith("▌ ☑ # number of the frame  "))
        await it.press("down")
        await it.until(lambda: it.ground("☑ time").startswith("▌ ☑ time since the start  "))
        assert it.ground("☑ # number") == ""


async def test_columns_that_no_row_needs_leave_their_room_to_what_is_said() -> None:
    wire = Wire().opened().prompt(2).chunk("All is well.").ended(2)
    async with inspecting(wire.records, (240, 30)) as it:
        assert not {"session", "issues"} & set(it.rows[0].split())
        update = {"sessionUpdate": "agent_message_chunk", "content": "x"}
        wire.got(method="session/update", params={"sessionId": "other", "update": update})
        it.app.changed(it.app.agent, [])
        await it.until(lambda: {"session", "issues"} <= set(it.rows[0].split()))


async def test_a_narrow_table_keeps_the_number_the_status_and_what_is_said() -> None:
    async with inspecting(talk().records, (120, 40)) as it:
        for width in (120, 80):
            await it.pilot.resize_terminal(width, 40)
            await settled(it.pilot)
            assert len(it.rows[0]) <= width
            assert {"#", "time", "what", "status", "content"} <= set(it.rows[0].split()), width


@parametrize(
    1,
    ("keys", "words"),
    [
        (["f12"], "No messages yet. They appear here as they go"),
        (["f12", "w"], "no turn so far: after a prompt, w shows its time"),
        (["f12", "S"], "no turns yet: the times of each answer appear here"),
    ],
)
async def test_where_nothing_is_it_is_said_what_comes_there(keys: list[str], words: str) -> None:
    async with inspecting([], (80, 24), opened=False) as it:
        await it.press(*keys)
        await it.until(lambda: words in it.screen)


async def test_columns_without_room_for_them_take_keys() -> None:
    async with inspecting(talk().records, (100, 1), opened=False) as it:
        await it.press("f12", "c", "pagedown", "pageup", "escape", "q")
        assert it.inspector.table.hidden == set()


async def test_where_the_time_of_a_turn_went() -> None:
    async with inspecting(talk().records, (60, 24)) as it:
        it.inspector.table.go_to_record(12)
        await it.press("w")
        screen = it.screen
        told = ["first token", "model", "person", "client", "tools"]
        assert all(re.search(rf"{name} [\d.]+m?s", screen) for name in told)
        assert "person 1.01s" in screen
        assert "Write tea.py" in it.row("███")


async def test_time_passes_where_a_turn_waits_for_the_person() -> None:
    wire = Wire().prompted()
    wire.ask(50, "session/request_permission", toolCall={"toolCallId": "call-1"}, options=OPTIONS)
    async with inspecting(wire.records) as it:
        await it.press("w")
        it.now += 30
        await it.until(lambda: "person 30.0" in it.screen)
        assert "so far" in it.screen


async def test_statistics_count_what_came_and_name_the_schema_that_findings_are_by() -> None:
    async with inspecting(talk().records) as it:
        await it.press("S")
        screen = it.screen
        assert "session/prompt (by the agent)" in screen
        chunks = it.row("│ agent_message_chunk").partition("│ ")[2].partition("│")[0]
        assert chunks.rstrip().endswith("6")
        one = it.row("initialize (by the agent)")
        assert one.count("10.0ms") == 1  # of one answer there is no distribution
        assert "checked by schema 1.29 of 1 Nov 2026" in screen
        assert "error stdout-noise" in screen


async def test_statistics_tell_the_agents_time_from_the_persons() -> None:
    wire = Wire().opened().prompt(2).chunk("a").ask(7, "session/request_permission", sessionId="s")
    wire.later(20.0).out(id=7, result={}).later(0.96).chunk("b").ended(2)
    async with inspecting(wire.records) as it:
        await it.press("S")
        await it.until(lambda: "waited for the person" in it.screen)
        assert re.search(r"session/prompt \(by the agent\) +1 +21\.", it.screen)
        assert re.search(r"to the end, without waits +1 +1\.", it.screen)
        assert re.search(r"waited for the person +1 +20\.", it.screen)
        assert re.search(r"chunks a second +1 +1\.0 ", it.screen)


async def test_two_marked_frames_and_two_turns_are_compared() -> None:
    wire = Wire().opened()
    for id, said in ((2, "left"), (3, "right")):
        wire.prompt(id).chunk(said).ended(id)
    async with inspecting(wire.records) as it:
        await it.press("=")
        assert "= needs two bookmarks" in it.screen
        for at in (5, 8):
            it.inspector.table.go_to_record(at)
            await it.press("m")
        await it.press("=")
        await it.until(lambda: "1 difference" in it.rows[0])
        assert "#6 ← agent_message_chunk   ↔   #9 ← agent_message_chunk" in it.rows[0]
        assert '-         "text": "left"' in it.screen
        assert '+         "text": "right"' in it.screen
        await it.press("escape", "m")
        it.inspector.table.go_to_record(5)
        await it.press("m")
        for at in (4, 7):
            it.inspector.table.go_to_record(at)
            await it.press("m")
        await it.press("=")
        await it.until(lambda: "The turns of #5 and #8" in it.screen)
        assert "changed ← agent_message_chunk" in it.screen


async def compared(it: Inspecting, *indexes: int) -> None:
    """Compare two frames of a log."""
    for at in indexes:
        it.inspector.table.go_to_record(at)
        await it.press("m")
    await it.press("=")
    await it.until(lambda: "↔" in it.rows[0] and "back" in it.rows[-1])


async def test_differences_of_two_frames_are_gone_through() -> None:
    content = [{"type": "content", "content": {"type": "text", "text": str(at)}} for at in range(9)]
    wire = Wire().opened().prompted()
    wire.update("tool_call", toolCallId="c", title="left", content=content, status="pending")
    wire.update("tool_call", toolCallId="c", title="right", content=content, status="failed")
    async with inspecting(wire.records, (120, 40)) as it:
        await compared(it, len(wire.records) - 2, len(wire.records) - 1)
        assert "2 differences" in it.rows[0]
        sides = it.row('"title": "left"').split("│")
        assert [words.split()[1] for words in sides] == ["-", "+"]
        assert "unchanged lines" in it.screen
        for words in ('"title": "left"', '"status": "pending"', '"title": "left"'):
            await it.press("n")
            assert it.row(words).startswith("▌")
        await it.press("N")
        assert it.row('"status": "pending"').startswith("▌")
        await it.press("enter")
        assert "unchanged lines" not in it.screen
        assert "Enter only differences" in it.rows[-1]
        await it.press("escape")
        assert isinstance(it.app.screen, InspectorScreen)


async def test_it_is_said_how_much_two_frames_differ() -> None:
    wire = Wire().opened().prompted().chunk("same").chunk("same").chunk("other")
    wire.got(id=7, result={"a": 1}).got(id=8, result={"a": 1})
    same, other, answers = len(wire.records) - 5, len(wire.records) - 3, len(wire.records) - 2
    async with inspecting(wire.records, (80, 24)) as it:
        it.inspector.table.go_to_record(same)
        await it.press("enter")
        for one, two, words in (
            (same, same + 1, "both say the same"),
            (same + 1, other, "1 difference"),
            (answers, answers + 1, "only ids, times and folders differ"),
        ):
            await compared(it, one, two)
            rows = it.rows
            assert rows[0].endswith(words)
            assert ("next difference" in rows[-1]) is (words != "both say the same")
            if one == answers:
                assert '-   "id": 7' in it.screen
            await it.press("escape")
            for at in (one, two):
                it.inspector.table.go_to_record(at)
                await it.press("m")  # no bookmark any more


async def test_one_key_writes_a_bug_report(tmp_path: Path) -> None:
    async with inspecting(talk().records) as it:
        it.app.agent.state.peer.cwd = str(tmp_path)
        it.inspector.table.go_to_record(13)
        await it.press("B")
        await it.until(lambda: [one.title for one in it.app.notes] == ["Bug report"])
    (path,) = tmp_path.iterdir()
    with ZipFile(path) as archive:
        readme = archive.read(f"{path.stem}/README.md").decode()
    assert "acp-tui replay recording.jsonl" in readme
    assert "stdout" in readme


@pytest.mark.slow
async def test_a_long_log_is_read_while_keys_are_answered() -> None:
    wire = Wire().prompted()
    for number in range(20_000):
        wire.chunk("x", messageId=str(number // 10))
    records = wire.records
    async with inspecting(records, opened=False) as it:
        await it.press("f12")
        await it.press("home")
        assert it.inspector.table.at == 0
        await it.until_read()
        assert "20,005 frames" in it.screen
        assert len(it.inspector.source.view) == 2005
        await it.press("end")
        assert it.inspector.table.position == 2004


async def test_a_way_leads_to_what_is_not_read_yet_and_f12_to_a_finding_that_just_came() -> None:
    wire = talk()
    async with inspecting(wire.records) as it:
        it.inspector.table.go_to_record(len(wire.records) + 1)
        await it.until(lambda: "going there" in it.screen)
        wire.prompt(4).chunk("Later.").ended(4)
        it.app.changed(it.app.agent, [])
        await it.until(lambda: it.inspector.table.at == len(wire.records) - 2)
        assert "going there" not in it.screen
        await it.press("end", "f12")
        wire.raw(Direction.IN, b"noise again")
        wire.prompt(5).ended(5)
        await it.press("f12")
        await it.until_read()
        assert it.inspector.table.at == len(wire.records) - 3


async def test_the_row_that_is_shown_is_of_one_tone_and_keeps_its_colors_and_bookmark() -> None:
    async with inspecting(talk().records, (80, 24)) as it:
        await it.press("home")
        ok = style_of(it, "ok").color
        await it.press("down")
        await it.until(lambda: it.ground("initialize") == it.row("initialize").ljust(80)[:79])
        assert style_of(it, "initialize").color != style_of(it, "ok").color == ok
        assert it.row("initialize").startswith("▌")
        assert not it.inspector.table.show_horizontal_scrollbar
        await it.press("tab", "down")
        assert it.ground("initialize").startswith(" ")
        assert it.row("❯").endswith(it.selected_line)
        await it.press("tab", "m")
        assert it.row("initialize").startswith("●")
        assert style_of(it, "●").reverse
        await it.press("down")
        assert not style_of(it, "●").reverse


async def test_the_cursor_is_on_the_screen_wherever_one_comes_from() -> None:
    wire = Wire().opened().prompt(2)
    for at in range(60):
        wire.update("plan", entries=[])
        if at == 10:
            wire.raw(Direction.IN, b"noise")
    async with inspecting(wire.records, (80, 24)) as it:
        group = it.inspector.table.group
        assert group is not None
        assert it.row("▌").split()[1] == str(group.first.number)
        await it.press("slash", *"kind:plan", "enter")
        group = it.inspector.table.group
        assert group is not None
        assert it.row("▌").split()[1] == str(group.first.number)


def style_of(it: Inspecting, word: str) -> Style:
    """What the number of a frame looks like, or the name behind its arrow."""
    for strip in it.app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if word in text.split()[:2] and style is not None:
                return style
    raise AssertionError(f"no frame {word}")


async def test_a_state_of_the_past_that_is_left_is_freed_at_once() -> None:
    gc.disable()
    try:
        async with inspecting(talk().records, (140, 40)) as it:
            it.inspector.table.go_to_record(12)
            await it.press("full_stop")
            transcript = it.inspector.snapshot.transcript
            assert transcript is not None
            left = ref(transcript.document)
            await it.press("comma", "comma")
            assert left() is None
    finally:
        gc.enable()


def counts(text: str) -> list[str]:
    return re.findall(r"[\d,]+ (?:errors?|warnings?)", text)


async def test_the_conversation_counts_what_f12_counts_while_it_comes() -> None:
    wire = talk()
    async with inspecting(wire.records, opened=False) as it:
        shown = counts(it.row("(F12)"))
        assert shown[0] == "1 error"
        wire.raw(Direction.IN, b"npm warn").update("agent_message_chunk", content="x", mood=1)
        it.app.changed(it.app.agent, [])
        await settled(it.pilot)
        now = counts(it.row("(F12)"))
        assert now[0] == "3 errors"
        await it.press("f12")
        await it.until_read()
        assert counts(it.row("21 frames and 2 events")) == now
        assert it.inspector.table.at == len(wire.records) - 1


async def test_a_message_on_several_lines_is_one_row_with_all_of_it_below() -> None:
    wire = talk()
    body = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s"}}
    body["params"]["update"] = {"sessionUpdate": "plan", "entries": 7}  # type: ignore[index]
    for line in json.dumps(body, indent=2).splitlines():
        wire.raw(Direction.IN, line.encode())
    async with inspecting(wire.records, size=(100, 60)) as it:
        assert "plan on 11 lines" in it.row("plan on")
        assert "one message on 11 lines: plan" in it.screen
        assert "entries must be an array, but is an integer: 7" in it.screen
        assert '"sessionUpdate": "plan"' in it.screen or "sessionUpdate: plan" in it.screen
        lines = sum('"jsonrpc"' in row for row in it.rows)
        await it.press("enter")
        assert sum('"jsonrpc"' in row for row in it.rows) == lines + 1
