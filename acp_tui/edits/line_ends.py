"""Changes of line endings and the byte order mark."""

BOM = "\ufeff"
FEW = 3
"""Changed line endings that are shown line by line, in a file with mixed ones."""


def ends_note(old: str | None, new: str) -> str:
    """Describe how line endings and the byte order mark change; "" if they don't, or one side is
    empty.
    """
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
    """Return whether lines are compared without their endings: a few changed ones are better shown."""
    is_mixed = "mixed" in (ends_of(old or ""), ends_of(new))
    changed = abs((old or "").count("\r\n") - new.count("\r\n"))
    if 0 < changed <= (FEW if is_mixed else 1):
        return False
    return bool(ends_note(old, new))


def ends_of(text: str) -> str:
    """Return the kind of line endings of a text; "" if it has none."""
    ends, dos = text.count("\n"), text.count("\r\n")
    if not ends:
        return ""
    return "LF" if not dos else "CRLF" if dos == ends else "mixed"


def is_dos(text: str) -> bool:
    """Return whether all line endings are CRLF."""
    return text.count("\r\n") == text.count("\n") and not text.endswith("\r")
