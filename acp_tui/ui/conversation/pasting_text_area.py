"""A text area into which one pastes whatever there is."""

from textual import events

from acp_tui.protocol.setup import PromptCapabilities
from acp_tui.text import clean
from acp_tui.ui.bindings import key_name
from acp_tui.ui.conversation.dropped_files import mention
from acp_tui.ui.conversation.pasted import (
    LONGEST,
    CantPaste,
    Pasted,
    clipboard_image,
    clipboard_text,
)
from acp_tui.ui.conversation.shell_text_area import ShellTextArea


class PastingTextArea(ShellTextArea):
    """Takes texts, the names of dropped files, and images; what is too long, or no text, is kept and
    mentioned.
    """

    def __init__(self, placeholder: str) -> None:
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
        mentioned = mention(lines) if len(lines) <= LONGEST else None
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
        safe = clean(text)
        return safe if len(safe) <= LONGEST else self._kept(self.pasted.add_text(safe))

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
