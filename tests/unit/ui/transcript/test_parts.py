"""The cursor, the search, the selection and the copying of a transcript, each without a widget."""

from collections.abc import Callable

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.search import SearchCursor
from acp_tui.ui.transcript.selected_text import Copier, selected_text
from acp_tui.ui.transcript.selection import LineSelection
from tests.unit.ui.transcript.scene import agent, user
from tests.unit.ui.transcript.viewport import FOREVER, FixedViewport

LONG = "\n\n".join(f"line {number}" for number in range(12))


def thought(text: str) -> MessageEntry:
    return MessageEntry(Role.THOUGHT, 100.0, blocks=[TextRun([text])], ended=101.0)


def test_the_cursor_begins_at_the_last_entry_on_screen_that_opens() -> None:
    view = FixedViewport(user("one"), thought("two\n\nthree"), agent("four"))
    cursor = EntryCursor(view)
    assert cursor.current == 0
    cursor.place()
    assert cursor.index == 1


def test_the_cursor_goes_through_a_long_entry_before_it_leaves_it() -> None:
    view = FixedViewport(user("one"), agent(LONG), user("last"))
    cursor = EntryCursor(view)
    tops = []
    for _ in range(7):
        cursor.move(1)
        tops.append((cursor.index, view.top))
    assert tops == [(0, 0), (1, 2), (1, 7), (1, 12), (1, 15), (2, 17), (2, 17)]
    cursor.go_to_first()
    assert (cursor.index, view.top) == (0, 0)
    cursor.go_to_last()
    assert (cursor.index, view.top) == (2, 17)


def test_the_cursor_jumps_to_turns_and_says_if_there_is_none() -> None:
    view = FixedViewport(user("one"), agent(LONG), user("two"), agent(LONG))
    cursor = EntryCursor(view)
    cursor.go_to(1)
    assert cursor.jump("turn", 1)
    assert cursor.index == 2
    assert not cursor.jump("turn", 1)
    assert cursor.index == 2


def searching(view: FixedViewport) -> tuple[SearchCursor, EntryCursor, list[tuple[int, bool]]]:
    """A search cursor whose searches end with the frame, and what it told."""
    told: list[tuple[int, bool]] = []
    cursor = EntryCursor(view)
    search = SearchCursor(view, cursor, lambda count, complete, _: told.append((count, complete)))
    return search, cursor, told


def test_a_search_stays_at_a_match_on_screen_and_goes_round() -> None:
    view = FixedViewport(agent(LONG), user("line again"))
    search, cursor, told = searching(view)
    search.start("line")
    assert search.search is not None
    assert search.search.current is not None
    assert view.top == 0
    assert search.run((), FOREVER)
    assert told[-1] == (13, True)
    entries = []
    for _ in range(13):
        search.go_to_next(1)
        entries.append(cursor.index)
    assert entries == [0] * 11 + [1, 0]
    assert view.top == 0


def test_a_search_leads_to_a_match_below_once_all_is_searched() -> None:
    view = FixedViewport(agent(LONG))
    search, _, _ = searching(view)
    search.start("line 11")
    assert view.top == 0
    assert search.run((), FOREVER)
    assert view.top == 13
    view.scroll_to_line(0)
    assert search.run((0,), FOREVER)
    assert view.top == 0


def test_what_hides_a_match_is_opened_when_it_is_gone_to() -> None:
    view = FixedViewport(thought("one\n\noolong"), agent("two"))
    search, cursor, _ = searching(view)
    search.start("oolong")
    assert search.run((), FOREVER)
    assert "oolong" not in view.document.view(0).plain(view.document.view(0).height - 1)
    search.open_current()
    assert cursor.index == 0
    lines = [view.document.view(0).plain(y) for y in range(view.document.view(0).height)]
    assert any("oolong" in line for line in lines)


def test_no_text_ends_a_search() -> None:
    view = FixedViewport(agent("tea"))
    search, _, _ = searching(view)
    search.start("tea")
    search.start("")
    assert search.search is None
    assert search.run((), 0.0)
    assert search.go_to_next(1) is None


class Shown:
    """What a selection has had shown, and how often it began or ended."""

    def __init__(self, view: FixedViewport) -> None:
        self.selection: Selection | None = None
        self.toggled = 0
        self.view = view
        self.lines = LineSelection(view, EntryCursor(view), self.show, self.toggle)

    def show(self, selection: Selection | None) -> None:
        self.selection = selection
        if selection is None:
            self.lines.clear()

    def toggle(self) -> None:
        self.toggled += 1

    @property
    def text(self) -> str | None:
        selection = self.selection
        return selected_text(self.view.document, selection) if selection is not None else None


def test_lines_are_selected_from_the_cursor_on_and_back() -> None:
    view = FixedViewport(user("one"), agent("two\n\nthree"))
    shown = Shown(view)
    shown.lines.extend(2)
    assert shown.text == "one\n\ntwo"
    shown.lines.extend(99)
    assert shown.text == "one\n\ntwo\n\nthree"
    shown.lines.extend(-99)
    assert shown.text == "one"
    assert (shown.lines.is_active, shown.toggled) == (True, 1)
    shown.lines.toggle()
    assert (shown.text, shown.lines.is_active, shown.toggled) == (None, False, 2)


def test_a_selection_that_leaves_the_screen_is_followed() -> None:
    view = FixedViewport(agent(LONG))
    shown = Shown(view)
    shown.lines.extend(14)
    assert view.top == 5


class Later:
    """What is to be called later, and the texts that were copied."""

    def __init__(self, view: FixedViewport) -> None:
        self.calls: list[Callable[[], None]] = []
        self.copied: list[str] = []
        self.cursor = EntryCursor(view)
        self.copier = Copier(
            view, self.cursor, self.copied.append, lambda _, call: self.calls.append(call)
        )


def test_the_entry_is_copied_or_what_is_selected() -> None:
    view = FixedViewport(user("say *it*"), agent("I **do**"))
    it = Later(view)
    selection = Selection(Offset(2, 0), Offset(20, 2))
    it.copier.copy_text(None)
    it.copier.copy_text(selection)
    it.copier.copy_markdown(selection)
    assert it.copied == ["say *it*", "say *it*\n\nI do", "say *it*\n\nI **do**"]


@pytest.mark.slow
def test_what_is_copied_last_counts() -> None:
    view = FixedViewport(agent("\n\n".join(f"*line* {number}" for number in range(20_000))))
    it = Later(view)
    it.copier.copy_text(Selection(None, None))
    assert it.copied == []
    it.copier.copy_text(Selection(Offset(2, 0), Offset(8, 0)))
    assert it.copied == ["line 0"]
    for call in it.calls:
        call()
    assert it.copied == ["line 0"]


def test_each_time_the_next_block_of_code_is_copied() -> None:
    view = FixedViewport(agent("```\none\n```\n\n```\ntwo\n```"), agent("none"))
    it = Later(view)
    said = [it.copier.next_code() for _ in range(3)]
    assert said == [
        ("one\n", "copied block 1 of 2"),
        ("two\n", "copied block 2 of 2"),
        ("one\n", "copied block 1 of 2"),
    ]
    it.cursor.go_to(1)
    assert it.copier.next_code() is None
