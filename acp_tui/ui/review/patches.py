"""Exports reviewed changes as patches for `git apply`: copied, or saved if the clipboard can't hold
them.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from anyio import to_thread

from acp_tui.config.private_files import write_new
from acp_tui.edits.hunks import LineHunk, find_hunks, format_patch, has_surroundings, split_lines
from acp_tui.edits.steps import finish_steps
from acp_tui.git.objects import CheckpointError
from acp_tui.protocol.content import Diff
from acp_tui.rewind.against_head import HeadCommit
from acp_tui.state.changed_files import ChangedFile
from acp_tui.store.same_folder import SameFolder
from acp_tui.text import clean_line
from acp_tui.ui.ask import ask_for_line
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.review.file_parts import diff_start, is_as_before
from acp_tui.ui.review.scopes import Reviewed
from acp_tui.ui.toolkit.clipboard import without_controls
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.review.port import ReviewPort

LARGEST_PATCH = 4_000_000
"""Most characters of all texts in one patch; files beyond that are left out."""


class Patch(NamedTuple):
    """A patch, and the files that it leaves out, at least in part."""

    text: str
    left_out: Sequence[str] = ()


def patch_against_head(one: Reviewed, diff: Diff, hunks: Sequence[LineHunk]) -> str:
    """Format changes to a file as a patch that applies at the top of its repository."""
    texts = diff.old_text, _new(one.file, diff)
    runs = os.access(one.file.path, os.X_OK)
    return format_patch(Path(one.relative).as_posix(), *texts, hunks, runs=runs)


def patch_in_session(file: ChangedFile, diff: Diff, hunks: Sequence[LineHunk], cwd: str) -> str:
    """Format changes to a file as a patch that applies in the session's folder.

    Returns "" if git couldn't find the place to change there.
    """
    path = os.path.relpath(os.path.join(cwd, file.path), cwd)  # noqa: PTH118
    start = diff_start(file, diff)
    if ".." in Path(path).parts or start is None or not hunks:
        return ""
    if start.part and not has_surroundings(diff.old_text or "", hunks):
        return ""
    texts = diff.old_text, _new(file, diff)
    skipped = start.old - 1, start.new - 1
    return format_patch(Path(path).as_posix(), *texts, hunks, from_top=False, skipped=skipped)


def _new(file: ChangedFile, diff: Diff) -> str | None:
    """Return the new text; None if the file was deleted."""
    gone = bool(diff.old_text) and not diff.new_text and not Path(file.path).exists()
    return None if gone else diff.new_text


def patch_of_all(
    files: Sequence[Reviewed],
    cwd: str,
    head: HeadCommit | None,
    reader: Callable[[Reviewed], ChangedFile] | None = None,
) -> Patch:
    """Make one patch of all files, whose texts the `reader` reads. Compares texts, so it must be
    called outside the event loop. Raises CheckpointError.
    """
    if head is not None:
        return Patch(*head.patch_of([one.relative for one in files], LARGEST_PATCH))
    patch: list[str] = []
    left_out = []
    size = 0
    for one in files:
        if is_as_before(one):
            continue
        file = reader(one) if reader is not None and size <= LARGEST_PATCH else one.file
        texts = []
        for diff in file.diffs:
            size += len(diff.old_text or "") + len(diff.new_text)
            if size > LARGEST_PATCH:
                break
            old, new = split_lines(diff.old_text or ""), split_lines(diff.new_text)
            texts.append(patch_in_session(file, diff, finish_steps(find_hunks(old, new)), cwd))
        patch += texts
        has_more = one.difference is not None and (bool(one.difference.kind) or not texts)
        is_unknown = bool(file.textless_changes) or (bool(file.words) and not texts)
        if has_more or is_unknown or size > LARGEST_PATCH or not all(texts):
            left_out.append(shown_path(file.path, cwd))
    return Patch("".join(patch), left_out)


NAMED = 3
"""Files left out of a patch that are named."""


class PatchCopies:
    """Copies changes as patches for `git apply`."""

    def __init__(
        self, window: Window, external: "ExternalFeature", folder_for: Callable[[str | None], Path]
    ) -> None:
        self._window = window
        self._external = external
        self._folder_for = folder_for

    def make(
        self,
        one: Reviewed,
        diff: Diff,
        hunks: Sequence[LineHunk],
        cwd: str,
        head: HeadCommit | None,
    ) -> str:
        """Make a patch of changes to a file: against HEAD, if the review compares with that."""
        if head is not None:
            return patch_against_head(one, diff, hunks)
        return patch_in_session(one.file, diff, hunks, cwd)

    def copy(
        self, screen: "ReviewPort", text: str, what: str, left_out: Sequence[str] = ()
    ) -> None:
        """Copy a patch to the clipboard; offer to save it if the clipboard would damage it.

        A copied text never ends with a newline, but git needs one after the last line of a patch:
        so a signature follows, as in patches sent by mail.
        """
        without = _without(left_out)
        head = f"This is all of it{without}.\n\n" if without else ""  # git skips it
        text = f"{head}{text}" if text else ""
        patch = f"{text}-- \nacp-tui"
        if not text and left_out:
            screen.show_message(f"not copied: nothing is left{without}")
        elif not text:
            screen.show_message(
                "not copied: git wouldn't find this, a part of a file or outside the folder"
            )
        elif without_controls(patch) != patch:
            self._window.spawn(self._ask_for_file(screen, text, without))
        else:
            self._external.copy(patch, f"{what} copied as a patch{without}")

    async def _ask_for_file(self, screen: "ReviewPort", text: str, without: str) -> None:
        """Offer to save a patch that the clipboard can't hold."""

        def named(path: str | None) -> None:
            if path and path.strip():
                place = into / Path(path.strip()).expanduser()
                self._window.spawn(self._save_patch(screen, place, folder, text, without))

        into = self._folder_for(screen.tab.agent.state.session(screen.session_id).cwd)
        try:
            folder = await to_thread.run_sync(SameFolder, into, abandon_on_cancel=True)
        except OSError as error:
            screen.show_message(f"not saved: {into}: {error.strerror}")
            return
        facts = [
            "It has CRLF, control characters or invalid UTF-8, which the clipboard can't take",
            "from here, and without them it wouldn't apply. As a new file:",
        ]
        if without:
            facts.insert(0, f"This is all of it{without}.")
        ask_for_line(self._window, "Save the patch", facts, str(into / "changes.patch"), named)

    async def _save_patch(
        self, screen: "ReviewPort", path: Path, folder: SameFolder, text: str, without: str
    ) -> None:
        data = text.encode("utf-8", "surrogateescape")
        try:
            if path.parent == folder.path:
                await to_thread.run_sync(folder.write_new, path.name, data)
            else:
                await to_thread.run_sync(write_new, path, data)
        except FileExistsError:
            screen.show_message(f"not saved, it is there already: {path}")
        except OSError as error:
            screen.show_message(f"not saved: {path}: {error.strerror}")
        else:
            screen.show_message(f"saved{without}: {path}")

    def copy_all(
        self,
        screen: "ReviewPort",
        files: list[Reviewed],
        head: HeadCommit | None,
        reader: Callable[[Reviewed], ChangedFile] | None,
    ) -> None:
        """Copy all listed changes as one patch; `reader` reads the texts."""
        cwd = screen.tab.agent.state.session(screen.session_id).cwd
        make = partial(patch_of_all, files, cwd, head, reader)
        self._window.spawn(self._copy_all(screen, make))

    async def _copy_all(self, screen: "ReviewPort", make: "Callable[[], Patch]") -> None:
        try:
            patch = await to_thread.run_sync(make, abandon_on_cancel=True)
        except CheckpointError as error:
            screen.show_message(f"not copied: {error}")
        else:
            self.copy(screen, patch.text, "all of this", patch.left_out)


def _without(left_out: Sequence[str]) -> str:
    """Return " without" and the names of files left out of a patch; "" if there are none."""
    if not left_out:
        return ""
    names = ", ".join(clean_line(one) for one in left_out[:NAMED])
    more = f" and {len(left_out) - NAMED} more" if len(left_out) > NAMED else ""
    return f" without {names}{more}"
