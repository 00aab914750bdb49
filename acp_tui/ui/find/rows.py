"""What was found as rows: a head for each recording, and below it its passages."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.index.search import MARKS, Hit
from acp_tui.text import clean_line
from acp_tui.ui.toolkit.shortened import cropped

_STYLES = {"error": "$error", "finding": "$warning", "prompt": "$primary", "command": "$accent"}
LONGEST_PASSAGE = 400
"""Characters of a passage in its row."""


class FoundRow(NamedTuple):
    """A row, and the passage that it is of; a head has none."""

    content: Content
    hit: Hit | None


def rows(hits: Sequence[Hit]) -> Iterator[FoundRow]:
    """Put passages of one recording that follow each other under its head."""
    for _, group in groupby(hits, key=lambda one: one.recording):
        passages = list(group)
        yield FoundRow(_head(passages[0]), None)
        for one in passages:
            yield FoundRow(_passage(one), one)


def found_words(hits: Sequence[Hit], most: int) -> str:
    """Say how much was found."""
    if not hits:
        return ""
    many = f"the first {most:,}" if len(hits) >= most else f"{len(hits):,} found"
    recordings = counted(len({one.recording for one in hits}), "recording")
    return f"{many} in {recordings}"


def _head(hit: Hit) -> Content:
    folder = clean_line(hit.cwd).rstrip("/").rpartition("/")[2]
    agent = clean_line(f"{hit.called} {hit.version}".strip())
    begun = datetime.fromtimestamp(hit.at - hit.since).astimezone()
    words = " · ".join(one for one in (folder, agent, f"{begun:%Y-%m-%d %H:%M}") if one)
    return Content.styled(f"── {words} ──", "bold $accent")


def _passage(hit: Hit) -> Content:
    when = f"{datetime.fromtimestamp(hit.at).astimezone():%H:%M}"
    excerpt = cropped(" ".join(hit.excerpt.split()), LONGEST_PASSAGE)
    parts: list[Content | tuple[str, str]] = [(f"{when} ", "$text-muted")]
    parts += [(f"{hit.kind:<9}", _STYLES.get(hit.kind, "$foreground"))]
    for at, piece in enumerate(excerpt.replace(MARKS[1], MARKS[0]).split(MARKS[0])):
        parts.append((clean_line(piece), "bold $accent" if at % 2 else "$foreground"))
    return Content.assemble(*parts)
