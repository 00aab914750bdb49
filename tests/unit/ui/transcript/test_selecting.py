"""Selecting lines by keys, and what is copied of them."""

import anyio
import pytest
from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.protocol.content import ContentItem, ImageContent
from acp_tui.state.entries import MessageEntry, Role, TerminalEntry, ToolCallEntry
from acp_tui.state.state import Terminal
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.transcript import Transcript
from tests.unit.ui.settling import settled
from tests.unit.ui.transcript.scene import Scene, agent, user
from tests.unit.ui.transcript.test_transcript import tool_call, turns

pytestmark = pytest.mark.anyio

FIRST, SECOND = "say *it*", "I **do**\n\n- tea\n- cups"


def copied(scene: Scene) -> str:
    """What was copied last."""
    return scene.outside.copied[-1][0]


async def test_lines_are_selected_across_entries_as_text_or_markdown() -> None:
    scene = Scene(user(FIRST), agent(SECOND))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        await pilot.press("k", "home", "k", "k", "v", "j", "j", "y")
        assert copied(scene) == "say *it*\n\nI do"
        assert scene.transcript.selected_text() is None
        await pilot.press("v", "end", "Y")
        assert copied(scene) == f"{FIRST}\n\n{SECOND}"


async def test_shift_and_arrows_begin_and_shrink_a_selection() -> None:
    scene = Scene(user(FIRST), agent(SECOND))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        await pilot.press("k", "k", "k", *["shift+down"] * 4)
        assert scene.transcript.selected_text() == "say *it*\n\nI do\n\n• tea"
        await pilot.press(*["shift+up"] * 2)
        assert scene.transcript.selected_text() == "say *it*\n\nI do"


async def test_a_selection_goes_on_beyond_the_screen_and_escape_ends_it() -> None:
    scene = Scene(*turns(20))
    async with scene.run_test(size=(60, 10)) as pilot:
        await settled(pilot)
        await pilot.press("home", "v", "pagedown", "pagedown")
        await settled(pilot)
        text = scene.transcript.selected_text()
        assert text is not None
        assert text.splitlines()[0] == "question 0"
        assert len(text.splitlines()) == 19
        assert "question 0" not in "".join(scene.screen_text())
        await pilot.press("escape")
        assert scene.transcript.selected_text() is None
        assert not scene.transcript.is_selecting


async def test_another_session_ends_a_selection() -> None:
    scene = Scene(user(FIRST), agent(SECOND))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home", "v", "shift+down")
        scene.transcript.show("another")
        assert not scene.transcript.is_selecting
        assert scene.transcript.selected_text() is None


async def test_escape_ends_a_selection_by_mouse_too() -> None:
    scene = Scene(user(FIRST), agent(SECOND))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        await pilot.press("k")
        scene.screen.selections = {scene.transcript: Selection(Offset(2, 0), Offset(5, 0))}
        await pilot.press("escape")
        assert scene.transcript.selected_text() is None


async def test_without_a_selection_the_entry_is_copied_as_markdown() -> None:
    scene = Scene(user(FIRST), agent(SECOND))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        await pilot.press("y")
        assert copied(scene) == SECOND


async def test_images_of_an_entry_are_asked_to_be_opened() -> None:
    image = ImageContent(data="aGk=", mime_type="image/png")
    shown = MessageEntry(Role.AGENT, 100.0, blocks=[image], ended=101.0)
    read: ToolCallEntry = tool_call(1, content=[ContentItem(content=image)])
    for entry in (shown, read):
        scene = Scene(entry)
        async with scene.run_test(size=(40, 20)) as pilot:
            await settled(pilot)
            await pilot.press("o")
            assert scene.outside.images == [[image]]


async def test_a_click_on_an_image_opens_it() -> None:
    image = ImageContent(data="aGk=", mime_type="image/png", uri="file:///tmp/tea.png")
    scene = Scene(user("look"), MessageEntry(Role.AGENT, 100.0, blocks=[image], ended=101.0))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        row = next(y for y, text in enumerate(scene.screen_text()) if "image/png" in text)
        await pilot.click(Transcript, offset=(6, row))
        assert scene.outside.images == [[image]]


async def test_each_press_copies_the_next_code_block() -> None:
    scene = Scene(agent("```py\none\n```\n\nand\n\n```\ntwo\nthree\n```"), agent("```\n4\n```"))
    async with scene.run_test(size=(40, 30)) as pilot:
        await settled(pilot)
        await pilot.press("k", "k", "c", "c", "c", "j", "c")
        assert scene.outside.copied == [
            ("one\n", "copied block 1 of 2"),
            ("two\nthree\n", "copied block 2 of 2"),
            ("one\n", "copied block 1 of 2"),
            ("4\n", "copied"),
        ]


async def test_the_first_block_copied_is_one_on_screen() -> None:
    blocks = "\n\n".join(f"```\nblock {number}\n\n\n\n```" for number in range(9))
    scene = Scene(agent(blocks))
    async with scene.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        await pilot.press("c", "c")
        shown = [row.strip(" │❯") for row in scene.screen_text() if "block" in row]
        assert copied(scene).split("\n")[0] == shown[-1] == "block 8"


async def test_a_key_that_finds_nothing_says_so() -> None:
    scene = Scene(agent("no code"))
    async with scene.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        await pilot.press("c", "o")
        assert scene.outside.said == [
            "no code to copy in this entry",
            "nothing to open in this entry",
        ]


