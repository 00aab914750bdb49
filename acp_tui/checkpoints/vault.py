"""Where a folder's files are kept: as git's objects, or as copies of our own."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from acp_tui.checkpoints.checkpoint import Checkpoint, FileChange, LeftOut
from acp_tui.config.same_folder import SameFolder


class Contents(Protocol):
    """Contents of files, one after the other."""

    def read(self, id: str, /) -> bytes:
        """Return the content of this id. Raises CheckpointError."""


class Vault(Protocol):
    """All of it is done by one program at a time, and raises CheckpointError or OSError."""

    @property
    def top(self) -> SameFolder:
        """The folder that paths are relative to."""

    remarks: list[str]
    """What a person should know about the place itself, collected until it is reported."""

    def make(self) -> None:
        """Make what isn't there yet."""

    def keep(self) -> tuple[str, LeftOut]:
        """Take in what has changed; return the tree of all, and what isn't in it."""

    def changes(self, before: str, after: str, until: float) -> tuple[FileChange, ...]:
        """Return the files that differ between two trees, by path; lines are counted until then, by the
        monotonic clock.
        """

    def find(self, tree: str, paths: Iterable[bytes]) -> dict[bytes, str]:
        """Return the ids of those files that a tree has."""

    def ignored(self, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
        """Return those that were ignored by the rules of that time, kept or not."""

    def check(self, ids: Sequence[str]) -> None:
        """See to it that these contents are there."""

    def contents(self) -> AbstractContextManager[Contents]:
        """Read contents by their ids."""

    def add(self, unnamed: Checkpoint) -> Checkpoint:
        """Note a checkpoint; return it with its name."""

    def list(self) -> list[Checkpoint]:
        """Return all, in any order."""

    def prune(self, keep: Collection[str] = ()) -> None:
        """Delete what is too old, or too much, but not the checkpoints with these names."""
