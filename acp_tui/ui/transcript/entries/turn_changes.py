"""How many files a turn changed, and how many lines of them."""

import math
from time import perf_counter

from acp_tui.formatting import counted
from acp_tui.state.changed_files import changed_files
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.state import Session, State
from acp_tui.state.subagents import descendants_of
from acp_tui.ui.diff.header import file_stats
from acp_tui.ui.keys import CLICKED, key_name
from acp_tui.ui.lines.text_lines import StyledSpan

REVIEW = "f7"
"""The key that lists changed files."""


class TurnChanges:
    """Counts the reported changes of a turn, file by file. Lines are named only if those of each file are
    known.
    """

    def __init__(self, state: State, session: Session, entry: TurnEndEntry) -> None:
        after = math.nextafter(entry.at, math.inf)
        found = changed_files(
            session, entry.started, after, descendants_of(state, session.session_id)
        )
        self._left = [one for one in found if not (one.undone or one.unchanged)]
        self._files = len(self._left)
        self._added = self._removed = 0
        self._is_exact = True

    def count(self, until: float) -> bool:
        """Count on until a time of `perf_counter`, one file at least; return False if some are left."""
        while self._left:
            file = self._left.pop()
            lines = file_stats(file)
            if lines is None or file.untold:
                self._is_exact = False
            else:
                self._added += lines[0]
                self._removed += lines[1]
            if perf_counter() >= until:
                break
        return not self._left

    def spans(self, style: str) -> list[StyledSpan]:
        """Return the counts and the key that shows the changes; nothing if no file changed."""
        if not self._files:
            return []
        act = {CLICKED: REVIEW}
        files = StyledSpan(f"{counted(self._files, 'file')} changed ", style, act)
        key = StyledSpan(f"({key_name(REVIEW)})", style, act)
        if self._left or not self._is_exact:
            return [files, key]
        lines = [
            StyledSpan(f"+{self._added:,} ", "success", act),
            StyledSpan(f"−{self._removed:,} ", "error", act),
        ]
        return [files, *lines, key]
