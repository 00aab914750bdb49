"""The entry point: `acp-tui`, or `python -m acp_tui`."""

import sys

from acp_tui.cli import run


def main() -> None:
    """Run the command line; exit with its code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
