"""A text area for all kinds of pastes: text, long text as chips, dropped files, images."""

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
"""Most characters of a text that is pasted as it is: an editor takes a second for that."""


class CantPaste(Exception):  # noqa: N818 - it is an answer to a person
    """Nothing can be pasted; the message says why."""


class Pasted:
    """Stores this run's pasted data, which prompts mention like files: `@clipboard-1.png`."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def add_text(self, text: str) -> tuple[str, str]:
        """Store a long text; return its name and a description."""
        name = self._store_file(text.encode("utf-8", "replace"), "txt")
        return name, f"{name}: {len(text):,} characters; they go with the prompt"

    def add_image(self, image: bytes, offered: PromptCapabilities) -> tuple[str, str]:
        """Store an image; return its name and a description.

        Raises CantPaste if the agent doesn't accept images, or the format is unknown.
        """
        from acp_tui.workspace.mentions import AttachmentError, media_content

        try:
            kind = media_content(image, None, offered).mime_type
        except AttachmentError as why:
            raise CantPaste(str(why)) from None
        name = self._store_file(image, kind.removeprefix("image/"))
        return name, f"{name}: {kind}, {len(image):,} bytes; it goes with the prompt"

    def _store_file(self, data: bytes, suffix: str) -> str:
        name = f"clipboard-{len(self.stored) + 1}.{suffix}"
        self.stored[name] = data
        return name


async def clipboard_text() -> str:
    """Return the system clipboard's text; "" if it has none, or no program here can read it."""
    reader = clipboard_reader(os.environ)
    if reader is None:
        return ""
    return (await read_clipboard(reader, TEXT_KINDS, os.environ)).decode("utf-8", "replace")


async def clipboard_image() -> bytes:
    """Return the system clipboard's image. Raises CantPaste."""
    reader = clipboard_reader(os.environ)
    if reader is None:
        raise CantPaste(UNREAD)
    image = await read_clipboard(reader, IMAGE_KINDS, os.environ)
    if not image:
        raise CantPaste("there is no image on the clipboard")
    return image


LONGEST_PATH = 4096
"""Most characters of a path. The disk isn't asked about a longer paste."""
_BEGINNINGS = ("/", "'", '"', "file://")


def mention_of_paste(pasted: str) -> str | None:
    """Return a mention of the image or audio file whose path was pasted; None if it isn't one."""
    text = pasted.strip()
    if not text.startswith(_BEGINNINGS) or "\n" in text or len(text) > LONGEST_PATH:
        return None
    from acp_tui.workspace.mentions import mention_of

    path = next(filter(_is_media, _paths(text)), None)
    written = mention_of(path) if path is not None else None
    return f"{written} " if written is not None else None


def _paths(text: str) -> Iterator[str]:
    """Yield the paths that pasted text may mean: from a file URL, as written, or shell-quoted."""
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
"""A paste with more characters is folded even if it has few lines."""
_CHIP = re.compile(r"\[pasted \d+: [\d,]+ (?:lines?|characters)\]")


