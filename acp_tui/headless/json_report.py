"""What a turn without a UI prints for programs."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from acp_tui.headless.findings import RunFindings
from acp_tui.headless.json_events import as_line, object_of, unreadable
from acp_tui.headless.other_output import UnreadableLines
from acp_tui.headless.output import Output
from acp_tui.headless.printer import Say, line_for_people
from acp_tui.headless.report import ALLOWS_ALL
from acp_tui.protocol.events import Event, RulesChanged
from acp_tui.state.state import State
from acp_tui.text import judged


class JsonReport:
    """For programs: one object a line, in ACP's own words; the last one is the summary."""

    def __init__(self) -> None:
        self.output = Output()
        self._over = False
        self._unread = UnreadableLines()

    def event(self, state: State, event: Event) -> None:
        """Print the event, if it says something about the turn, which is not over."""
        if self._over:
            return
        for line in self._unread.take(event):
            self._print(unreadable(line))
        if isinstance(event, RulesChanged) and state.allows_all:
            self.notify(f"acp-tui: {ALLOWS_ALL}")
        elif (told := object_of(state, event)) is not None:
            self._print(told)

    def asking(self) -> AbstractContextManager[Say]:
        """Ask a person: programs go on reading meanwhile."""
        return nullcontext(lambda words: self.notify(judged(words)))

    def notify(self, words: str) -> None:
        """Print a message for people on stderr."""
        self.output.write(sys.stderr, line_for_people(words))

    def findings(self, found: RunFindings) -> None:
        """Print an object for each finding."""
        for one in found.objects:
            self._print({"event": "finding", **one})

    def summary(self, facts: dict[str, Any]) -> None:
        """Print the last line."""
        for line in self._unread.rest():
            self._print(unreadable(line))
        self._over = True
        self._print({"event": "summary", **facts})

    def _print(self, told: dict[str, Any]) -> None:
        self.output.write(sys.stdout, as_line(told) + "\n")
