"""What the terminal has shown: it answers a query after everything before it, and before any later key.

Over a slow line, or in a browser, a person sees a question long after it was written. A key that comes before
the answer was pressed by somebody who didn't see it yet.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

MUTE = 1.0
"""Seconds after which a terminal that has never answered is taken for one that never does."""
RETRY = 2.0
"""Seconds after which a query is sent again, as its answer may be lost; twice as long each further time."""
Act = Callable[[], object]


@dataclass(slots=True)
class _Query:
    is_measured: bool
    acts: list[Act] = field(default_factory=list)


class Receipts:
    """Matches answers with queries, in their order, and calls what waits for them. However late an answer
    comes, nothing counts as shown before.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._queries: deque[_Query] = deque()
        self._first_at: float | None = None
        self._tries = 0
        self.answers = False
        """Whether the terminal has ever answered."""

    def ask(self, *acts: Act, is_measured: bool = False) -> None:
        """Note that a query was sent, and what to call at its answer."""
        if self._first_at is None:
            self._first_at = self._clock()
        self._queries.append(_Query(is_measured, list(acts)))

    def answered(self) -> bool:
        """Note the answer to the oldest query; return whether it is one to measure the line by."""
        self.answers = True
        self._tries = 0
        if not self._queries:
            return False
        query = self._queries.popleft()
        _call(query)
        return query.is_measured

    def begin(self) -> list[Act]:
        """Expect no more answers: another program had the terminal. Return what still waits for one."""
        waiting = [act for query in self._queries for act in query.acts]
        self._queries.clear()
        return waiting

    @property
    def is_waiting(self) -> bool:
        """Whether something waits for an answer."""
        return any(query.acts for query in self._queries)

    @property
    def is_mute(self) -> bool:
        """Whether the terminal answers no query: then what was written counts as shown."""
        first = self._first_at
        return not self.answers and first is not None and self._clock() - first >= MUTE

    def retry_in(self) -> float:
        """Return after how many seconds a query without an answer is to be sent again."""
        if not self.answers:
            return MUTE
        self._tries += 1
        return float(RETRY * 2 ** (self._tries - 1))

    def give_up(self) -> None:
        """Call what waits for a terminal that never answers."""
        for query in self._queries:
            _call(query)


def _call(query: _Query) -> None:
    acts, query.acts = query.acts, []
    for act in acts:
        act()
