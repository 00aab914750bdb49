"""In the prompt fingers find what shells have, and nothing that was written is lost."""

from pathlib import Path

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.state.authentication import Program
from acp_tui.state.commands import SendPrompt
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_sessions import two

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


PATHS = "cat src/app.py --flag=x_y it's ok."


async def test_keys_that_shells_have_do_the_same_here() -> None:
    cases = [
        ("one two three", ["alt+b", "X"], "one two Xthree"),
        ("one two three", ["alt+b", "alt+b", "X"], "one Xtwo three"),
        ("one two three", ["ctrl+a", "alt+f", "X"], "oneX two three"),
        ("one two three", ["ctrl+b", "X"], "one two threXe"),
        ("one two three", ["ctrl+a", "alt+d"], " two three"),
        ("one two three", ["alt+backspace"], "one two "),
        ("one two three", ["ctrl+w"], "one two "),
        ("one two three", ["ctrl+a", "ctrl+d"], "ne two three"),
        ("one two three", ["ctrl+home", "X"], "Xone two three"),
        ("one two three", ["ctrl+a", "ctrl+end", "X"], "one two threeX"),
        ("one two three", ["ctrl+a", "ctrl+e", "X"], "one two threeX"),
        ("one two three", ["ctrl+u"], ""),
        ("one two three", ["ctrl+a", "ctrl+k"], ""),
        # Words are those of a shell where there are signs.
        (PATHS, ["ctrl+w"], "cat src/app.py --flag=x_y it's "),
        (PATHS, ["ctrl+w"] * 3, "cat src/app.py "),
        (PATHS, ["alt+backspace"] * 2, "cat src/app.py --flag=x_y it'"),
        (PATHS, ["alt+b", "X"], "cat src/app.py --flag=x_y it's Xok."),
        (PATHS, ["ctrl+a", "alt+f", "alt+f", "X"], "cat srcX/app.py --flag=x_y it's ok."),
        (PATHS, ["ctrl+a", "alt+d", "alt+d"], "/app.py --flag=x_y it's ok."),
        # Alt with another letter writes none.
        ("", ["a", "alt+q", "alt+full_stop", "alt+o", "b"], "ab"),
    ]
    state, _ = states.opened()
    async with running(state) as it:
        for written, keys, text in cases:
            write_anew(it, written)
            await it.press(*keys)
            assert it.prompt == text, keys
        assert it.asked == []


def write_anew(it: Running, text: str) -> None:
    """Write this in the empty prompt, as if it was typed at once."""
    prompt = it.app.conversation.prompt
    prompt.clear()
    prompt.insert(text)


async def test_enter_after_a_backslash_begins_a_new_line_and_sends_nothing() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        for written, text in (
            ("one \\", "one \n"),
            ("!make \\", "!make \\\n"),  # a shell reads the backslash itself
        ):
            await it.write(written)
            assert "Enter new line" in it.row_of_keys
            await it.press("enter")
            assert (it.prompt, it.asked) == (text, [])
            assert "Enter new line" not in it.row_of_keys
            await it.press("ctrl+z")
            assert it.prompt == written
            it.app.conversation.prompt.clear()

        # Two backslashes are sent, and one elsewhere.
        await it.write("C:\\\\")
        assert "Enter send" in it.row_of_keys
        await it.press("enter")
        await it.write("a\\")
        assert "Enter new line" in it.row_of_keys
        await it.press("left")
        assert "Enter send" in it.row_of_keys
        await it.press("right")
        assert "Enter new line" in it.row_of_keys
        await it.press("b", "left", "enter")
        texts = [one.prompt for one in it.asked if isinstance(one, SendPrompt)]
    assert texts == [(TextContent(text="C:\\\\"),), (TextContent(text="a\\b"),)]


async def test_below_a_question_enter_after_a_backslash_is_named_a_new_line_too() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press(*"not now")
        assert it.row_of_keys.startswith("Enter rejects")
        await it.press("ctrl+c")
        assert it.prompt == "not now"  # words for a question are not cleared
        await it.press("\\")
        assert it.row_of_keys.startswith("Enter new line")
        await it.press("enter")
        assert it.prompt == "not now\n"
        assert it.row_of_keys.startswith("Enter rejects")
        assert not it.asked


async def test_two_esc_at_once_clear_what_is_written_and_undo_brings_it_back() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("one two")
        await it.press("escape")
        assert "Esc again clears the prompt" in it.screen
        await it.press("escape")
        assert it.prompt == ""
        await it.press("ctrl+z")
        assert it.prompt == "one two"
        it.clock.now += 10
        await it.press("escape", "space", "escape")
        it.clock.now += 10
        await it.press("escape")
        assert it.prompt == "one two "
        assert it.asked == []


async def test_a_double_click_selects_a_word_and_a_third_one_the_line() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        write_anew(it, "one two/it.py three")
        editor = it.app.conversation.prompt
        for clicks, selected in ((2, "two/it.py"), (3, "one two/it.py three")):
            await it.pilot.click(editor, offset=(8, 1), times=clicks)
            await it.until(lambda selected=selected: editor.selected_text == selected)


