"""`run` and `--plain` at a terminal: only a line that was meant for a question answers it."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from acp_tui.headless.keyboard import SEVERAL_LINES
from acp_tui.testing.script import Played
from tests.e2e.terminal import Terminal, terminal
from tests.examples import parametrize
from tests.fake_agent.script import Script

SCHEMA = {
    "type": "object",
    "properties": {"tea": {"type": "string"}, "milk": {"type": "boolean"}},
}
FORM = {"sessionId": "s1", "message": "Which tea?", "mode": "form", "requestedSchema": SCHEMA}
LINK = {
    "sessionId": "s1",
    "message": "Log in",
    "mode": "url",
    "elicitationId": "e1",
    "url": "https://tea.test/",
}
SIGN_IN = {
    "authMethods": [
        {
            "id": "login",
            "name": "Log in",
            "_meta": {"terminal-auth": {"command": "touch", "args": ["run-unasked"]}},
        }
    ]
}
RUN, PLAIN = ("run", "hello"), ("--plain",)
PASTES = ["y\nrest\n", "y\ny\n", "y\ny\ny\n\ny\n", "y\nthe beginning of a line"]


def begin(window: Terminal, argv: Sequence[str]) -> None:
    if argv == PLAIN:
        window.wait_until(lambda: window.text.rstrip().endswith("\n>"), "prompt")
        window.type_line("hello")


def asking(folder: Path, *requests: dict[str, object]) -> list[str]:
    """The command of an agent that asks these, one after another, in a turn."""
    script = Script().handshake().prompt()
    for number, request in enumerate(requests):
        script.request("elicitation/create", request, save=f"ask {number}")
        script.expect_answer(f"ask {number}")
    return script.end_turn().argv(folder)


def answers(folder: Path) -> list[object]:
    """What the agent got as answers so far."""
    return [one["result"] for one in Played(folder).messages if "result" in one]


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
def test_a_paste_answers_no_form_and_no_link(tmp_path: Path, argv: Sequence[str]) -> None:
    cases = list(product([(FORM, "Answer?"), (LINK, "Do you?")], PASTES))
    agent = asking(tmp_path, *(request for (request, _), _ in cases))
    with terminal(*argv, "--", *agent, size=(100, 40)) as window:
        begin(window, argv)
        for number, ((_, asked), pasted) in enumerate(cases):
            before = len(window.written)
            wait_until_written(window, asked, before)
            window.send(pasted)
            wait_until_written(window, SEVERAL_LINES, before)
            wait_until_written(window, asked, before, times=2)
            assert len(answers(tmp_path)) == number, pasted
            window.send("n\r")
            window.wait_until(
                lambda answered=number + 1: len(answers(tmp_path)) == answered, "answer"
            )
    assert answers(tmp_path) == [{"action": "decline"}] * len(cases)


def wait_until_written(window: Terminal, words: str, before: int, times: int = 1) -> None:
    """Wait until words were written so many times, not counting what was written before."""
    window.wait_until(lambda: window.written.count(words.encode(), before) >= times, repr(words))


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
def test_neither_a_paste_into_one_field_nor_lines_typed_ahead_fill_in_another(
    tmp_path: Path, argv: Sequence[str]
) -> None:
    with terminal(*argv, "--", *asking(tmp_path, FORM, FORM), size=(100, 60)) as window:
        begin(window, argv)
        window.wait_for("Answer?")
        window.send("y\r")
        window.wait_for("Your answer:")
        window.send("Assam\nyes\ny\n")
        window.wait_for(SEVERAL_LINES)
        window.wait_until(lambda: window.text.count("Your answer:") == 2, "the field again")
        window.send("Darjeeling\r")
        window.wait_for("Your answer [1-2]:")
        window.send("2\r")
        window.wait_for("Send this?")
        before = len(window.written)
        window.send("y\r")
        window.wait_until(lambda: answers(tmp_path), "answer")

        wait_until_written(window, "Answer?", before)
        window.send("y\r")
        wait_until_written(window, "  Enter leaves it empty", before)
        assert b"Your answer:" not in window.written[before:]
        window.send("typed ahead\r")
        wait_until_written(window, "Your answer:", before)
        window.send("Assam\r")
        wait_until_written(window, "Your answer [1-2]:", before)
        window.send("\r")
        wait_until_written(window, "Send this?", before)
        window.send("y\r")
        window.wait_until(lambda: len(answers(tmp_path)) == 2, "answer")
    contents = {"tea": "Darjeeling", "milk": False}, {"tea": "Assam"}
    assert answers(tmp_path) == [{"action": "accept", "content": one} for one in contents]


@parametrize(1, "pasted", PASTES)  # forms are asked with all of them
def test_a_paste_runs_no_program_that_the_agent_names(tmp_path: Path, pasted: str) -> None:
    script = Script().initialize(SIGN_IN).expect("session/new")
    agent = script.reply("new", error={"code": -32000, "message": "Sign in"}).expect_eof()
    words = (*RUN, "--auth", "login", "--", *agent.argv(tmp_path))
    with terminal(*words, size=(100, 24), cwd=tmp_path) as window:
        window.wait_for("Run it? [y/N]")
        window.send(pasted)
        window.wait_for(SEVERAL_LINES)
        window.wait_until(lambda: window.text.count("Run it?") == 2, "the question again")
        assert not (tmp_path / "run-unasked").exists()
        window.send("n\r")
        window.wait_for("you didn't agree to its program")
        assert window.wait_for_exit() == 1
    assert not (tmp_path / "run-unasked").exists()
