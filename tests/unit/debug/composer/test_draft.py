"""What is composed, and the lines that it becomes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.debug.composer.draft import (
    DraftError,
    DraftKind,
    MessageDraft,
    begun,
    draft_of,
    fresh_id,
    to_bytes,
    to_text,
)
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.method_forms import forms

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
    draft = begun(MessageDraft(id="x"), forms()["session/prompt"], "s", "/w")
    assert draft.kind is DraftKind.REQUEST
    assert b'"sessionId":"s","prompt":[{"type":"text","text":""}]' in draft.lines()[0]
    assert begun(MessageDraft(), forms()["session/cancel"], "s", "").kind is DraftKind.NOTIFICATION
    assert MessageDraft(id="x").is_blank


def test_a_fresh_id_was_never_used() -> None:
    assert fresh_id({"by-hand-1", 2, "by-hand-3"}) == "by-hand-2"


@pytest.mark.parametrize("depth", [3_000, 20_000])
def test_what_is_nested_deep_is_edited_as_it_stands(depth: int) -> None:
    raw = b'{"jsonrpc":"2.0","method":"m","params":' + b"[" * depth + b"]" * depth + b"}"
    assert draft_of(frame(OUT, raw), "x").lines() == [raw]
