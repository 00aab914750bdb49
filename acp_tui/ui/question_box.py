"""The frame of a question."""

from collections.abc import Iterable, Sequence

from textual.containers import Vertical
from textual.content import Content

from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.hints import NamesKeys

LAST = 30
"""How many characters are shown of the end of a text that is written elsewhere."""


class QuestionBox(Vertical, NamesKeys):
    """A frame with the question in its upper edge, where nothing else can stand, and the keys in
    its lower edge: neither takes a row.
    """

    _keys: Sequence[tuple[str, str]] = ()
    """The keys that are offered; none while something else is told in their place."""

    def ask(self, question: str, more: str = "", loud: Content | str = "") -> None:
        """Show the question; `more` is less prominent, and `loud` stands before it."""
        self.border_title = Content.assemble(
            loud, (f"◆ {clean_line(question)}", "bold $warning"), (clean_line(more), "$text-muted")
        )

    def offer(self, keys: Iterable[tuple[str, str]]) -> None:
        """Show what keys do."""
        self._keys = [*keys]
        self.border_subtitle = bindings.hints(self._keys)

    def name_keys(self) -> None:
        if self._keys:
            self.offer(self._keys)

    def tell_written(self, text: str) -> None:
        """Show what stands in the prompt by now: it answers nothing here."""
        self._keys = ()
        line = " ".join(clean_line(text).split())
        begin = "…" if len(line) > LAST else ""
        self.border_subtitle = Content.assemble(
            ("in the prompt: ", "$warning"),
            (f"{begin}{line[-LAST:]}", "$foreground"),
            ("   Up or Down to answer", "$text-muted"),
        )
