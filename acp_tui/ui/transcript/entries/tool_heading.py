"""The heading of a tool call: locations, status, and answers to its permission requests."""

from collections.abc import Iterator
from functools import partial

from acp_tui.formatting import NOTABLE_WAIT, duration, running_duration, with_duration
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.reducers.permissions import CANCELLED
from acp_tui.state.subagents import command_that_stops
from acp_tui.state.subject import call_title
from acp_tui.state.subject_parts import summary_line
from acp_tui.text import clean_line
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.transcript.entries.context import Context, Fold

FINISHED = {
    "completed": ("✓", "", "success"),
    "failed": ("✗", " failed", "error"),
    "cancelled": ("⊘", " canceled", "warning"),
}
"""The sign, word and style of calls that have ended; success needs no word."""
LOCATIONS = 8
"""Locations shown until the user expands the rest."""
_WORDS = {"in_progress": "running", "pending": "pending", "paused": "paused"}


def call_status(
    entry: ToolCallEntry, context: Context, *, live: bool, asked: bool
) -> list[StyledSpan]:
    """Return the status and its duration; `asked` if a question about the call is pending."""
    if entry.finished:
        return _finished(entry)
    unknown = entry.new_words.get("status")
    word = _WORDS.get(entry.status, entry.status) if unknown is None else clean_line(unknown)
    if context.session.is_in_background(entry.tool_call_id):
        word += " in the background"
    if not live:
        return [StyledSpan(f"◌ {word}, never finished", "warning")]
    if asked:
        return [StyledSpan("? waiting for you", "warning")]
    time = running_duration(entry.worked(context.clock()))
    stop = command_that_stops(context.state, context.session, entry)
    if stop is not None:
        time += " · asked to stop" if isinstance(stop, str) else " · x stops it"
    if entry.status == "paused":
        return [StyledSpan(f"‖ {word}", "warning"), StyledSpan(f" {time}", "muted")]
    return [StyledSpan(f"{context.spinner} {word}", "accent"), StyledSpan(f" {time}", "muted")]


def _finished(entry: ToolCallEntry) -> list[StyledSpan]:
    time = "" if entry.ended is None else with_duration("", entry.worked(entry.ended))
    waited = (
        f"waited {duration(entry.consent.waiting.seconds)} for you"
        if entry.consent.waiting.seconds >= NOTABLE_WAIT
        else ""
    )
    facts = " · ".join(filter(None, [time, waited]))
    mark, word, style = FINISHED[entry.status]
    return [StyledSpan(f"{mark}{word}", style), StyledSpan(f" {facts}" if facts else "", "muted")]


def call_answers(entry: ToolCallEntry) -> Iterator[str]:
    """Yield the answers to the permission requests for a call, each with who answered."""
    for at, decision in enumerate(entry.consent.decisions):
        who = (
            f"Answered by {entry.consent.answered_by[at]}"
            if at in entry.consent.answered_by
            else "You answered"
        )
        yield "The question was canceled" if decision == CANCELLED else f"{who}: {decision}"
        if at in entry.consent.changed_since:
            yield f"⚠ That was for: {summary_line(entry.consent.allowed[at])}"
            yield f"⚠ The agent has changed it since: {entry.consent.changed_since[at]}"


class Places:
    """Draws a tool call's locations; a click opens one."""

    def __init__(self, entry: ToolCallEntry, context: Context) -> None:
        self._entry = entry
        self._context = context

    def title_suffix(self) -> list[StyledSpan]:
        """Draw the first location, and the number of others."""
        more = len(self._entry.locations) - 1
        place = self._first(self._entry.locations[0])
        return [*place, StyledSpan(f" and {more} more" if more else "", "muted")]

    def _first(self, location: ToolCallLocation) -> list[StyledSpan]:
        """Draw the first location; only its line number if the title is that path already."""
        place, path = self._draw_place(location), location.path
        if call_title(self._entry) not in (path, shown_path(path, self._context.session.cwd)):
            return [StyledSpan("  "), place]
        line = location.line
        return (
            []
            if line is None
            else [StyledSpan("  "), StyledSpan(f"line {line}", place.style, place.meta)]
        )

    def parts(self, fold: Fold) -> list[StackPart]:
        """Return a row for each location, without those that a diff names unless all is shown."""
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
        return [self._draw_place(location)]

    def _draw_place(self, location: ToolCallLocation) -> StyledSpan:
        shown = shown_path(location.path, self._context.session.cwd)
        line = f":{location.line}" if location.line is not None else ""
        meta = {"path": location.path, "line": location.line}
        return StyledSpan(f"{shown}{line}", "link", meta)
