"""The entry point: `acp-tui`, or `python -m acp_tui`."""

import os
import sys

from acp_tui.cli import run


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
