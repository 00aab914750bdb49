"""Limits of checkpoints: sizes, times and ages."""

BIG = 20_000_000
"""Size from which a file is not stored, in bytes."""
NEW_FILES, NEW_BYTES = 20_000, 250_000_000
"""New files and bytes that are stored at once."""
PATIENCE = 20.0
"""Seconds to list the new files of a folder without a repository, whose size is unknown."""
LEFT_OUT = 5_000
"""Files that may be left out: each is recorded, so that none of them is ever deleted."""
COUNTING = 2.0
"""Seconds to count the lines of all listed changes: the user waits for the list."""
KEPT = 100
"""Checkpoints per folder; older ones are deleted."""
DAYS = 30
"""Days after which a checkpoint is deleted, and the store of a folder that isn't used anymore."""
ROOM = 1_000_000_000
"""Bytes of stored copies of a folder without a repository; above that the older half is deleted."""
