"""Numbers and long texts for people."""

from pathlib import Path


def size(count: int) -> str:
    """A count of bytes: `812 B`, `4.2 kB`, `1.2 MB`."""
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"


def short(count: int) -> str:
    """A big count: `812`, `4.2k`, `128k`, `1.5M`."""
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.1f}k" if count < 9_950 else f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 problem`, `3,000 problems`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def cropped(text: str, most: int) -> str:
    """A text, or as much of it as that many characters hold."""
    return text if len(text) <= most else text[: most - 1] + "…"


def in_middle(text: str, most: int) -> str:
    """A name, or both its ends in that many characters: names may begin alike, and end so."""
    if len(text) <= most:
        return text
    end = max(0, most - 1) // 2
    return f"{text[: max(0, most - 1 - end)]}…{text[len(text) - end :]}" if most > 0 else ""


def path_end(path: str, most: int) -> str:
    """A path, or its end in that many characters: there it says what it is about."""
    return path if len(path) <= most else f"…{path[len(path) - max(0, most - 1) :]}"


def from_home(path: str) -> str:
    """A path as short as one would type it."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path
