"""Positions, notes and diffs of a tool call's edits, which the client found by reading the files."""

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import EditCompared, EditLooked
from acp_tui.state.entries import ToolCallEntry, diff_key


def place_of_diff(entry: ToolCallEntry | None, diff: Diff) -> EditLooked | None:
    """Return the position of a diff in its file, if known."""
    facts = entry.edits if entry is not None else None
    return facts.places.get(diff_key(diff)) if facts is not None else None


def could_compare_file(entry: ToolCallEntry | None, diff: Diff) -> bool:
    """Return False if the client reported that it couldn't compare a diff with its file."""
    looks = entry.edits.observations if entry is not None and entry.edits is not None else []
    return not any(one.path == diff.path and one.item < 0 and one.remark for one in looks)


def edit_remarks(entry: ToolCallEntry | None) -> list[tuple[str, bool]]:
    """Return notes on a tool call's edits, and whether each is a warning; warnings first.

    A note that a write would overwrite content is only returned until the call is decided.
    """
    if entry is None or entry.edits is None:
        return []
    found = [(one.remark, one.warns) for one in entry.edits.observations if one.remark]
    if entry.decided:
        from acp_tui.edits.edit_review import WRITTEN_OVER  # slow to load, rarely needed

        found = [one for one in found if not one[0].endswith(WRITTEN_OVER)]
    return sorted(dict.fromkeys(found), key=lambda one: not one[1])


def derived_diffs(entry: ToolCallEntry | None) -> list[Diff]:
    """Return the diffs derived from a tool call's input and the files, unless the agent shows them."""
    if entry is None or entry.edits is None:
        return []
    own = [one for one in entry.content if isinstance(one, Diff)]
    made = [
        Diff(path=one.path, old_text=one.old_text, new_text=one.text)
        for one in entry.edits.observations
        if one.derived
    ]
    return [diff for diff in made if not _is_shown(diff, own)]


def shown_diffs(entry: ToolCallEntry) -> list[Diff]:
    """Return all diffs shown for a tool call: the agent's own, and derived ones."""
    return [*(item for item in entry.content if isinstance(item, Diff)), *derived_diffs(entry)]


def _is_shown(diff: Diff, own: list[Diff]) -> bool:
    """Return whether the agent's own diffs of a file have the same result."""
    from acp_tui.edits.edits import Trouble, edits_of, fit_edit, normalize_newlines

    for edit in edits_of(one for one in own if one.path == diff.path):
        found = fit_edit(diff.old_text, edit)
        clear = all(place.trouble is Trouble.NONE for place in found.places)
        return clear and found.outcomes[:1] == [normalize_newlines(diff.new_text)]
    return False


def compared_diffs(event: EditCompared) -> tuple[Diff, Diff] | None:
    """Return a file's diff as shown and as written; None if the texts were too long to record."""
    if not event.told:
        return None
    shown = Diff(path=event.path, old_text=event.before, new_text=event.shown or "")
    return shown, Diff(path=event.path, old_text=event.before, new_text=event.after or "")
