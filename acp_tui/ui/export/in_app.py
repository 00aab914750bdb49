"""Exporting what is on the screen while the session goes on."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from time import perf_counter

import anyio
from anyio import to_thread
from textual.theme import Theme

from acp_tui.session.state import Session, State
from acp_tui.ui.export.about import about
from acp_tui.ui.export.drawing import Drawing
from acp_tui.ui.export.files import file_name, write_new
from acp_tui.ui.export.html import html_page
from acp_tui.ui.export.markdown import markdown_page

SLICE = 0.008
"""Seconds of work at one go, and for others in between."""


async def write_markdown(state: State, session: Session) -> Path:
    """Write the session here, as it is now. Raises OSError."""
    now = datetime.now().astimezone()
    facts = about(state, session, now)
    return await _write(markdown_page(state, session, facts), state, now, "md")


async def write_html(
    state: State, session: Session, theme: Theme, width: int, clock: Callable[[], float]
) -> Path:
    """Write the session here, as it is now and as it looks. Raises OSError."""
    now = datetime.now().astimezone()
    drawing = Drawing(state, session, theme, width, clock)
    return await _write(html_page(drawing, about(state, session, now)), state, now, "html")


async def write_svg(state: State, picture: str) -> Path:
    """Write a picture here. Raises OSError."""
    return await _write(iter([picture]), state, datetime.now().astimezone(), "svg")


async def _write(pieces: Iterator[str], state: State, now: datetime, suffix: str) -> Path:
    """Gather the pieces in slices, so that nobody has to wait; write them off the loop."""
    parts = []
    until = perf_counter() + SLICE
    for piece in pieces:
        parts.append(piece)
        if perf_counter() > until:
            await anyio.sleep(SLICE)
            until = perf_counter() + SLICE
    path = Path.cwd() / file_name(state.peer.name, now, suffix)
    return await to_thread.run_sync(write_new, path, "".join(parts))
