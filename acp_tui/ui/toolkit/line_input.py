"""A one-line text field with a steady cursor: a blinking one would send bytes all the time."""

from typing import Any

from textual import events
from textual.widgets import Input

from acp_tui.ui.keys import FIELD
from acp_tui.ui.toolkit.format_characters import format_character


class LineInput(Input):
    """An `Input` in one row, with the keys of a shell, edges that are visible even if it is empty
    or without colors, a cursor that doesn't blink, and a readable placeholder.
    """

    BINDINGS = FIELD  # type: ignore[assignment]

    DEFAULT_CSS = """
    LineInput, LineInput:focus {
        height: 1;
        padding: 0;
        border: none;
        border-left: vkey $text-muted;
        border-right: vkey $text-muted;
        background: $panel;
    }
    LineInput:focus {
        border-left: vkey $primary;
        border-right: vkey $primary;
    }
    LineInput > .input--placeholder { color: $text-muted; }
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cursor_blink = False

    def on_key(self, event: events.Key) -> None:
        """Insert characters that Textual doesn't recognize as such."""
        if text := format_character(event, self.value[: self.cursor_position]):
            event.stop()
            event.prevent_default()
            self.insert_text_at_cursor(text)
