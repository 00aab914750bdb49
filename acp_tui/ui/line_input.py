"""A line of text to write. Its cursor stands still, as the prompt's does: one that blinks costs bytes
for as long as nothing happens.
"""

from typing import Any

from textual.widgets import Input


class LineInput(Input):
    """An `Input` whose cursor doesn't blink, and whose placeholder can be read."""

    DEFAULT_CSS = """
    LineInput > .input--placeholder { color: $text-muted; }
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cursor_blink = False
