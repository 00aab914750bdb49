"""Questions beside permissions, and the forms that answer them."""

from typing import Any

import pytest

from acp_tui.protocol.elicitation import Form
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.elicitations import (
    answer_elicitation,
    default_values,
    find_problems,
    parse_field,
)
from acp_tui.state.entries import NoticeEntry
from tests.unit.state.conversation import Conversation

LINK = {"message": "Open", "mode": "url", "url": "https://x.org", "elicitationId": "e"}


def told(talk: Conversation) -> list[str | None]:
    return [one.description for one in talk.session.entries if isinstance(one, NoticeEntry)]


def test_a_question_waits_until_it_is_answered() -> None:
    talk = Conversation.opened()
    number = talk.asks("elicitation/create", message="Who?", mode="form", requestedSchema={})
    question = talk.state.elicitation(number)
    assert question is not None
    assert question.form == Form()
    changes = talk.settle(number, result={"action": "decline"})
    assert ScreenChanged() in changes
    assert talk.state.elicitations == []
    assert told(talk) == ["Your answer: decline"]


def test_what_was_filled_in_is_told_as_it_was_seen() -> None:
    talk = Conversation.opened()
    teas = {"type": "array", "items": {"anyOf": [{"const": "a", "title": "Assam"}]}}
    fields = {
        "name": {"type": "string", "title": "Your name"},
        "size": {"type": "string", "oneOf": [{"const": "l", "title": "Large"}]},
        "sure": {"type": "boolean"},
        "teas": teas,
    }
    for content in ({"name": "Ada"}, {"size": "l", "sure": True, "teas": ["a", "b"], "odd": 1.5}):
        schema = {"properties": fields}
        asked = {"message": "Who?", "mode": "form", "requestedSchema": schema}
        number = talk.asks("elicitation/create", **asked)
        talk.settle(number, result={"action": "accept", "content": content})
    assert told(talk) == [
        "Your answer: Your name: Ada",
        "Your answer:\nsize: Large\nsure: yes\nteas: Assam, b\nodd: 1.5",
    ]


def test_a_refused_question_was_not_answered() -> None:
    talk = Conversation.opened()
    number = talk.asks("elicitation/create", **LINK)
    talk.settle(number, error={"code": -32602, "message": "no"})
    assert talk.state.awaited == {}
    assert told(talk) == ["Your answer: not answered"]


def test_an_unknown_mode_is_no_question() -> None:
    talk = Conversation.opened()
    number = talk.asks("elicitation/create", message="?", mode="smell")
    assert talk.state.elicitations == []
    assert talk.settle(number, error={"code": -32602, "message": "no"}) == []


def test_a_link_is_awaited_until_it_is_done_or_the_agent_gone() -> None:
    talk = Conversation.opened()
    for _ in range(2):
        number = talk.asks("elicitation/create", **LINK)
        talk.settle(number, result={"action": "accept"})
        assert list(talk.state.awaited) == ["e"]
        done = {"method": "elicitation/complete", "params": {"elicitationId": "e"}}
        assert ScreenChanged() in talk.frame(Direction.IN, done)
        assert "Your answer:\naccept\nhttps://x.org" in told(talk)
        assert talk.frame(Direction.IN, done) == []
    talk.asks("elicitation/create", **LINK)
    assert ScreenChanged() in talk.happened(ProcessExited(9.0, 1))
    assert talk.state.elicitations == []


def test_a_link_that_nothing_names_is_not_done() -> None:
    talk = Conversation.opened()
    number = talk.asks("elicitation/create", **LINK)
    talk.settle(number, result={"action": "accept"})
    assert talk.frame(Direction.IN, {"method": "elicitation/complete", "params": {}}) == []
    assert list(talk.state.awaited) == ["e"]


def test_a_question_without_a_session_is_told_nowhere() -> None:
    talk = Conversation.opened()
    params = {"message": "Which?", "mode": "form", "requestedSchema": {}, "requestId": 3}
    talk.frame(Direction.IN, {"id": 1, "method": "elicitation/create", "params": params})
    (question,) = talk.state.elicitations
    talk.settle(question.number, result={"action": "cancel"})
    assert told(talk) == []


@pytest.mark.parametrize(
    ("params", "fields", "required"),
    [
        ({}, ["words"], ["words"]),
        ({"options": ["a", "b"]}, ["choice", "words"], None),
        ({"options": ["a", "b"], "allowCustom": False}, ["choice"], ["choice"]),
        ({"options": ["a"], "multiple": True}, ["choice", "words"], None),
    ],
)
def test_a_free_question_is_a_form(
    params: dict[str, Any], fields: list[str], required: list[str] | None
) -> None:
    talk = Conversation.opened()
    talk.asks("_agentao.cn/ask_user", question="Which?", header="Tea", **params)
    (question,) = talk.state.elicitations
    assert question.form is not None
    assert question.form.title == "Tea"
    assert list(question.form.properties) == fields
    assert question.form.required == required


