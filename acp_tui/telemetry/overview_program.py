"""A process that reads the numbers of all recordings for a screen, and leaves the screen its time.

On stdin comes a line for what is to be added up, on stdout go the numbers; it ends with its stdin.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from acp_tui.archive.helper import give_way, has_news
from acp_tui.config.paths import numbers_file, recordings_folder
from acp_tui.config.recordings import recordings
from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.telemetry.number_cache import NumberCache, Told
from acp_tui.telemetry.overview import Overview

PARTS = 24
"""In so many parts the numbers go, at most: bars of a row."""
_PROGRESS = 0.2
"""Seconds between two words of how far it has come."""
_SO_FAR = 1.5
"""Seconds between two sums of what is read so far."""


class _Wish(NamedTuple):
    agent: str
    age: float


class _GoneError(Exception):
    """Nobody listens anymore."""


class _Program:
    def __init__(self, paths: list[Path], cache: NumberCache) -> None:
        self._paths = paths
        self._cache = cache
        self._overview = Overview()
        self._wish: _Wish | None = None
        self._done = 0
        self._unread = b""
        self._told = self._summed = 0.0

    def run(self) -> None:
        """Read all recordings; answer what is asked, meanwhile and afterward."""
        self._hear(wait=True)
        for one in self._each():
            self._overview.add(one)
            self._done += 1
            if self._hear(wait=False) or time.monotonic() >= self._summed + _SO_FAR:
                self._sum_up()
            elif time.monotonic() >= self._told + _PROGRESS:
                self._say()
        self._done = len(self._paths)
        self._sum_up()
        while self._hear(wait=True):
            self._sum_up()

    def _each(self) -> Iterator[Told]:
        found = self._cache.each(self._paths)
        try:
            yield from found
        finally:
            found.close()  # type: ignore[attr-defined]  # keeps what was read

    def _hear(self, *, wait: bool) -> bool:
        """Take the newest wish, if there is another one. Raises _GoneError at the end of stdin."""
        heard = False
        while has_news(wait=wait and not heard):
            data = os.read(0, 65536)
            if not data:
                raise _GoneError
            *lines, self._unread = (self._unread + data).split(b"\n")
            for line in lines:
                self._wish, heard = _Wish(**json.loads(line)), True
        return heard

    def _sum_up(self) -> None:
        assert self._wish is not None
        since = time.time() - self._wish.age if self._wish.age else 0.0
        parts = self._overview.parts(self._wish.agent, since, PARTS)
        self._say([[one.written, one.numbers.plain()] for one in parts])
        self._summed = time.monotonic()

    def _say(self, parts: list[object] | None = None) -> None:
        self._told = time.monotonic()
        agents = self._overview.agents if parts is not None else None
        line = {"done": self._done, "due": len(self._paths), "parts": parts, "agents": agents}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def main() -> None:
    """Serve until stdin ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    give_way()
    cache = NumberCache(numbers_file(), lambda _: None, workers=1)
    try:
        _Program(recordings(recordings_folder()), cache).run()
    except (_GoneError, BrokenPipeError):
        os._exit(0)  # what is left in stdout's buffer nobody reads


if __name__ == "__main__":
    main()
