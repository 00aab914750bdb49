"""The process that brings the index up to date. It ends before the next recording once its stdin does."""

import sqlite3
from contextlib import suppress

from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.reader_process import give_way, has_news
from acp_tui.store.recordings import in_use, recordings


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
