"""Limits of checkpoints: sizes, times and ages."""

LARGEST_STORED_FILE = 20_000_000
"""Size from which a file is not stored, in bytes."""
MOST_NEW_FILES, MOST_NEW_BYTES = 20_000, 250_000_000
"""New files and bytes that are stored at once."""
LISTING_TIMEOUT = 20.0
"""Seconds to list the new files of a folder without a repository, whose size is unknown."""
MOST_LEFT_OUT = 5_000
"""Files that may be left out: each is recorded, so that none of them is ever deleted."""
LINE_COUNT_TIMEOUT = 2.0
"""Seconds to count the lines of all listed changes: the user waits for the list."""
MOST_CHECKPOINTS = 100
"""Checkpoints per folder; older ones are deleted."""
CHECKPOINT_DAYS = 30
"""Days after which a checkpoint is deleted, and the store of a folder that isn't used anymore."""
STORE_BYTES = 1_000_000_000
"""Bytes of stored copies of a folder without a repository; above that the older half is deleted."""
