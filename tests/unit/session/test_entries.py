"""The entries of a transcript."""

from acp_tui.protocol.content import ImageContent, TextContent
from acp_tui.session.entries import (
    PIECE,
    Block,
    MessageEntry,
    RawEntry,
    Role,
    TextRun,
    grow,
    known_severity,
)


def test_text_grows_and_is_read_from_any_place() -> None:
    run = TextRun(["Hel"])
    run.append("lo ")
    run.append("world")
    assert run.length == 11
    assert run.since(0, 100) == "Hello world"
    assert run.since(4, 4) == "o wo"
    assert run.since(11, 5) == ""
    assert run.since(2, 0) == ""
    assert run.text == "Hello world"
    assert run.since(4, 4) == "o wo"
    assert TextRun().text == ""


def test_long_text_is_kept_in_pieces_and_read_across_them() -> None:
    run = TextRun(["a" * PIECE])
    run.append("bc")
    assert len(run.parts) == 2
    assert run.since(PIECE - 1, 2) == "ab"
    assert run.since(PIECE, 2) == "bc"


def test_runs_of_the_same_text_are_equal_however_it_came() -> None:
    assert TextRun(["a", "b"]) == TextRun(["ab"])
    assert TextRun(["a"]) != TextRun(["b"])
    assert TextRun(["a"]) != "a"


def test_how_bad_a_notice_is_is_said_in_known_words() -> None:
    assert list(map(known_severity, ("error", "acp-tui", ""))) == ["error", "notice", "notice"]


def test_text_joins_the_text_before_it_and_other_content_stands_between() -> None:
    image = ImageContent(data="", mime_type="image/png")
    blocks: list[Block] = []
    for block in (TextContent(text="a"), TextContent(text="b"), image, TextContent(text="c")):
        grow(blocks, block)
    assert blocks == [TextRun(["ab"]), image, TextRun(["c"])]
    assert MessageEntry(Role.AGENT, 1.0, blocks=blocks).text == "abc"


def test_entries_of_the_same_json_are_equal() -> None:
    assert RawEntry(1.0, "x", {"a": [1]}) == RawEntry(1.0, "x", {"a": [1]})
    assert RawEntry(1.0, "x", {"a": [1]}) != RawEntry(1.0, "x", {"a": [2]})
    assert RawEntry(1.0, "x", {"a": [1]}) != "x"
