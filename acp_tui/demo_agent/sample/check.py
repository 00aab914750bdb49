"""Runs the tests of the tea timer and draws a progress bar in color."""

import os
import sys
import time

sys.dont_write_bytecode = True

import test_tea  # noqa: E402 (after the line that keeps the folder clean)

PAUSE = float(os.environ.get("TEA_PAUSE", "0.04"))
WIDTH = 30


def brew() -> None:
    """One line that is drawn over and over, as progress bars are."""
    for done in range(WIDTH + 1):
        bar = "━" * done + " " * (WIDTH - done)
        print(f"\rBrewing \x1b[36m{bar}\x1b[0m {done * 100 // WIDTH:3d}%", end="", flush=True)
        time.sleep(PAUSE)
    print()


def passes(name: str) -> bool:
    """Run one test."""
    try:
        getattr(test_tea, name)()
    except Exception as error:
        print(f"  \x1b[31m✗ failed\x1b[0m  {name}: {error!r}")
        return False
    print(f"  \x1b[32m✓ passed\x1b[0m  {name}")
    return True


brew()
results = [passes(name) for name in vars(test_tea) if name.startswith("test_")]
failed = results.count(False)
print(f"\x1b[1;31m{failed} failed\x1b[0m" if failed else "\x1b[1;32mall passed\x1b[0m")
sys.exit(1 if failed else 0)
