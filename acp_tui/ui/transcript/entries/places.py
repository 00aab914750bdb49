"""Where a tool call works: beside its title, or in rows of their own."""

from functools import partial

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.subject import title_of
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.transcript.entries.context import Context, Fold

LOCATIONS = 8
"""How many places are named before the reader asks for all."""


class Places:
    """The locations of one tool call; a click on one opens it."""

    def __init__(self, entry: ToolCallEntry, context: Context) -> None:
        self._entry = entry
        self._context = context

    def beside_title(self) -> list[StyledSpan]:
        """Return the first place, and how many more there are."""
        more = len(self._entry.locations) - 1
        place = self._first(self._entry.locations[0])
        return [*place, StyledSpan(f" and {more} more" if more else "", "muted")]

    def _first(self, location: ToolCallLocation) -> list[StyledSpan]:
        """Say where something is; of a title that is that path already, only the line."""
        place, path = self._place(location), location.path
        if title_of(self._entry) not in (path, shown_path(path, self._context.session.cwd)):
            return [StyledSpan("  "), place]
        line = location.line
        return (
            []
            if line is None
            else [StyledSpan("  "), StyledSpan(f"line {line}", place.style, place.meta)]
        )

    def parts(self, fold: Fold) -> list[StackPart]:
        """Return a row for each place; unless all is shown, not for those that a change names."""
        places = self._entry.locations
        if fold is not Fold.FULL:
            changes = (one for one in self._entry.content if isinstance(one, Diff | FileChange))
            changed = {one.path for one in changes}
            places = [one for one in places if one.path not in changed]
        shown = places if fold is Fold.FULL else places[:LOCATIONS]
        parts = [StackPart(LineHead(partial(self._line, place)), 2) for place in shown]
        if len(shown) < len(places):
            parts.append(
                StackPart(TextLines(f"… {len(places) - len(shown)} more places", "muted"), 2)
            )
        return parts

    def _line(self, location: ToolCallLocation) -> list[StyledSpan]:
        return [self._place(location)]

    def _place(self, location: ToolCallLocation) -> StyledSpan:
        shown = shown_path(location.path, self._context.session.cwd)
        line = f":{location.line}" if location.line is not None else ""
        meta = {"path": location.path, "line": location.line}
        return StyledSpan(f"{shown}{line}", "link", meta)
