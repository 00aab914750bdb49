"""What tool calls of version 2 produce: diffs of several files, and terminals of the agent's."""

from typing import Annotated, Literal

from acp_tui.protocol.content import ContentItem, SessionRef, TerminalRef, UnknownContent
from acp_tui.protocol.model import BY_TYPE, Items, Model, OpenDiscriminator, Salvaged


class DiffChange(Model):
    """What happens to one file; `file_type` is "text", "binary", "directory", "symlink", or new."""

    operation: str
    path: str = ""
    old_path: str | None = None
    file_type: Salvaged[str] = None
    mime_type: Salvaged[str] = None


class PathChange(DiffChange):
    operation: Literal["add", "delete", "modify"]
    path: str


class PathPairChange(DiffChange):
    """A file that is at `path` now, and was, or still is, at `old_path`."""

    operation: Literal["move", "copy"]
    path: str
    old_path: str


class UnknownChange(DiffChange):
    """An operation that this client does not know; its fields are kept, and paths among them found."""

    operation: str
    path: Salvaged[str] = None  # type: ignore[assignment]  # nothing is said of its fields
    old_path: Salvaged[str] = None


class DiffPatch(Model):
    """The text of changes; the only format of the specification's is "git_patch"."""

    format: str
    text: str


class DiffV2(Model):
    """Changes of files. `changes` say which files are affected, `patch` what of them can be shown."""

    type: Literal["diff"] = "diff"
    changes: Items[
        Annotated[PathChange | PathPairChange | UnknownChange, OpenDiscriminator("operation")]
    ]
    patch: Salvaged[DiffPatch] = None


ToolCallContent = Annotated[
    ContentItem | DiffV2 | TerminalRef | SessionRef | UnknownContent, BY_TYPE
]
