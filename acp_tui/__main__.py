"""The entry point: `acp-tui`, or `python -m acp_tui`."""

import gc
import os
import sys
import threading
import time
import types
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

# Start-up creates many objects and drops few: collecting garbage would take a tenth of its time.
gc.set_threshold(200_000, 20, 50)

if TYPE_CHECKING:
    from acp_tui.kept.foreground import Foreground

THREAD_TIMEOUT = 1.0
"""Seconds that threads have to end when everything else is done."""


def main() -> None:
    """Run the command line; exit with its code."""
    _open_missing_streams()
    sys.excepthook = _report_fault
    code = _run_command_line(sys.argv[1:])
    _leave_threads(code)
    sys.exit(code)


def _run_command_line(argv: Sequence[str]) -> int:
    """Run the command line, behind a foreground process if it may continue without its window."""

    def work(foreground: "Foreground | None") -> int:
        from acp_tui.cli.main import run  # pages of what is loaded before the fork would be copied

        return run(argv, foreground)

    if not _has_window(argv):
        return work(None)
    from acp_tui.kept.foreground import behind_foreground

    return behind_foreground(work)


def _has_window(argv: Sequence[str]) -> bool:
    """Return whether these arguments may show the UI in this terminal, with agents of this process."""
    if not (hasattr(os, "fork") and sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    ours = argv[: argv.index("--")] if "--" in argv else argv
    from acp_tui.cli.commands import COMMANDS

    if any(one.partition("=")[0] in ("--keep", "--attach-tap", "--plain") for one in ours):
        return False
    return bool(argv) and (not ours or ours[0] in ("ui", "demo") or ours[0] not in COMMANDS)


def _report_fault(
    kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
) -> None:
    """Print the traceback of a bug of ours. It may contain an agent's text, so escape sequences are
    made visible.
    """
    from traceback import format_exception

    from acp_tui.text import clean_text, reveal_escapes

    text = "".join(format_exception(kind, error, trace))
    sys.stderr.write(clean_text(reveal_escapes(text)))


def _leave_threads(code: int) -> None:
    """Exit without the threads that are still waiting for a disk; Python would wait for them."""
    until = time.monotonic() + THREAD_TIMEOUT
    stuck = [one for one in threading.enumerate() if not one.daemon]
    stuck.remove(threading.main_thread())
    for one in stuck:
        one.join(max(0.0, until - time.monotonic()))
    if any(one.is_alive() for one in stuck):
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(code)


def _open_missing_streams() -> None:
    """Replace streams that were closed at start by /dev/null, so that no pipe of ours gets their
    descriptors.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


if __name__ == "__main__":
    main()
