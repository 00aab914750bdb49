"""Turns with a checkpoint, each with its changes until the next one."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acp_tui.git import limits
from acp_tui.git.left_out import LeftOut, with_folders
from acp_tui.rewind.checkpoint import Checkpoint, FileDeed, TreeChange
from acp_tui.rewind.store import Checkpoints


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A checkpoint, and the changes until the next one, or until now: the tree `after`.

    Files `unkept` were no longer stored by then; files `gone` weren't stored before, either.
    """

    checkpoint: Checkpoint
    changes: tuple[TreeChange, ...]
    after: str
    unkept: tuple[tuple[str, str], ...] = ()
    gone: tuple[tuple[str, str], ...] = ()


def read_turns(store: Checkpoints) -> list[KeptTurn]:
    """Return all turns, the newest first, whose lines are counted first. Raises CheckpointError."""
    after, left_out = store.now()
    until = time.monotonic() + limits.LINE_COUNT_TIMEOUT
    turns = []
    for checkpoint in store.list():
        changes = store.changes(checkpoint.tree, after, until=until)
        turns.append(_turn(checkpoint, changes, after, left_out))
        after, left_out = checkpoint.tree, checkpoint.left_out
    return turns


def changed_since(store: Checkpoints, before: str) -> tuple[TreeChange, ...]:
    """Return the files that differ now from a tree, changed by anyone; lines are not counted.

    Raises CheckpointError.
    """
    after, left_out = store.now()
    changes = store.changes(before, after, until=0.0)
    return tuple(certain(changes, left_out))


def certain(changes: Iterable[TreeChange], left_out: LeftOut) -> Iterator[TreeChange]:
    """Yield the changes that are certain: a file left out by now may still exist."""
    for one in changes:
        if one.deed is not FileDeed.DELETED or not left_out.has(one.shown):
            yield one


def _turn(
    checkpoint: Checkpoint, changes: tuple[TreeChange, ...], after: str, left_out: LeftOut
) -> KeptTurn:
    known = tuple(certain(changes, left_out))
    before = checkpoint.left_out
    made = (one.shown for one in changes if one.deed is FileDeed.MADE)
    there = {part for name in made for part in with_folders(name)}
    gone = tuple(one for one in before.beyond(left_out) if one[0] not in there)
    return KeptTurn(checkpoint, known, after, left_out.beyond(before), gone)
