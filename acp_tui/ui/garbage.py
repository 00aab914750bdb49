"""When Python looks for garbage: never through so much at one go that the screen stalls."""

import gc


def collect_little_by_little() -> None:
    """Leave out what is loaded by now, which stays; look through the rest in small parts."""
    gc.freeze()
    gc.set_threshold(5_000, 5, 200)


def collect_old() -> None:
    """Let what is older than the freeze be found, too: the agents of the start may be closed."""
    gc.unfreeze()
