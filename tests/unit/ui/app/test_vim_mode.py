"""Vim's modes in the prompt: said, left by who writes, and never in the way of a question."""

from pathlib import Path

import pytest
from textual import events
from textual.message import Message

from acp_tui.config.paths import settings_file
from acp_tui.config.settings import Settings
from acp_tui.protocol.content import TextContent
from acp_tui.session.commands import Cancel, Prompt
from acp_tui.ui.textual_fixes.terminal_input import TerminalInput
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    settings_file().parent.mkdir(parents=True)
    settings_file().write_text("vim_mode = true\n")


async def test_escape_makes_letters_commands_and_the_status_line_says_so() -> None:
    state, session = states.talked()
    async with running(state) as it:
        await it.write("one two three")
        assert "NORMAL" not in it.screen
        await it.press("escape")
        assert "NORMAL" in it.screen
        await it.write("bd2bq")
        assert it.prompt == "three"
        await it.write("u")
        assert it.prompt == "one two three"
        await it.press("ctrl+r")
        assert it.prompt == "three"
        await it.write("ifour ")
        assert it.prompt == "four three"
        assert "NORMAL" not in it.screen
        await it.press("escape", "enter")
        assert it.asked == [Prompt(session.session_id, (TextContent(text="four three"),))]
        await it.write("k")
        assert it.prompt == "k"


async def test_a_letter_soon_after_escape_is_no_key_with_alt() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        assert _keys(b"\x1b", 0.04, b"g") == ["escape", "g"]
        it.app.conversation.prompt.use_settings(Settings())
        assert _keys(b"\x1b", 0.04, b"g") == ["alt+g"]


def _keys(*sent: bytes | float) -> list[str]:
    """What is heard of bytes, and of seconds between them."""
    now, messages = 0.0, list[Message]()
    parser = TerminalInput(lambda: now)
    for one in sent:
        if isinstance(one, float):
            now += one
            messages += parser.tick()
        else:
            messages += parser.feed(one)
    return [message.key for message in messages if isinstance(message, events.Key)]


@pytest.mark.parametrize("key", ["g", "r", "w", "a"])
async def test_escape_and_a_letter_that_come_at_once_are_no_key_with_alt(key: str) -> None:
    state, session = states.talked()
    async with running(state) as it:
        await it.write("one two")
        it.app.post_message(events.Key(f"alt+{key}", "\x1b"))
        await it.until(lambda: "NORMAL" in it.screen or key == "a")
        assert it.prompt == "one two"
        assert it.asked == []
        await it.press("escape", "0", "alt+g")
        assert it.asked == [Prompt(session.session_id, (TextContent(text="one two"),))]


async def test_what_follows_a_colon_does_nothing_and_enter_after_it_sends_nothing() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.write("one: two")
        await it.press("escape")
        await it.write(":wqx")
        await it.press("backspace")
        assert ":wq" in it.screen
        await it.press("enter")
        assert (it.prompt, it.asked) == ("one: two", [])
        assert ":wq does nothing here: Enter sends, Ctrl+Q leaves" in it.screen
        assert "NORMAL" in it.screen
        for keys in (
            [":", "backspace"],
            [":", "w", "escape"],
            [":", "ctrl+enter"],
            ["0", "v", ":"],
        ):
            await it.press(*keys)
            assert (it.prompt, it.asked) == ("one: two", [])
        await it.press("escape", "escape", "0", "d", "f", ":")
        assert it.prompt == " two"
        await it.press("i", ":")
        assert it.prompt == ": two"


async def test_what_is_selected_is_shown_and_changed() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.write("one two")
        await it.press("escape", "0", "v", "e")
        assert "VISUAL" in it.screen
        assert it.app.conversation.prompt.selected_text == "one"
        await it.press("c", "X", "escape")
        assert it.prompt == "X two"


async def test_lines_beyond_the_text_are_other_prompts() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        it.app.conversation.prompt.earlier.add("before")
        await it.write("now")
        await it.press("escape", "k")
        assert it.prompt == "before"
        await it.press("j")
        assert it.prompt == "now"


async def test_escape_leaves_the_mode_before_it_cancels_a_turn() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("x")
        await it.press("escape")
        assert it.asked == []
        await it.press("escape")
        assert it.asked == [Cancel(session.session_id)]


async def test_what_is_typed_elsewhere_is_written() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.write("x")
        await it.press("escape", "tab")
        assert not it.app.conversation.prompt.has_focus
        await it.write("W")
        assert it.prompt == "Wx"
        assert "NORMAL" not in it.screen


async def test_below_a_question_letters_are_words_again() -> None:
    state, _ = states.asking()
    async with running(state) as it:
        it.app.conversation.prompt.focus()
        await it.write("no dd")
        assert it.prompt == "no dd"
        assert "NORMAL" not in it.screen
