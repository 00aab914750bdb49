"""Files that a rewind never deletes: they may predate the checkpoint."""

from collections.abc import Sequence

from acp_tui.rewind.checkpoint import Checkpoint, FileDeed, TreeChange
from acp_tui.rewind.object_store import Vault


def find_preserved(
    vault: Vault, target: Checkpoint, changes: Sequence[TreeChange]
) -> tuple[TreeChange, ...]:
    """Return the new files that were left out or ignored at the checkpoint.

    An agent may change the ignore rules; a rewind must never delete `.env`. Raises CheckpointError.
    """
    deleted = [one for one in changes if one.deed is FileDeed.DELETED]
    ignored = vault.ignored(target, [one.path for one in deleted])
    return tuple(one for one in deleted if one.path in ignored or target.left_out.has(one.shown))
