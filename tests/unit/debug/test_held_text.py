"""Held messages as a text to edit, and what it becomes."""

import json

import pytest

from acp_tui.debug.composer.draft import DraftError, answer_to, editable, raw_of

ASKED = b'{"jsonrpc":"2.0","id":"a","method":"m","params":%b}'


@pytest.mark.parametrize("raw", [b'{"a": ["\xe2\x98\x95", 1]}', b'"\\ud800"'])
def test_json_comes_back_as_it_was_on_one_line(raw: bytes) -> None:
    back = raw_of(editable(raw))
    assert b"\n" not in back
    assert json.loads(back.decode("utf-8", "surrogatepass")) == json.loads(raw)


def test_what_is_no_json_is_edited_and_passed_on_as_it_stands() -> None:
    raw = b"no JSON \xff"
    assert raw_of(editable(raw), as_it_stands=True) == raw
    with pytest.raises(DraftError, match="not JSON"):
        raw_of(editable(raw))


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
    answer = answer_to(ASKED % params)
    assert answer is not None
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": "a", "result": result}


def test_what_is_no_request_has_no_answer() -> None:
    assert answer_to(b'{"jsonrpc":"2.0","method":"m"}') is None
