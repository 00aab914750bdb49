"""What is not deleted by going back, though no checkpoint has it: it may have been there then."""

from collections.abc import Sequence

from acp_tui.rewind.checkpoint import Checkpoint, FileDeed, TreeChange
from acp_tui.rewind.object_store import Vault


def find_spared(
    vault: Vault, target: Checkpoint, changes: Sequence[TreeChange]
) -> tuple[TreeChange, ...]:
    """Return the files that were left out then, or ignored then: an agent may change what is ignored,
    and `.env` is deleted by no return. Raises CheckpointError.
    """
    deleted = [one for one in changes if one.deed is FileDeed.DELETED]
    ignored = vault.ignored(target, [one.path for one in deleted])
    return tuple(one for one in deleted if one.path in ignored or target.left_out.has(one.shown))
