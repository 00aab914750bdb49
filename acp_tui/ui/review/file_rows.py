"""A changed file in one row: where, how much, and whether that can be undone."""

from textual.content import Content

from acp_tui.session.changed_files import ChangedFile
from acp_tui.text import clean_line
from acp_tui.ui.diff.diff_lines import stats
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.scopes import Reviewed

COUNTED = 200_000
"""Characters of a diff up to which its lines are counted here."""


def row(one: Reviewed, cwd: str, width: int) -> Content:
    """The row of a file; its path gives way where there is no room."""
    file = one.file
    state, style = _state(file) if not one.relative else ("", "")
    counts = _counts(file) if one.counted is None else _counted(*one.counted)
    place = clean_line(shown_path(file.path, cwd))
    room = max(10, width - len(counts.plain) - len(state) - 6)
    if len(place) > room:
        place = "…" + place[-room + 1 :]
    name = "$text-muted" if file.undone else "$foreground"
    return Content.assemble((place.ljust(room), name), "  ", counts, "  ", (state, style))


def _counts(file: ChangedFile) -> Content:
    if not file.diffs or sum(len(one.new_text) for one in file.diffs) > COUNTED:
        return Content()
    counted = [stats(one) for one in file.diffs]
    added, removed = (sum(one[side] for one in counted) for side in (0, 1))
    return _counted(added, removed)


def _counted(added: int, removed: int) -> Content:
    return Content.assemble((f"+{added}", "$success"), " ", (f"−{removed}", "$error"))


def _state(file: ChangedFile) -> tuple[str, str]:
    """Whether the change can be undone."""
    if file.undone:
        return "undone", "$text-muted"
    if file.kept is not None and file.kept.changed:
        return "changed since", "$warning"
    if file.kept is not None:
        return "u undoes", "$accent"
    if file.writes:
        return "no backup", "$warning"
    return "by its own tools", "$text-muted"