@pytest.mark.parametrize(
    ("action", "content", "outcome", "text"),
    [
        ("accept", {"words": "yes"}, "answered", "yes"),
        ("accept", {"choice": ["a", "b"], "words": ""}, "answered", "a, b"),
        ("accept", {}, "cancelled", None),
        ("decline", {"words": "yes"}, "cancelled", None),
    ],
)
def test_a_free_question_s_answer_is_a_text(
    action: str, content: dict[str, Any], outcome: str, text: str | None
) -> None:
    talk = Conversation.opened()
    number = talk.asks("_agentao.cn/ask_user", question="Which?")
    (request,) = talk.connection.pending(Direction.IN)
    result = answer_elicitation(request, action, content).wire()
    assert result == {"outcome": outcome} | ({"text": text} if text else {})
    talk.settle(number, result=result)
    assert told(talk) == [f"Your answer: {text}" if text else "It was canceled."]


@pytest.mark.parametrize(
    ("action", "words"),
    [("cancel", "It was canceled."), ("decline", "Your answer: decline")],
)
def test_what_a_limit_canceled_is_no_answer_of_the_person(action: str, words: str) -> None:
    talk = Conversation.opened()
    number = talk.asks("elicitation/create", message="?", mode="form", requestedSchema={})
    talk.settle(number, result={"action": action})
    assert told(talk) == [words]


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_only_an_accepted_form_carries_its_values(action: str) -> None:
    talk = Conversation.opened()
    talk.asks("elicitation/create", message="?", mode="form", requestedSchema={})
    (request,) = talk.connection.pending(Direction.IN)
    content = {"content": {"x": ["a"]}} if action == "accept" else {}
    assert answer_elicitation(request, action, {"x": ["a"]}).wire() == {"action": action, **content}


def form(required: bool = True, **field: Any) -> Form:
    schema = {"properties": {"x": field}, "required": ["x"] if required else None}
    return Form.model_validate(schema)


COLORS = {"oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]}
MANY = {
    "type": "array",
    "items": {"type": "string", "enum": ["a", "b", "c"]},
    "minItems": 1,
    "maxItems": 2,
}
TITLED = {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ({"type": "string"}, ["", "x"], [3, True, ["x"]]),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "äöü"], ["a", "abcd"]),
        ({"type": "string", "enum": ["a"]}, ["a"], ["b"]),
        ({"type": "string", **COLORS}, ["r"], ["Red"]),
        ({"type": "string", "pattern": "^[a-z]+$"}, ["abc"], ["ABC", ""]),
        ({"type": "string", "pattern": "("}, ["anything"], []),
        ({"type": "string", "pattern": "^(a+)+$"}, ["a" * 60 + "!"], []),
        ({"type": "string", "pattern": "^a*$"}, ["b" * 300], ["b"]),
        ({"type": "string", "pattern": "^" + "a?" * 60 + "a" * 60 + "$"}, ["a" * 59], []),
        (
            {"type": "string", "format": "email"},
            ["a@b.org"],
            ["a@b", "a b@c.d", "a@" + "." * 999_999],
        ),
        ({"type": "string", "format": "uri"}, ["https://x.org", "urn:a"], ["x", "a: b", "//[x"]),
        ({"type": "string", "format": "date"}, ["2026-02-28"], ["2026-02-30", "20260228"]),
        (
            {"type": "string", "format": "date-time"},
            ["2026-02-28T10:00:00Z", "2026-02-28T10:00:00+02:00"],
            ["2026-02-28", "2026-02-28T10:00:00", "noon T"],
        ),
        ({"type": "string", "format": "haiku"}, ["anything"], []),
        ({"type": "integer", "minimum": 1, "maximum": 3}, [1, 3], [0, 4, 1.5, True, "1"]),
        ({"type": "number", "minimum": 0.5}, [1, 0.5], [0.4, False, float("inf"), "1"]),
        ({"type": "boolean"}, [True, False], [0, "true"]),
        (MANY, [["a"], ["a", "c"]], [[], ["a", "b", "c"], ["z"], "a"]),
        (TITLED, [["a"], []], [["b"]]),
        ({"type": "hologram"}, [], ["x", None]),
        ({"type": "string"}, [], [None]),
    ],
)
def test_what_a_field_takes(field: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert find_problems(form(**field), {"x": value}) == {}
    for value in bad:
        assert list(find_problems(form(**field), {"x": value})) == ["x"], value


def test_only_what_is_required_must_be_there_and_nothing_else() -> None:
    assert find_problems(form(required=False, type="hologram"), {}) == {}
    assert find_problems(form(required=False, type="string"), {"y": "?"}) == {
        "y": "is not a field of the form"
    }


def test_a_form_begins_with_its_defaults() -> None:
    schema = {
        "properties": {
            "a": {"type": "string", "default": "x"},
            "b": {"type": "boolean", "default": False},
            "c": {"type": "integer", "default": "seven"},
            "d": {"type": "array", "items": {"enum": ["p"]}, "default": ["p", 4]},
            "e": {"type": "hologram", "default": 1},
        }
    }
    assert default_values(Form.model_validate(schema)) == {"a": "x", "b": False, "d": ["p"]}


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("integer", "12", 12),
        ("integer", "a dozen", "a dozen"),
        ("number", "1.5", 1.5),
        ("number", "much", "much"),
        ("string", "12", "12"),
    ],
)
def test_what_is_written_is_read_by_its_field(type: str, text: str, value: Any) -> None:
    read = parse_field(form(type=type).properties["x"], text)
    assert (read, read.__class__) == (value, value.__class__)