async def test_selected_code_is_copied_as_it_was_written() -> None:
    long = "x = " + "+".join(map(str, range(30))) + " + " + " + ".join(map(str, range(30)))
    source = f"def one():\n    return 2\n\n{long}"
    scene = Scene(agent(f"look:\n\n```py\n{source}\n```\n\n- item\n\n  ```\n  y\n  ```\n"))
    async with scene.run_test(size=(40, 30)) as pilot:
        await settled(pilot)
        await pilot.press("k", "v", "end", "y")
        assert copied(scene) == f"look:\n\n{source}\n\n• item\n\n  y"


async def test_what_only_the_width_breaks_is_copied_in_one_line() -> None:
    words = "one two three four five six seven eight"
    scene = Scene(user(f"{words}\nnine"), agent(f"> - {words}"))
    async with scene.run_test(size=(20, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home", "v", "end", "y")
        assert copied(scene) == f"{words}\nnine\n\n▌ • {words}"


async def test_code_is_selected_from_the_column_on_where_one_begins() -> None:
    scene = Scene(agent("```py\nabcdef\nghijkl\n```"))
    async with scene.run_test(size=(40, 10)) as pilot:
        await settled(pilot)
        scene.screen.selections = {scene.transcript: Selection(Offset(5, 1), Offset(7, 2))}
        assert scene.transcript.selected_text() == "cdef\nghij"
        scene.screen.selections = {scene.transcript: Selection(Offset(2, 0), Offset(5, 0))}
        assert scene.transcript.selected_text() == " py"


@pytest.mark.slow
async def test_much_is_copied_in_slices_and_the_last_key_counts() -> None:
    terminal = Terminal("t", "s", "seq", ["20000"], None, 100.0, ended=101.0)
    terminal.parts.append(b"".join(b"\x1b[32mline\x1b[0m %d\n" % n for n in range(20_000)))
    terminal.stored_bytes = len(terminal.parts[0])
    scene = Scene(TerminalEntry(100.0, "t"), agent("the answer"))
    scene.state.terminals["t"] = terminal
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        scene.transcript.action_copy()
        assert scene.outside.copied == []
        with anyio.fail_after(30):
            while not scene.outside.copied:
                await anyio.sleep(0.01)
        assert copied(scene).startswith("```console\n$ seq 20000\nline 0\nline 1\n")
        scene.transcript.action_copy()
        scene.transcript.action_cursor(1)
        scene.transcript.action_copy()
        with anyio.fail_after(30):
            while len(scene.outside.copied) < 2:
                await anyio.sleep(0.01)
        await settled(pilot)
        assert copied(scene) == "the answer"
        assert len(scene.outside.copied) == 2


async def test_another_width_ends_a_selection_and_another_height_does_not() -> None:
    scene = Scene(user(FIRST), agent(SECOND), *turns(3))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("home", "v", "shift+down", "shift+down")
        await pilot.resize_terminal(60, 10)
        await settled(pilot)
        assert scene.transcript.selected_text() == "say *it*\n\nI do"
        await pilot.resize_terminal(40, 10)
        await settled(pilot)
        assert scene.transcript.selected_text() is None
        assert not scene.transcript.is_selecting


async def test_two_clicks_select_a_word_and_three_its_line() -> None:
    scene = Scene(user("hello"), agent("run `./make-tea.sh --hot`, 漢字 now " + "and then " * 9))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        row = next(y for y, line in enumerate(scene.screen_text()) if "make-tea" in line)
        for column, word in ((6, "./make-tea.sh"), (21, "--hot"), (29, "漢字"), (3, "run")):
            await pilot.click(Transcript, offset=(column, row), times=2)
            assert scene.transcript.selected_text() == word
        await pilot.press("y")
        assert copied(scene) == "run"
        await pilot.click(Transcript, offset=(6, row + 1), times=3)
        text = scene.transcript.selected_text()
        assert text is not None
        assert text.startswith("run ./make-tea.sh --hot")
        assert text.count("and then") == 9
        assert "\n" not in text


@pytest.mark.parametrize("form", ["{}", "`{}`", "```\nrun   {} now\n```", "> - {}"])
async def test_two_clicks_select_a_word_that_is_wrapped(form: str) -> None:
    path = "/usr/share/" + "/".join(f"leaf{number}" for number in range(20)) + "/漢字.txt"
    scene = Scene(user("hello"), agent(form.format(path)))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        text = scene.screen_text()
        rows = [y for y, line in enumerate(text) if "leaf" in line]
        assert len(rows) > 3
        for row in (rows[0], rows[len(rows) // 2], rows[-1]):
            column = text[row].index("leaf") + 1
            await pilot.click(Transcript, offset=(column, row), times=2)
            assert scene.transcript.selected_text() == path


async def test_two_clicks_beside_all_text_select_nothing() -> None:
    scene = Scene(user("hello"))
    async with scene.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        for row in (0, 15):
            await pilot.click(Transcript, offset=(30, row), times=2)
            assert scene.transcript.selected_text() is None


async def test_two_clicks_on_what_opens_open_and_fold() -> None:
    scene = Scene(tool_call(0, status="completed"))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        row = next(y for y, line in enumerate(scene.screen_text()) if line.strip())
        await pilot.click(Transcript, offset=(6, row), times=2)
        assert scene.transcript.selected_text() is None
        assert scene.transcript.document.view(0).fold is Fold.FOLDED
