"""Content of version 2's tool calls: diffs and terminals, and its conversion to the shared form."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from acp_tui.protocol import content as v1
from acp_tui.protocol import git_patch
from acp_tui.protocol.content import (
    ContentItem,
    FileChange,
    SessionRef,
    ShownContent,
    TerminalRef,
    UnknownContent,
)
from acp_tui.protocol.git_patch import FilePatch
from acp_tui.protocol.model import BY_TYPE, Items, Model, OpenDiscriminator, Salvaged


class DiffChange(Model):
    """The change of one file; `file_type` is "text", "binary", "directory", "symlink", or newer."""

    operation: str
    path: str = ""
    old_path: str | None = None
    file_type: Salvaged[str] = None
    mime_type: Salvaged[str] = None


class PathChange(DiffChange):
    operation: Literal["add", "delete", "modify"]
    path: str


class PathPairChange(DiffChange):
    """A file now at `path`, which was, or still is, at `old_path`."""

    operation: Literal["move", "copy"]
    path: str
    old_path: str


class UnknownChange(DiffChange):
    """An operation that this client doesn't know; its fields are kept, and paths among them found."""

    operation: str
    path: Salvaged[str] = None  # type: ignore[assignment]  # the operation's fields are unknown
    old_path: Salvaged[str] = None


class DiffPatch(Model):
    """Changes as text; the specification's only format is "git_patch"."""

    format: str
    text: str


class DiffV2(Model):
    """Changes of files. `changes` lists the affected files; `patch` has what can be shown of them."""

    type: Literal["diff"] = "diff"
    changes: Items[
        Annotated[PathChange | PathPairChange | UnknownChange, OpenDiscriminator("operation")]
    ]
    patch: Salvaged[DiffPatch] = None


ToolCallContent = Annotated[
    ContentItem | DiffV2 | TerminalRef | SessionRef | UnknownContent, BY_TYPE
]


_PATCH = "git_patch"
_PLAIN = ("add", "delete", "modify")
"""Operations that a diff shows without words."""


def content_to_show(content: Iterable[ToolCallContent]) -> list[ShownContent]:
    """Return the content in the form shared by both versions."""
    return [
        one for item in content for one in (_changes(item) if isinstance(item, DiffV2) else (item,))
    ]


def _changes(diff: DiffV2) -> Iterator[ShownContent]:
    """Yield the change of each file: as a diff, or described if the patch has no text for it."""
    patch = diff.patch
    files = (
        git_patch.read_patch(patch.text) if patch is not None and patch.format == _PATCH else None
    )
    if files is not None and not all(map(_is_diff, files)):
        files = None
    left = list(files or [])
    for change in diff.changes:
        file = next((one for one in left if _is_of(one, change)), None)
        if file is not None:
            left.remove(file)
        yield from _change(change, file)
    for file in left:
        details = [*file.details, "only in the patch"]
        yield FileChange(
            operation="change",
            path=file.new or file.old or "",
            old_path=file.old if file.new is not None and file.old != file.new else None,
            details=details,
        )
        yield from _diffs(file)
    if patch is not None and files is None:
        yield FileChange(operation="patch", details=[patch.format], patch=patch.text)


def _is_diff(file: FilePatch) -> bool:
    """Return whether each hunk has old lines: one that only adds lines could apply anywhere."""
    return file.old is None or all(hunk.old for hunk in file.hunks)


def _is_of(file: FilePatch, change: DiffChange) -> bool:
    return change.path in file.paths and (
        change.old_path in (None, file.old) or change.old_path not in file.paths
    )


def _change(change: DiffChange, file: FilePatch | None) -> Iterator[ShownContent]:
    """Yield a change, and its diffs from the patch."""
    hunks = file.hunks if file is not None else ()
    details = []
    if change.file_type not in (None, "text"):
        details = [one for one in (change.file_type, change.mime_type) if one]
    details += [one for one in (file.details if file is not None else ()) if one not in details]
    if details or not hunks or change.operation not in _PLAIN:
        yield FileChange(
            operation=change.operation,
            path=change.path or "",
            old_path=change.old_path,
            details=details,
        )
    if file is not None:
        yield from _diffs(file)


def _diffs(file: FilePatch) -> Iterator[v1.Diff]:
    path = file.new or file.old or ""
    for hunk in file.hunks:
        old = None if file.old is None else hunk.old
        yield v1.Diff(path=path, old_text=old, new_text=hunk.new)
