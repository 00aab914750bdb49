"""Letters typed at the transcript: commands, or a prompt that somebody writes without looking."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from textual import events

from acp_tui.state import commands
from acp_tui.ui.conversation.pane import Letter, Letters
from acp_tui.ui.help.screen import HelpScreen
from acp_tui.ui.transcript.transcript import Transcript
from tests.hosting import PATIENCE
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.states import talked
from tests.unit.ui.settling import moment, settled

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def slow_fingers() -> None:
    """Here it matters how quickly keys come."""


def meanings(text: str, pause: float = 0.1, known: str = "bceEgGijJkKnNopPstTvyY ") -> list[str]:
    """What each letter was taken for, pressed one after the other."""
    found, at = Letters(), 0.0
    said = []
    for character in text:
        at += pause
        key = "space" if character == " " else character
        meaning = found.press(Letter(key, character, at), is_command=character in known)
        said.append(f"{meaning.value}:{found.text}")
    return said


@pytest.mark.parametrize(
    "text",
    ["ok", "open it", "yes", "by", "copy", "is", "so", "see", "test", "peek", "no", "go", "keep"],
)
def test_a_word_is_a_text_from_its_first_letter_on_and_no_command_is_done(text: str) -> None:
    said = meanings(text)
    at = next(number for number, one in enumerate(said) if one.startswith("text"))
    assert said[at] == f"text:{text[: at + 1]}"
    done = [text[number] for number, one in enumerate(said[:at]) if one.startswith("command")]
    assert set(done) <= set("bgjknvepstT ")


@pytest.mark.parametrize("letter", ["h", "q", "?", "ä", "7"])
def test_what_is_no_command_is_a_text_at_once(letter: str) -> None:
    assert meanings(letter) == [f"text:{letter}"]


@pytest.mark.parametrize("keys", ["jjjk", "gg", "nNn", "tT", "vjjy", "  b", "kyj", "EE"])
def test_who_reads_quickly_goes_on_reading(keys: str) -> None:
    assert not any(one.startswith("text") for one in meanings(keys))


@pytest.mark.parametrize("keys", ["ok", "yes", "jot"])
def test_what_comes_slowly_is_a_command_each(keys: str) -> None:
    assert all(one[-2] == ":" and not one.startswith("text") for one in meanings(keys, pause=0.4))


@asynccontextmanager
async def reading() -> AsyncIterator[tuple[Running, Transcript]]:
    async with running(talked()[0]) as it:
        await it.press("tab")
        transcript = it.app.conversation.transcript
        assert transcript is not None
        assert transcript.has_focus
        yield it, transcript


async def typed(it: Running, text: str) -> None:
    """Type so that 100 ms are between two keys, however long the app takes."""
    for number, character in enumerate(text):
        key = {" ": "space"}.get(character, character)
        event = events.Key(key, character)
        event.time = 1000.0 + number / 10
        it.app.post_message(event)
    await settled(it.pilot)


async def test_a_prompt_typed_there_is_written_in_the_prompt() -> None:
    async with reading() as (it, transcript):
        before = transcript.standpoint
        copied = it.app.clipboard
        await typed(it, "go on, open it")
        assert it.prompt == "go on, open it"
        assert transcript.standpoint == before
        assert it.app.clipboard == copied
        await it.press("enter")
        assert [type(one) for one in it.asked] == [commands.SendPrompt]


async def test_enter_after_a_letter_sends_nothing_and_opens_nothing() -> None:
    async with reading() as (it, _):
        await it.press("y", "enter")
        assert (it.prompt, it.asked, it.app.clipboard) == ("y", [], "")


async def test_a_command_that_stays_alone_is_done() -> None:
    async with reading() as (it, _):
        await it.press("y")
        assert it.app.clipboard == ""
        with anyio.fail_after(PATIENCE):
            while not it.app.clipboard:
                await moment(it.pilot)
        assert it.prompt == ""


async def test_a_command_is_done_before_the_next_key() -> None:
    async with reading() as (it, transcript):
        await it.press("y", "home")
        assert it.app.clipboard
        assert transcript.standpoint.cursor == 0


async def test_a_command_of_the_whole_program_is_one_here_too() -> None:
    async with reading() as (it, _):
        await it.press("question_mark")
        assert it.prompt == ""
        assert isinstance(it.app.screen, HelpScreen)


async def test_what_is_pasted_there_goes_to_the_prompt() -> None:
    async with reading() as (it, _):
        it.app.post_message(events.Paste("so\ngood"))
        await settled(it.pilot)
        assert (it.prompt, it.asked) == ("so\ngood", [])
