"""What is written behind `!`: run for the person, never sent, and never run by accident."""

import pytest

from acp_tui.session.authentication import Program
from acp_tui.ui.controllers.own_commands import _longest_fence, plain_lines
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_below_a_question_nothing_is_run() -> None:
    state, _ = states.asking()
    ran: list[Program] = []

    async def run(program: Program) -> int:
        ran.append(program)
        return 1

    async with running(state, run_program=run) as it:
        await it.wait_until_armed()
        await it.press(*"!reboot", "enter")
        assert "answer first what is asked" in it.screen
        assert "!reboot" in it.prompt
    assert (ran, it.asked) == ([], [])


async def test_without_a_terminal_of_our_own_it_stays_written() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press(*"!ls", "enter")
        assert it.prompt == "!ls"
        assert "not run: commands run only where" in it.screen
        assert not it.asked


async def test_a_space_before_it_sends_it_to_the_agent() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press(*" !ls", "enter")
        assert len(it.asked) == 1


async def test_the_last_row_says_what_enter_does() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("!")
        assert "Enter run it here" in it.screen
        await it.press("backspace")
        assert "Enter send" in it.screen


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (b"", []),
        (b"one\r\ntwo\r\n\r\n", ["one", "two"]),
        (b"10%\r20%\r100%\r\n", ["100%"]),
        (b"\x1b[31mred\x1b[0m\x1b]0;title\x07\r\n", ["red"]),
        ("日本 ☕\r\n".encode(), ["日本 ☕"]),
        (b"\xff\r\n", ["\ufffd"]),
    ],
)
def test_output_goes_along_as_it_was_seen(output: bytes, lines: list[str]) -> None:
    assert plain_lines(output) == lines


def test_a_fence_is_longer_than_those_in_the_output() -> None:
    assert _longest_fence("a\n````b\n``") == 4
