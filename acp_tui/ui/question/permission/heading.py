"""One row above the only diff of a question: the act, the file and the line, each said once."""

import re
from pathlib import PurePath
from typing import NamedTuple

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.state.entries import ToolCallEntry
from acp_tui.ui.diff.header import Around
from acp_tui.ui.lines.cells import width_of
from acp_tui.ui.lines.paths import shown_path

SHORT_PATH = 40
"""Characters from which on a path may not fit above its diff."""
STATE = 26
"""Cells for what a header says of a diff: `  new file  +1,000,000 −0`."""
_ACT = re.compile(r"(\w{1,12}) `?([^`\n]+)`?")
"""A title that is nothing but a word and a path."""


class Heading(NamedTuple):
    """What stands around the path of a diff, and whether that says all that the title says."""

    around: Around
    has_title: bool


def heading(call: ToolCallEntry, cwd: str | None, width: int) -> Heading | None:
    """Return what stands around the path of the only diff, if it is in the session's folder and the
    tool call names no other place; None if the places need rows of their own: in a row of `width` cells
    nothing of the path may be cut, and nothing of the agent's may stand above it.
    """
    diffs = [item for item in call.content if isinstance(item, Diff)]
    if any(isinstance(item, FileChange) for item in call.content):
        return None
    if len(diffs) != 1 or diffs[0] is not call.content[0] or len(call.locations) > 1:
        return None
    path = diffs[0].path
    shown = shown_path(path, cwd)
    if shown == path or not _is_clear(shown) or any(one.path != path for one in call.locations):
        return None
    line = call.locations[0].line if call.locations else None
    act = _act(call.title, {path, shown, PurePath(path).name})
    if act:
        kind = "" if act.casefold() == call.kind else call.kind
        found = Heading(Around(act, line, kind), has_title=True)
    else:
        found = Heading(Around(f"{call.kind} ·", line), has_title=False)
    row = f"{found.around.act} {shown}:{line}  {found.around.end}"
    return found if width_of(row) + STATE <= width else None


def names_only_its_place(call: ToolCallEntry) -> bool:
    """Whether a title is nothing but the kind of a tool call and its only place."""
    diffs = {item.path for item in call.content if isinstance(item, Diff)}
    places = {one.path for one in call.locations} | diffs
    return len(places) == 1 and _act(call.title, places).casefold() == call.kind


def names_place(title: str, place: str, width: int) -> bool:
    """Whether a title is nothing but a word and a place, all in one row of so many cells."""
    return bool(_act(title, {place})) and place.isprintable() and width_of(title) <= width


def _is_clear(path: str) -> bool:
    """Whether a path can be read in a row with other words: it is short, stays in the folder, and no
    blanks in it end it for the eye.
    """
    parts = PurePath(path).parts
    inside = ".." not in parts and not path.startswith("~")
    return inside and width_of(path) <= SHORT_PATH and path == " ".join(path.split())


def _act(title: str, names: set[str]) -> str:
    """Return the act that a title names, if that is all it says beside the file."""
    found = _ACT.fullmatch(title)
    return found[1] if found is not None and found[2] in names else ""
