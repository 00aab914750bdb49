"""A text area that accepts what a terminal or clipboard can hold: texts, long texts as chips, dropped files, images."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes, urlsplit

from textual import events
from textual.widgets.text_area import Edit, EditResult, Location, Selection

from acp_tui.formatting import counted
from acp_tui.protocol.initialization import PromptCapabilities
from acp_tui.text import clean_text, reveal_escapes
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt.shell_text_area import ShellTextArea
from acp_tui.ui.toolkit.clipboard import IMAGE_KINDS, TEXT_KINDS, clipboard_reader, read_clipboard

if TYPE_CHECKING:
    from rich.text import Text

UNREAD = "nothing here can read the clipboard: install wl-clipboard, xclip or pngpaste"


LONGEST_PLAIN_TEXT = 1_000_000
"""Characters of a text that are pasted as they are: an editor takes a second for so many."""


class CantPaste(Exception):  # noqa: N818 - it is an answer to a person
    """There is nothing to paste; the text says why."""


class Pasted:
    """What prompts mention as they mention files: `@clipboard-1.png`; kept for this run."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def add_text(self, text: str) -> tuple[str, str]:
        """Keep a long text; returns its name, and what it is in words."""
        name = self._keep_file(text.encode("utf-8", "replace"), "txt")
        return name, f"{name}: {len(text):,} characters; they go with the prompt"

    def add_image(self, image: bytes, offered: PromptCapabilities) -> tuple[str, str]:
        """Keep an image; returns its name, and what it is in words.

        Raises CantPaste: the agent takes none, or it is of no kind that is known.
        """
        from acp_tui.workspace.mentions import AttachmentError, media_content

        try:
            kind = media_content(image, None, offered).mime_type
        except AttachmentError as why:
            raise CantPaste(str(why)) from None
        name = self._keep_file(image, kind.removeprefix("image/"))
        return name, f"{name}: {kind}, {len(image):,} bytes; it goes with the prompt"

    def _keep_file(self, data: bytes, suffix: str) -> str:
        name = f"clipboard-{len(self.kept) + 1}.{suffix}"
        self.kept[name] = data
        return name


async def clipboard_text() -> str:
    """Return the text on the system's clipboard; empty if there is none, or nothing that reads it."""
    reader = clipboard_reader(os.environ)
    if reader is None:
        return ""
    return (await read_clipboard(reader, TEXT_KINDS, os.environ)).decode("utf-8", "replace")


async def clipboard_image() -> bytes:
    """Return the image on the system's clipboard. Raises CantPaste."""
    reader = clipboard_reader(os.environ)
    if reader is None:
        raise CantPaste(UNREAD)
    image = await read_clipboard(reader, IMAGE_KINDS, os.environ)
    if not image:
        raise CantPaste("there is no image on the clipboard")
    return image


LONGEST_PATH = 4096
"""The most characters of a path. A longer paste is no path, so the disk isn't asked for it."""
_BEGINNINGS = ("/", "'", '"', "file://")


def mention_of_paste(pasted: str) -> str | None:
    """Return a pasted path of a picture or a sound as a mention; None if it is anything else."""
    text = pasted.strip()
    if not text.startswith(_BEGINNINGS) or "\n" in text or len(text) > LONGEST_PATH:
        return None
    from acp_tui.workspace.mentions import mention_of

    path = next(filter(_is_media, _paths(text)), None)
    written = mention_of(path) if path is not None else None
    return f"{written} " if written is not None else None


def _paths(text: str) -> Iterator[str]:
    """Yield the paths that a pasted text may mean: from a file URL, as written, or unquoted as a shell does."""
    if text.startswith("file://"):
        with suppress(ValueError):  # "file://[a" isn't an address
            yield os.fsdecode(unquote_to_bytes(urlsplit(text).path))
        return
    yield text
    try:
        words = shlex.split(text)
    except ValueError:
        return
    if len(words) == 1:
        yield words[0]


def _is_media(path: str) -> bool:
    import mimetypes

    kind = mimetypes.guess_type(path)[0] or ""
    try:
        return (
            path.startswith("/") and kind.startswith(("image/", "audio/")) and os.path.isfile(path)  # noqa: PTH113  Path's fails for names that hold a NUL
        )
    except (OSError, ValueError):
        return False


CHARACTERS = 1_500
"""A paste of more characters is folded, too."""
_CHIP = re.compile(r"\[pasted \d+: [\d,]+ (?:lines?|characters)\]")


