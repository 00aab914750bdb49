"""A terminal that is seconds behind, as over a bad line or in a browser: only what it shows is answered."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.ui.output.flow_control import QUERY
from tests.e2e.terminal import ENTER, Terminal, terminal
from tests.e2e.test_tui import READY
from tests.fake_agent.script import Played, Script

LS = {"toolCallId": "t1", "title": "ls", "kind": "execute", "rawInput": {"command": "ls"}}
RM = "rm -rf ~"


def changing(folder: Path, *gates: str) -> list[str]:
    """An agent that asks about `ls` in each turn, and about another command once its gate is there."""
    script = Script().handshake()
    for gate in gates:
        script.prompt().ask_permission(LS).until(folder / gate)
        script.tool_call_update(title=RM, rawInput={"command": RM})
        script.expect_answer("ask").end_turn()
    return script.argv(folder)


def ask(it: Terminal, words: str) -> None:
    """Have the agent ask, on a terminal that reports its cursor."""
    it.wait_for(READY)
    it.type_line("go")
    it.wait_for(words)
    it.wait_for_keys()


@pytest.mark.parametrize("keys", ["1", ENTER])
def test_a_key_pressed_before_a_change_was_shown_allows_nothing(tmp_path: Path, keys: str) -> None:
    argv = changing(tmp_path, "gate")
    with terminal("--no-record", "--", *argv, answers=True) as it:
        ask(it, "$ ls")
        (tmp_path / "gate").touch()
        carried = it.carry_until(RM)
        carried += it.carry_for(1.5)
        it.send(keys)
        carried += it.carry_for(1)
        it.show(carried)
        it.wait_for(RM)
        it.wait_for("not allowed, because it has changed")
        it.wait_for_keys()
        assert not answers(tmp_path)
        it.send("1")
        it.wait_for(READY)
    (answer,) = answers(tmp_path)
    assert answer["result"]["outcome"] == {"outcome": "selected", "optionId": "yes"}


def answers(folder: Path) -> list[dict[str, Any]]:
    """What the agent's questions were answered with."""
    return [one for one in Played(folder).messages if "method" not in one]


def test_a_question_that_is_shown_late_is_asked_about_once_and_takes_no_number_before(
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    script = Script().handshake().prompt().until(gate).ask_permission(LS)
    argv = script.expect_answer("ask").end_turn().argv(tmp_path)
    with terminal("--no-record", "--", *argv, answers=True) as it:
        it.wait_for(READY)
        it.type_line("go")
        it.wait_for("Esc")
        gate.touch()
        carried = it.carry_until("$ ls")
        carried += it.carry_for(3)
        assert carried.count(QUERY.encode()) < 15  # some are for a spinner's frames
        it.send("1")
        carried += it.carry_for(1)
        it.show(carried)
        it.wait_for("1 came too early to answer")
        assert "$ ls" in it.text
        assert answers(tmp_path) == []


def test_where_a_multiplexer_answers_for_the_terminal_a_key_comes_half_a_second_later(
    tmp_path: Path,
) -> None:
    """What a multiplexer has drawn is all that is known, as with tmux."""
    gate = tmp_path / "gate"
    script = Script().handshake().prompt().until(gate).ask_permission(LS)
    argv = script.expect_answer("ask").end_turn().argv(tmp_path)
    with terminal("--no-record", "--", *argv, answers=True) as it:
        it.wait_for(READY)
        it.type_line("go")
        it.wait_for("Esc")
        gate.touch()
        carried = it.carry_until("$ ls")
        until = carried
        while QUERY.encode() not in until:
            until = it.carry_for(0.02)
            carried += until
        it.send("\x1b[1;1R" * carried.count(QUERY.encode()) + "1")
        it.answers = False
        it.show(carried)
        it.answers = True
        it.wait_for("1 came too early to answer")
        assert "$ ls" in it.text
        assert answers(tmp_path) == []
        it.send("\x15")
        it.wait_for_keys()
        it.send("1")
        it.wait_for(READY)
    assert len(answers(tmp_path)) == 1


def test_a_number_pressed_before_a_dialog_was_shown_chooses_nothing_in_it(tmp_path: Path) -> None:
    """The sign-in comes by itself, like trust in a project's servers."""
    gate = tmp_path / "gate"
    methods = {"authMethods": [{"id": "login", "name": "Log in by token"}]}
    refused = {"code": -32000, "message": "Authentication required"}
    script = Script().initialize(methods).new_session().prompt().until(gate)
    script = script.reply("prompt", error=refused).expect("authenticate").expect_eof()
    with terminal("--no-record", "--", *script.argv(tmp_path), answers=True) as it:
        it.wait_for(READY)
        it.type_line("go")
        it.wait_for("Esc")
        gate.touch()
        carried = it.carry_until("Log in by token")
        carried += it.carry_for(1.5)
        it.send("1")
        carried += it.carry_for(1)
        it.show(carried)
        it.wait_for_keys()
        assert Played(tmp_path).calls("authenticate") == []
        it.send("1")
        it.wait_for("signing in")
    assert len(Played(tmp_path).calls("authenticate")) == 1
