"""The picker that searches sent prompts."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from textual.content import Content

from acp_tui.formatting import age, counted
from acp_tui.text import clean_line
from acp_tui.ui.prompt import bindings
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker
from acp_tui.ui.toolkit.shortened import from_home, path_end

AGE = 16
"""Cells for the age of a prompt."""
FOLDER = 24
"""Cells for the folder, in a list of all folders."""

Sent = tuple[str, str, float | None]
"""A sent prompt, its folder, and its Unix time in seconds; None if it is of this run."""


class RecallPicker(Picker[str]):
    """Lists sent prompts of this folder or of all, newest first."""

    BINDINGS = bindings.RECALL

    def __init__(
        self, sent: Sequence[Sent], folder: str, use_prompt: Callable[[str], None]
    ) -> None:
        super().__init__("Search sent prompts")
        self._sent = sent
        self._folder = folder
        self._use_prompt = use_prompt
        self._here = any(where == folder for _, where, _ in sent)
        self._now = datetime.now(UTC)

    def heading(self) -> Content:
        where = from_home(self._folder) if self._here else "all folders"
        return Content.assemble(("Prompts  ", "bold"), (clean_line(where), "$text-muted"))

    def items(self) -> Sequence[Item[str]]:
        shown = [one for one in self._sent if not self._here or one[1] == self._folder]
        unique: dict[str, Sent] = {}
        for one in shown:
            unique.setdefault(one[0], one)
        return [self._item(*one) for one in unique.values()]

    def _item(self, text: str, folder: str, at: float | None) -> Item[str]:
        when = "just now"
        if at is not None:
            when = age(datetime.fromtimestamp(at, UTC).isoformat(), self._now)
        where = "" if self._here else path_end(from_home(folder), FOLDER - 2).ljust(FOLDER)
        first, *rest = text.strip().splitlines() or [""]
        more = f"  +{counted(len(rest), 'line')}" if rest else ""
        row = Content.assemble(
            (f"{when:<{AGE}}", "$text-muted"),
            (clean_line(where), "$text-muted"),
            clean_line(first),
            (more, "$text-muted"),
        )
        return Item(row, text, f"{text} {folder}")

    def keys(self) -> list[tuple[str, str]]:
        other = "all folders" if self._here else "this folder"
        return [("enter", "to prompt"), ("tab", other), ("ctrl+r", "older"), ("escape", "back")]

    def empty(self) -> str:
        return "no such prompt" if self.searching else "nothing was sent yet"

    def chosen(self, value: str) -> None:
        self.dismiss()
        self._use_prompt(value)

    def action_scope(self) -> None:
        """Toggle between this folder and all folders."""
        self._here = not self._here
        self.show()
