"""Messages written by hand: the lines that they become, and what a person should know before sending them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.debug.drafts import (
    DraftError,
    DraftKind,
    MessageDraft,
    begin_draft,
    draft_of,
    encode_edited,
    example_response,
    find_draft_notes,
    find_waiting_request,
    format_for_editing,
    fresh_id,
    to_bytes,
    to_text,
)
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.method_forms import method_forms
from tests.unit.debug.scenes import Wire

OUT, IN = Direction.OUT, Direction.IN


@pytest.mark.parametrize(
    ("draft", "line"),
    [
        (
            MessageDraft(method="m", id="by-hand-1"),
            b'{"jsonrpc":"2.0","id":"by-hand-1","method":"m"}',
        ),
        (MessageDraft(method="m", id="7"), b'{"jsonrpc":"2.0","id":7,"method":"m"}'),
        (MessageDraft(method="m", id='"7"'), b'{"jsonrpc":"2.0","id":"7","method":"m"}'),
        (MessageDraft(method="m", id="null"), b'{"jsonrpc":"2.0","id":null,"method":"m"}'),
        (MessageDraft(method="m", id="[true]"), b'{"jsonrpc":"2.0","id":[true],"method":"m"}'),
        (
            MessageDraft(DraftKind.NOTIFICATION, "m", params=' {"a": "\\n"}\n'),
            b'{"jsonrpc":"2.0","method":"m","params":{"a":"\\n"}}',
        ),
        (MessageDraft(DraftKind.RAW, raw=r"no JSON \xff\x5cx41"), b"no JSON \xff\\x41"),
    ],
)
def test_the_line_is_what_was_composed(draft: MessageDraft, line: bytes) -> None:
    assert draft.lines() == [line]
    assert not draft.is_blank


def test_each_line_of_raw_bytes_is_sent_by_itself() -> None:
    assert MessageDraft(DraftKind.RAW, raw="a\n\nb\\x0ac\n").lines() == [b"a", b"b", b"c"]


@pytest.mark.parametrize(
    ("draft", "field", "why"),
    [
        (MessageDraft(id="1"), "method", "a method is missing"),
        (MessageDraft(method="m"), "id", "a request has an id"),
        (
            MessageDraft(method="m", id="1", params="{"),
            "params",
            "not JSON: expecting .* at line 1, column 2",
        ),
        (MessageDraft(method="m", id="1", params="NaN"), "params", "not JSON: NaN is not JSON"),
        (MessageDraft(method="m", id="1", params="[" * 100_000), "params", "not JSON"),
        (
            MessageDraft(method="m", id="1", params="[" * 50_000 + "]" * 50_000),
            "params",
            "not JSON",
        ),
        (MessageDraft(DraftKind.RAW, raw="\n"), "raw", "there is nothing to send"),
    ],
)
def test_what_can_t_be_sent_says_where_and_why(draft: MessageDraft, field: str, why: str) -> None:
    with pytest.raises(DraftError, match=why) as caught:
        draft.lines()
    assert caught.value.field == field


@given(st.binary())
@settings(max_examples=50)
def test_any_bytes_can_be_edited(raw: bytes) -> None:
    assert to_bytes(to_text(raw)) == raw


def test_a_literal_escape_stays_one() -> None:
    assert to_text(rb"\x41 \n") == r"\x5cx41 \n"
    assert to_bytes(to_text(rb"\x41 \n")) == rb"\x41 \n"


def frame(direction: Direction, raw: bytes) -> Frame:
    return Frame(direction, raw, 1.0, 1)


@pytest.mark.parametrize(
    ("sent", "draft"),
    [
        (
            frame(OUT, b'{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":1}}'),
            MessageDraft(DraftKind.REQUEST, "m", "x", '{\n  "a": 1\n}'),
        ),
        (
            frame(OUT, b'{"jsonrpc":"2.0","method":"m"}'),
            MessageDraft(DraftKind.NOTIFICATION, "m", "x"),
        ),
        (  # what a form would lose
            frame(OUT, b'{"jsonrpc":"1.0","method":"m"}'),
            MessageDraft(DraftKind.RAW, id="x", raw='{"jsonrpc":"1.0","method":"m"}'),
        ),
        (
            frame(IN, b'{"jsonrpc":"2.0","id":"q","method":"fs/read_text_file"}'),
            MessageDraft(
                DraftKind.RAW, id="x", raw='{"jsonrpc":"2.0","id":"q","result":{"content":""}}'
            ),
        ),
        (
            frame(IN, b'{"jsonrpc":"2.0","id":"q","method":"_mine/ask"}'),
            MessageDraft(DraftKind.RAW, id="x", raw='{"jsonrpc":"2.0","id":"q","result":{}}'),
        ),
        (frame(IN, b"noise \xff"), MessageDraft(DraftKind.RAW, id="x", raw=r"noise \xff")),
    ],
)
def test_a_frame_can_be_edited_and_sent_again(sent: Frame, draft: MessageDraft) -> None:
    assert draft_of(sent, "x") == draft


def test_a_method_begins_with_what_is_known() -> None:
    draft = begin_draft(MessageDraft(id="x"), method_forms()["session/prompt"], "s", "/w")
    assert draft.kind is DraftKind.REQUEST
    assert b'"sessionId":"s","prompt":[{"type":"text","text":""}]' in draft.lines()[0]
    assert (
        begin_draft(MessageDraft(), method_forms()["session/cancel"], "s", "").kind
        is DraftKind.NOTIFICATION
    )
    assert MessageDraft(id="x").is_blank


def test_a_fresh_id_was_never_used() -> None:
    assert fresh_id({"by-hand-1", 2, "by-hand-3"}) == "by-hand-2"


@pytest.mark.parametrize("depth", [3_000, 20_000])
def test_what_is_nested_deep_is_edited_as_it_stands(depth: int) -> None:
    raw = b'{"jsonrpc":"2.0","method":"m","params":' + b"[" * depth + b"]" * depth + b"}"
    assert draft_of(frame(OUT, raw), "x").lines() == [raw]


def said(wire: Wire | None = None, /, **message: Any) -> list[tuple[str, bool]]:
    line = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return [*find_draft_notes(line, None if wire is None else wire.log())]


def test_the_schema_s_own_sentence() -> None:
    ((words, holds),) = said(id=1, method="session/prompt", params={"sessionId": "s", "prompt": 7})
    assert words.startswith(
        "params.prompt: must be an array, but is an integer: 7. “The agent MUST NOT"
    )
    assert holds
    assert said(id=1, method="session/close", params={"sessionId": "s"}) == []
    ((words, holds),) = said(id=1, method="_mine")
    assert "is an extension" in words
    assert not holds


def test_no_message_at_all() -> None:
    ((words, holds),) = find_draft_notes(b"no JSON")
    assert words.startswith("not a message: not JSON")
    assert holds


def test_an_id_that_waits() -> None:
    wire = Wire().opened().prompt(2)
    params = {"sessionId": "s", "modeId": "m"}
    ((words, holds),) = said(wire, id=2, method="session/set_mode", params=params)
    assert words.startswith("it can't be told from session/prompt (#5), which has the id 2")
    assert holds
    assert said(wire, id="2", method="session/set_mode", params=params) == []
    assert said(wire, id=1, method="session/set_mode", params=params) == []  # that has its answer


def test_an_answer_in_the_client_s_place() -> None:
    wire = Wire().opened().ask(9, "fs/read_text_file", path="/w/a").ask(9, "terminal/create")
    ((words, holds),) = said(wire, id=9, error={"code": 1, "message": "no"})
    assert words.startswith("it takes the place of the client's answer to fs/read_text_file (#5)")
    assert holds
    found = said(wire, id=9, result={"content": 7})
    assert next(words.partition(".")[0] for words, _ in found) == "result"
    ((words, holds),) = said(wire, id=10, result={})
    assert words == "no request of the agent's waits under the id 10"
    assert holds


def test_what_the_client_takes_nothing_of() -> None:
    wire = Wire().opened()
    params = {"cwd": "/w", "mcpServers": []}
    assert said(wire, id="x", method="session/new", params=params) == [
        ("the client itself takes nothing of session/new", False)
    ]
    assert said(wire, method="session/cancel", params={"sessionId": "s"}) == []


def test_requests_of_a_process_before_wait_no_more() -> None:
    wire = Wire().opened().prompt(2).died().started()
    assert find_waiting_request(wire.log(), Direction.OUT, 2) is None


@pytest.mark.parametrize("line", [b"[]", b"7", b"\xff"])
def test_any_line_has_something_said_of_it(line: bytes) -> None:
    assert find_draft_notes(line, Wire().opened().log())


ASKED = b'{"jsonrpc":"2.0","id":"a","method":"m","params":%b}'


@pytest.mark.parametrize("raw", [b'{"a": ["\xe2\x98\x95", 1]}', b'"\\ud800"'])
def test_json_comes_back_as_it_was_on_one_line(raw: bytes) -> None:
    back = encode_edited(format_for_editing(raw))
    assert b"\n" not in back
    assert json.loads(back.decode("utf-8", "surrogatepass")) == json.loads(raw)


def test_what_is_no_json_is_edited_and_passed_on_as_it_stands() -> None:
    raw = b"no JSON \xff"
    assert encode_edited(format_for_editing(raw), verbatim=True) == raw
    with pytest.raises(DraftError, match="not JSON"):
        encode_edited(format_for_editing(raw))


@pytest.mark.parametrize(
    ("params", "result"),
    [
        (b'{"path":"x"}', {}),
        (b"[1]", {}),
        (b'{"options":[]}', {}),
        (b'{"options":[7]}', {}),
        (
            b'{"options":[{"optionId":"y"}]}',
            {"outcome": {"outcome": "selected", "optionId": "y"}},
        ),
    ],
)
def test_an_answer_begins_with_the_id_and_of_a_question_the_first_option(
    params: bytes, result: object
) -> None:
    answer = example_response(ASKED % params)
    assert answer is not None
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": "a", "result": result}


def test_what_is_no_request_has_no_answer() -> None:
    assert example_response(b'{"jsonrpc":"2.0","method":"m"}') is None
