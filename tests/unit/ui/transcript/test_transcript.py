"""The transcript in an app: what a reader sees while things arrive and keys are pressed."""

from typing import Any

import anyio
import pytest
from textual import events
from textual.geometry import Region
from textual.widgets import Input

from acp_tui.protocol.content import ContentItem, Diff, TerminalRef, TextContent
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.blocks import TextRun
from acp_tui.state.changes import EntryChanged
from acp_tui.state.entries import (
    CompactionEntry,
    ConsentState,
    Entry,
    MessageEntry,
    NoticeEntry,
    Role,
    TerminalEntry,
    ToolCallEntry,
    TurnEndEntry,
)
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.transcript import document_view
from acp_tui.ui.transcript.document import LinePlace
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.transcript import Transcript
from tests.hosting import PATIENCE
from tests.unit.ui.settling import settled
from tests.unit.ui.transcript import gallery
from tests.unit.ui.transcript.scene import Scene, agent, user

pytestmark = pytest.mark.anyio

BELOW = "↓ new below"


def tool_call(number: int, **facts: object) -> ToolCallEntry:
    entry = ToolCallEntry(f"t{number}", 100.0, f"Read file {number}", kind="read")
    entry.status, entry.ended = "completed", 101.2
    for name, value in facts.items():
        setattr(entry, name, value)
    return entry


def turns(count: int) -> list[Entry]:
    entries: list[Entry] = []
    for number in range(count):
        entries += [
            user(f"question {number}"),
            tool_call(number),
            agent(f"answer {number}\n\n- first\n- second"),
            TurnEndEntry(105.0, 100.0, "end_turn"),
        ]
    return entries


async def seen(scene: Scene, words: str) -> None:
    """Wait until words are on the screen, and no longer."""
    with anyio.fail_after(PATIENCE):
        while not any(words in text for text in scene.screen_text()):
            await anyio.sleep(0)


async def test_the_end_is_shown_and_followed() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        assert "answer 19" in "".join(scene.screen_text())
        scene.add(agent("the newest"))
        await settled(pilot)
        assert scene.screen_text()[-1].strip() == "the newest"


async def test_a_frame_that_overtakes_the_message_about_a_width_is_as_wide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(document_view.DocumentView, "on_resize", lambda _: None)
    monkeypatch.setattr(document_view.DocumentView, "on_show", lambda _: None)
    scene = Scene()
    async with scene.run_test(size=(60, 20)) as pilot:
        scene.add(agent("said before the width was told"))
        await settled(pilot)
        assert "said before the width was told" in scene.screen_text()[0]


async def test_a_reader_who_scrolled_up_stays_there_and_is_told_of_news() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("pageup")
        before = scene.screen_text()
        assert BELOW not in before[-1]
        scene.add(*turns(3))
        await settled(pilot)
        assert scene.screen_text()[:-1] == before[:-1]
        assert BELOW in scene.screen_text()[-1]
        await pilot.click(Transcript, offset=(56, 19))
        await settled(pilot)
        assert scene.transcript.following
        assert BELOW not in scene.screen_text()[-1]
        scene.add(agent("more"))
        await settled(pilot)
        assert scene.screen_text()[-1].strip() == "more"


async def test_what_changes_above_is_not_told_as_news() -> None:
    call = tool_call(1)
    scene = Scene(call, *turns(20))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("pageup")
        before = scene.screen_text()
        call.status = "failed"
        call.content = [ContentItem(content=TextContent(text="sorry"))]
        scene.changed([EntryChanged("s", 0)])
        await settled(pilot)
        assert scene.screen_text() == before


async def test_scrolling_back_to_the_end_follows_again() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("pageup")
        assert not scene.transcript.following
        await pilot.press("pagedown")
        assert scene.transcript.following


async def test_opening_and_folding_keeps_the_line_where_it_is() -> None:
    entries = [*turns(10), tool_call(99, raw_input={"path": "/a"}), *turns(10)]
    scene = Scene(*entries)
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        while not any("file 99" in text for text in scene.screen_text()[5:]):
            await pilot.press("pagedown")
        row = next(y for y, text in enumerate(scene.screen_text()) if "file 99" in text)
        height = scene.transcript.virtual_size.height
        await pilot.click(Transcript, offset=(6, row))
        await settled(pilot)
        assert "file 99" in scene.screen_text()[row]
        assert scene.transcript.virtual_size.height > height
        while scene.transcript.virtual_size.height > height:
            await pilot.press("enter")
            await settled(pilot)
        assert "file 99" in scene.screen_text()[row]


