"""The texts of files that differ between two trees: read off the event loop, to be shown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.git.errors import CheckpointError
from acp_tui.protocol.content import Diff
from acp_tui.rewind.checkpoint import FileDeed, LineCount, TreeChange

if TYPE_CHECKING:
    from acp_tui.git.objects import Objects
    from acp_tui.rewind.store import Checkpoints

FILES = 50
"""Of how many files the texts are read."""
LARGEST = 500_000
"""Bytes of a file whose text is shown."""
MOST_DIFF_BYTES = 2_000_000
"""Bytes of all of them, after which no more is read."""
_LOOKED_AT = 8000
"""Bytes at the beginning of a file that tell whether it is a text: git looks at as many."""


class Changed(NamedTuple):
    """Files that differ, and the diffs of those whose texts are shown."""

    changes: Sequence[TreeChange] = ()
    diffs: Mapping[bytes, Diff] = {}


def read_diffs(store: "Checkpoints", changes: Sequence[TreeChange]) -> Changed:
    """Read the texts of what differs between two trees, before and after; what isn't what was kept is said to be damaged.

    Raises CheckpointError.
    """
    if not changes:
        return Changed()
    diffs = {}
    damaged = dict[bytes, TreeChange]()
    left = MOST_DIFF_BYTES
    with store.contents() as contents:
        for change in _texts(changes):
            try:
                texts = _read(contents, change)
            except CheckpointError:
                damaged[change.path] = replace(
                    change, added=None, removed=None, counted=LineCount.DAMAGED
                )
                continue
            left -= sum(map(len, texts))
            if left < 0:
                break
            is_short = 0 < max(map(len, texts)) <= LARGEST  # of what is empty, a diff says nothing
            if is_short and all(map(_is_text, texts)):
                diffs[change.path] = _diff(change, *texts)
    return Changed([damaged.get(one.path, one) for one in changes], diffs)


def _texts(changes: Sequence[TreeChange]) -> Iterator[TreeChange]:
    """Of a file with the same content, what differs is how it may be used."""
    return (
        one
        for one in changes[:FILES]
        if one.counted is not LineCount.NO_TEXT and one.id != one.old_id
    )


def _read(contents: "Objects", change: TreeChange) -> tuple[bytes, bytes]:
    return (
        b"" if change.deed is FileDeed.MADE else contents.read_object(change.old_id),
        b"" if change.deed is FileDeed.DELETED else contents.read_object(change.id),
    )


def _is_text(content: bytes) -> bool:
    """Return whether git would count the lines of a content."""
    return b"\0" not in content[:_LOOKED_AT]


def _diff(change: TreeChange, old: bytes, new: bytes) -> Diff:
    was = None if change.deed is FileDeed.MADE else old.decode("utf-8", "replace")
    return Diff(path=change.shown, old_text=was, new_text=new.decode("utf-8", "replace"))
