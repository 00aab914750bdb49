"""Long texts, cut for people."""

import re
from pathlib import Path

from acp_tui.text import clean_text, quote_signs

SAID_BY_MARK = ("completed", "in_progress", "pending")
"""The statuses of a plan's steps that a mark alone shows; any other is shown in words."""
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^`\n]+)\1(?!`)")


def crop_text(text: str, most: int) -> str:
    """Return a text, or its beginning, in at most `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def cropped_in_middle(text: str, most: int) -> str:
    """Return a name, or both its ends, in at most `most` characters: names may begin alike, or end
    alike.
    """
    if len(text) <= most:
        return text
    end = max(0, most - 1) // 2
    return f"{text[: max(0, most - 1 - end)]}…{text[len(text) - end :]}" if most > 0 else ""


def path_end(path: str, most: int) -> str:
    """Return a path, or its end, in at most `most` characters: the end identifies it best."""
    return path if len(path) <= most else f"…{path[len(path) - max(0, most - 1) :]}"


def from_home(path: str) -> str:
    """Return a path as short as one would type it, with `~` for the home folder."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path


def step_words(text: str) -> str:
    """Return the text of a plan's step without backticks, its signs quoted as the agent's words."""
    return quote_signs(clean_text(_CODE.sub(r"\2", text)))