def grounds(scene: Scene) -> list[str]:
    """What stands on the ground of the mark, its sign left out."""
    shown = Palette.of(scene)["row.shown"].bgcolor
    rows = (scene.transcript.row(y) for y in range(scene.transcript.rows))
    lines = ([one.text for one in row if one.style and one.style.bgcolor == shown] for row in rows)
    return ["".join(line) for line in lines if line]


async def test_the_marked_entry_has_a_ground_and_a_word_for_enter_once_keys_rest() -> None:
    scene = Scene(tool_call(1), tool_call(2), agent("plain"), prompt=True)
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        assert grounds(scene) == []
        scene.transcript.focus()
        await settled(pilot)
        [ground] = grounds(scene)
        assert "file 2" in ground
        assert len(ground) == scene.transcript.scrollable_content_region.width - 1
        assert scene.transcript.enter == "open"
        scene.transcript.action_cursor(-1)
        scene.transcript.post_message(events.Key("f17", None))
        assert "file 2" in grounds(scene)[0]
        await settled(pilot)
        assert "file 1" in grounds(scene)[0]
        await pilot.press("enter")
        await settled(pilot)
        assert scene.transcript.enter == "fold"
        await pilot.press("end")
        await settled(pilot)
        assert scene.transcript.enter == ""
        scene.query_one(Input).focus()
        await settled(pilot)
        assert grounds(scene) == []


async def test_another_width_keeps_the_reading_position() -> None:
    prose = " ".join(f"word{number}" for number in range(2000))
    scene = Scene(*turns(20), agent(prose), *turns(20))
    async with scene.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        scene.transcript.scroll_to_line(300)
        await settled(pilot)
        first = scene.screen_text()[0].split()[0]
        for width in (50, 33, 120):
            await pilot.resize_terminal(width, 20)
            await settled(pilot)
            assert first in scene.screen_text()[0].split()


@pytest.mark.parametrize("width", [20, 300])
async def test_no_line_is_wider_than_the_screen(width: int) -> None:
    scene = Scene(
        *turns(3), tool_call(1, title="long " * 80, status="failed", raw_input=["x" * 99])
    )
    async with scene.run_test(size=(width, 30)) as pilot:
        await settled(pilot)
        shown = scene.transcript.scrollable_content_region.width
        strips = [scene.transcript.render_line(y) for y in range(30)]
        assert {strip.cell_length for strip in strips} == {shown}
        assert {sum(segment.cell_length for segment in strip) for strip in strips} == {shown}