class Folded:
    """What was pasted in this run, by its chips. A chip is told from the same words that somebody
    types by its number: only what was given out stands for a text.
    """

    def __init__(self) -> None:
        self.from_lines = 0
        """More lines than these are folded; with 0 nothing is."""
        self._texts: dict[str, str] = {}
        self._opened: set[str] = set()

    @property
    def is_used(self) -> bool:
        """Whether anything was folded."""
        return bool(self._texts)

    def take(self, text: str) -> str:
        """Return the chip for a long text, and a short one as it is."""
        lines = text.rstrip("\n").count("\n") + 1
        if not self.from_lines or (lines <= self.from_lines and len(text) <= CHARACTERS):
            return text
        size = counted(lines, "line") if lines > 1 else f"{len(text):,} characters"
        chip = f"[pasted {len(self._texts) + 1}: {size}]"
        self._texts[chip] = text
        return chip

    def open(self, chip: str) -> str:
        """Return the text of a chip, and count it as seen by the person from now on."""
        text = self._texts[chip]
        self._opened.add(text)
        return text

    def hide(self, text: str) -> str:
        """Put the chips in the place of what was pasted and never opened: it mentions nothing."""
        for chip, pasted in self._texts.items():
            if pasted not in self._opened:
                text = text.replace(pasted, chip)
        return text

    def expand(self, text: str) -> str:
        """Put what they stand for in the place of chips."""
        if not self._texts:
            return text
        return _CHIP.sub(lambda found: self._texts.get(found[0], found[0]), text)

    def fold(self, text: str) -> str:
        """Put the chips in the place of what was pasted before."""
        for chip, pasted in self._texts.items():
            text = text.replace(pasted, chip)
        return text

    def chips(self, line: str) -> Iterator[tuple[int, int]]:
        """Find where chips begin and end in a line."""
        if self._texts:
            found: Iterator[re.Match[str]] = _CHIP.finditer(line)
            yield from (one.span() for one in found if one[0] in self._texts)


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
        self.run_worker(self._paste_clipboard(), group="paste", exclusive=True)

    def action_paste_image(self) -> None:
        """Mention the clipboard's image."""
        self.run_worker(self._paste_image(), group="paste", exclusive=True)

    def pastable(self, text: str) -> str:
        """Return a text from elsewhere as it is pasted: cleaned, and folded if it is long."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        mentioned = mention_of_paste(lines) if len(lines) <= LONGEST_PLAIN_TEXT else None
        if mentioned is not None:
            return self._space_mention(mentioned)
        cleaned = self.cleaned(lines)
        shown = cleaned if self.runs else self.folded.take(cleaned)  # a command is seen whole
        if shown != cleaned:
            opens, removes = key_name("tab", "prompt"), key_name("backspace")
            self.post_message(self.Said(f"{shown[1:-1]}; {opens} opens it, {removes} removes it"))
        return shown

    def cleaned(self, text: str) -> str:
        """Return a text from elsewhere as it can be written here; where it is too long, a mention of it."""
        safe = clean_text(reveal_escapes(text))
        return safe if len(safe) <= LONGEST_PLAIN_TEXT else self._kept(self.pasted.add_text(safe))

    def _space_mention(self, mentioned: str) -> str:
        """Return a mention to insert, after a blank if it would follow a word: joined to that it isn't a mention."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        return mentioned if not before or before[-1].isspace() else f" {mentioned}"

    async def _paste_clipboard(self) -> None:
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
        """Return a mention of a pasted file that was stored, and notify the person of it."""
        name, words = pasted
        self.post_message(self.Said(words))
        return self._space_mention(f"@{name} ")

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

    def edit(self, edit: Edit) -> EditResult:
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

    def validate_selection(self, selection: Selection) -> Selection:
        """Keep the cursor out of chips: it passes them like a character."""
        if not self.folded.is_used:
            return selection
        forward = int(selection.end > self.selection.end)
        end = self._chip_end(selection.end, forward)
        if selection.is_empty:
            return selection._replace(start=end, end=end)
        start = self._chip_end(selection.start, int(selection.start > end))
        return selection._replace(start=start, end=end)

    def _chip_end(self, location: Location, which: int) -> Location:
        """Return the beginning (0) or the end (1) of the chip in which a place is; else the place."""
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
        """Open the chip next to the cursor; return False if there is none."""
        row, column = self.cursor_location
        for begin, end in self._chips(row):
            if column in (begin, end):
                text = self.folded.open(self.document.get_line(row)[begin:end])
                self.history.checkpoint()
                self.replace(text, (row, begin), (row, end), maintain_selection_offset=False)
                return True
        return False
