"""`acp-tui run`: the agent's forms, links and free questions, on a terminal and without one."""

from pathlib import Path
from typing import Any

from tests.e2e.test_run_permissions import Terminal
from tests.fake_agent.script import Played, Script
from tests.hosting import command, run_turn

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 2},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "tea": {
            "type": "string",
            "oneOf": [{"const": "g", "title": "Green"}, {"const": "b", "title": "Black"}],
        },
        "with": {"type": "array", "items": {"enum": ["milk", "sugar", "lemon"]}},
        "hot": {"type": "boolean"},
        "new": {"type": "hologram"},
    },
    "required": ["name"],
}
FORM = {
    "sessionId": "s1",
    "message": "Who \x1b[2Jis it?",
    "mode": "form",
    "requestedSchema": SCHEMA,
}
LINK = {"sessionId": "s1", "message": "Sign in", "mode": "url", "elicitationId": "e1"}
QUESTION = {"sessionId": "s1", "question": "Which?", "options": ["One", "Two"]}


def asking(method: str, params: dict[str, Any], result: dict[str, Any]) -> Script:
    script = Script().handshake().prompt().request(method, params, save="ask")
    return script.expect_answer("ask", result=result).end_turn()


FIELD, SEND = "Your answer", "Send this?"


def test_a_form_is_filled_in_field_by_field_and_reviewed(tmp_path: Path) -> None:
    content = {"name": "Ada", "count": 5, "tea": "b", "with": ["milk", "lemon"], "hot": True}
    script = asking("elicitation/create", FORM, {"action": "accept", "content": content})
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("asks: Who ␛[2Jis it?")
    for see, prompt, answer in (
        ("Who", "Answer? [y]es, [n]o", "y"),
        ("Name (required)", FIELD, "A"),
        ("It needs at least 2 characters.", FIELD, "Ada"),
        ("Enter keeps 3", FIELD, "many"),
        ("It must be a whole number.", FIELD, ""),
        ("2) Black", FIELD, "2"),
        ("with", "several with commas]:", "1,lemon"),
        ("hot", FIELD, "y"),
        ("with: milk, lemon", SEND, "c"),
        ("Enter keeps Ada", FIELD, ""),
        ("count", FIELD, "5"),
        ("2) Black", FIELD, ""),
        ("with", "several with commas]:", ""),
        ("hot", FIELD, ""),
        ("count: 5", SEND, "y"),
    ):
        terminal.see_next(see)
        terminal.see_next(prompt)
        terminal.type(f"{answer}\n")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_form_is_declined_or_cancelled(tmp_path: Path) -> None:
    keys = [("n\n", "decline"), ("\n", "cancel"), ("\x04", "cancel")]
    script = Script().handshake().prompt()
    for number, (_, action) in enumerate(keys):
        script.request("elicitation/create", FORM, save=f"ask{number}")
        script.expect_answer(f"ask{number}", result={"action": action})
    terminal = Terminal(command(argv=script.end_turn().argv(tmp_path)))
    for key, _ in keys:
        terminal.see_next("Answer? [y]es, [n]o")
        terminal.type(key)
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_link_is_shown_with_what_may_mislead(tmp_path: Path) -> None:
    params = {**LINK, "url": "http://ex\u0430mple.org/login"}
    script = asking("elicitation/create", params, {"action": "accept"})
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("Do you? [y]es, [n]o")
    for words in ("host: ex\u0430mple.org", "/login", "not encrypted", "xn--exmple-4nf.org"):
        assert words in terminal.shown
    terminal.type("y\n")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_free_question_is_answered(tmp_path: Path) -> None:
    script = asking("_agentao.cn/ask_user", QUESTION, {"outcome": "answered", "text": "Two"})
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    for see, prompt, answer in (
        ("asks", "Answer?", "y"),
        ("2) Two", FIELD, "2"),
        ("Other", FIELD, ""),
        ("Choice: Two", SEND, "y"),
    ):
        terminal.see_next(see)
        terminal.see_next(prompt)  # what is typed before it answers nothing
        terminal.type(f"{answer}\n")
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_a_question_that_is_taken_back_is_asked_no_more(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    gate = tmp_path / "gate"
    script.request("elicitation/create", FORM, save="ask", id="q").until(gate)
    script.notify("$/cancel_request", {"requestId": "q"})
    script.expect_answer("ask", result={"action": "cancel"}).end_turn()
    terminal = Terminal(command(argv=script.argv(tmp_path)))
    terminal.see("Answer? [y]es, [n]o")
    gate.touch()
    assert terminal.ended() == 0
    Played(tmp_path).check()


def test_without_a_person_nothing_is_offered_and_a_free_question_is_cancelled(
    tmp_path: Path,
) -> None:
    script = Script().handshake().prompt().request("elicitation/create", FORM, save="form")
    script.expect_answer("form", error={"code": -32602})
    script.request("_agentao.cn/ask_user", QUESTION, save="ask")
    script.expect_answer("ask", result={"outcome": "cancelled"}).end_turn()
    ran = run_turn(argv=script.argv(tmp_path))
    assert ran.code == 0
    assert "nobody answers: Which?" in ran.err
    Played(tmp_path).check()
    (initialize,) = Played(tmp_path).calls("initialize")
    assert "elicitation" not in initialize["params"]["clientCapabilities"]
