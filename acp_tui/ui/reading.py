"""The part of the app that copies, opens and exports what a person reads."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.session.authentication import Program
from acp_tui.session.state import Session
from acp_tui.text import clean_line
from acp_tui.ui import openers
from acp_tui.ui.clipboard import copyable, fill_clipboard
from acp_tui.ui.hints import SECONDS as SAID
from acp_tui.ui.openers import CannotOpen, FilePlace
from acp_tui.ui.ruling import RulingApp
from acp_tui.ui.sessions.agent import RunProgram

if TYPE_CHECKING:
    from acp_tui.protocol.content import ImageContent
    from acp_tui.ui.transcript.transcript import Transcript

NOT_STARTED = 127
PATH_SHOWN = 10.0
"""Seconds that the path of an export stays on the screen."""


class ReadingApp(RulingApp):
    """Does what is asked for in the transcript; nothing is opened but on a person's act."""

    holds_path: Callable[[Path], None] | None = None
    """Told of a folder that is to go, even if we are killed."""
    exports_into: Path | None = None
    """Where exports go; without it into the session's folder."""
    starts_program: Callable[[], None] = staticmethod(lambda: None)
    """Told before a program of the person's is started, which may leave others behind."""
    _images: "TemporaryDirectory[str] | None" = None

    @property
    def session(self) -> Session | None:
        """The session that is shown."""
        return self.tabs.shown.session

    def say(self, words: str, seconds: float = SAID) -> None:
        """Say for a moment what was done."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Throw away what was written to be looked at."""
        if self._images is not None:
            self._images.cleanup()

    # Copying

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by way of the terminal, and onto the system's clipboard where there is one. All that
        is copied anywhere comes this way.
        """
        text = copyable(text)
        super().copy_to_clipboard(text)
        if not self.is_headless:
            fill = fill_clipboard(text, os.environ)
            self.run_worker(fill, group="clipboard", exclusive=True)

    def on_transcript_copied(self, event: "Transcript.Copied") -> None:
        """Put it on the clipboard."""
        self.copy_to_clipboard(event.text)
        self.say(event.said)

    def on_transcript_said(self, event: "Transcript.Said") -> None:
        """Say why a key did nothing."""
        self.say(event.words)

    # Opening

    def on_transcript_link_clicked(self, event: "Transcript.LinkClicked") -> None:
        """Open it, if it is a page or a file."""
        try:
            target = openers.link_target(event.url)
        except CannotOpen as error:
            self.say(clean_line(str(error)))
            return
        if isinstance(target, FilePlace):
            self._edit(target)
        else:
            self.open_url(target)

    def open_url(self, url: str, *, new_tab: bool = True) -> None:  # noqa: ARG002
        """Open a page in the system's viewer, never in a browser on this terminal."""
        self.run_worker(self._view(url))

    def on_transcript_open_location(self, event: "Transcript.OpenLocation") -> None:
        """Open it in the editor."""
        self._edit(FilePlace(event.path, event.line))

    def on_transcript_open_images(self, event: "Transcript.OpenImages") -> None:
        """Open them where pictures are opened."""
        self.run_worker(self._view_images(event.images))

    def edit(self, path: str) -> None:
        """Open a file in the editor."""
        self._edit(FilePlace(path, None))

    def _edit(self, place: FilePlace) -> None:
        cwd = self.session.cwd if self.session is not None else "."
        try:
            argv = openers.editor_argv(os.environ, place, cwd)
        except CannotOpen as error:
            self.say(clean_line(str(error)))
            return
        run = self.agent.run_program
        if run is not None and not self._away:
            self.run_worker(self._edit_outside(Program(argv, str(Path.cwd())), run))

    async def _edit_outside(self, editor: Program, run: RunProgram) -> None:
        with self._aside():
            code = await run(editor)
        if code == NOT_STARTED:
            self.say(f"{editor.argv[0]} can't be started; see $VISUAL and $EDITOR")
        self.show_questions()

    async def _view(self, what: str) -> None:
        self.starts_program()
        try:
            await to_thread.run_sync(openers.view, what, abandon_on_cancel=True)
        except CannotOpen as error:
            self.say(clean_line(str(error)))

    async def _view_images(self, images: "list[ImageContent]") -> None:
        try:
            folder = self._images_folder()
            paths = await to_thread.run_sync(openers.write_images, folder, images)
        except (CannotOpen, OSError) as error:
            self.say(clean_line(str(error)))
            return
        for path in paths:
            await self._view(str(path))

    def _images_folder(self) -> Path:
        if self._images is None:
            self._images = TemporaryDirectory(prefix="acp-tui-")
            if self.holds_path is not None:
                self.holds_path(Path(self._images.name))
        return Path(self._images.name)

    # Exporting

    def action_export(self) -> None:
        """Ask for a format, and export the session that is shown."""
        from acp_tui.ui.dialogs.export import ExportDialog

        if self.session is None or not self.session.entries:
            self.say("nothing to export yet")
        else:
            self.push_screen(ExportDialog(self._exports_into), self._export)

    @property
    def _exports_into(self) -> Path:
        assert self.session is not None
        return self.exports_into or Path(self.session.cwd or ".")

    def _export(self, suffix: str | None) -> None:
        if suffix is not None:
            # The picture shall not show the dialog.
            self.call_after_refresh(lambda: self.run_worker(self._write_export(suffix)))

    async def _write_export(self, suffix: str) -> None:
        from acp_tui.ui.export import in_app
        from acp_tui.ui.export.svg import self_contained

        state, session, folder = self.agent.state, self.session, self._exports_into
        assert session is not None
        try:
            if suffix == "md":
                made = await in_app.write_markdown(state, session, folder)
            elif suffix == "html":
                look = (self.current_theme, self.size.width, self._clock)
                made = await in_app.write_html(state, session, folder, *look)
            else:
                picture = self_contained(self.export_screenshot(title="acp-tui"))
                made = await in_app.write_svg(state, picture, folder)
        except OSError as error:
            words = f"not exported: {error.filename}: {error.strerror}"
            self.notify(clean_line(words), severity="error", markup=False)
        else:
            words = f"exported: {clean_line(str(made.path))}"
            if suffix == "svg":
                words += "\nin a picture nothing is masked"
            elif made.masked:
                words += f"\n{made.masked} masked: they look like secrets"
            self.notify(words, timeout=PATH_SHOWN, markup=False)
