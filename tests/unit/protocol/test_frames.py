"""Bytes to lines."""

from acp_tui.protocol.frames import KEPT_OF_OVERSIZED, Flaw, Framer, Line


def test_lines_may_come_in_pieces_and_several_at_once() -> None:
    framer = Framer()
    assert framer.feed(b'{"a"') == []
    assert framer.feed(b":1}\n{}\n[") == [Line(b'{"a":1}', 7), Line(b"{}", 2)]


def test_blank_lines_and_carriage_returns_are_padding() -> None:
    assert Framer().feed(b"\n \t\r\n{}\r\n") == [Line(b"{}", 3)]


def test_a_line_over_the_limit_keeps_its_beginning_and_the_reader_goes_on() -> None:
    size = KEPT_OF_OVERSIZED * 3
    framer = Framer(limit=KEPT_OF_OVERSIZED * 2)
    assert framer.feed(b"x" * size) == []
    lines = framer.feed(b"y\n{}\n")
    assert lines[0] == Line(b"x" * KEPT_OF_OVERSIZED, size + 1, Flaw.OVERSIZED)
    assert lines[1] == Line(b"{}", 2)


def test_of_an_oversized_line_in_many_pieces_the_beginning_is_kept_in_order() -> None:
    framer = Framer(limit=9)
    for piece in (b"123", b"456", b"789", b"abc"):
        assert framer.feed(piece) == []
    assert framer.feed(b"\n") == [Line(b"123456789", 12, Flaw.OVERSIZED)]


def test_a_line_at_the_limit_is_taken() -> None:
    assert Framer(limit=4).feed(b"1234\n") == [Line(b"1234", 4)]


def test_what_comes_after_the_last_newline_is_not_lost() -> None:
    framer = Framer(limit=4)
    framer.feed(b"{}\n{")
    assert framer.end() == [Line(b"{", 1, Flaw.UNFINISHED)]
    assert framer.end() == []
    framer.feed(b"12345")
    assert framer.end() == [Line(b"1234", 5, Flaw.OVERSIZED)]


def test_a_line_that_has_not_ended_can_be_shown() -> None:
    framer = Framer()
    framer.feed(b"{}\nLoading model")
    assert framer.unfinished_line(7) == b"Loading"
    assert framer.unfinished_line(100) == b"Loading model"
