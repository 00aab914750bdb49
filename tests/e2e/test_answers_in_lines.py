"""`run` and `--plain` at a terminal: only a line that was meant for a question answers it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_tui.headless.keyboard import SEVERAL_LINES
from acp_tui.testing.script import Played
from tests.e2e.terminal import Terminal, terminal
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


def asking(request: dict[str, object], folder: Path) -> list[str]:
    """The command of an agent that asks this in a turn."""
    script = Script().handshake().prompt().request("elicitation/create", request, save="ask")
    return script.expect_answer("ask").end_turn().argv(folder)


def answers(folder: Path) -> list[object]:
    """What the agent got as answers so far."""
    return [one["result"] for one in Played(folder).messages if "result" in one]


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
@pytest.mark.parametrize("pasted", PASTES)
@pytest.mark.parametrize(("request_", "asked"), [(FORM, "Answer?"), (LINK, "Do you?")])
def test_a_paste_answers_no_form_and_no_link(
    tmp_path: Path, argv: Sequence[str], request_: dict[str, object], asked: str, pasted: str
) -> None:
    agent = asking(request_, tmp_path)
    with terminal(*argv, "--", *agent, size=(100, 40)) as window:
        begin(window, argv)
        window.wait_for(asked)
        window.send(pasted)
        window.wait_for(SEVERAL_LINES)
        window.wait_until(lambda: window.text.count(asked) == 2, "the question again")
        window.send("n\r")
        window.wait_until(lambda: answers(tmp_path), "answer")
    assert answers(tmp_path) == [{"action": "decline"}]


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
def test_a_paste_into_one_field_fills_in_no_other(tmp_path: Path, argv: Sequence[str]) -> None:
    with terminal(*argv, "--", *asking(FORM, tmp_path), size=(100, 40)) as window:
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
        window.send("y\r")
        window.wait_until(lambda: answers(tmp_path), "answer")
    content = {"tea": "Darjeeling", "milk": False}
    assert answers(tmp_path) == [{"action": "accept", "content": content}]


@pytest.mark.parametrize("argv", [RUN, PLAIN], ids=["run", "plain"])
def test_lines_typed_ahead_of_a_field_do_not_fill_it_in(
    tmp_path: Path, argv: Sequence[str]
) -> None:
    with terminal(*argv, "--", *asking(FORM, tmp_path), size=(100, 40)) as window:
        begin(window, argv)
        window.wait_for("Answer?")
        window.send("y\r")
        window.wait_for("  Enter leaves it empty")
        assert "Your answer:" not in window.text
        window.send("typed ahead\r")
        window.wait_for("Your answer:")
        window.send("Assam\r")
        window.wait_for("Your answer [1-2]:")
        window.send("\r")
        window.wait_for("Send this?")
        window.send("y\r")
        window.wait_until(lambda: answers(tmp_path), "answer")
    assert answers(tmp_path) == [{"action": "accept", "content": {"tea": "Assam"}}]


@pytest.mark.parametrize("pasted", PASTES)
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
