"""Base class of all checkers, and the guard around those of extensions: one that raises is switched off."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from acp_tui.debug.exchanges import Asked, Reading
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, ProtocolRule

Report = Callable[[ProtocolRule, Reading | Asked, str, JsonPath], None]
"""Takes a broken rule: by which record, how, and where in its message."""

IN_FLIGHT = 0.05
"""Seconds within which an answer may have crossed what would have changed it."""


class Checker(ABC):
    """Checks each record of one agent process, in order; `peers` is what was known before it."""

    VERSIONS: tuple[int, ...] = (1, 2)
    """The versions of the protocol that it knows."""
    ABOUT: tuple[str, ...] = ()
    """The methods, and kinds of updates, that it checks; "" are local events. Without any, it
    sees all records.
    """

    def __init__(self, peers: Peers, report: Report) -> None:
        self.peers = peers
        self.report = report

    @abstractmethod
    def check_record(self, reading: Reading) -> None:
        """Check the next record."""

    def reopened(self, session: str) -> None:  # noqa: B027 - few keep something of sessions
        """Record that a session is opened again: the agent may repeat its updates."""

    def end(self) -> None:  # noqa: B027 - few check anything at the end
        """Check what only the end of the process or of the recording shows. A turn may be cut off."""


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
        """Run the checks that need the end of the process, or of the recording."""
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