async def test_what_was_deleted_by_words_and_lines_is_inserted_again() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        for kill in (
            ["alt+b", "alt+b", "alt+d"],
            ["ctrl+w"],
            ["alt+backspace"],
            ["ctrl+u"],
            ["ctrl+a", "ctrl+k"],
        ):
            write_anew(it, "one two three")
            await it.press(*kill)
            assert it.prompt != "one two three", kill
            await it.press("ctrl+y")
            assert it.prompt == "one two three", kill

        # What is deleted right after the other comes back together.
        for keys, text in (
            (["ctrl+w", "ctrl+w"], PATHS),
            (["ctrl+a", "alt+d", "alt+d"], PATHS),
            (["alt+b", "ctrl+k", "alt+backspace"], PATHS),
            (["ctrl+w", "left", "ctrl+w"], "cat src/app.py --flag=x_y it's "),
        ):
            write_anew(it, PATHS)
            await it.press(*keys)
            await it.press("ctrl+y")
            assert it.prompt == text, keys

        # It is undone one after the other.
        write_anew(it, "one two three")
        await it.press("ctrl+w", "alt+backspace")
        assert it.prompt == "one "
        await it.press("ctrl+underscore")
        assert it.prompt == "one two "
        await it.press("ctrl+underscore")
        assert it.prompt == "one two three"


async def test_ctrl_c_clears_what_is_written_and_ctrl_d_leaves_where_nothing_is() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("a thought")
        await it.press("ctrl+c")
        assert it.prompt == ""
        assert "Ctrl+Z brings it back" in it.screen
        await it.press("ctrl+z", "ctrl+d")
        assert it.prompt == "a thought"
        assert it.app.is_running
        await it.press("ctrl+c")
        await it.press("ctrl+d")
        assert not it.app.is_running


async def test_ctrl_x_cuts_only_what_is_selected() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        write_anew(it, "one two")
        await it.press("ctrl+x")
        assert it.prompt == "one two"
        assert it.note.startswith("nothing is selected to be cut")
        await it.press("ctrl+shift+left", "ctrl+x")
        assert it.prompt == "one "


async def test_ctrl_x_ctrl_e_writes_the_prompt_in_the_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VISUAL", "ed")

    async def edit(program: Program) -> int:
        path = Path(program.argv[-1])
        path.write_text(f"{path.read_text()} more")
        return 0

    state, _ = states.opened()
    async with running(state, run_program=edit) as it:
        await it.write("one")
        await it.press("home", "ctrl+x", "x", "ctrl+e", "y")  # what is between ends it
        assert it.prompt == "xoney"
        await it.press("ctrl+x")
        assert "Ctrl+E opens the editor" in it.screen
        await it.press("ctrl+e")
        await it.until(lambda: it.prompt == "xoney more")


async def test_a_recalled_prompt_that_ctrl_c_clears_is_recalled_again() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", "enter", "b", "enter")
        await it.press("up", "up", "X", "ctrl+c")
        assert it.prompt == ""
        await it.press("up")
        assert it.prompt == "b"
        await it.press("up")
        assert it.prompt == "a"
        await it.press("ctrl+c", "ctrl+z")
        assert it.prompt == "a"


async def test_an_older_prompt_that_was_changed_is_found_as_it_was_left() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", "enter", "b", "enter", "c")
        await it.press("up", "X", "up", "Y", "down")
        assert it.prompt == "bX"
        await it.press("down")
        assert it.prompt == "c"
        await it.press("up", "up")
        assert it.prompt == "aY"
        await it.press("ctrl+z")
        assert it.prompt == "bX"
        await it.press("ctrl+underscore")
        assert it.prompt == "c"


async def test_undo_in_a_tab_brings_back_nothing_of_another_one() -> None:
    talk = two()
    async with running(talk.state) as it:
        await it.write("of the second")
        await it.press("ctrl+pageup")
        await it.press("ctrl+z", "ctrl+z")
        assert it.prompt == ""


async def test_the_conversation_is_scrolled_from_the_prompt() -> None:
    state, session = states.talked()
    session.entries = [
        states.message(states.Role.AGENT, "\n\n".join(f"line {at}" for at in range(100)))
    ]
    async with running(state) as it:
        transcript = it.app.conversation.transcript
        assert transcript is not None
        end = transcript.top
        await it.press("pageup")
        assert transcript.top < end - 5
        await it.press("ctrl+up")
        page = transcript.top
        await it.press("ctrl+down")
        assert transcript.top == page + 1
        await it.press("pagedown", "x")
        assert transcript.top == end
        assert it.prompt == "x"


async def test_a_prompt_that_was_sent_can_be_undone_into_the_prompt_again() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", "enter")
        assert [type(one) for one in it.asked] == [SendPrompt]
        await it.press("ctrl+z")
        assert it.prompt == "a"


async def test_the_editor_gets_the_prompt_and_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VISUAL", "ed")
    files: list[Path] = []

    async def edit(program: Program) -> int:
        path = Path(program.argv[-1])
        files.append(path)
        assert path.stat().st_mode & 0o77 == 0
        assert path.read_text() == "one"
        path.write_text("one\r\ntwo\x1b[31m\n")
        return 0

    state, _ = states.opened()
    async with running(state, run_program=edit) as it:
        await it.write("one")
        await it.press("alt+e")
        await it.until(lambda: it.prompt.startswith("one\ntwo"))
        assert "\x1b" not in it.prompt
        assert not it.prompt.endswith("\n")
        assert not files[0].exists()
        assert it.asked == []
        await it.press("ctrl+z")
        assert it.prompt == "one"
