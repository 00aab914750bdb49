"""Shortens long texts and paths for display."""

import re
from pathlib import Path

from textual.content import Content

from acp_tui.text import clean_text, quote_signs
from acp_tui.ui.lines.cells import width_of

MARKED_STATUSES = ("completed", "in_progress", "pending")
"""Plan entry statuses that have a mark; any other is shown in words."""
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^`\n]+)\1(?!`)")


def crop_text(text: str, most: int) -> str:
    """Return a text, shortened with an ellipsis to at most `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def cropped_in_middle(text: str, most: int) -> str:
    """Return a name, shortened in its middle to `most` cells: names may share a start or end."""
    if width_of(text) <= most:
        return text
    if most <= 0:
        return ""
    end = (most - 1) // 2
    first, last = text[: most - 1 - end], text[len(text) - end :] if end else ""
    while width_of(first) > most - 1 - end:
        first = first[:-1]
    while width_of(last) > end:
        last = last[1:]
    return f"{first}…{last}"


def path_end(path: str, most: int) -> str:
    """Return a path, shortened at its start to at most `most` cells: its end identifies it."""
    if width_of(path) <= most:
        return path
    end = path[max(0, len(path) - most + 1) :]
    while width_of(end) >= most > 0:
        end = end[1:]
    return f"…{end}" if most > 0 else ""


def styled_path_end(path: Content, most: int) -> Content:
    """Return a styled path, shortened at its beginning to at most `most` cells."""
    if path.cell_length <= most:
        return path
    begin = max(0, len(path) - most + 1)
    while begin < len(path) and path[begin:].cell_length >= most:
        begin += 1
    return Content.assemble(("…", "$text-muted"), path[begin:]) if most > 0 else Content()


def from_home(path: str) -> str:
    """Return a path with `~` for the home folder."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path


def step_words(text: str) -> str:
    """Return the text of a plan entry without backticks, its signs quoted as the agent's words."""
    return quote_signs(clean_text(_CODE.sub(r"\2", text)))
