"""The entry cursor: the entry that keys act on, how it moves, and where it can jump."""

from collections.abc import Callable, Sequence

from acp_tui.state.entries import (
    CompactionEntry,
    Entry,
    NoticeEntry,
    RawEntry,
    SubagentEntry,
    ToolCallEntry,
    TurnEndEntry,
    is_prompt,
)
from acp_tui.ui.transcript.document import LinePlace
from acp_tui.ui.transcript.ports import Viewport

_NAMES = {
    "turn": "turn",
    "tool_call": "tool call",
    "permission": "answered question",
    "error": "error",
    "change": "change in a diff",
}


def is_tool_call(entry: Entry) -> bool:
    return isinstance(entry, ToolCallEntry | SubagentEntry)


def is_permission(entry: Entry) -> bool:
    return isinstance(entry, ToolCallEntry) and bool(
        entry.consent.decisions or entry.consent.rulings
    )


def is_error(entry: Entry) -> bool:
    match entry:
        case ToolCallEntry():
            return entry.status == "failed"
        case TurnEndEntry():
            return entry.is_failed or entry.stop_reason == "refusal"
        case NoticeEntry():
            return entry.severity == "error"
        case CompactionEntry():
            return entry.status == "failed"
        case RawEntry():
            return entry.problem is not None
    return False


KINDS: dict[str, Callable[[Entry], bool]] = {
    "turn": is_prompt,
    "tool_call": is_tool_call,
    "permission": is_permission,
    "error": is_error,
}


def describe_missing(kind: str, step: int) -> str:
    """Return the message that there is no entry of this kind in this direction."""
    return f"no {_NAMES[kind]} {'below' if step > 0 else 'above'}"


def find_entry(entries: Sequence[Entry], kind: str, start: int, step: int) -> int | None:
    """Return the index of the next entry of a kind after `start` (`step` 1) or before it (-1)."""
    end = len(entries) if step > 0 else -1
    matches = KINDS[kind]
    return next((at for at in range(start + step, end, step) if matches(entries[at])), None)


class EntryCursor:
    """A cursor that moves through the entries of a viewport."""

    def __init__(self, view: Viewport) -> None:
        self._view = view
        self.index: int | None = None
        """The index of the marked entry, if any."""

    @property
    def current(self) -> int | None:
        """The marked entry; if none is, the first on screen, or the last if the end is followed."""
        document = self._view.document
        if self.index is not None or not document.height:
            return self.index
        if self._view.following:
            return len(document) - 1
        return document.locate(self._view.top).entry

    def place(self) -> None:
        """Mark the last foldable entry on screen if none is marked, or if the marked one scrolled
        away while the end is followed: the entry that keys act on has to be visible.
        """
        on_screen = self._entries_on_screen()
        has_scrolled_off = self._view.following and bool(on_screen) and self.index not in on_screen
        if self.index is None or has_scrolled_off:
            opens = [at for at in on_screen if self._view.document.view(at).foldable]
            self.index = next(reversed([*on_screen, *opens]), None)

    def keep_on_screen(self) -> None:
        """Mark the nearest entry on screen if the marked one was scrolled off."""
        on_screen = self._entries_on_screen()
        if self.index is not None and on_screen and self.index not in on_screen:
            self.index = on_screen[0] if self.index < on_screen[0] else on_screen[-1]

    def _entries_on_screen(self) -> list[int]:
        """Return the entries of which more than the gap above them is on screen."""
        document, top = self._view.document, self._view.top
        end = top + self._view.rows
        return [
            at
            for at in (document.between(top, end - 1) if document.height else ())
            if document.view(at).height and document.offset(LinePlace(at, 0)) < end
        ]

    def go_to(self, index: int) -> None:
        """Mark an entry and scroll to it; stop following the end unless it is the last entry."""
        self.index = index
        self._view.reveal(LinePlace(index, 0), self._view.document.view(index).height)
        if index < len(self._view.document) - 1:
            self._view.stop_following()
        self._view.refresh()

    def move(self, step: int) -> None:
        """Go to the entry above (`step` -1) or below (1), after scrolling through a long one."""
        current = self.current
        if current is None:
            return
        if self.index is None:
            self.go_to(current)
        elif not self._scroll_within(current, step):
            index = self._view.document.neighbor(current, step)
            if index is not None:
                self.go_to(index)

    def _scroll_within(self, index: int, step: int) -> bool:
        """Scroll within an entry that is taller than the screen; return False at its end."""
        top, rows, document = self._view.top, self._view.rows, self._view.document
        first = document.offset(LinePlace(index, 0))
        height = document.view(index).height
        if height <= rows:
            return False
        end = first + height
        rest = end - top - rows if step > 0 else top - first
        if rest <= 0 or end <= top or first >= top + rows:
            return False
        self._view.scroll_to_line(top + step * min(rest, max(1, rows // 2)))
        return True

    def go_to_first(self) -> None:
        """Go to the beginning, and mark the first entry."""
        self._go_to_edge(self._view.document.neighbor(-1, 1), 0)

    def go_to_last(self) -> None:
        """Go to the end, and mark the last entry."""
        document = self._view.document
        self._go_to_edge(document.neighbor(len(document), -1), document.height)

    def _go_to_edge(self, index: int | None, top: int) -> None:
        self.index = index
        self._view.scroll_to_line(top)
        self._view.refresh()

    def jump(self, kind: str, step: int) -> bool:
        """Go to the next entry of a kind below (`step` 1) or above (-1); return False if none."""
        current = self.current
        if current is None:
            return True
        document = self._view.document
        start = current if self.index is not None else current + (step < 0)
        index = find_entry(document.entries, kind, start, step)
        if index is None:
            return False
        self._go_to_edge(index, document.offset(LinePlace(index, 0)))
        return True
