"""What the clipboard brings into a prompt: a text, or what goes along by its name."""

import os

from acp_tui.protocol.setup import PromptCapabilities
from acp_tui.ui.toolkit.clipboard import IMAGE_KINDS, TEXT_KINDS, clipboard_reader, read_clipboard

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
        name = self._keep(text.encode("utf-8", "replace"), "txt")
        return name, f"{name}: {len(text):,} characters; they go with the prompt"

    def add_image(self, image: bytes, offered: PromptCapabilities) -> tuple[str, str]:
        """Keep an image; returns its name, and what it is in words.

        Raises CantPaste: the agent takes none, or it is of no kind that is known.
        """
        from acp_tui.workspace.mentions import AttachmentError, media

        try:
            kind = media(image, None, offered).mime_type
        except AttachmentError as why:
            raise CantPaste(str(why)) from None
        name = self._keep(image, kind.removeprefix("image/"))
        return name, f"{name}: {kind}, {len(image):,} bytes; it goes with the prompt"

    def _keep(self, data: bytes, suffix: str) -> str:
        name = f"clipboard-{len(self.kept) + 1}.{suffix}"
        self.kept[name] = data
        return name


async def clipboard_text() -> str:
    """The text on the system's clipboard; empty if there is none, or nothing that reads it."""
    reader = clipboard_reader(os.environ)
    if reader is None:
        return ""
    return (await read_clipboard(reader, TEXT_KINDS, os.environ)).decode("utf-8", "replace")


async def clipboard_image() -> bytes:
    """The image on the system's clipboard. Raises CantPaste."""
    reader = clipboard_reader(os.environ)
    if reader is None:
        raise CantPaste(UNREAD)
    image = await read_clipboard(reader, IMAGE_KINDS, os.environ)
    if not image:
        raise CantPaste("there is no image on the clipboard")
    return image
