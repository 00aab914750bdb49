"""The dialog that asks for the format of an export."""

from collections.abc import Callable, Mapping
from pathlib import Path

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from acp_tui.text import clean_line
from acp_tui.ui.keys import EXPORT
from acp_tui.ui.toolkit.boxes import QUESTION, BoxFrame
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.toolkit.shortened import from_home, path_end

LONGEST_PATH = 68
"""Characters of the folder's path that fit in a row."""
WORDS = {
    "md": ("Markdown", "all that was said and done; secrets masked"),
    "html": ("HTML", "one page that looks like the screen; secrets masked"),
    "svg": ("SVG", "a picture of the screen; secrets not masked"),
}


class ExportDialog(OverlayScreen[str]):
    """Lists the formats with their file names; dismissed with the suffix."""

    DEFAULT_CLASSES = QUESTION
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = EXPORT  # type: ignore[assignment]

    def __init__(self, folder: Path, names: Mapping[str, str], clock: Callable[[], float]) -> None:
        """Create a dialog; `names` are the file names in `folder` by suffix."""
        super().__init__()
        self._folder = folder
        self._names = names
        self._frame = BoxFrame(title="Export this session")
        self._choices = KeyedChoices(clock)

    def compose(self) -> ComposeResult:
        where = path_end(clean_line(from_home(str(self._folder))), LONGEST_PATH)
        with self._frame:
            yield Static(Content.styled(f"into {where}", "$text-muted"), markup=False, id="into")
            yield self._choices

    def on_mount(self) -> None:
        self._frame.offer([("enter", "export"), ("escape", "cancel")], "export")
        choices = [
            AnswerChoice(f"{words}: {self._names[suffix]}", words[0].lower(), detail=detail)
            for suffix, (words, detail) in WORDS.items()
        ]
        self._choices.show(choices, guarded=False)
        self._choices.focus()

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Dismiss with the chosen format."""
        event.stop()
        self.action_choose([*WORDS][event.index])

    def action_choose(self, suffix: str) -> None:
        """Dismiss with a format."""
        self.dismiss(suffix)
