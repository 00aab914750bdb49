"""Flow control: how much output may be in flight to a terminal, and when it is shown."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

QUERY = "\x1b[6n"
"""The query for the cursor position; terminals answer once they have read all before it."""
EVERY = 600
"""Characters between two queries. A single key's echo is no reason for one."""
FIRST = 8192
LEAST = 600
MOST = 1 << 20
"""Characters that may be in flight: at the start, at least and at most."""
AGING = 0.02
"""How fast the shortest response time is forgotten, as a line may become slower."""
QUEUE = 0.05
"""Seconds that output may be queued in flight behind earlier output."""
ANSWER_TIMEOUT = 5.0
"""Seconds after which a response is no longer awaited."""
RATE = 8_000
"""Bytes per second for a terminal that never responds: it may be behind a line of 100 kbit/s."""
WAITING = 800
"""Bytes that may be in flight to a terminal that never responds, by estimate."""
MUTE = 1.0
"""Seconds after which a terminal that has never responded is assumed never to do so."""
RETRY = 2.0
"""Seconds after which a query is sent again, as its response may be lost; doubled each time."""


class TerminalAllowance:
    """Limits the output in flight, by the terminal's response times.

    The shortest one is the latency of the line itself; any longer one was queued behind other
    output. A terminal that never responds gets little output at a time, and a full share after a
    pause.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._limit = FIRST
        self._quickest = float("inf")
        self._sent = self._received = 0
        self._pending_query: tuple[int, float] | None = None
        self._clear_at = 0.0
        """The time by which all output has passed, at the rate for terminals that never respond."""

    @property
    def is_waiting(self) -> bool:
        """Whether a response is pending from a terminal that does respond."""
        return self._pending_query is not None and self._answers

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing more should be sent before the next response."""
        if self._pending_query is None:
            return False
        if not self._answers:
            return self.wait > 0
        late = self._clock() - self._pending_query[1] > ANSWER_TIMEOUT
        return self._sent - self._received >= self._limit and not late

    @property
    def most(self) -> int:
        """Most characters that should be sent at a time."""
        if self._answers:
            return self._limit
        return LEAST if self._is_mute and self._clear_at > self._clock() else MOST

    @property
    def wait(self) -> float:
        """Seconds after which output should be sent even without a response."""
        if self._answers:
            return ANSWER_TIMEOUT
        return max(0.0, self._clear_at - WAITING / RATE - self._clock())

    def send(self, text: str) -> str:
        """Count a text as sent; return it, followed by a query if one is due."""
        now = self._clock()
        self._sent += len(text)
        self._clear_at = max(self._clear_at, now) + len(text.encode("utf-8", "replace")) / RATE
        unanswered = (
            self._pending_query is not None and now - self._pending_query[1] <= ANSWER_TIMEOUT
        )
        if unanswered or self._sent - self._received < EVERY or self._is_mute:
            return text
        self._pending_query = (self._sent, now)
        return text + QUERY

    def answered(self) -> None:
        """Adjust the limit to the terminal's response."""
        if self._pending_query is None:
            return
        (sent, queried_at), self._pending_query = self._pending_query, None
        seconds = self._clock() - queried_at
        self._quickest = min(self._quickest, seconds)
        waited = seconds - self._quickest
        self._quickest += AGING * waited
        if waited > QUEUE:
            self._limit = max(LEAST, int(self._limit * max(0.25, QUEUE / waited)))
        elif waited < QUEUE / 2:
            self._limit = min(MOST, self._limit * 2)
        self._received = sent

    def restart(self) -> None:
        """Start over with a terminal that may be another one: expect no pending responses."""
        self._pending_query = None
        self._received = self._sent

    @property
    def _answers(self) -> bool:
        return self._quickest < float("inf")

    @property
    def _is_mute(self) -> bool:
        """Whether a query is pending that may never be answered, so that no other is sent."""
        return self._pending_query is not None and not self._answers


Act = Callable[[], object]


@dataclass(slots=True)
class _Query:
    is_measured: bool
    acts: list[Act] = field(default_factory=list)


class Receipts:
    """Matches a terminal's responses with queries, in order, and runs the actions that wait for
    them.

    However late a response is, nothing counts as shown before it.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._queries: deque[_Query] = deque()
        self._first_at: float | None = None
        self._tries = 0
        self.answers = False
        """Whether the terminal has ever responded."""

    def add_query(self, *acts: Act, is_measured: bool = False) -> None:
        """Record that a query was sent, and the actions to run at its response."""
        if self._first_at is None:
            self._first_at = self._clock()
        self._queries.append(_Query(is_measured, list(acts)))

    def answered(self) -> bool:
        """Handle the response to the oldest query; return whether that query measures the line."""
        self.answers = True
        self._tries = 0
        if not self._queries:
            return False
        query = self._queries.popleft()
        _call_waiting(query)
        return query.is_measured

    def restart(self) -> list[Act]:
        """Expect no more responses, as another program had the terminal; return pending actions."""
        waiting = [act for query in self._queries for act in query.acts]
        self._queries.clear()
        return waiting

    @property
    def is_waiting(self) -> bool:
        """Whether an action waits for a response."""
        return any(query.acts for query in self._queries)

    @property
    def is_mute(self) -> bool:
        """Whether the terminal responds to no query, so that written output counts as shown."""
        first = self._first_at
        return not self.answers and first is not None and self._clock() - first >= MUTE

    def retry_in(self) -> float:
        """Return the seconds after which an unanswered query should be repeated."""
        if not self.answers:
            return MUTE
        self._tries += 1
        return float(RETRY * 2 ** (self._tries - 1))

    def run_pending(self) -> None:
        """Run all pending actions, for a terminal that never responds."""
        for query in self._queries:
            _call_waiting(query)


def _call_waiting(query: _Query) -> None:
    acts, query.acts = query.acts, []
    for act in acts:
        act()
