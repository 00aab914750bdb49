"""Long lines are read in slices, to the very value that they have."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from acp_tui.deep_json import finished
from acp_tui.protocol import json_decoder, long_lines
from acp_tui.protocol.jsonrpc import (
    Malformed,
    Notification,
    Upper,
    decode,
    outline,
    parse,
    parse_in_slices,
)
from acp_tui.protocol.long_lines import LONG, LONG_STRING, SLICE


@pytest.fixture(params=[(4, 24), (1, 29), (30, 40)], autouse=True)
def small(request: pytest.FixtureRequest) -> Iterator[None]:
    """Strings are long, and slices short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_lines, "LONG_STRING", request.param[0])
        patch.setattr(long_lines, "SLICE", request.param[1])
        patch.setattr(long_lines, "SHOWN", 3)
        yield


def read(raw: bytes) -> Any:
    return finished(json_decoder.decode_in_slices(raw))


def test_a_number_that_looks_like_a_mark_stays_a_number() -> None:
    raw = b'{"a": "%b", "b": 0.0e-0, "c": 0.1e-0, "d": 0.25}' % (b"x" * 100)
    assert read(raw) == {"a": "x" * 100, "b": 0.0, "c": 0.1, "d": 0.25}


def test_several_long_texts_are_cut_between_characters() -> None:
    texts = ["\U0001f600" * 30, "\u6f22" * 40, "\ud83d" * 20, "a\\" * 30]
    for escaped in (True, False):
        raw = json.dumps(texts, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
        assert read(raw) == json.loads(raw.decode("utf-8", "replace"))


def test_a_text_without_an_end_is_no_json() -> None:
    assert isinstance(read(b'["%b' % (b"x" * 100)), Malformed)


def test_an_outline_has_the_beginnings_of_long_strings() -> None:
    raw = json.dumps({"id": 7, "text": "abcdef" * 20, "k" * 100: 1}).encode()
    assert finished(json_decoder.decode_in_slices(raw, outline=True)) == {
        "id": 7,
        "text": "abc… (117 bytes more)",
        "k" * 100: 1,
    }


def test_a_long_line_is_a_message_in_whatever_way_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(long_lines, "SLICE", SLICE)
    monkeypatch.setattr(long_lines, "LONG_STRING", LONG_STRING)
    text = "many words " * 200_000
    raw = json.dumps({"method": "m", "params": {"text": text, "more": ["x"] * 10}}).encode()
    assert len(raw) > LONG
    assert (
        parse(raw) == finished(parse_in_slices(raw)) == Notification("m", json.loads(raw)["params"])
    )
    assert decode(raw)["params"]["text"] == text
    assert len(outline(raw)["params"]["text"]) < 100
    assert outline(b"[1]") == [1]
    assert isinstance(parse(raw[:-1]), Malformed)
    assert sum(1 for _ in parse_in_slices(raw)) > 4


def test_many_values_are_read_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_decoder, "AT_ONCE", 1000)
    value = {"items": [{"n": number, "word": "w"} for number in range(2_000)]}
    work = json_decoder.decode_in_slices(json.dumps(value).encode())
    assert sum(1 for _ in work) > 4
    assert read(json.dumps(value).encode()) == value
    deep = b'{"id": 1, "params": %b}' % (b"[" * 20_000 + b"]" * 20_000)
    assert isinstance(read(deep), Upper)


@pytest.mark.parametrize("piece", ['say "a"\n', "\\", '\\"', "\u00e4\n", '"'])
def test_a_text_of_megabytes_full_of_escapes_is_read_in_its_time(
    monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    monkeypatch.setattr(long_lines, "LONG_STRING", LONG_STRING)
    monkeypatch.setattr(long_lines, "SLICE", SLICE)
    text = piece * (2 * LONG // len(piece))  # looked at anew from each quote, it took minutes
    assert read(json.dumps([text, "end"]).encode()) == [text, "end"]
