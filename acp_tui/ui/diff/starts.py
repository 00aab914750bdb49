"""At which lines of its file a diff starts."""

from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import EditLooked
from acp_tui.ui.diff.rows import WHOLE, DiffStart


def start_at(place: EditLooked | None, diff: Diff) -> DiffStart | None:
    """Return at which lines a diff starts that was looked up; None where nobody knows."""
    if place is None or not place.line:
        return None if diff.old_text else WHOLE
    return DiffStart(place.line, place.new_line, part=not place.whole)
