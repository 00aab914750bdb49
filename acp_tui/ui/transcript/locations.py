"""The places in files that entries lead to."""

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.session.entries import Entry, ToolCallEntry


def location_of(entry: Entry | None) -> ToolCallLocation | None:
    """Return where a tool call works: the first place that it names, else the file that it changes."""
    if not isinstance(entry, ToolCallEntry):
        return None
    changed = (
        ToolCallLocation(path=one.path)
        for one in entry.content
        if isinstance(one, Diff | FileChange) and one.path
    )
    return next((place for place in (*entry.locations, *changed)), None)
