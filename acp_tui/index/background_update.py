"""Keeps an existing index up to date while nobody types, in a process of its own."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress

import anyio
from anyio import to_thread

from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.reader_process import give_way, has_news, helper
from acp_tui.store.recordings import in_use, recordings

IDLE_SECONDS = 5.0
"""Seconds without a key after which nobody types."""
CHECK_INTERVAL = 10.0
"""Seconds between two looks at what there is."""
_STEP = 0.1
"""Seconds after a key until the process is told."""


async def keep_index(last_typed: Callable[[], float], is_wanted: Callable[[], bool]) -> None:
    """Go on until canceled. `last_typed` is when a key came last, on the monotonic clock; nothing is read while
    this isn't wanted.
    """

    def has_time() -> bool:
        return is_wanted() and time.monotonic() - last_typed() >= IDLE_SECONDS

    while True:
        await anyio.sleep(CHECK_INTERVAL)
        if has_time() and await to_thread.run_sync(_is_due, abandon_on_cancel=True):
            try:
                await _update(has_time)
            except OSError:
                return  # no process can be started: whoever searches reads what is missing


async def _update(has_time: Callable[[], bool]) -> None:
    async with helper("acp_tui.index.background_update") as process:
        while process.returncode is None:
            if not has_time() and process.stdin is not None:
                await process.stdin.aclose()  # it ends after the recording that it reads
            await anyio.sleep(_STEP)


def _is_due() -> bool:
    """Return whether the index lacks anything; one that isn't there is not made before somebody
    searches.
    """
    file = archive_file()
    if not file.exists():
        return False
    try:
        with Index.open(file) as index:
            files = recordings(recordings_folder())
            return bool(index.due(files, leave=in_use)) or index.has_lost(files)
    except (OSError, sqlite3.Error):
        return False


class _StopError(Exception):
    """Somebody types, or has removed the index."""


def main() -> None:
    """Read what is due."""
    give_way()
    file = archive_file()
    with suppress(_StopError, OSError, sqlite3.Error), Index.open(file) as index:
        same = file.stat().st_ino

        def go_on(_: int, __: int) -> None:
            if has_news() or file.stat().st_ino != same:
                raise _StopError

        index.update(recordings(recordings_folder()), go_on, leave=in_use)


if __name__ == "__main__":
    main()
