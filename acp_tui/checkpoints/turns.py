"""The turns before which files were kept, each with what changed until the next one."""

from dataclasses import dataclass

from acp_tui.checkpoints.checkpoint import Checkpoint, FileChange
from acp_tui.checkpoints.store import Checkpoints


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A checkpoint, and what has changed from then until the next one, or until now: the tree `after`."""

    checkpoint: Checkpoint
    changes: tuple[FileChange, ...]
    after: str


def read_turns(store: Checkpoints) -> list[KeptTurn]:
    """Read all that are kept, the newest first. Raises CheckpointError."""
    after, _ = store.now()
    turns = []
    for checkpoint in store.list():
        turns.append(KeptTurn(checkpoint, store.changes(checkpoint.tree, after), after))
        after = checkpoint.tree
    return turns
