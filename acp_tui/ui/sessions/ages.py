"""How long ago something was, in words."""

from datetime import UTC, datetime

_STEPS = ((60, 60, "min"), (3600, 24, "h"), (86400, 30, "d"))


def age(written: str | None, now: datetime) -> str:
    """`3 h ago` of a time in ISO 8601; the day of what is long ago; nothing if it can't be read."""
    try:
        then = datetime.fromisoformat(written or "")
    except ValueError:
        return ""
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    seconds = (now - then).total_seconds()
    if seconds < 60:
        return "just now"
    for length, most, unit in _STEPS:
        if seconds < length * most:
            return f"{seconds // length:.0f} {unit} ago"
    return f"{then:%Y-%m-%d}"
