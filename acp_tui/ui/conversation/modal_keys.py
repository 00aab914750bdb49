"""Vim's modes in the prompt: keys go to them, and what comes of it goes into the text."""

from typing import TYPE_CHECKING

from textual import events
from textual.widgets.text_area import Location, Selection

from acp_tui.ui.bindings import key_name
from acp_tui.ui.vim.edits import Act
from acp_tui.ui.vim.vim import Vim

if TYPE_CHECKING:
    from acp_tui.ui.conversation.prompt import PromptEditor

_AS_LETTERS = {"backspace": "h", "delete": "x", "space": " "}


class ModalKeys:
    """Takes the keys of the normal and the visual mode, and Esc out of the others."""

    def __init__(self, editor: "PromptEditor") -> None:
        self._editor = editor
        self._vim = Vim()
        self._line = ""
        """A command of Vim's as far as it is written: there is none, but Enter after it sends nothing."""

    @property
    def word(self) -> str:
        """What the mode is called, while letters are commands; or the command that is written."""
        if self._line:
            return self._line
        return "" if self._vim.mode == "insert" else self._vim.word

    def insert(self) -> None:
        """Have letters written."""
        self._line = ""
        self._vim.insert()

    def takes(self, event: events.Key) -> bool:
        """Take a key; false if it is to do what it does otherwise."""
        if self._line:
            self._write_command(event)
            return True
        text, at = self._editor.text, self._editor.offset_of_cursor()
        if event.character == ":" and self.word and not self._vim.is_pending:
            self._line = ":"
            return True
        if event.key == "escape":
            act = self._vim.escape(text, at)
        elif self._vim.mode == "insert":
            return False
        elif event.key == "ctrl+r":
            act = self._vim.redo(text, at)
        else:
            letter = _AS_LETTERS.get(event.key) or (event.is_printable and event.character)
            act = self._vim.type(letter, text, at) if letter else None
        if act is not None:
            self._apply(act)
        return act is not None

    def _write_command(self, event: events.Key) -> None:
        """Take a key of a command that was begun; any but a letter ends it, and does nothing else."""
        if event.is_printable and event.character:
            self._line += event.character
        elif event.key == "backspace":
            self._line = self._line[:-1]
        else:
            written, self._line = self._line, ""
            self._editor.post_message(self._editor.Said(nothing_done(written)))

    def _apply(self, act: Act) -> None:
        editor = self._editor
        if act.also:
            editor.do_beside_editing(act.also)
            return
        if act.text != editor.text:
            self._write(act.text)
        if act.anchor is None:
            editor.move_cursor(_location(act.text, act.at))
        else:
            first, last = min(act.anchor, act.at), max(act.anchor, act.at) + 1
            ends = (first, last) if act.at >= act.anchor else (last, first)
            editor.selection = Selection(*(_location(act.text, end) for end in ends))

    def _write(self, text: str) -> None:
        """Change the text where it differs, as one step that can be undone."""
        editor, before = self._editor, self._editor.text
        same = _in_common(before, text)
        rest = _in_common(before[same:][::-1], text[same:][::-1])
        begin, end = (_location(before, at) for at in (same, len(before) - rest))
        editor.history.checkpoint()
        changed = text[same : len(text) - rest]
        editor.replace(changed, begin, end, maintain_selection_offset=False)
        editor.history.checkpoint()


def nothing_done(command: str) -> str:
    """Tell who writes a command of Vim's what does here what it may have been meant for."""
    return f"{command} does nothing here: Enter sends, {key_name('ctrl+q')} leaves"


def _location(text: str, at: int) -> Location:
    before = text[:at]
    return before.count("\n"), at - (before.rfind("\n") + 1)


def _in_common(one: str, other: str) -> int:
    """Count the signs with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
