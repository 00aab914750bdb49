"""Event streams: data byte for byte, however the bytes are cut, and whatever else is in them."""

import tracemalloc
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.protocol.event_stream import LONGEST_NAME, EventStream
from acp_tui.protocol.frames import Flaw, Line

STREAM = (
    b"\xef\xbb\xbfdata: first\n\n"
    b": still here\n\n"
    b"event: message\r\nid: 7\r\ndata:second\r\ndata:  third\r\n\r\n"
    b"retry: 5\rdata\rdata: \xff fourth\r\r"
    b"id: \0\nnothing: at all\n\n\n"
)
EVENTS = [b"first", b"second\n third", b"\xff fourth"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted))
@example(list(range(len(STREAM))))
def test_it_is_the_same_wherever_it_is_cut(cuts: list[int]) -> None:
    stream = EventStream()
    pieces = [
        STREAM[start:end] for start, end in zip([0, *cuts], [*cuts, len(STREAM)], strict=True)
    ]
    lines = [line for piece in pieces for line in stream.feed(piece)]
    assert [line.raw for line in lines] == EVENTS
    assert all(line.flaw is None and line.size == len(line.raw) for line in lines)
    assert (stream.last_id, stream.is_kept_alive) == ("7", True)
    assert stream.end() == []


@pytest.mark.parametrize("rest", [b'data: {"half', b'data: {"half\n'])
def test_what_came_of_an_event_is_kept(rest: bytes) -> None:
    stream = EventStream()
    assert stream.feed(b"data: 1\n\n" + rest) == [Line(b"1", 1)]
    assert stream.end() == [Line(b'{"half', 6, Flaw.UNFINISHED)]
    assert stream.end() == []


def test_an_event_over_the_limit_is_told_of_and_the_next_is_read() -> None:
    stream = EventStream(limit=12)
    assert stream.feed(b"data: " + b"x" * 100 + b"\n\ndata: y\n\n") == [
        Line(b"x" * 12, 100, Flaw.OVERSIZED),
        Line(b"y", 1),
    ]


def test_where_a_server_can_go_on_is_known_from_before() -> None:
    stream = EventStream(last_id="3")
    stream.feed(b"data: x\n\n")
    assert stream.last_id == "3"


def test_an_event_of_endless_lines_is_held_no_more_than_the_limit() -> None:
    stream = EventStream(limit=1000)
    assert stream.feed(b"data: first\n" + b"data:\n" * 5000 + b"data: last\n") == []
    event, after = stream.feed(b"\ndata: y\n\n")
    assert event.raw.startswith(b"first\n")
    assert len(event.raw) <= 1000
    assert (event.size, event.flaw) == (5 + 5000 + 5, Flaw.OVERSIZED)
    assert after == Line(b"y", 1)


def test_an_id_counts_once_its_event_is_whole() -> None:
    stream = EventStream()
    assert stream.feed(b"id: 1\ndata: x\n\nid: 2\ndata: y\n") == [Line(b"x", 1)]
    assert stream.last_id == "1"
    assert stream.end() == [Line(b"y", 1, Flaw.UNFINISHED)]
    assert stream.feed(b"id: 2\ndata: y\n\n") == [Line(b"y", 1)]
    assert stream.last_id == "2"


def test_an_id_that_is_too_long_to_be_sent_back_is_none() -> None:
    stream = EventStream(last_id="1")
    stream.feed(b"id: " + b"7" * LONGEST_NAME + b"\n\n")
    assert stream.last_id == "7" * LONGEST_NAME
    stream.feed(b"id: " + b"7" * (LONGEST_NAME + 1) + b"\n\n")
    assert stream.last_id == ""


LIMIT = 512 * 1024
PIECE = 16 * 1024


def pieces(begin: bytes, one: bytes, size: int) -> Iterator[bytes]:
    """A stream of about `size` bytes as it arrives."""
    yield begin
    for _ in range(size // PIECE):
        yield one * (PIECE // len(one))
    yield b"\n\n"


@pytest.mark.parametrize(
    "stream",
    [
        pieces(b"data: ", b"x", LIMIT - 2 * PIECE),
        pieces(b"data: ", b"x", 3 * LIMIT),
        pieces(b"", b"data: " + b"x" * 1017 + b"\n", LIMIT - 2 * PIECE),
        pieces(b"", b"data:" + b"x" * 1018 + b"\n", 3 * LIMIT),
        pieces(b"", b"data: x\n", LIMIT // 4),
        pieces(b"id: ", b"x", 3 * LIMIT),
        pieces(b": ", b"x", 3 * LIMIT),
        pieces(b"", b"x", 3 * LIMIT),
    ],
    ids=["line", "too long", "lines", "too many", "short lines", "id", "comment", "name"],
)
def test_what_arrives_is_held_about_once(stream: Iterable[bytes]) -> None:
    events = EventStream(LIMIT)
    tracemalloc.start()
    try:
        lines = [line for data in stream for line in events.feed(data)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(lines) <= 1
    assert peak < 1.3 * LIMIT


def test_an_event_without_data_is_no_message() -> None:
    stream = EventStream()
    data = b"id: 4\ndata:\n\ndata\n\ndata: \ndata:\n\n"
    assert stream.feed(data) == []
    assert stream.last_id == "4"
    assert stream.feed(b"data:") + stream.end() == []
