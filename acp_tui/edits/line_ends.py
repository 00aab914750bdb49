"""What differs between two texts of a file apart from the words: line ends, and a byte order mark."""

BOM = "\ufeff"
FEW = 3
"""How many changed line ends are shown line by line, in a file that has both kinds."""


def ends_note(old: str | None, new: str) -> str:
    """Return how line ends and the byte order mark change; empty if they don't, or one side has none."""
    if not old or not new:
        return ""
    notes = []
    was, now = ends_of(old), ends_of(new)
    if was and now and was != now:
        notes.append(f"line ends: {was} to {now}")
    if old.startswith(BOM) != new.startswith(BOM):
        notes.append("BOM added" if new.startswith(BOM) else "BOM removed")
    return ", ".join(notes)


def ends_hidden(old: str | None, new: str) -> bool:
    """Return whether lines are compared without what the note says: few of them are better shown."""
    is_mixed = "mixed" in (ends_of(old or ""), ends_of(new))
    changed = abs((old or "").count("\r\n") - new.count("\r\n"))
    if 0 < changed <= (FEW if is_mixed else 1):
        return False
    return bool(ends_note(old, new))


def ends_of(text: str) -> str:
    """Return which line ends a text has; empty if it has none."""
    ends, dos = text.count("\n"), text.count("\r\n")
    if not ends:
        return ""
    return "LF" if not dos else "CRLF" if dos == ends else "mixed"


def is_dos(text: str) -> bool:
    """Return whether all lines that end do so with a carriage return and a newline."""
    return text.count("\r\n") == text.count("\n") and not text.endswith("\r")
