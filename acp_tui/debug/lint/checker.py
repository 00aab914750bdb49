"""The base class of all checkers, and the guard that drops an extension's checker once it raises."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from acp_tui.debug.exchanges import PendingRequest, Reading
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, ProtocolRule

Report = Callable[[ProtocolRule, Reading | PendingRequest, str, JsonPath], None]
"""Reports a broken rule: the rule, the record, how it breaks it, and the path in its message."""

IN_FLIGHT = 0.05
"""Grace period in seconds for messages that crossed on the wire."""


class Checker(ABC):
    """Checks the records of one agent process in order; `peers` is the state before each."""

    VERSIONS: tuple[int, ...] = (1, 2)
    """The protocol versions that it checks."""
    ABOUT: tuple[str, ...] = ()
    """The methods and kinds of updates that it checks; "" is a local event. If empty, it gets all."""

    def __init__(self, peers: Peers, report: Report) -> None:
        self.peers = peers
        self.report = report

    @abstractmethod
    def check_record(self, reading: Reading) -> None:
        """Check the next record."""

    def reopened(self, session: str) -> None:  # noqa: B027 - few have state by session
        """Forget a session's updates, because it is opened again: the agent may repeat them."""

    def end(self) -> None:  # noqa: B027 - few check anything at the end
        """Run the checks that need the end of the process or recording, which may cut off a turn."""


class ExtraChecker(NamedTuple):
    """An extension's checker; `broke` is called with the exception that it raised."""

    make: type[Checker]
    broke: Callable[[Exception], None]


class GuardedChecker:
    """Runs an extension's checker for one agent process. Once it raises, `drop` is called."""

    def __init__(
        self, extra: ExtraChecker, peers: Peers, report: Report, drop: Callable[[], None]
    ) -> None:
        self._broke = extra.broke
        self._drop = drop
        self._checker: Checker | None = None
        with self._guarded():
            self._checker = extra.make(peers, report)

    def check_record(self, name: str, reading: Reading) -> None:
        """Check the next record; `name` is its method or kind of update."""
        checker = self._checker
        if checker is not None and (not checker.ABOUT or name in checker.ABOUT):
            with self._guarded():
                checker.check_record(reading)

    def reopened(self, session: str) -> None:
        """Let the checker forget a session's updates, because it is opened again."""
        if self._checker is not None:
            with self._guarded():
                self._checker.reopened(session)

    def end(self) -> None:
        """Run the checks that need the end of the process or recording."""
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
