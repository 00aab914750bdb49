"""One row above the only diff of a question: the act, the file and the line, each said once."""

import re
from pathlib import PurePath
from typing import NamedTuple

from acp_tui.protocol.content import Diff
from acp_tui.session.entries import ToolCallEntry
from acp_tui.ui.diff.header import Around
from acp_tui.ui.lines.cells import width_of
from acp_tui.ui.lines.paths import shown_path

SHORT_PATH = 40
"""Characters from which on a path may not fit above its diff."""
BESIDE = 34
"""Cells that what stands around it may take: the act, the line, what is added and removed, the kind."""
_ACT = re.compile(r"(\w{1,12}) `?([^`\n]+)`?")
"""A title that is nothing but a word and a path."""


class Heading(NamedTuple):
    """What stands around the path of a diff, and whether that says all that the title says."""

    around: Around
    has_title: bool


def heading(call: ToolCallEntry, cwd: str | None, width: int) -> Heading | None:
    """Return what stands around the path of the only diff, if it is in the session's folder and the
    tool call names no other place; None if the places need rows of their own: in a row of `width` cells
    nothing of the path may be cut.
    """
    diffs = [item for item in call.content if isinstance(item, Diff)]
    if len(diffs) != 1 or len(call.locations) > 1:
        return None
    path = diffs[0].path
    shown = shown_path(path, cwd)
    if (
        shown == path
        or shown.startswith(("~", ".."))
        or width_of(shown) > min(SHORT_PATH, width - BESIDE)
    ):
        return None
    if any(one.path != path for one in call.locations):
        return None
    line = call.locations[0].line if call.locations else None
    act = _act(call.title, {path, shown, PurePath(path).name})
    if not act:
        return Heading(Around(f"{call.kind} ·", line), has_title=False)
    kind = "" if act.casefold() == call.kind else call.kind
    return Heading(Around(act, line, kind), has_title=True)


def _act(title: str, names: set[str]) -> str:
    """Return the act that a title names, if that is all it says beside the file."""
    found = _ACT.fullmatch(title)
    return found[1] if found is not None and found[2] in names else ""
