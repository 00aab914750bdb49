"""The entries of a transcript."""

import pytest

from acp_tui.protocol.content import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
    UnknownContent,
)
from acp_tui.state.blocks import PIECE, Block, TextRun, append_block
from acp_tui.state.entries import MessageEntry, NoticeEntry, RawEntry, Role, known_severity


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
        append_block(blocks, block)
    assert blocks == [TextRun(["ab"]), image, TextRun(["c"])]
    assert MessageEntry(Role.AGENT, 1.0, blocks=blocks).text == "abc"


def test_entries_of_the_same_json_are_equal() -> None:
    assert RawEntry(1.0, "x", {"a": [1]}) == RawEntry(1.0, "x", {"a": [1]})
    assert RawEntry(1.0, "x", {"a": [1]}) != RawEntry(1.0, "x", {"a": [2]})
    assert RawEntry(1.0, "x", {"a": [1]}) != "x"


LINK = ResourceLink(name="tea.md", uri="file:///tea.md")
WHOLE = EmbeddedResource(resource=ResourceContents(uri="file:///tea.md", text="Tea"))
IMAGE = ImageContent(data="AAAA", mime_type="image/png")
SOUND = AudioContent(data="AAAA", mime_type="audio/wav")


@pytest.mark.parametrize(
    ("sent", "told", "reworded"),
    [
        (TextRun(["Tea"]), TextRun(["Tea\n"]), False),
        (TextRun(["Tea"]), TextRun(["Tee"]), True),
        (LINK, ResourceLink(name="tea.md", uri="file:///tea.md", size=3), False),
        (LINK, ResourceLink(name="tea.md", uri="file:///tee.md"), True),
        (WHOLE, EmbeddedResource(resource=ResourceContents(uri="file:///tea.md")), True),
        (IMAGE, ImageContent(data="AAAA", mime_type="image/png", annotations={}), False),
        (IMAGE, ImageContent(data="AAAB", mime_type="image/png"), True),
        (IMAGE, SOUND, True),
        (UnknownContent(type="tea"), UnknownContent(type="tea"), False),
        (UnknownContent(type="tea"), UnknownContent(type="tee"), True),
    ],
)
def test_a_prompt_is_reworded_where_it_says_something_else(
    sent: Block, told: Block, reworded: bool
) -> None:
    prompt = MessageEntry(Role.USER, 0, blocks=[told], ours=True, sent=[sent])
    assert prompt.is_reworded == reworded


def test_words_of_an_agents_notice_never_pass_for_ours() -> None:
    ours = NoticeEntry(0, "error", "Not kept", ours=True)
    assert ours.attributed_title == "Not kept"
    assert NoticeEntry(0, "error", "Not kept").attributed_title == "agent's error: Not kept"
    assert NoticeEntry(0, "info", "Not kept").attributed_title == "the agent says: Not kept"
    assert NoticeEntry(0, "ours", "Not kept").attributed_title == "agent's notice: Not kept"
