"""How much is kept, and for how long."""

BIG = 20_000_000
"""Bytes of a file from which on it is not kept."""
NEW_FILES, NEW_BYTES = 20_000, 250_000_000
"""How much that isn't kept yet is taken in at once."""
PATIENCE = 20.0
"""Seconds to list what is new in a folder without a repository, of which nobody knows how large it is."""
LEFT_OUT = 5_000
"""How many files may be left out: each is remembered, so that none of them is ever deleted."""
COUNTING = 2.0
"""Seconds to count the lines of all that is listed at once: somebody waits for the list."""
KEPT = 100
"""How many checkpoints of a folder are kept, the newest ones."""
DAYS = 30
"""After so many days a checkpoint is deleted, and what was kept for a folder that nobody came back to."""
ROOM = 1_000_000_000
"""Bytes of the copies of a folder without a repository; above that the older half is deleted."""
