"""The export feature: writes the current session to a file."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from anyio import to_thread

from acp_tui.formatting import counted
from acp_tui.store.same_folder import SameFolder
from acp_tui.text import clean_line
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from textual.theme import Theme

PATH_SHOWN = 10.0
"""Seconds that the note with an export's path stays."""


class PicturedWindow(Window, Protocol):
    """A window that can be exported as a picture."""

    def appearance(self) -> "tuple[Theme, int]":
        """Return the theme, and the width of the screen in cells."""

    async def picture(self) -> str:
        """Return the screen as an SVG, without transient notes."""


class ExportFeature(Feature):
    """Asks for a format, and exports the current session."""

    name = "exports"
    folder: Path | None = None
    """The folder for exports and files saved by the inspector; None for the session's folder."""

    def __init__(self, window: PicturedWindow) -> None:
        self._window = window
        self._shown: SameFolder | None = None

    def ask(self) -> None:
        """Ask for a format, and export the current session."""
        from acp_tui.ui.export.dialog import WORDS, ExportDialog
        from acp_tui.ui.new_files import file_name

        session = self._window.tabs.shown.session
        if session is None or not session.entries:
            self._window.refuse("nothing to export yet")
        else:
            into = self.folder_for(session.cwd)
            self._shown = None
            self._window.spawn(self._check_folder(into))
            agent, now = self._window.tabs.agent.state.peer.name, datetime.now().astimezone()
            names = {suffix: file_name(agent, now, suffix) for suffix in WORDS}
            dialog = ExportDialog(into, names, self._window.clock)
            self._window.push(dialog, partial(self._export, into, names))

    async def _check_folder(self, into: Path) -> None:
        """Record the identity of the dialog's folder; a missing one is reported on writing."""
        with suppress(OSError):
            self._shown = await to_thread.run_sync(SameFolder, into, abandon_on_cancel=True)

    def folder_for(self, cwd: str | None) -> Path:
        """Return the folder for files about a session in `cwd`."""
        return self.folder or Path(cwd or ".")

    def _export(self, into: Path, names: Mapping[str, str], suffix: str | None) -> None:
        if suffix is not None:
            # The picture must not show the dialog.
            write = partial(self._write, into, names[suffix], suffix)
            self._window.call_after_refresh(lambda: self._window.spawn(write()))

    async def _write(self, into: Path, name: str, suffix: str) -> None:
        from acp_tui.ui.export import in_app
        from acp_tui.ui.export.drawing import portable_svg

        state, session = self._window.tabs.agent.state, self._window.tabs.shown.session
        assert session is not None
        try:
            folder = self._shown
            if folder is None:
                folder = await to_thread.run_sync(SameFolder, into, abandon_on_cancel=True)
            if suffix == "md":
                made = await in_app.write_markdown(state, session, folder, name)
            elif suffix == "html":
                appearance = (*self._window.appearance(), self._window.clock)
                made = await in_app.write_html(state, session, folder, name, *appearance)
            else:
                made = await in_app.write_svg(
                    portable_svg(await self._window.picture()), folder, name
                )
        except OSError as error:
            words = f"not exported: {error.filename}: {error.strerror}"
            self._window.notify(clean_line(words), severity="error")
        else:
            words = f"exported: {clean_line(str(made.path))}"
            if suffix == "svg":
                words += "\nsecrets are not masked in a picture"
            elif made.masked:
                words += f"\n{counted(made.masked, 'secret')} masked"
            self._window.notify(words, timeout=PATH_SHOWN)
