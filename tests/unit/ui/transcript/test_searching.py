"""Searching what is folded away, and what is long."""

from time import perf_counter

import pytest

from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import Entry, MessageEntry, RawEntry, Role, TerminalEntry
from acp_tui.state.state import Terminal
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.transcript import document_view
from acp_tui.ui.transcript.search import Search
from tests.examples import parametrize
from tests.unit.ui.settling import settled
from tests.unit.ui.transcript.scene import Scene, agent, user
from tests.unit.ui.transcript.test_transcript import tool_call

pytestmark = pytest.mark.anyio


def thought(text: str) -> MessageEntry:
    return MessageEntry(Role.THOUGHT, 100.0, blocks=[TextRun([text])], ended=101.0)


def with_text(text: str) -> Entry:
    return tool_call(1, content=[ContentItem(content=TextContent(text=text))])


TEA = "oolong\n" + "x\n" * 9

FOLDED = {
    "thought": thought("I wonder\n\nabout oolong"),
    "text of a tool call": with_text("brews\noolong"),
    "input of a tool call": tool_call(2, raw_input={"tea": {"kind": ["oolong"]}}),
    "long text": user("\n".join(["leaf"] * 100 + ["oolong"])),
    "long diff": tool_call(3, content=[Diff(path="/a", new_text="x\n" * 90 + "oolong\n")]),
    "unchanged lines": tool_call(4, content=[Diff(path="/a", old_text=TEA, new_text=f"{TEA}y\n")]),
    "unknown": RawEntry(100.0, "brew", {"tea": "oolong"}),
}


@pytest.mark.parametrize("kind", FOLDED)
async def test_what_is_folded_is_found_and_opened_when_gone_to(kind: str) -> None:
    scene = Scene(FOLDED[kind], agent("the end"))
    async with scene.run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        scene.transcript.search("oolong")
        await settled(pilot)
        assert scene.searched[-1].count == 1
        assert "oolong" not in "\n".join(scene.screen_text())
        await pilot.press("n")
        await settled(pilot)
        assert "oolong" in "\n".join(scene.screen_text())
        assert scene.searched[-1].count == 1


async def test_output_that_is_not_shown_even_in_full_is_not_found() -> None:
    terminal = Terminal("t", "s", "brew", [], None, 100.0, ended=101.0)
    terminal.parts.append(b"oolong\n" + b"leaf\n" * 3000 + b"sencha\n" + b"leaf\n" * 99)
    terminal.stored_bytes = len(terminal.parts[0])
    scene = Scene(TerminalEntry(100.0, "t"))
    scene.state.terminals["t"] = terminal
    async with scene.run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        for text, count in (("oolong", 0), ("sencha", 1)):
            scene.transcript.search(text)
            await settled(pilot)
            assert scene.searched[-1].count == count


async def test_typing_opens_nothing_and_the_keys_go_through_all_matches() -> None:
    entries = [agent("oolong one"), thought("oolong two"), agent("oolong three")]
    scene = Scene(*entries)
    async with scene.run_test(size=(60, 12)) as pilot:
        await settled(pilot)
        await pilot.press("home")
        before = scene.screen_text()
        for end in range(1, 7):
            scene.transcript.search("oolong"[:end])
            await settled(pilot)
        assert scene.screen_text() == before
        places = []
        for _ in range(3):
            await pilot.press("n")
            await settled(pilot)
            search = scene.transcript.matches
            assert search is not None
            assert search.current is not None
            places.append(search.current.entry)
        assert places == [1, 2, 0]
        assert scene.searched[-1].count == 3


@parametrize(
    1,
    "entry",
    [
        agent("> - **many words** before the *needle in* the `haystack` and more words behind it"),
        user("many words before the words, the needle in the haystack and more words behind it"),
        agent("```\nmany_words = [before_the_needle, needle in the haystack, and_more]\n```"),
    ],
)
@parametrize(1, "width", [24, 29, 34, 60])
async def test_a_match_goes_on_in_the_next_row(entry: Entry, width: int) -> None:
    scene = Scene(entry)
    async with scene.run_test(size=(width, 20)) as pilot:
        await settled(pilot)
        scene.transcript.search("needle in the haystack")
        await settled(pilot)
        assert scene.searched[-1].count == 1
        palette = Palette.of(scene)
        marked = [
            segment.text
            for y in range(20)
            for segment in scene.transcript.render_line(y)
            if segment.style and segment.style.bgcolor == palette["search.current"].bgcolor
        ]
        assert "".join(marked).replace(" ", "") == "needleinthehaystack"


async def test_a_search_that_is_typed_reads_each_entry_once() -> None:
    scene = Scene(agent("one fish, *two* fish"), agent("no more"))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        for text, count in (("f", 2), ("fi", 2), ("fish, two", 1), ("more", 1)):
            scene.transcript.search(text)
            await settled(pilot)
            assert scene.searched[-1].count == count
        scene.say(" but fish", 0)
        await settled(pilot)
        scene.transcript.search("fish but fish")
        await settled(pilot)
        assert scene.searched[-1].count == 1


LONG = "\n\n".join(f"Line {number} of *many*." for number in range(1000))


async def test_the_next_letter_goes_on_where_the_last_one_had_read_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(agent(LONG))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        document = scene.transcript.document
        view = document.view(0)
        read: list[int] = []
        plain = view.plain
        monkeypatch.setattr(view, "plain", lambda y: (read.append(y), plain(y))[1])
        first = Search("l", document)
        assert not first.run(perf_counter() + 0.001)
        assert 0 < len(read) < view.height
        second = Search("line 2", document, first)
        assert second.run(perf_counter() + 60)
        assert read == list(range(view.height))
        assert second.count == 111


async def test_a_match_on_the_screen_is_shown_before_all_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(agent(LONG))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        monkeypatch.setattr(document_view, "BUDGET", 0)
        scene.transcript.search("many")
        search = scene.transcript.matches
        assert search is not None
        assert not search.is_complete
        top = scene.transcript.document.locate(scene.transcript.scroll_offset.y)
        assert search.current is not None
        assert search.current.line - top.line in (0, 1)  # every other line is blank
        assert search.in_line(top._replace(line=search.current.line)) != []
        monkeypatch.undo()
        await settled(pilot)
        assert scene.searched[-1].count == 1000
        assert scene.searched[-1].number == search.number
