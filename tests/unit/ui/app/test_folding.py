"""Long pastes are folded into a chip, which is edited as one character and sent as its text."""

import pytest
from textual.events import Paste

from acp_tui.protocol.content import TextContent
from acp_tui.state.changes import EntryAdded
from acp_tui.state.commands import SendPrompt
from acp_tui.state.entries import Role
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio
LONG = "".join(f"line {number}\n" for number in range(1, 43))
CHIP = "[pasted 1: 42 lines]"


async def paste(it: Running, text: str) -> None:
    it.app.post_message(Paste(text))
    await it.pilot.pause()


async def test_a_long_paste_is_shown_as_its_size_opened_by_a_key_and_sent_as_its_text() -> None:
    state, session = states.talked()
    async with running(state) as it:
        await it.write("why? ")
        await paste(it, LONG)
        assert it.prompt == f"why? {CHIP}"
        assert "pasted 1: 42 lines; Tab opens it, Backspace removes it" in it.screen
        await it.write("!")
        await it.press("enter")
        assert it.asked == [
            SendPrompt(session.session_id, (TextContent(text=f"why? {LONG}!"),)),
        ]
        await it.press("up")
        assert it.prompt == f"why? {CHIP}!"
        await it.press("ctrl+c")
        await paste(it, LONG)
        chip = it.prompt
        assert chip == "[pasted 2: 42 lines]"
        it.app.feature.prompts.save_draft()
        assert it.app.tabs.shown.draft == LONG
        it.app.feature.prompts.show_draft()
        assert it.prompt == chip
        await it.press("tab")
        assert it.prompt == LONG
        await it.press("ctrl+z")
        assert it.prompt == chip


async def test_it_keeps_its_chip_in_the_transcript_until_it_is_opened_there() -> None:
    state, session = states.talked()
    async with running(state) as it:
        await it.write("why? ")
        await paste(it, LONG)
        await it.press("enter")
        session.entries.append(states.message(Role.USER, f"why? {LONG}"))
        it.app.changed(it.app.agent, [EntryAdded(session.session_id, len(session.entries) - 1)])
        await it.until(lambda: f"why? {CHIP}" in it.screen)
        assert "line 3 " not in it.screen
        await it.press("tab")
        await it.until(lambda: "Enter show all" in it.row_of_keys)
        await it.press("enter")
        await it.until(lambda: "line 3 " in it.screen)
        await it.press("enter")
        await it.until(lambda: f"why? {CHIP}" in it.screen)


async def test_a_short_paste_stays_as_it_is_and_one_long_line_is_folded_by_its_characters() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        for text in ("a\nb\n", "x" * 1_500):
            await paste(it, text)
            assert it.prompt == text
            await it.press("ctrl+c")
        await paste(it, "x" * 1_501)
        assert it.prompt == "[pasted 1: 1,501 characters]"
        await it.press("ctrl+c")
        it.app.conversation.prompt.folded.from_lines = 0
        await paste(it, LONG)
        assert it.prompt == LONG
        await it.press("ctrl+z")
        assert it.prompt == "", "many lines that were not folded are taken back at once"
        await it.press("ctrl+shift+z")
        assert it.prompt == LONG


@parametrize(
    2,
    ("keys", "left"),
    [
        (["backspace"], "a  b"),
        (["ctrl+w"], "a  b"),
        (["left", "delete"], "a  b"),
        (["left", "ctrl+k"], "a "),
        (["shift+left", "x"], "a x b"),
        (["left", "x"], f"a x{CHIP} b"),
        (["left", "left", "right", "right", "y"], f"a {CHIP}y b"),
        (["ctrl+left", "z"], f"a z{CHIP} b"),
    ],
)
async def test_it_is_edited_as_one_character(keys: list[str], left: str) -> None:
    """What is left of a chip would look like a text, and stand for nothing."""
    state, _ = states.talked()
    async with running(state) as it:
        await it.write("a  b")
        await it.press("left", "left")
        await paste(it, LONG)
        await it.press(*keys)
        assert it.prompt == left
        await it.press(*["ctrl+z"] * 4)
        assert it.prompt.replace(CHIP, "") in ("a  b", "")


async def test_what_is_folded_never_runs_as_a_command_and_the_same_words_stand_for_nothing() -> (
    None
):
    state, session = states.talked()
    async with running(state) as it:
        await paste(it, f"!touch x\n{LONG}")
        assert it.prompt == "[pasted 1: 43 lines]"
        await it.press("enter")
        await it.write(CHIP)
        await it.press("enter")
        assert it.asked == [
            SendPrompt(session.session_id, (TextContent(text=f" !touch x\n{LONG}"),)),
            SendPrompt(session.session_id, (TextContent(text=CHIP),)),
        ]
        await it.write("!cat ")
        await paste(it, LONG)
        assert it.prompt == f"!cat {LONG}", "a command is not folded"
