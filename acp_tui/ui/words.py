"""Long texts, cut for people."""

from pathlib import Path


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
