"""The turns before which files were kept, each with what changed until the next one."""

import time
from dataclasses import dataclass

from acp_tui.checkpoints import bounds
from acp_tui.checkpoints.checkpoint import Checkpoint, FileChange
from acp_tui.checkpoints.store import Checkpoints


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A checkpoint, and what has changed from then until the next one, or until now: the tree `after`."""

    checkpoint: Checkpoint
    changes: tuple[FileChange, ...]
    after: str


def read_turns(store: Checkpoints) -> list[KeptTurn]:
    """Read all that are kept, the newest first, whose lines are counted first. Raises CheckpointError."""
    after, _ = store.now()
    until = time.monotonic() + bounds.COUNTING
    turns = []
    for checkpoint in store.list():
        turns.append(
            KeptTurn(checkpoint, store.changes(checkpoint.tree, after, until=until), after)
        )
        after = checkpoint.tree
    return turns
