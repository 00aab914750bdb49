"""A text area into which one pastes whatever there is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events

from acp_tui.protocol.setup import PromptCapabilities
from acp_tui.text import clean, reveal_escapes
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt.clipboard_content import (
    LONGEST_PLAIN_TEXT,
    CantPaste,
    Pasted,
    clipboard_image,
    clipboard_text,
)
from acp_tui.ui.prompt.dropped_files import mention
from acp_tui.ui.prompt.paste_chips import Folded
from acp_tui.ui.prompt.shell_text_area import ShellTextArea

if TYPE_CHECKING:
    from rich.text import Text
    from textual.widgets.text_area import Edit, EditResult, Location, Selection


class PastingTextArea(ShellTextArea):
    """Takes texts, the names of dropped files, and images. A long text is folded into a chip, which is
    drawn, passed and edited as if it were one character; what is too long for that, or no text, is kept
    and mentioned.
    """

    def __init__(self, placeholder: str) -> None:
        self.folded = Folded()
        super().__init__(placeholder)
        self.offered = PromptCapabilities()
        self.pasted = Pasted()

    @property
    def runs(self) -> bool:
        """Whether what is written is a command of the person's."""
        return self.document.get_line(0).startswith("!")

    def on_paste(self, event: events.Paste) -> None:
        """Paste what can be written here."""
        if not event.text:  # some terminals say so that there is something, but no text
            self.action_paste_image()
        event.text = self.pastable(event.text)

    def action_paste(self) -> None:
        """Paste the clipboard's text, else its image, else what was copied here."""
        self.run_worker(self._paste(), group="paste", exclusive=True)

    def action_paste_image(self) -> None:
        """Mention the clipboard's image."""
        self.run_worker(self._paste_image(), group="paste", exclusive=True)

    def pastable(self, text: str) -> str:
        """A text from elsewhere as it is pasted: cleaned, and folded if it is long."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        mentioned = mention(lines) if len(lines) <= LONGEST_PLAIN_TEXT else None
        if mentioned is not None:
            return self._apart(mentioned)
        cleaned = self.cleaned(lines)
        shown = cleaned if self.runs else self.folded.take(cleaned)  # a command is seen whole
        if shown != cleaned:
            opens, removes = key_name("tab", "prompt"), key_name("backspace")
            self.post_message(self.Said(f"{shown[1:-1]}; {opens} opens it, {removes} removes it"))
        return shown

    def cleaned(self, text: str) -> str:
        """A text from elsewhere as it can be written here; where it is too long, a mention of it."""
        safe = clean(reveal_escapes(text))
        return safe if len(safe) <= LONGEST_PLAIN_TEXT else self._kept(self.pasted.add_text(safe))

    def _apart(self, mentioned: str) -> str:
        """A mention as it goes in: right behind a word it would be none."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        return mentioned if not before or before[-1].isspace() else f" {mentioned}"

    async def _paste(self) -> None:
        text = await clipboard_text()
        try:
            self.insert(self.pastable(text) if text else self._kept_image(await clipboard_image()))
        except CantPaste as why:
            if self.app.clipboard:
                self.insert(self.app.clipboard)
            else:
                self.post_message(self.Said(str(why)))

    async def _paste_image(self) -> None:
        try:
            self.insert(self._kept_image(await clipboard_image()))
        except CantPaste as why:
            self.post_message(self.Said(str(why)))

    def _kept_image(self, image: bytes) -> str:
        return self._kept(self.pasted.add_image(image, self.offered))

    def _kept(self, pasted: tuple[str, str]) -> str:
        """What mentions something that was kept; tell what it is."""
        name, words = pasted
        self.post_message(self.Said(words))
        return self._apart(f"@{name} ")

    # Chips

    @property
    def written(self) -> str:
        """All that is written, with what is folded in it."""
        return self.folded.expand(self.text)

    @property
    def selected_text(self) -> str:
        """What is selected, with what is folded in it."""
        return self.folded.expand(super().selected_text)

    def get_line(self, line_index: int) -> "Text":
        """Mark the chips in a line."""
        line = super().get_line(line_index)
        for begin, end in self.folded.chips(line.plain):
            line.stylize("reverse", begin, end)
        return line

    def edit(self, edit: "Edit") -> "EditResult":
        """Change the text; what touches a part of a chip takes all of it, for the rest would stand
        for nothing.
        """
        if self.folded.is_used:
            top, bottom = edit.top, edit.bottom
            is_insertion = top == bottom
            bottom = self._chip_end(bottom, 1)
            edit.from_location = bottom if is_insertion else self._chip_end(top, 0)
            edit.to_location = bottom
        return super().edit(edit)

    def validate_selection(self, selection: "Selection") -> "Selection":
        """Keep the cursor out of chips: it passes them like a character."""
        if not self.folded.is_used:
            return selection
        forward = int(selection.end > self.selection.end)
        end = self._chip_end(selection.end, forward)
        if selection.is_empty:
            return selection._replace(start=end, end=end)
        start = self._chip_end(selection.start, int(selection.start > end))
        return selection._replace(start=start, end=end)

    def _chip_end(self, location: "Location", which: int) -> "Location":
        """The beginning (0) or the end (1) of the chip in which a place is; else the place."""
        row, column = location
        for span in self._chips(row):
            if span[0] < column < span[1]:
                return row, span[which]
        return location

    def _chips(self, row: int) -> Sequence[tuple[int, int]]:
        there = row < self.document.line_count  # not yet, while something is undone
        return list(self.folded.chips(self.document.get_line(row))) if there else []

    @property
    def has_chips(self) -> bool:
        """Whether something pasted is folded here."""
        return any(self._chips(row) for row in range(self.document.line_count))

    def unfold(self) -> bool:
        """Open the chip beside the cursor; false if there is none."""
        row, column = self.cursor_location
        for begin, end in self._chips(row):
            if column in (begin, end):
                text = self.folded.open(self.document.get_line(row)[begin:end])
                self.history.checkpoint()
                self.replace(text, (row, begin), (row, end), maintain_selection_offset=False)
                return True
        return False
