"""The external programs feature: clipboard, the user's editor, viewers of pages and images."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar

from anyio import to_thread

from acp_tui.host.agent import RunProgram
from acp_tui.protocol.content import ImageContent
from acp_tui.state.authentication import Program
from acp_tui.state.links import link_warnings
from acp_tui.text import clean_line
from acp_tui.ui.ask import confirm
from acp_tui.ui.external import openers
from acp_tui.ui.external.openers import CannotOpen, FilePlace
from acp_tui.ui.feature import AppClosed, Feature
from acp_tui.ui.keys import key_name
from acp_tui.ui.toolkit.clipboard import too_long
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.preferences import PreferencesFeature
    from acp_tui.ui.transcript.entries.context import Fold

NOT_STARTED = 127
"""The exit code if an editor can't be started, as in shells."""


class ExternalFeature(Feature):
    """Copies, edits and opens things, only when the user asks for it."""

    name = "external"
    handlers: ClassVar = {AppClosed: "delete_images"}
    on_temporary_folder: Callable[[Path], None] | None = None
    """Called with a folder that has to be deleted even if the process is killed."""
    before_program: Callable[[], None] = staticmethod(lambda: None)
    """Called before starting a program that may leave others running."""

    def __init__(self, window: Window, choices: "PreferencesFeature") -> None:
        self._window = window
        self._choices = choices
        self._images: TemporaryDirectory[str] | None = None

    def delete_images(self, _: AppClosed) -> None:
        """Delete the images that were written for a viewer."""
        if self._images is not None:
            self._images.cleanup()

    @property
    def split_diffs(self) -> bool | None:
        """Whether diffs are side by side; None to decide by the width."""
        return self._choices.split_diffs

    def remember_split(self, split: bool) -> None:
        """Remember whether diffs are side by side, also for later runs."""
        self._choices.split(split)

    @property
    def folds(self) -> "Mapping[str, Fold]":
        """The folds by kind of entry."""
        return self._choices.folds

    def remember_fold(self, kind: str, fold: "Fold") -> None:
        """Remember the fold of a kind, also for later runs."""
        self._choices.fold(kind, fold)

    def with_chips(self, text: str) -> str:
        """Return a prompt with its long pastes folded into chips, as in the editor."""
        return self._window.prompt.with_chips(text)

    def show_note(self, words: str) -> None:
        """Show a note about the result of a key, or why it did nothing."""
        self._window.show_note(words)

    def copy(self, text: str, note: str = "copied") -> None:
        """Copy text to the clipboard, and confirm it with `note`, or explain why not."""
        self._window.copy_to_clipboard(text)
        refused = too_long(len(text))
        self._window.show_note(
            f"{refused}; {key_name('alt+o')} exports the session" if refused else note
        )

    def open_link(self, url: str) -> None:
        """Open a link if it is a page or a file."""
        target = self._target(url)
        if isinstance(target, FilePlace):
            self.edit(target.path, target.line)
        elif target is not None:
            self.open_page(target)

    def _target(self, url: str) -> FilePlace | str | None:
        """Return a link's file or address; if it can't be opened, show why and return None."""
        try:
            return openers.link_target(url)
        except CannotOpen as error:
            self._window.refuse(clean_line(str(error)))
            return None

    def ask_for_link(self, url: str) -> None:
        """Ask before opening a link whose text doesn't show its target."""
        if self._target(url) is None:
            return
        facts = [*(clean_line(one) for one in link_warnings(url)), clean_line(url)]
        confirm(self._window, "Open this link?", facts, "Open it", lambda: self.open_link(url))

    def open_page(self, url: str) -> None:
        """Open a page in the system's viewer, never in a browser in this terminal."""
        self._window.spawn(self._view(url))

    def show_session(self, session_id: str) -> None:
        """Show a subagent's session in its tab."""
        tabs = self._window.tabs
        tab = tabs.find(tabs.agent, session_id)
        if tab is None:
            self._window.refuse("this subagent's session is not open")
            return
        tabs.show(tab)
        self._window.refresh_view()

    def open_images(self, images: list[ImageContent]) -> None:
        """Open images in the system's viewer."""
        self._window.spawn(self._view_images(images))

    def edit(self, path: str, line: int | None = None) -> None:
        """Open a file in the user's editor, at a line."""
        tab = self._window.tabs.shown
        peer = tab.agent.state.peer
        if peer.process.elsewhere:
            self._window.refuse(
                clean_line(f"{path} is not here: the agent works in {peer.process.place}")
            )
            return
        cwd = tab.session.cwd if tab.session is not None else "."
        try:
            argv = openers.editor_argv(os.environ, FilePlace(path, line), cwd)
        except CannotOpen as error:
            self._window.refuse(clean_line(str(error)))
            return
        run = tab.agent.run_program
        if run is not None and not self._window.terminal.is_suspended:
            self._window.spawn(self._run_editor(Program(argv, str(Path.cwd())), run))

    async def _run_editor(self, editor: Program, run: RunProgram) -> None:
        with self._window.terminal.step_aside():
            code = await run(editor)
        if code == NOT_STARTED:
            self._window.refuse(f"{editor.argv[0]} can't be started; see $VISUAL and $EDITOR")
        self._window.refresh_view()

    def edit_text(self, text: str, suffix: str, then: Callable[[str], None]) -> None:
        """Open a text in the user's editor, then delete its file and pass the text to `then`."""
        run = self._window.tabs.shown.agent.run_program
        if run is not None and not self._window.terminal.is_suspended:
            self._window.spawn(self._edit_text(text, suffix, run, then))

    async def _edit_text(
        self, text: str, suffix: str, run: RunProgram, then: Callable[[str], None]
    ) -> None:
        try:
            with TemporaryDirectory(prefix="acp-tui-") as folder:
                path = openers.write_text(folder, text, suffix)
                argv = openers.editor_argv(os.environ, FilePlace(str(path)), folder)
                await self._run_editor(Program(argv, folder), run)
                edited = openers.read_text(path)
        except (CannotOpen, OSError, ValueError) as error:
            self._window.refuse(clean_line(str(error)))
            return
        then(edited)

    async def _view(self, target: str) -> None:
        self.before_program()
        try:
            await to_thread.run_sync(openers.open_in_viewer, target, abandon_on_cancel=True)
        except CannotOpen as error:
            self._window.refuse(clean_line(str(error)))

    async def _view_images(self, images: list[ImageContent]) -> None:
        try:
            if self._images is None:
                self._images = TemporaryDirectory(prefix="acp-tui-")
                if self.on_temporary_folder is not None:
                    self.on_temporary_folder(Path(self._images.name))
            folder = Path(self._images.name)
            paths = await to_thread.run_sync(openers.write_images, folder, images)
        except (CannotOpen, OSError) as error:
            self._window.refuse(clean_line(str(error)))
            return
        for path in paths:
            await self._view(str(path))
