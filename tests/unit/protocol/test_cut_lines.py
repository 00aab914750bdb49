"""A line that was cut: whether it may be the beginning of a message."""

import json

import pytest

from acp_tui.protocol.json_decoder import may_be_cut

WHOLE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": -1,
        "params": {"a": [True, False, None, 1.5e-7, "\\u00e9\n\ud83d\ude00 é"], "b": {}, "c": ""},
    }
)


@pytest.mark.parametrize("raw", [WHOLE.encode(), f"\ufeff {WHOLE}".encode()])
def test_every_beginning_of_a_message_may_be_one(raw: bytes) -> None:
    assert [cut for cut in range(len(raw) + 1) if not may_be_cut(raw[:cut])] == []


def test_one_cut_within_a_character_may_be_one() -> None:
    raw = '{"a": "é'.encode()
    assert may_be_cut(raw[:-1])


@pytest.mark.parametrize("depth", [10, 3000])
def test_one_that_is_nested_deeply_may_be_one(depth: int) -> None:
    assert may_be_cut(b'{"a":' * depth)


@pytest.mark.parametrize(
    "raw",
    [
        b"hello",
        b"[1, 2",
        b'"a text',
        b"{hello",
        b'{"a": yes',
        b'{"a" 1',
        b'{"a": "\\x',
        b'{"a": 1} and more',
        b'{"a": 1,, ',
    ],
)
def test_what_is_wrong_already_is_none(raw: bytes) -> None:
    assert not may_be_cut(raw)
