"""What entries lead to: images, and places in files."""

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import Entry, ToolCallEntry
from acp_tui.ui.transcript import entry_markdown
from acp_tui.ui.transcript.ports import Outside


def open_what_it_leads_to(entry: Entry | None, outside: Outside) -> None:
    """Open the images of an entry, else the place where it works."""
    images = list(entry_markdown.images(entry)) if entry is not None else []
    location = location_of(entry)
    if images:
        outside.open_images(images)
    elif location is not None:
        outside.edit(location.path, location.line)
    else:
        outside.say("nothing to open in this entry")


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
