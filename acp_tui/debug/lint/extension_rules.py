"""Checkers that others wrote: one that raises is reported, and switched off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers


class ExtraChecker(NamedTuple):
    """A checker of an extension; `broke` gets what it raised."""

    make: type[Checker]
    broke: Callable[[Exception], None]


class GuardedChecker:
    """Runs one for the life of an agent process. `drop` is called where it breaks."""

    def __init__(
        self, extra: ExtraChecker, peers: Peers, report: Report, drop: Callable[[], None]
    ) -> None:
        self._broke = extra.broke
        self._drop = drop
        self._checker: Checker | None = None
        with self._guarded():
            self._checker = extra.make(peers, report)

    def check_record(self, name: str, reading: Reading) -> None:
        """Check the next record, which is about this method or kind of update."""
        checker = self._checker
        if checker is not None and (not checker.ABOUT or name in checker.ABOUT):
            with self._guarded():
                checker.check_record(reading)

    def reopened(self, session: str) -> None:
        """Report that a session is opened again."""
        if self._checker is not None:
            with self._guarded():
                self._checker.reopened(session)

    def end(self) -> None:
        """Let it check what only the end of the process or of the recording shows."""
        if self._checker is not None:
            with self._guarded():
                self._checker.end()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._checker = None
            self._drop()
            self._broke(error)
