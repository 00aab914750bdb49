"""What differs between the sides of a diff beside their lines: line ends, and a byte order mark."""

from acp_tui.protocol.content import Diff

BOM = "\ufeff"
FEW = 3
"""How many changed line ends are shown line by line, in a file that has both kinds."""


def ends_note(diff: Diff) -> str:
    """Return how line ends and the byte order mark change; empty if they don't, or one side has none."""
    old, new = diff.old_text or "", diff.new_text
    if not old or not new:
        return ""
    notes = []
    was, now = ends_of(old), ends_of(new)
    if was and now and was != now:
        notes.append(f"line ends: {was} to {now}")
    if old.startswith(BOM) != new.startswith(BOM):
        notes.append("BOM added" if new.startswith(BOM) else "BOM removed")
    return ", ".join(notes)


def ends_hidden(diff: Diff) -> bool:
    """Return whether lines are compared without what the note says: few of them are better shown."""
    old, new = diff.old_text or "", diff.new_text
    is_mixed = "mixed" in (ends_of(old), ends_of(new))
    changed = abs(old.count("\r\n") - new.count("\r\n"))
    if 0 < changed <= (FEW if is_mixed else 1):
        return False
    return bool(ends_note(diff))


def ends_of(text: str) -> str:
    """Return which line ends a text has; empty if it has none."""
    ends, dos = text.count("\n"), text.count("\r\n")
    if not ends:
        return ""
    return "LF" if not dos else "CRLF" if dos == ends else "mixed"