@pytest.mark.slow
async def test_keys_are_heard_while_thousands_of_chunks_arrive() -> None:
    scene = Scene(user("go"), prompt=True)
    words = "typing goes on"
    async with scene.run_test(size=(80, 24)) as pilot:
        scene.begin_turn()
        scene.add(MessageEntry(Role.AGENT, 100.0))
        typed = scene.query_one(Input)
        for number in range(5000):
            scene.say(f"**chunk** {number} of `text`, ")
            if number % 10 == 0:
                await anyio.sleep(0)
            if number % 400 == 0 and number // 400 < len(words):
                await pilot.press(words[number // 400])
                assert typed.value == words[: number // 400 + 1]
        await pilot.press(words[-1])
        await settled(pilot)
        assert typed.value == words
        scene.end_turn()
        await settled(pilot)
        assert "4999" in "".join(scene.screen_text())


async def test_nothing_runs_when_nothing_happens() -> None:
    scene = Scene(*turns(5))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        assert not scene.transcript.is_ticking
        scene.begin_turn()
        scene.add(tool_call(1, status="in_progress", ended=None))
        await settled(pilot)
        assert scene.transcript.is_ticking
        scene.now += 7
        assert "running 7s" in scene.screen_text()[-1]
        scene.end_turn()
        await settled(pilot)
        assert not scene.transcript.is_ticking
        assert "never finished" in scene.screen_text()[-1]


async def test_what_an_earlier_turn_left_unfinished_runs_again_only_if_it_is_told_of() -> None:
    scene = Scene(*turns(1))
    async with scene.run_test(size=(60, 20)) as pilot:
        scene.begin_turn()
        left = tool_call(1, at=scene.now, status="in_progress", ended=None)
        scene.add(left)
        scene.end_turn()
        scene.now += 10
        scene.begin_turn()
        await settled(pilot)
        assert "never finished" in "\n".join(scene.screen_text())
        left.updated_at = scene.now
        scene.changed([EntryChanged("s", len(scene.session.entries) - 1)])
        await settled(pilot)
        assert "running 10s" in "\n".join(scene.screen_text())


async def test_search_counts_marks_and_goes_round() -> None:
    scene = Scene(*turns(30))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        scene.transcript.search("ANSWER 2")
        await settled(pilot)
        assert scene.searched[-1].count == 11
        assert scene.searched[-1].complete
        seen = []
        for _ in range(12):
            await pilot.press("n")
            assert scene.transcript.current is not None
            seen.append(scene.transcript.current)
        assert seen[-1] == seen[0]
        assert len(set(seen)) == 11
        await pilot.press("N")
        assert scene.transcript.current == seen[-2]
        place = scene.transcript.scroll_offset.y
        assert any("answer 2" in text for text in scene.screen_text()), place


async def test_a_search_finds_what_arrives_later() -> None:
    scene = Scene(*turns(2))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.search("needle")
        await settled(pilot)
        assert scene.searched[-1].count == 0
        scene.add(agent("a needle, another needle"))
        await settled(pilot)
        assert scene.searched[-1].count == 2


async def test_a_search_leads_to_a_match_once_and_then_leaves_the_reader_alone() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        scene.transcript.search("answer 12")
        await settled(pilot)
        assert any("answer 12" in text for text in scene.screen_text())
        await pilot.press("home")
        scene.add(agent("another answer 12"))
        await settled(pilot)
        assert scene.transcript.scroll_offset.y == 0
        assert [news.count for news in scene.searched if news.complete] == [1, 2]


async def test_matches_are_marked_and_the_current_one_stands_out() -> None:
    scene = Scene(agent("one fish two fish"))
    async with scene.run_test(size=(60, 5)) as pilot:
        await settled(pilot)
        scene.transcript.search("fish")
        await settled(pilot)
        marks = [
            segment.style.bgcolor
            for segment in scene.transcript.render_line(0)
            if segment.text == "fish" and segment.style
        ]
        assert len(marks) == 2
        assert marks[0] != marks[1]


async def test_a_selection_reaches_across_entries() -> None:
    scene = Scene(user("first question"), agent("the *answer*"))
    async with scene.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        await pilot.mouse_down(Transcript, offset=(8, 0))
        await pilot.hover(Transcript, offset=(5, 2))
        await pilot.mouse_up(Transcript, offset=(5, 2))
        await settled(pilot)
        assert scene.transcript.selected_text() == "question\n\nthe"
        assert scene.screen.get_selected_text() == "question\n\nthe"


async def test_an_entry_and_its_code_are_copied_as_they_were_written() -> None:
    source = "Look:\n\n```python\nprint( 1 )\n\n```\n\n*done*"
    scene = Scene(user("hi"), agent(source))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("y", "c")
        copied = [text for text, _ in scene.outside.copied]
        assert copied == [source, "print( 1 )\n\n"]


async def test_places_and_links_are_opened() -> None:
    place = ToolCallLocation(path="/home/me/project/src/a.py", line=3)
    scene = Scene(tool_call(1, locations=[place]), agent("[here](https://example.com/x)"))
    async with scene.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        x = scene.screen_text()[0].index("src/a.py:3")
        await pilot.click(Transcript, offset=(x + 1, 0))
        await pilot.click(Transcript, offset=(3, 2))
        assert scene.outside.edited == [("/home/me/project/src/a.py", 3)]
        assert scene.outside.links == ["https://example.com/x"]


@pytest.mark.parametrize(
    ("fields", "opened"),
    [
        ({"locations": [ToolCallLocation(path="/a.py", line=3)]}, [("/a.py", 3)]),
        ({"content": [Diff(path="/b.py", new_text="x")]}, [("/b.py", None)]),
        ({}, []),
    ],
)
async def test_the_place_of_a_tool_call_is_opened(
    fields: dict[str, Any], opened: list[tuple[str, int | None]]
) -> None:
    scene = Scene(tool_call(1, **{"locations": [], **fields}))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("o")
        assert scene.outside.edited == opened


async def test_jumps_go_from_turn_to_turn_and_to_errors() -> None:
    entries = turns(20)
    entries[41] = tool_call(10, status="failed")
    entries[60] = NoticeEntry(100.0, "error", "quota", ended=100.0)
    entries[61] = CompactionEntry(100.0, "c", "failed")
    scene = Scene(*entries)
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("E", "E", "E")
        assert "file 10" in scene.screen_text()[0]
        await pilot.press("right_square_bracket")
        assert "question 11" in scene.screen_text()[0]
        await pilot.press("left_square_bracket")
        assert "question 10" in scene.screen_text()[0]
        await pilot.press("e", "e")
        assert "quota" in scene.screen_text()[0]
        await pilot.press("e")
        assert scene.transcript.current == 61
        assert any("failed" in row for row in scene.screen_text())


async def test_the_cursor_goes_through_a_long_entry_before_it_leaves_it() -> None:
    scene = Scene(user("q"), agent("\n\n".join(f"line {n}" for n in range(40))), user("next"))
    async with scene.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        await pilot.press("home", "down")
        seen = set()
        for _ in range(30):
            seen |= {text.strip("❯│ ") for text in scene.screen_text()}
            await pilot.press("down")
        assert {f"line {n}" for n in range(40)} <= seen
        assert scene.screen_text()[-1] == "❯ next"


@pytest.mark.parametrize("budget", [document_view.BUDGET, 0.0])
async def test_an_entry_opened_at_the_bottom_is_brought_into_view(
    budget: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "\n\n".join(f"line {number}" for number in range(30))
    entries = [tool_call(2), tool_call(1, content=[ContentItem(content=TextContent(text=long))])]
    scene = Scene(*turns(10), tool_call(3, raw_input={"path": "/a"}), *entries, *turns(10))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        for index, seen in ((40, "/a"), (42, "line 3")):
            scene.transcript.scroll_to_line(0)
            scene.transcript.show_entry("s", index)
            await settled(pilot)
            assert scene.transcript.current == index
            assert "▸ ≡" in scene.screen_text()[-1]
            with monkeypatch.context() as slow:
                slow.setattr(document_view, "BUDGET", budget)
                scene.transcript.action_toggle_entry()
            await settled(pilot)
            assert any(seen in text for text in scene.screen_text())
            assert any("▾ ≡" in text for text in scene.screen_text())


async def test_the_cursor_leaves_an_open_entry_that_fits_on_the_screen() -> None:
    scene = Scene(*turns(10), *[tool_call(n, raw_input={"path": f"/{n}"}) for n in range(3)])
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.show_entry("s", 40)
        await pilot.press("enter", "j", "enter", "j", "enter")
        await settled(pilot)
        assert not any(
            scene.transcript.document.view(index).fold is Fold.FOLDED for index in (40, 41, 42)
        )
        assert "/2" in "".join(scene.screen_text())


async def test_home_and_end_take_the_cursor_along() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("g")
        assert scene.screen_text()[0] == "❯ question 0"
        await pilot.press("G")
        assert scene.screen_text()[-1].startswith("❯")
        assert scene.transcript.current == 79


async def test_text_after_the_end_of_a_message_is_shown() -> None:
    scene = Scene(user("q"), agent("first"))
    async with scene.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        scene.say(" and second")
        await settled(pilot)
        assert scene.screen_text()[2].strip(" ❯") == "first and second"


async def test_a_joined_text_is_not_shown_twice() -> None:
    scene = Scene(user("q"), MessageEntry(Role.AGENT, 100.0))
    async with scene.run_test(size=(40, 10)) as pilot:
        scene.begin_turn()
        for word in ("one ", "two ", "three"):
            scene.say(word)
            await settled(pilot)
            message = scene.session.entries[1]
            assert isinstance(message, MessageEntry)
            assert message.text.startswith("one")
        assert scene.screen_text()[2].strip() == "one two three"


async def test_a_growing_tool_call_is_shortened_and_keeps_up() -> None:
    entry = tool_call(1, status="failed")
    scene = Scene(entry)
    async with scene.run_test(size=(60, 70)) as pilot:
        for count in (5, 30, 31):
            text = "\n\n".join(f"line {n}" for n in range(count))
            entry.content = [ContentItem(content=TextContent(text=text))]
            scene.changed([EntryChanged("s", 0)])
            await settled(pilot)
        shown = "\n".join(scene.screen_text())
        assert "line 9" in shown
        assert "line 12" not in shown
        assert "… 41 more lines" in shown
        await pilot.press("enter")
        await settled(pilot)
        assert "line 30" in "\n".join(scene.screen_text())


@pytest.mark.slow
async def test_a_long_session_can_be_read_anywhere_before_all_of_it_is_laid_out() -> None:
    scene = Scene(*turns(800))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.show("s")
        await seen(scene, "answer 799")
        scene.transcript.scroll_to_line(0)
        await seen(scene, "question 0")
        await seen(scene, "answer 1")
        assert scene.transcript.is_busy
        await settled(pilot)
        assert "question 0" in scene.screen_text()[0]


async def test_another_session_is_shown_from_its_end() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        other = scene.state.session("other")
        other.entries += [user("elsewhere"), MessageEntry(Role.AGENT, 1.0, None, [TextRun(["ok"])])]
        scene.transcript.show("other")
        await settled(pilot)
        assert [text.strip(" ▌❯") for text in scene.screen_text()[:3]] == ["elsewhere", "", "ok"]


@pytest.mark.parametrize(
    ("columns", "sides"), [(80, [False, True, False]), (130, [True, False, True])]
)
async def test_a_key_puts_the_sides_of_diffs_side_by_side_or_not(
    columns: int, sides: list[bool]
) -> None:
    old, new = Diff(path="/a", old_text="old\n", new_text="new\n"), Diff(path="/b", new_text="b\n")
    scene = Scene(tool_call(1, title="Change", content=[old, new]), *turns(3))
    async with scene.run_test(size=(columns, 20)) as pilot:
        await pilot.press("home")
        for side_by_side in sides:
            await settled(pilot)
            shown = scene.screen_text()
            assert any("- old" in text and "+ new" in text for text in shown) is side_by_side
            assert "  1 + b" in "\n".join(shown)
            assert "Change" in shown[0]
            await pilot.press("s")


async def test_diffs_of_the_next_session_are_shown_as_those_of_the_last() -> None:
    scene = Scene(*turns(1))
    async with scene.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        await pilot.press("s")
        content = [Diff(path="/a", old_text="old\n", new_text="new\n")]
        scene.state.session("other").entries.append(tool_call(1, title="Change", content=content))
        scene.transcript.show("other")
        await settled(pilot)
        assert any("- old" in text and "+ new" in text for text in scene.screen_text())


async def test_every_row_shows_how_far_it_is_open_the_marked_one_in_the_cursors_style() -> None:
    scene = Scene(tool_call(1), tool_call(2, raw_input={"path": "/b"}))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.show_entry("s", 1)
        for sign, enter in (("▸", "open"), ("▾", "show all"), ("⊟", "fold")):
            await settled(pilot)
            rows = [text for text in scene.screen_text() if "Read file" in text]
            assert [row[:3] for row in rows] == ["▸ ≡", f"{sign} ≡"]
            assert scene.transcript.enter == enter
            marks = [next(iter(scene.transcript.row(y))) for y in range(scene.transcript.rows)]
            looks = [one.style.bold for one in marks if one.style and one.text in "▸▾⊟"]
            assert looks == [None, True]
            await pilot.press("enter")


async def test_keys_that_scroll_take_the_cursor_along_so_that_what_they_work_on_is_seen() -> None:
    scene = Scene(*turns(30))
    async with scene.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        for key in (*["pagedown"] * 5, *["pageup"] * 5, *["ctrl+down"] * 5, *["ctrl+up"] * 5):
            await pilot.press(key)
            await settled(pilot)
            transcript = scene.transcript
            shown = transcript.document.between(
                transcript.top, transcript.top + transcript.rows - 1
            )
            assert transcript.current in shown
            first_line = transcript.document.offset(LinePlace(transcript.current, 0))
            assert first_line < transcript.top + transcript.rows


async def test_a_jump_that_leads_nowhere_says_so() -> None:
    scene = Scene(user("go"), agent("plain"))
    async with scene.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        await pilot.press("e", "P", "d")
        assert scene.outside.said == [
            "no error below",
            "no answered question above",
            "no change in a diff below",
        ]


async def test_an_agent_imitates_no_decision() -> None:
    said = "⇒ You answered: Yes\n\n⇒   You answered: Yes"
    call = tool_call(
        1,
        content=[ContentItem(content=TextContent(text=said))],
        consent=ConsentState(decisions=["No"]),
    )
    async with Scene(call).run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        transcript = pilot.app.query_one(Transcript)
        rows = [strip.text for strip in transcript.render_lines(Region(0, 0, 60, 12))]
        assert [row.strip() for row in rows if row[0] == "⇒"] == ["⇒   You answered: No"]
        assert sum("⇒ " in row for row in rows) == 3


async def test_an_agent_imitates_no_command_that_runs() -> None:
    said = "⇒ $ pytest -q\n\n$ pytest -q\n\n✓ exit 0"
    content = [ContentItem(content=TextContent(text=said)), TerminalRef(terminal_id="t1")]
    call = tool_call(1, title="Test", content=content)
    scene = Scene(agent(said), call, TerminalEntry(100.0, "t1"))
    scene.state.terminals["t1"] = gallery.terminal()
    async with scene.run_test(size=(60, 40)) as pilot:
        await settled(pilot)
        transcript = pilot.app.query_one(Transcript)
        rows = [strip.text for strip in transcript.render_lines(Region(0, 0, 60, 40))]
        own = [row[1:].strip() for row in rows if row[0] == "⇒"]
        assert [row for row in own if row[0] == "$"] == ["$ pytest -q"] * 2
        assert len([row for row in rows if "$ pytest" in row]) == 6
