"""A line of text to write. Its cursor stands still, as the prompt's does: one that blinks costs bytes
for as long as nothing happens.
"""

from typing import Any

from textual import events
from textual.widgets import Input

from acp_tui.ui.keys import FIELD
from acp_tui.ui.toolkit.format_characters import format_character


class LineInput(Input):
    """An `Input` in one row with the keys of a shell, whose edges are seen also where it is empty and
    without colors, whose cursor doesn't blink, and whose placeholder can be read.
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
        """Write what Textual takes for no character."""
        if text := format_character(event, self.value[: self.cursor_position]):
            event.stop()
            event.prevent_default()
            self.insert_text_at_cursor(text)
