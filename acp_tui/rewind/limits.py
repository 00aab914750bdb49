"""Limits of checkpoints: sizes, times and ages."""

LARGEST_STORED_FILE = 20_000_000
"""Largest file that is stored, in bytes."""
MOST_NEW_FILES, MOST_NEW_BYTES = 20_000, 250_000_000
"""Most new files and bytes that are stored at once."""
LISTING_TIMEOUT = 20.0
"""Seconds in which the new files of a folder without a repository, whose size is unknown, must be
listed.
"""
MOST_LEFT_OUT = 5_000
"""Most files that may be left out: each is recorded, so that none of them is ever deleted."""
LINE_COUNT_TIMEOUT = 2.0
"""Seconds for counting the lines of all listed changes: the user waits for the list."""
MOST_CHECKPOINTS = 100
"""Most checkpoints of a folder; older ones are deleted."""
CHECKPOINT_DAYS = 30
"""Days after which a checkpoint is deleted, and the store of a folder that is no longer used."""
STORE_BYTES = 1_000_000_000
"""Most bytes of stored copies of a folder without a repository; above that, the older half is
deleted.
"""
