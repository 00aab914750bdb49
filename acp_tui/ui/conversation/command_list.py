"""The agent's commands that fit what is typed after a slash."""

import re
from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from acp_tui.lazy_pattern import LazyPattern
from acp_tui.protocol.updates import AvailableCommand
from acp_tui.text import clean_line

ROWS = 6
"""How many commands are shown at a time."""

_COMMAND = LazyPattern(r"/(\S*)(\s?)")


class CommandList(Widget):
    """A list over the prompt; the prompt steers it and keeps the focus."""

    def __init__(self) -> None:
        super().__init__()
        self._commands: Sequence[AvailableCommand] = ()
        self._found: list[AvailableCommand] = []
        self._cursor = 0
        self._typing = False
        self.display = False

    @property
    def choosing(self) -> bool:
        """Whether there is a command to complete."""
        return self.display and self._typing

    def offer(self, commands: Sequence[AvailableCommand]) -> None:
        """Take the agent's commands."""
        self._commands = commands

    def match(self, text: str) -> None:
        """Show the commands that fit the text of the prompt; hide if none does."""
        typed = _COMMAND.compiled.match(text)
        self._found = self._fitting(typed) if typed is not None else []
        self._typing = typed is not None and not typed[2]
        self._cursor = 0
        self.display = bool(self._found)
        self.refresh(layout=True)

    def _fitting(self, typed: re.Match[str]) -> list[AvailableCommand]:
        if typed[2]:
            return [command for command in self._commands if command.name == typed[1]]
        prefix = typed[1].lower()
        return [one for one in self._commands if one.name.lower().startswith(prefix)]

    def move(self, step: int) -> None:
        """Mark the command before or after."""
        self._cursor = (self._cursor + step) % len(self._found)
        self.refresh(layout=True)

    def close(self) -> None:
        """Hide until more is typed."""
        self.display = False

    def completed(self) -> str:
        """The text of the prompt with the marked command."""
        return f"/{self._found[self._cursor].name} "

    def render(self) -> Content:
        first = max(0, min(self._cursor - ROWS // 2, len(self._found) - ROWS))
        rows = [
            self._row(command, self._typing and index == self._cursor)
            for index, command in enumerate(self._found)
        ]
        return Content("\n").join(rows[first : first + ROWS])

    def _row(self, command: AvailableCommand, marked: bool) -> Content:
        hint = f" {clean_line(command.input.hint)}" if command.input is not None else ""
        row = Content.assemble(
            ("▌" if marked else " ", "$primary"),
            (f" /{clean_line(command.name)}", "bold $primary" if marked else "$primary"),
            (hint, "italic $text-muted"),
            (f"  {clean_line(command.description)}", "$foreground" if marked else "$text-muted"),
        )
        return row.truncate(max(1, self.content_size.width), ellipsis=True)
