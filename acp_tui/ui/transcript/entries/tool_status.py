"""How far a tool call is, in a sign and words beside its title, and how its questions were answered."""

from collections.abc import Iterator

from acp_tui.formatting import NOTABLE_WAIT, duration, running_duration, with_duration
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.reducers.permissions import CANCELLED
from acp_tui.state.stops import stopping
from acp_tui.state.subject_parts import line_of
from acp_tui.text import clean_line
from acp_tui.ui.lines.text_lines import StyledSpan
from acp_tui.ui.transcript.entries.context import Context

FINISHED = {
    "completed": ("✓", "", "success"),
    "failed": ("✗", " failed", "error"),
    "cancelled": ("⊘", " cancelled", "warning"),
}
"""Mark, word and style of what is over; success needs no word."""
_WORDS = {"in_progress": "running", "pending": "pending", "paused": "paused"}


def status(entry: ToolCallEntry, context: Context, *, live: bool, asked: bool) -> list[StyledSpan]:
    """Return the status and for how long; `asked` is whether a question about it waits."""
    if entry.finished:
        return _finished(entry)
    word = _word(entry)
    if context.session.runs_beside(entry.tool_call_id):
        word += " in the background"
    if not live:
        return [StyledSpan(f"◌ {word}, never finished", "warning")]
    if asked:
        return [StyledSpan("? waiting for you", "warning")]
    time = running_duration(entry.worked(context.clock())) + _stop_words(entry, context)
    if entry.status == "paused":
        return [StyledSpan(f"‖ {word}", "warning"), StyledSpan(f" {time}", "muted")]
    return [StyledSpan(f"{context.spinner} {word}", "accent"), StyledSpan(f" {time}", "muted")]


def _finished(entry: ToolCallEntry) -> list[StyledSpan]:
    time = "" if entry.ended is None else with_duration("", entry.worked(entry.ended))
    waited = f"waited {duration(entry.waited)} for you" if entry.waited >= NOTABLE_WAIT else ""
    told = " · ".join(filter(None, [time, waited]))
    mark, word, style = FINISHED[entry.status]
    return [StyledSpan(f"{mark}{word}", style), StyledSpan(f" {told}" if told else "", "muted")]


def _stop_words(entry: ToolCallEntry, context: Context) -> str:
    """Whether it, or a terminal in it, can be stopped alone, or is to stop."""
    stop = stopping(context.state, context.session, entry)
    if stop is None:
        return ""
    return " · asked to stop" if isinstance(stop, str) else " · x stops it"


def _word(entry: ToolCallEntry) -> str:
    """What a tool call does that isn't over: in the agent's word, if it is not known here."""
    told = entry.new_words.get("status")
    return _WORDS.get(entry.status, entry.status) if told is None else clean_line(told)


def answers(entry: ToolCallEntry) -> Iterator[str]:
    """Say how its questions were answered, each by whom."""
    for at, decision in enumerate(entry.decisions):
        who = f"Answered by {entry.answered_by[at]}" if at in entry.answered_by else "You answered"
        yield "The question was canceled" if decision == CANCELLED else f"{who}: {decision}"
        if at in entry.changed_since:
            yield f"⚠ That was for: {line_of(entry.allowed[at])}"
            yield f"⚠ The agent has changed it since: {entry.changed_since[at]}"
