"""The entry point: `acp-tui`, or `python -m acp_tui`."""

import gc
import os
import sys

# Start-up makes many objects and drops few: looking for garbage meanwhile is a tenth of its time.
gc.set_threshold(200_000, 20, 50)

from acp_tui.cli import run  # noqa: E402


def main() -> None:
    """Run the command line; exit with its code."""
    _open_missing_streams()
    sys.exit(run(sys.argv[1:]))


def _open_missing_streams() -> None:
    """Let no pipe of ours get the number of a stream that was closed when we were started."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


if __name__ == "__main__":
    main()
