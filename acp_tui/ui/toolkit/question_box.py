"""The frame of a question."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.containers import Vertical
from textual.content import Content

from acp_tui.text import clean_line
from acp_tui.ui.toolkit.frame import room_in_edge
from acp_tui.ui.toolkit.hints import Hint, NamesKeys, hint_row

LAST = 30
"""How many characters are shown of the end of a text that is written elsewhere."""


class QuestionBox(Vertical, NamesKeys):
    """A frame with the question in its upper edge, where nothing else can stand, and the keys in
    its lower edge: neither takes a row.
    """

    DEFAULT_CSS = Path(__file__).with_name("question_box.tcss").read_text(encoding="utf-8")
    _keys: Sequence[Hint] | None = None
    """The keys that are offered; None while something else is told in their place."""

    def ask(self, question: str, more: str = "", loud: Content | str = "") -> None:
        """Show the question; `more` is less prominent, and `loud` stands before it."""
        self.border_title = Content.assemble(
            loud, (f"◆ {clean_line(question)}", "bold $warning"), (clean_line(more), "$text-muted")
        )

    def offer(self, keys: Iterable[Hint]) -> None:
        """Show what keys do, the most important first, and last what leads back."""
        self._keys = [*keys]
        self.name_keys()

    def on_resize(self) -> None:
        """Fit the keys."""
        self.name_keys()

    def name_keys(self) -> None:
        if self._keys is not None:
            self.border_subtitle = hint_row(self._keys, room_in_edge(self))

    def tell_written(self, text: str) -> None:
        """Show what stands in the prompt by now: it answers nothing here."""
        self._keys = None
        line = " ".join(clean_line(text).split())
        begin = "…" if len(line) > LAST else ""
        self.border_subtitle = Content.assemble(
            ("in the prompt: ", "$warning"),
            (f"{begin}{line[-LAST:]}", "$foreground"),
            ("   Up or Down to answer", "$text-muted"),
        )
