"""Exports of the current session while it continues."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import anyio
from anyio import to_thread
from textual.theme import Theme

from acp_tui.masking.redactor import Redactor
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.store.same_folder import SameFolder
from acp_tui.ui.export.about import heading_of
from acp_tui.ui.export.drawing import Drawing
from acp_tui.ui.export.html import html_page
from acp_tui.ui.export.markdown import markdown_page
from acp_tui.ui.export.masking import mask_session
from acp_tui.ui.new_files import write_beside
from acp_tui.ui.transcript.entries.views import document_of

SLICE = 0.008
"""Seconds of work in a slice, and of the pause after it."""


class Exported(NamedTuple):
    """The file of an export, and the number of masked secrets."""

    path: Path
    masked: int


async def write_markdown(state: State, session: Session, folder: SameFolder, name: str) -> Exported:
    """Write the current session as Markdown to a new file. Raises OSError."""
    now, redactor = datetime.now().astimezone(), Redactor()

    def pieces() -> Iterator[str]:
        copied = yield from mask_session(state, session, redactor)
        yield from markdown_page(*copied, heading_of(*copied, now))

    path = await _write_slices(pieces(), folder, name)
    return Exported(path, redactor.masked.total())


async def write_html(
    state: State,
    session: Session,
    folder: SameFolder,
    name: str,
    theme: Theme,
    width: int,
    clock: Callable[[], float],
) -> Exported:
    """Write the current session as HTML, in the screen's colors, to a new file. Raises OSError."""
    now, redactor = datetime.now().astimezone(), Redactor()

    def pieces() -> Iterator[str]:
        copied = yield from mask_session(state, session, redactor)
        drawing = Drawing(document_of(*copied, clock), theme, width)
        yield from html_page(drawing, heading_of(*copied, now))

    path = await _write_slices(pieces(), folder, name)
    return Exported(path, redactor.masked.total())


async def write_svg(picture: str, folder: SameFolder, name: str) -> Exported:
    """Write a picture of the screen to a new file. Raises OSError."""
    return Exported(await _write_slices(iter([picture]), folder, name), 0)


async def _write_slices(pieces: Iterator[str], folder: SameFolder, name: str) -> Path:
    """Collect the pieces in time slices, so that the screen doesn't stall; write in a thread."""
    parts = []
    until = perf_counter() + SLICE
    for piece in pieces:
        parts.append(piece)
        if perf_counter() > until:
            await anyio.sleep(SLICE)
            until = perf_counter() + SLICE
    return await to_thread.run_sync(write_beside, folder.path / name, "".join(parts), folder)
