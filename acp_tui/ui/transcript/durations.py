"""Durations for people."""

NOTABLE = 0.1
"""Seconds; what took less took no time, to a reader."""
NOTED = 1.0
"""Seconds of waiting for the person from which on they are told of."""


def words(seconds: float) -> str:
    """A duration in at most two units: `0.3s`, `12s`, `3m 05s`, `1h 02m`."""
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f}s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02}m"


def taken(before: str, seconds: float) -> str:
    """How long something took, after some words; nothing if that was no time to speak of."""
    return f"{before}{words(seconds)}" if seconds >= NOTABLE else ""


def running(seconds: float) -> str:
    """As `words`, without fractions, which would flicker while time runs."""
    return words(seconds) if seconds >= 10 else f"{int(max(seconds, 0))}s"
