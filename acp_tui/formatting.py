"""Formats sizes, counts, durations and times for display, and the spinner."""

from datetime import UTC, datetime

NOTABLE = 0.1
"""Shortest duration that is shown, in seconds."""
NOTABLE_WAIT = 1.0
"""Shortest wait for the user that is shown, in seconds."""
SPINS = 8
"""Frames per second of the spinner."""
_STEPS = ((60, 60, "min"), (3600, 24, "h"), (86400, 30, "d"))


def size(count: int) -> str:
    """Format a number of bytes: `812 B`, `4.2 kB`, `1.2 MB`, `80.5 GB`."""
    if count < 1000:
        return f"{count} B"
    if count < 1e6:
        return f"{count / 1e3:.1f} kB"
    return f"{count / 1e6:.1f} MB" if count < 1e9 else f"{count / 1e9:.1f} GB"


def narrow_size(count: int) -> str:
    """Format a number of bytes for a narrow column: `9999`, `12k`, `1.2M`."""
    if count < 10_000:
        return str(count)
    return f"{count / 1e3:.0f}k" if count < 1e6 else f"{count / 1e6:.1f}M"


def short_count(count: int) -> str:
    """Abbreviate a large number: `812`, `4.2k`, `128k`, `1.5M`."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.1f}k" if count < 9_950 else f"{count / 1000:.0f}k"
    return f"{count / 1e6:.1f}M"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Format a number with its noun: `1 problem`, `3,000 problems`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Format a duration in at most two units: `0.3s`, `12s`, `3m 05s`, `1h 02m`."""
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f}s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02}m"


def running_duration(seconds: float) -> str:
    """Format a duration that is still growing, without decimals, which would flicker."""
    return duration(seconds) if seconds >= 10 else f"{int(max(seconds, 0))}s"


def exact_duration(seconds: float | None) -> str:
    """Format a duration for a column of seven characters: `12.3ms`, `1.50s`; None becomes ""."""
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.1f}ms" if seconds < 1 else f"{seconds:.2f}s"


def with_duration(words: str, seconds: float) -> str:
    """Append a duration to some words; return "" if it is too short to be shown."""
    return f"{words}{duration(seconds)}" if seconds >= NOTABLE else ""


def clock_time(at: float, now: float) -> str:
    """Format a time near `now`, both in seconds since 1970, as local time: `16:40`, `Tue 16:40`, or
    `2 Dec 16:40` if it is a week or more away.
    """
    then, today = datetime.fromtimestamp(at).astimezone(), datetime.fromtimestamp(now).astimezone()
    days = abs((then.date() - today.date()).days)
    if days == 0:
        return f"{then:%H:%M}"
    return f"{then:%a %H:%M}" if days < 7 else f"{then.day} {then:%b %H:%M}"


def reset_words(resets_at: float | None, now: float) -> str:
    """Format when a limit is reset, as a sentence."""
    if resets_at is None:
        return "When it resets isn't known."
    words = clock_time(resets_at, now)
    return f"It resets {'on' if ' ' in words else 'at'} {words}."


def read_time(written: str | None) -> datetime | None:
    """Parse an ISO 8601 time, in UTC if it has no zone; return None if it is invalid."""
    try:
        time = datetime.fromisoformat(written or "")
    except ValueError:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def age(written: str | None, now: datetime) -> str:
    """Format the age of an ISO 8601 time: `3 h ago`.

    A time over 30 days ago becomes a date; an invalid one "".
    """
    then = read_time(written)
    if then is None:
        return ""
    seconds = (now - then).total_seconds()
    if seconds < 60:
        return "just now"
    for length, most, unit in _STEPS:
        if seconds < length * most:
            return f"{seconds // length:.0f} {unit} ago"
    return f"{then:%Y-%m-%d}"


def spinner_at(now: float) -> str:
    """Return the spinner's frame at a time in seconds."""
    return "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[int(now * SPINS) % 10]
