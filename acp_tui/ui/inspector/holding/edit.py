"""A held frame, or an answer to it, to be edited in place."""

from pathlib import Path

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from acp_tui.debug.drafts import DraftError, raw_of
from acp_tui.text import clean
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.composer.body import JsonArea
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.boxes import PAGE
from acp_tui.ui.toolkit.question_box import QuestionBox
from acp_tui.ui.toolkit.screens import OverlayScreen

KEYS = (("ctrl+s", "pass on"), ("alt+g", "as it stands"), ("escape", "leave it held"))


class EditScreen(OverlayScreen[bytes | None]):
    """Gives the line that was edited. JSON may stand on several lines; what is none is passed on only
    if that is asked for.
    """

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.HELD_EDIT  # type: ignore[assignment]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._box = QuestionBox()
        self._title = title
        self._area = JsonArea(text)
        self._problem = Static(markup=False, id="problem")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._area
            yield self._problem

    def on_mount(self) -> None:
        self._box.ask(self._title)
        self._box.offer(KEYS)
        self._area.focus()

    def action_send(self) -> None:
        """Pass on the JSON, on one line."""
        try:
            self.dismiss(raw_of(self._area.text))
        except DraftError as error:
            words = f"✗ {clean(str(error))}; {key_name('alt+g', 'held-edit')} passes it on anyway"
            self._problem.update(Content.styled(words, "$error"))

    def action_send_as_is(self) -> None:
        """Pass on what stands there, each line as a line of its own."""
        raw = raw_of(self._area.text, as_it_stands=True)
        if raw.strip():
            self.dismiss(raw)

    def action_close(self) -> None:
        """Leave the frame as it is: held."""
        self.dismiss(None)
