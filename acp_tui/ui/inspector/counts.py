"""The inspector's status line in words."""

from collections.abc import Iterator

from textual.content import Content

from acp_tui.debug.log import Log
from acp_tui.formatting import counted, duration
from acp_tui.protocol.findings import Severity
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.keys import key_name

_STYLES = {
    Severity.ERROR: "$text-error",
    Severity.WARNING: "$text-warning",
    Severity.INFO: "$text-accent",
}
_NAMES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def frames_and_events(frames: int, events: int) -> str:
    """Format how many frames there are, and how many events beside them."""
    told = counted(frames, "frame")
    return f"{told} and {counted(events, 'event')}" if events else told


def _without_pair(log: Log) -> Iterator[tuple[str, str]]:
    """The requests without an answer, and the answers without a request."""
    if log.unanswered > log.pending:
        yield f"{log.unanswered - log.pending:,} unanswered", "$text-warning"
    if log.pending:
        yield f"{log.pending:,} pending", "$text-muted"
    if log.orphans:
        yield counted(log.orphans, "orphan"), "$text-error"


def status(
    source: LogSource,
    following: bool,
    goal: int | None,
    whose: str = "",
    *,
    played: float | None = None,
    breakpoints: int = 0,
    filtering: bool = False,
) -> Content:
    """How much there is, what is wrong with it, and where the cursor goes by itself.

    While the filter is being written it stands above, and isn't repeated. A replay has `played` so many
    seconds.
    """
    log, view = source.log, source.view
    of = f" of {whose}" if whose else ""
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
        stays = f"staying here ({key_name('end')} follows)"
        parts.append(("following", "$text-success") if following else (stays, "$text-muted"))
    return Content(" · ").join(
        part if isinstance(part, Content) else Content.styled(*part) for part in parts
    )
