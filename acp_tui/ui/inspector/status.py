"""The inspector's status row: counts, notes, and the list of held frames."""

from collections.abc import Callable, Iterator

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.debug.columns import ARROWS
from acp_tui.debug.log import Log
from acp_tui.formatting import counted, duration, running_duration
from acp_tui.protocol.findings import Severity
from acp_tui.protocol.frames import Direction
from acp_tui.state.interception import HeldFrame, HeldFrames, Switch
from acp_tui.text import clean_line
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.notes import SECONDS, always
from acp_tui.ui.toolkit.shortened import crop_text

GAP = "  "
LEAST = 20
"""Fewest cells in which the counts are worth showing."""


class StatusRow(Widget):
    """Counts at the left, and a note at the right, which hides the last counts."""

    def __init__(self) -> None:
        super().__init__(id="counts")
        self._counts = Content()
        self._note = ""
        self._is_valid: Callable[[], bool] = always
        self._timer: Timer | None = None

    def update(self, counts: Content) -> None:
        """Update the counts."""
        if counts != self._counts:
            self._counts = counts
            self.refresh()

    def show_note(
        self, note: str, seconds: float = SECONDS, is_valid: Callable[[], bool] | None = None
    ) -> None:
        """Show a note for some seconds, as long as `is_valid` returns true."""
        self.forget()
        self._note, self._is_valid = note, is_valid or always
        self._timer = self.set_timer(seconds, self.forget)
        self.refresh()

    def drop_outdated(self) -> None:
        """Drop the note if it no longer holds."""
        if not self._is_valid():
            self.forget()

    def forget(self) -> None:
        """Drop the note."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._note, self._is_valid = "", always
        self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        if not self._note:
            return self._counts.truncate(width, ellipsis=True)
        word = Content.styled(self._note, "$text-warning").truncate(width, ellipsis=True)
        room = width - word.cell_length - len(GAP)
        if room < LEAST:
            return word
        return Content.assemble(self._counts.truncate(room, ellipsis=True, pad=True), GAP, word)


_STYLES = {
    Severity.ERROR: "$text-error",
    Severity.WARNING: "$text-warning",
    Severity.INFO: "$text-accent",
}
_NAMES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def frames_and_events(frames: int, events: int) -> str:
    """Format the number of frames and of local events."""
    text = counted(frames, "frame")
    return f"{text} and {counted(events, 'event')}" if events else text


def _without_pair(log: Log) -> Iterator[tuple[str, str]]:
    """Yield the counts of requests without a response and of orphan responses, with their styles."""
    if log.unanswered > log.pending:
        yield f"{log.unanswered - log.pending:,} unanswered", "$text-warning"
    if log.pending:
        yield f"{log.pending:,} pending", "$text-muted"
    if log.orphans:
        yield counted(log.orphans, "orphan"), "$text-error"


def inspector_status(
    source: LogSource,
    following: bool,
    goal: int | None,
    agent_label: str,
    *,
    played: float | None,
    breakpoints: int = 0,
    filtering: bool = False,
) -> Content:
    """Format the counts of the log and its findings, and whether the cursor follows new frames.

    While a filter is being edited (`filtering`), it is left out, as it is visible above. `played`
    is the position of a replay in seconds.
    """
    log, view = source.log, source.view
    of = f" of {agent_label}" if agent_label else ""
    count = frames_and_events(len(log) - log.events, log.events)
    parts: list[Content | tuple[str, str]] = [(f"{count}{of}", "bold")]
    if breakpoints:
        parts.append((f"◉ {counted(breakpoints, 'breakpoint')}", "$text-warning"))
    spoken = log.spoken
    if spoken is not None and not spoken.is_usual:
        parts.append((spoken.short, "$text-accent"))
    if source.only is not None:
        parts.append((f"{view.matches:,} of one entry (o: all)", "$text-accent"))
    elif source.filter.strip():
        passed = "" if filtering else f" {source.filter.strip()}"
        parts.append((f"{view.matches:,} match{passed}", "$text-accent"))
    parts += _without_pair(log)
    parts += [
        (counted(count, _NAMES[severity]), _STYLES[severity])
        for severity, count in log.findings.severities.items()
        if count
    ]
    if source.share < 1 and len(log.records):
        doing = "reading" if len(log) < len(log.records) else "filtering"
        parts.append((f"{doing} {source.share:.0%}", "$text-warning"))
    if played is not None:
        parts.append((f"▶ replay at {duration(played)}", "$text-warning"))
    elif goal is not None:
        parts.append(("going there", "$text-warning"))
    else:
        paused = f"staying here ({key_name('end')} follows)"
        parts.append(("following", "$text-success") if following else (paused, "$text-muted"))
    return Content(" · ").join(
        part if isinstance(part, Content) else Content.styled(*part) for part in parts
    )


MOST_HELD_ROWS = 3
"""Most held frames that are listed in the inspector."""
_TO = {Direction.IN: "from the agent", Direction.OUT: "to the agent"}


def held_row(held: HeldFrame, now: float) -> Content:
    """Format a held frame: its name, its direction, and how long it has been held."""
    name = clean_line(held.name) or "not a message"
    what = f"answer to {name}" if held.is_answer else name
    due = "" if held.due is None else f", passed on in {running_duration(held.due - now)}"
    return Content.assemble(
        (f"● #{held.number} {ARROWS[held.direction]} ", "bold $warning"),
        (crop_text(what, 44), "$foreground"),
        (f"  {_TO[held.direction]}, for {running_duration(now - held.at)}{due}", "$text-muted"),
    )


def switch_row(text: str, switch: Switch, done: str) -> Content:
    """Format a breakpoint or a fault: whether it is on, and how often it matched."""
    count = f"  {counted(switch.count, 'frame')} {done}" if switch.count else ""
    return Content.assemble(
        ("◉ " if switch.on else "○ ", "$success" if switch.on else "$text-muted"),
        (clean_line(text), "$foreground" if switch.on else "$text-muted"),
        (count, "$text-muted"),
    )


def queue_rows(holding: HeldFrames, now: float) -> Content:
    """Format the oldest held frames in a few rows; empty if none is held."""
    held = list(holding.frames.values())
    rows = [held_row(one, now) for one in held[:MOST_HELD_ROWS]]
    if rows:
        more = f"  and {len(held) - MOST_HELD_ROWS:,} more" if len(held) > MOST_HELD_ROWS else ""
        rows[-1] += Content.assemble((f"{more}  ", "$text-muted"), ("H", "bold $primary"))
        rows[-1] += Content.styled(" acts on them", "$text-muted")
    return Content("\n").join(rows)