class Folded:
    """What was pasted in this run, by its chip.

    A chip's number distinguishes it from the same words typed by the user: only chips that were
    created here stand for text.
    """

    def __init__(self) -> None:
        self.from_lines = 0
        """Pastes with more lines are folded; 0 turns folding off."""
        self._texts: dict[str, str] = {}
        self._opened: set[str] = set()

    @property
    def is_used(self) -> bool:
        """Whether any paste was folded."""
        return bool(self._texts)

    def fold_long(self, text: str) -> str:
        """Return a chip for a long text, or a short text as it is."""
        lines = text.rstrip("\n").count("\n") + 1
        if not self.from_lines or (lines <= self.from_lines and len(text) <= CHARACTERS):
            return text
        size = counted(lines, "line") if lines > 1 else f"{len(text):,} characters"
        chip = f"[pasted {len(self._texts) + 1}: {size}]"
        self._texts[chip] = text
        return chip

    def open(self, chip: str) -> str:
        """Return a chip's text, which the user has seen from now on."""
        text = self._texts[chip]
        self._opened.add(text)
        return text

    def hide(self, text: str) -> str:
        """Replace pastes by their chips unless the user saw them: unseen text mentions no files."""
        for chip, pasted in self._texts.items():
            if pasted not in self._opened:
                text = text.replace(pasted, chip)
        return text

    def expand(self, text: str) -> str:
        """Replace chips by their text."""
        if not self._texts:
            return text
        return _CHIP.sub(lambda found: self._texts.get(found[0], found[0]), text)

    def fold(self, text: str) -> str:
        """Replace text that was pasted before by its chip."""
        for chip, pasted in self._texts.items():
            text = text.replace(pasted, chip)
        return text

    def chips(self, line: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each chip in a line."""
        if self._texts:
            found: Iterator[re.Match[str]] = _CHIP.finditer(line)
            yield from (one.span() for one in found if one[0] in self._texts)


class PastingTextArea(ShellTextArea):
    """Pastes text, names of dropped files, and images.

    Long text is folded into a chip, which is drawn, skipped and edited like a single character.
    Text that is too long even for that, and data that isn't text, is stored and mentioned.
    """

    def __init__(self, placeholder: str) -> None:
        self.folded = Folded()
        super().__init__(placeholder)
        self.offered = PromptCapabilities()
        self.pasted = Pasted()

    @property
    def runs(self) -> bool:
        """Whether a `!` command is being written."""
        return self.document.get_line(0).startswith("!")

    def on_paste(self, event: events.Paste) -> None:
        """Paste text, or the clipboard's image if there is none."""
        if not event.text:  # some terminals report an image by a paste without text
            self.action_paste_image()
        event.text = self.pastable(event.text)

    def action_paste(self) -> None:
        """Paste the clipboard's text, else its image, else what was copied within the app."""
        self.run_worker(self._paste_clipboard(), group="paste", exclusive=True)

    def action_paste_image(self) -> None:
        """Store the clipboard's image, and insert a mention of it."""
        self.run_worker(self._paste_image(), group="paste", exclusive=True)

    def pastable(self, text: str) -> str:
        """Return text from elsewhere as it is pasted: cleaned, folded if it is long, a media path
        as a mention.
        """
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        mentioned = mention_of_paste(lines) if len(lines) <= LONGEST_PLAIN_TEXT else None
        if mentioned is not None:
            return self._space_mention(mentioned)
        cleaned = self.cleaned(lines)
        # Commands are shown in full.
        shown = cleaned if self.runs else self.folded.fold_long(cleaned)
        if shown != cleaned:
            opens, removes = key_name("tab", "prompt"), key_name("backspace")
            self.post_message(
                self.NoteAdded(f"{shown[1:-1]}; {opens} opens it, {removes} removes it")
            )
        return shown

    def cleaned(self, text: str) -> str:
        """Return text from elsewhere without control characters; if it is too long, store it and
        return a mention.
        """
        safe = clean_text(reveal_escapes(text))
        return (
            safe
            if len(safe) <= LONGEST_PLAIN_TEXT
            else self._mention_paste(self.pasted.add_text(safe))
        )

    def _space_mention(self, mentioned: str) -> str:
        """Return a mention to insert, after a space if it would otherwise be within a word."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        return mentioned if not before or before[-1].isspace() else f" {mentioned}"

    async def _paste_clipboard(self) -> None:
        text = await clipboard_text()
        try:
            self.insert(
                self.pastable(text) if text else self._mention_image(await clipboard_image())
            )
        except CantPaste as why:
            if self.app.clipboard:
                self.insert(self.app.clipboard)
            else:
                self.post_message(self.NoteAdded(str(why)))

    async def _paste_image(self) -> None:
        try:
            self.insert(self._mention_image(await clipboard_image()))
        except CantPaste as why:
            self.post_message(self.NoteAdded(str(why)))

    def _mention_image(self, image: bytes) -> str:
        return self._mention_paste(self.pasted.add_image(image, self.offered))

    def _mention_paste(self, pasted: tuple[str, str]) -> str:
        """Return a mention of a stored paste, and notify the user of it."""
        name, words = pasted
        self.post_message(self.NoteAdded(words))
        return self._space_mention(f"@{name} ")

    # Chips

    @property
    def written(self) -> str:
        """The whole text, with chips expanded."""
        return self.folded.expand(self.text)

    @property
    def selected_text(self) -> str:
        """The selected text, with chips expanded."""
        return self.folded.expand(super().selected_text)

    def get_line(self, line_index: int) -> "Text":
        """Highlight the chips in a line."""
        line = super().get_line(line_index)
        for begin, end in self.folded.chips(line.plain):
            line.stylize("reverse", begin, end)
        return line

    def edit(self, edit: Edit) -> EditResult:
        """Edit the text; an edit of a part of a chip applies to all of it, as the rest would stand
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
        """Keep the cursor out of chips: it skips them like a character."""
        if not self.folded.is_used:
            return selection
        forward = int(selection.end > self.selection.end)
        end = self._chip_end(selection.end, forward)
        if selection.is_empty:
            return selection._replace(start=end, end=end)
        start = self._chip_end(selection.start, int(selection.start > end))
        return selection._replace(start=start, end=end)

    def _chip_end(self, location: Location, which: int) -> Location:
        """Return the start (0) or end (1) of the chip around a location, else the location."""
        row, column = location
        for span in self._chips(row):
            if span[0] < column < span[1]:
                return row, span[which]
        return location

    def _chips(self, row: int) -> Sequence[tuple[int, int]]:
        there = row < self.document.line_count  # not yet, during an undo
        return list(self.folded.chips(self.document.get_line(row))) if there else []

    @property
    def has_chips(self) -> bool:
        """Whether the text contains chips."""
        return any(self._chips(row) for row in range(self.document.line_count))

    def unfold(self) -> bool:
        """Expand the chip next to the cursor; return False if there is none."""
        row, column = self.cursor_location
        for begin, end in self._chips(row):
            if column in (begin, end):
                text = self.folded.open(self.document.get_line(row)[begin:end])
                self.history.checkpoint()
                self.replace(text, (row, begin), (row, end), maintain_selection_offset=False)
                return True
        return False
