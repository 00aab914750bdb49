"""Forms and links while the screen is recorded: filled in and agreed to by keys."""

from pathlib import Path
from typing import Any

import pytest

from tests.fake_agent.script import Played, Script
from tests.script.playing import Ran, play
from tests.script.test_cast import SECRET, cast, plain
from tests.script.test_command import FORM, LINK, folder_of_the_agent

__all__ = ["folder_of_the_agent"]

pytestmark = pytest.mark.slow  # at the pace of a person

ORDER: dict[str, Any] = {
    "type": "object",
    "title": "The order",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "mail": {"type": "string", "format": "email", "default": "a@b.example"},
        "pot": {"type": "string", "default": "the blue one"},
        "cups": {"type": "integer", "minimum": 1, "description": "at least one"},
        "temp": {"type": "number"},
        "milk": {"type": "boolean", "default": True},
        "sugar": {"type": "boolean"},
        "lid": {"type": "boolean"},
        "photo": {"type": "file"},
        "kind": {"type": "string", "enum": ["green", "black", "white"]},
        "size": {"type": "string", "enum": ["small", "large"]},
        "with": {
            "type": "array",
            "items": {"type": "string", "enum": ["lemon", "mint", "honey"]},
            "default": ["mint"],
        },
        "note": {"type": "string"},
    },
    "required": ["cups", "kind"],
}


def asked(folder: Path, answer: str, question: dict[str, Any], sent: dict[str, Any]) -> Ran:
    """Play a script with one answer to an agent that asks, and that was `sent` this."""
    agent = Script().handshake().prompt()
    agent.request("elicitation/create", {"elicitationId": "e1", **question}, save="ask")
    agent.expect_answer("ask", result=sent).end_turn()
    text = f"steps: [{{prompt: pour, answers: [{{question: '*', {answer}}}]}}]"
    ran = play(folder, text, "--cast", "out.cast", argv=agent.argv(folder / "agent"))
    Played(folder / "agent").check()
    return ran


@pytest.mark.parametrize(
    ("answer", "question", "sent", "code"),
    [
        ("fill: {cups: 2}", FORM, {"action": "accept", "content": {"cups": 2, "milk": True}}, 0),
        ("fill: {cups: 0}", FORM, {"action": "cancel"}, 7),
        ("choose: accept", FORM, {"action": "cancel"}, 7),
        ("choose: decline", FORM, {"action": "decline"}, 0),
        ("choose: cancel", FORM, {"action": "cancel"}, 0),
        ("choose: accept", LINK, {"action": "accept"}, 0),
        ("choose: decline", LINK, {"action": "decline"}, 0),
        ("fill: {cups: 1}", LINK, {"action": "cancel"}, 7),
    ],
)
def test_the_answers_are_those_that_are_given_without_a_screen(
    tmp_path: Path, answer: str, question: dict[str, Any], sent: dict[str, Any], code: int
) -> None:
    ran = asked(tmp_path, answer, question, sent)
    assert ran.code == code, ran.out + ran.err


def test_every_kind_of_field_is_filled_in_left_alone_or_left_empty(tmp_path: Path) -> None:
    question = {**FORM, "requestedSchema": ORDER}
    answer = (
        "fill: {mail: me@b.example, cups: 3, temp: 80.5, sugar: no, kind: white, "
        "with: [honey, lemon]}"
    ).replace("sugar: no", "sugar: false")
    content = {
        "mail": "me@b.example",
        "pot": "the blue one",
        "cups": 3,
        "temp": 80.5,
        "milk": True,
        "sugar": False,
        "kind": "white",
        "with": ["lemon", "honey"],
    }
    ran = asked(tmp_path, answer, question, {"action": "accept", "content": content})
    assert ran.code == 0, ran.out + ran.err
    screens = list(cast(tmp_path).screens())
    assert any("me@b" in one and "me@b.example" not in one for one in screens)  # letter by letter
    assert any("☑ honey" in one and "☑ lemon" in one for one in screens)


def test_what_no_keys_can_fill_in_is_told_and_canceled(tmp_path: Path) -> None:
    question = {**FORM, "requestedSchema": ORDER}
    ran = asked(
        tmp_path, 'fill: {cups: 1, kind: white, note: "a\\nb"}', question, {"action": "cancel"}
    )
    assert ran.code == 7
    assert "note can't be typed: a line break or a control character is in it" in ran.out


def test_a_secret_that_is_filled_in_is_masked_from_its_first_letters_on(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
    sent = {"action": "accept", "content": {"key": SECRET}}
    question = {**FORM, "requestedSchema": schema}
    ran = asked(tmp_path, f"fill: {{key: {SECRET}}}", question, sent)
    assert ran.code == 0, ran.out + ran.err
    for screen in cast(tmp_path).screens():
        for at in range(len(SECRET) - 12):
            assert SECRET[at : at + 12] not in plain(screen)


def wants_a_sign_in() -> Script:
    methods = [{"id": "key", "name": "API key"}, {"id": "web", "name": "Browser"}]
    refused = {"code": -32000, "message": "Authentication required"}
    script = Script().initialize({"authMethods": methods})
    return script.expect("session/new").reply("new", error=refused)


def test_one_signs_in_by_a_key(tmp_path: Path) -> None:
    agent = wants_a_sign_in().expect("authenticate", {"methodId": "web"}).reply("authenticate")
    argv = agent.new_session().prompt().chunk("here I am").end_turn().argv(tmp_path / "agent")
    text = "steps: [{prompt: hi, expect: {text: here I am}}]"
    ran = play(tmp_path, text, "--cast", "out.cast", "--auth", "web", argv=argv)
    assert ran.code == 0, ran.out + ran.err
    Played(tmp_path / "agent").check()


def test_a_sign_in_that_is_not_offered_ends_it(tmp_path: Path) -> None:
    argv = wants_a_sign_in().expect_eof().argv(tmp_path / "agent")
    text = "steps: [{prompt: hi}]"
    ran = play(tmp_path, text, "--cast", "out.cast", "--auth", "card", argv=argv)
    assert ran.code == 1
    assert "offers no sign-in 'card', but key, web" in ran.out + ran.err
