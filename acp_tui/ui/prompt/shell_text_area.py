"""A text area with the editing keys of a shell."""

import re
from inspect import isawaitable

from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from acp_tui.ui.toolkit.format_characters import format_character

_CLICKED_WORD = re.compile(r"[\w./~:@+-]+")
"""What a double click selects: a word or a path, as in most terminals."""
_WORD = re.compile(r"[^\W_]+")
_WORD_BEFORE = re.compile(r"[^\W_]+[\W_]*\Z")
_TO_BLANK = re.compile(r"\S+\s*\Z")
UNDONE = 10_000
"""Most steps that can be undone."""


class ShellTextArea(TextArea):
    """A text area with a long undo history, which yanks what word and line keys deleted."""

    class NoteAdded(Message):
        """A note about a key that did nothing visible, or something unexpected."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    def __init__(self, placeholder: str) -> None:
        super().__init__(
            compact=True,
            show_line_numbers=False,
            placeholder=placeholder,
            highlight_cursor_line=False,
            max_checkpoints=UNDONE,
        )
        self.cursor_blink = False
        self._killed = ""
        self._after_kill: tuple[str, int] | None = None
        """The text and the cursor's offset after the last deletion by `action_kill`."""

    def render_line(self, y: int) -> Strip:
        """Draw a line; blank if there is no width, to which Textual can't wrap."""
        width = self.content_size.width
        return super().render_line(y) if width > 0 else Strip.blank(width, self.rich_style)

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor, unless its line no longer exists: undo calls this before it moves
        the cursor.
        """
        if self.cursor_location[0] >= self.document.line_count:
            return Offset()
        return super().scroll_cursor_visible(center, animate)

    def writes(self, event: events.Key) -> str:
        """Return the text of a key that Textual doesn't treat as a character; "" for other keys."""
        row, column = min(self.selection)
        return format_character(event, self.document.get_line(row)[:column])

    def on_click(self, event: events.Click) -> None:
        """Select a word by a double click, a line by a triple one."""
        row, column = self.get_target_document_location(event)
        if event.chain == 2:
            for word in _CLICKED_WORD.finditer(self.document[row]):
                if word.start() <= column <= word.end():
                    self.selection = Selection((row, word.start()), (row, word.end()))
                    break
        elif event.chain == 3:
            self.select_line(row)

    def write(self, text: str) -> None:
        """Replace the whole text and move the cursor to the end; undo restores the old text."""
        self.history.checkpoint()
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)
        self.history.checkpoint()
        self.move_cursor(self.document.end)

    async def action_kill(self, action: str) -> None:
        """Run a deleting action, and keep the deleted text for `action_yank`.

        Consecutive deletions are joined there, but each is undone by itself.
        """
        self.history.checkpoint()
        before, after_cursor = self.text, len(self.text) - self.offset_of_cursor()
        deleting = getattr(self, f"action_{action}")()
        if isawaitable(deleting):
            await deleting
        after = self.text
        end = len(before) - min(after_cursor, len(after) - self.offset_of_cursor())
        begin = end - (len(before) - len(after))
        killed, goes_on = (
            before[begin:end],
            self._after_kill == (before, len(before) - after_cursor),
        )
        if not killed:
            return
        if not goes_on:
            self._killed = killed
        elif begin < len(before) - after_cursor:
            self._killed = killed + self._killed
        else:
            self._killed += killed
        self._after_kill = (after, self.offset_of_cursor())

    def get_cursor_word_left_location(self) -> tuple[int, int]:
        """Return the start of the previous word; as in a shell, words are letters and digits."""
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_word_left_location()
        found = _WORD_BEFORE.search(self.document[row][:column])
        return row, found.start() if found is not None else 0

    def get_cursor_word_right_location(self) -> tuple[int, int]:
        """Return the end of the next word."""
        row, column = self.selection.end
        line = self.document[row]
        if column == len(line):
            return super().get_cursor_word_right_location()
        found = _WORD.search(line, column)
        return row, found.end() if found is not None else len(line)

    def action_delete_word_right(self) -> None:
        """Delete to the end of the next word, or the selection."""
        start, end = self.selection
        to = self.get_cursor_word_right_location() if start == end else end
        self.delete(start, to, maintain_selection_offset=False)

    def action_delete_to_blank(self) -> None:
        """Delete back to whitespace, or the selection."""
        start, end = self.selection
        if start == end:
            row, column = start
            found = _TO_BLANK.search(self.document[row][:column])
            start = (row, found.start()) if found is not None else (row, 0)
            if column == 0:
                start = self.get_cursor_word_left_location()
        self.delete(start, end, maintain_selection_offset=False)

    def action_yank(self) -> None:
        """Insert the text that was last deleted by word or to an end of the line."""
        if self._killed:
            self.insert(self._killed)

    def offset_of_cursor(self) -> int:
        """Return the cursor's offset in the text, in characters."""
        row, column = self.cursor_location
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column

    def action_newline(self) -> None:
        """Replace the selection with a new line."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_ends(self, which: int) -> None:
        """Go to the start (-1) or the end (1) of the text."""
        self.move_cursor(self.document.end if which > 0 else (0, 0))

    def action_cut(self) -> None:
        """Cut the selection; Textual would cut the whole line if there is none."""
        if self.selected_text:
            super().action_cut()
        else:
            self.post_message(self.NoteAdded("nothing is selected to be cut"))
