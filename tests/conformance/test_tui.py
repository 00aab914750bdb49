"""What needs a person, done by one: the program on a terminal, an agent that looks at the wire."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import ENTER, ESCAPE, Terminal, terminal
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script

SHIFT_TAB = "\x1b[Z"
CTRL_O = "\x0f"
CANCELLED = {"outcome": {"outcome": "cancelled"}}
MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
KEEPS = {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}}}}
OLD = {"sessionId": "old", "cwd": "/x", "title": "Old tea"}


def opened(script: Script, folder: Path, *options: str) -> Any:
    return terminal("--no-record", *options, "--", *script.argv(folder))


def leave(it: Terminal, folder: Path) -> None:
    """Leave; the agent must have seen all that it waited for."""
    it.leave()
    assert it.wait_for_exit() == 0
    Played(folder).check()


def selected(option_id: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


@pytest.mark.check(8)
def test_a_session_that_cannot_be_loaded_is_not_asked_for(tmp_path: Path) -> None:
    script = Script().initialize().new_session()
    with opened(script, tmp_path, "--resume", "old") as it:
        it.wait_for("○ ready")
        it.leave()
        assert it.wait_for_exit() == 0
    methods = [message["method"] for message in Played(tmp_path).messages]
    assert methods == ["initialize", "session/new"]


@pytest.mark.check(11)
def test_signing_in_by_the_chosen_method_opens_the_session(tmp_path: Path) -> None:
    methods = [{"id": "key", "name": "API key"}, {"id": "web", "name": "Browser"}]
    refused = {"code": -32000, "message": "Authentication required"}
    script = Script().initialize({"authMethods": methods})
    script.expect("session/new").reply("new", error=refused)
    script.expect("authenticate", {"methodId": "web"}).reply("authenticate").new_session()
    with opened(script, tmp_path) as it:
        it.wait_for("Browser")
        it.wait_for_keys()
        it.send("2")
        it.wait_for("○ ready")
        leave(it, tmp_path)


@pytest.mark.check(23, 24)
def test_each_question_gets_its_own_answer(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    script.ask_permission({"toolCallId": "a", "title": "Boil"}, save="a")
    script.ask_permission({"toolCallId": "b", "title": "Pour"}, save="b")
    script.expect_answer("a", result=selected("yes")).expect_answer("b", result=selected("no"))
    script.chunk("both answered").end_turn()
    with opened(script, tmp_path) as it:
        it.wait_for("○ ready")
        it.type_line("tea, please")
        it.wait_for("1 of 2")
        it.wait_for_keys()
        it.send("1")
        it.wait_until(lambda: "1 of 2" not in it.text, "second question")
        it.wait_for_keys()
        it.send("3")
        it.wait_for("both answered")
        leave(it, tmp_path)


@pytest.mark.check(25, 26, 28, 29)
def test_escape_cancels_the_turn_and_all_its_questions(tmp_path: Path) -> None:
    script = Script().handshake().prompt().ask_permission(save="a").ask_permission(save="b")
    script.expect("session/cancel", {"sessionId": "s1"})
    script.expect_answer("a", result=CANCELLED).expect_answer("b", result=CANCELLED)
    script.ask_permission(save="late").expect_answer("late", result=CANCELLED)
    script.reply("prompt", error={"code": -32603, "message": "stopped hard"})
    script.prompt(save="again").chunk("still here").end_turn(to="again")
    with opened(script, tmp_path) as it:
        it.wait_for("○ ready")
        it.type_line("go on")
        it.wait_for("1 of 2")
        it.wait_for_keys()
        it.send(ESCAPE)
        it.wait_for("stopped hard")
        it.type_line("once more")
        it.wait_for("still here")
        leave(it, tmp_path)
    (cancel,) = Played(tmp_path).calls("session/cancel")
    assert "id" not in cancel


@pytest.mark.check(38)
def test_where_there_are_options_modes_are_not_set(tmp_path: Path) -> None:
    choices = [{"value": "plan", "name": "Plan"}, {"value": "act", "name": "Act"}]
    option = {"id": "m", "name": "Mode", "category": "mode", "type": "select", "options": choices}
    script = Script().handshake(
        None, {"modes": MODES, "configOptions": [{**option, "currentValue": "plan"}]}
    )
    script.expect("session/set_config_option", {"configId": "m", "value": "act"}, save="set")
    script.reply("set", {"configOptions": [{**option, "currentValue": "act"}]})
    with opened(script, tmp_path) as it:
        it.wait_for("mode Plan")
        it.send(SHIFT_TAB)
        it.wait_for("Act")
        leave(it, tmp_path)
    assert Played(tmp_path).calls("session/set_mode") == []


@pytest.mark.check(38)
def test_without_options_modes_are_set(tmp_path: Path) -> None:
    script = Script().handshake(None, {"modes": MODES})
    script.expect("session/set_mode", {"modeId": "code"}).reply("set_mode")
    with opened(script, tmp_path) as it:
        it.wait_for("mode Ask")
        it.send(SHIFT_TAB)
        it.wait_for("Code")
        leave(it, tmp_path)


@pytest.mark.check(39)
def test_an_old_session_is_found_and_its_history_shown_once(tmp_path: Path) -> None:
    script = Script("old").initialize(KEEPS).expect("session/new")
    script.reply("new", {"sessionId": "s1"})
    script.expect("session/list", save="first")
    script.reply(
        "first", {"sessions": [{**OLD, "sessionId": "x", "title": "Milk"}], "nextCursor": "/?=2"}
    )
    script.expect("session/list", {"cursor": "/?=2"}, save="second")
    script.reply("second", {"sessions": [OLD]})
    script.expect("session/load", {"sessionId": "old", "cwd": "/x", "mcpServers": []})
    content = {"type": "text", "text": "a cup"}
    script.update("user_message_chunk", content=content).chunk("oolong").reply("load")
    with opened(script, tmp_path) as it:
        it.wait_for("○ ready")
        it.send(CTRL_O)
        it.wait_for("Old tea")
        it.send("old tea")
        it.wait_until(lambda: "Milk" not in it.text, "search")
        it.send(ENTER)
        it.wait_for("Work in this folder?")
        it.wait_for_keys()
        it.send("2")
        it.wait_for("oolong")
        assert it.text.count("oolong") == 1
        assert it.text.count("a cup") == 1
        leave(it, tmp_path)


def asking(params: dict[str, Any], answer: dict[str, Any]) -> Script:
    script = Script().handshake().prompt()
    script.request("elicitation/create", {"sessionId": "s1", "message": "Who?", **params}, save="q")
    return script.expect_answer("q", result=answer).chunk("thanks").end_turn()


SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "default": 3},
    },
    "required": ["name"],
}


@pytest.mark.check(40, 64)
@parametrize(
    1,
    ("steps", "answer"),
    [
        (
            {"Ada": "▏Ada", "\r": "field 2 of 2", "\t": "1-2 answer", "1": "thanks"},
            {"action": "accept", "content": {"name": "Ada", "count": 3}},
        ),
        (
            {
                "\t": "field 2 of 2",
                "\t\t": "Tab to the form",
                "\x1b[Z": "1-2 answer",
                "2": "thanks",
            },
            {"action": "decline"},
        ),
        ({ESCAPE: "thanks"}, {"action": "cancel"}),
    ],
    ids=["accept", "decline", "cancel"],
)
def test_a_form_is_accepted_declined_or_cancelled(
    tmp_path: Path, steps: dict[str, str], answer: dict[str, Any]
) -> None:
    script = asking({"mode": "form", "requestedSchema": SCHEMA}, answer)
    with opened(script, tmp_path) as it:
        it.wait_for("○ ready")
        it.type_line("go on")
        it.wait_for("Who?")
        assert "Fake agent asks" in it.text
        it.wait_for("field 1 of 2")  # it has the focus once keys count
        for keys, words in steps.items():
            it.send(keys)
            it.wait_for(words)
        leave(it, tmp_path)


@pytest.mark.check(40)
def test_a_link_is_shown_whole_and_not_opened_unasked(tmp_path: Path) -> None:
    programs, noted = tmp_path / "programs", tmp_path / "opened"
    programs.mkdir()
    for name in ("xdg-open", "open", "www-browser"):
        (programs / name).write_text(f'#!/bin/sh\necho "$1" > {noted}\n')
        (programs / name).chmod(0o755)
    url = "https://xn--80ak6aa92e.com/login?state=1"
    script = asking({"mode": "url", "elicitationId": "e", "url": url}, {"action": "accept"})
    env = {"PATH": f"{programs}:/usr/bin:/bin", "BROWSER": ""}
    with terminal("--no-record", "--", *script.argv(tmp_path), env=env) as it:
        it.wait_for("○ ready")
        it.type_line("go on")
        it.wait_for(url)
        it.wait_for("xn--80ak6aa92e.com")
        it.wait_for_keys()
        assert not noted.exists()
        it.send("1")
        it.wait_until(lambda: noted.exists() and noted.read_text(), "browser")
        it.wait_for("thanks")
        leave(it, tmp_path)
    assert noted.read_text().strip() == url


@pytest.mark.check(41)
def test_the_last_words_of_an_agent_are_on_the_screen(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("half a").stderr("no more tea\n").exit(7)
    with opened(script, tmp_path) as it:
        it.wait_for("○ ready")
        it.type_line("go on")
        it.wait_for("exited with code 7")
        it.wait_for("no more tea")
        it.leave()
        assert it.wait_for_exit() == 0


@pytest.mark.check(43)
def test_leaving_in_mid_turn_leaves_nothing(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("working").ignore_eof().ignore_sigterm()
    with opened(script.sleep(60), tmp_path) as it:
        it.wait_for("○ ready")
        it.type_line("go on")
        it.wait_for("working")
        it.leave()
        assert it.wait_for_exit() == 0
        it.wait_until(lambda: not it.processes, "end of all processes")
