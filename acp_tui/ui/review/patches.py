"""What is under review as patches that `git apply` takes."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.edits.hunks import LineHunk, has_surroundings, lines_of, patch
from acp_tui.edits.line_diff import compare
from acp_tui.edits.steps import finish_steps
from acp_tui.protocol.content import Diff
from acp_tui.state.changed_files import ChangedFile
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.file_parts import is_as_before, start_of
from acp_tui.ui.review.scopes import Reviewed

if TYPE_CHECKING:
    from acp_tui.rewind.against_head import HeadCommit

LARGEST_PATCH = 4_000_000
"""Characters of all texts that become one patch; what is beyond them is left out."""


class Patch(NamedTuple):
    """Some changes, and the files that aren't in it, or not whole."""

    text: str
    left_out: Sequence[str] = ()


def patch_against_head(one: Reviewed, diff: Diff, hunks: Sequence[LineHunk]) -> str:
    """Return changes in a file as a patch that is applied at the top of its repository."""
    texts = diff.old_text, _new(one.file, diff)
    runs = os.access(one.file.path, os.X_OK)
    return patch(Path(one.relative).as_posix(), *texts, hunks, runs=runs)


def patch_in_session(file: ChangedFile, diff: Diff, hunks: Sequence[LineHunk], cwd: str) -> str:
    """Return changes in a file as a patch that is applied in the session's folder.

    It is empty if git wouldn't find there what is to be changed.
    """
    path = os.path.relpath(os.path.join(cwd, file.path), cwd)  # noqa: PTH118
    start = start_of(file, diff)
    if ".." in Path(path).parts or start is None or not hunks:
        return ""
    if start.part and not has_surroundings(diff.old_text or "", hunks):
        return ""
    texts = diff.old_text, _new(file, diff)
    skipped = start.old - 1, start.new - 1
    return patch(Path(path).as_posix(), *texts, hunks, from_top=False, skipped=skipped)


def _new(file: ChangedFile, diff: Diff) -> str | None:
    """The new text, None if the file is gone."""
    gone = bool(diff.old_text) and not diff.new_text and not Path(file.path).exists()
    return None if gone else diff.new_text


def patch_of_all(
    files: Sequence[Reviewed],
    cwd: str,
    head: "HeadCommit | None",
    reader: Callable[[Reviewed], ChangedFile] | None = None,
) -> Patch:
    """Make one patch of all files, whose texts the `reader` reads: off the event loop, for they are compared.

    Raises CheckpointError.
    """
    if head is not None:
        return Patch(*head.patch_of([one.relative for one in files], LARGEST_PATCH))
    made: list[str] = []
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
            texts.append(patch_in_session(file, diff, _hunks(diff), cwd))
        made += texts
        has_more = one.told is not None and (bool(one.told.kind) or not texts)
        is_unknown = bool(file.untold) or (bool(file.words) and not texts)
        if has_more or is_unknown or size > LARGEST_PATCH or not all(texts):
            left_out.append(shown_path(file.path, cwd))
    return Patch("".join(made), left_out)


def _hunks(diff: Diff) -> list[LineHunk]:
    blocks = finish_steps(compare(lines_of(diff.old_text or ""), lines_of(diff.new_text)))
    return [LineHunk(*one[1:]) for one in blocks if not one.same]
