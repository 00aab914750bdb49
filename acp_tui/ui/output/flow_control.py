"""How much output may be in flight to a terminal, and what it has shown of it."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

ASK = "\x1b[6n"
"""The query for the cursor's position. Every terminal answers it once it has taken everything
before it.
"""
EVERY = 600
"""Characters after which the terminal is asked again. A key alone is no reason to ask."""
FIRST = 8192
LEAST = 600
MOST = 1 << 20
"""Characters that may be in flight: at the start, at the least and at the most."""
AGING = 0.02
"""How fast the quickest answer is forgotten: a line may become slower."""
QUEUE = 0.05
"""Seconds that output may wait in flight behind what was sent before it."""
ANSWER_TIMEOUT = 5.0
"""Seconds after which an answer is no longer waited for."""
RATE = 8_000
"""Bytes per second for a terminal that has never answered: it may be behind a line of 100 kbit/s.
"""
WAITING = 800
"""Bytes that may be in flight to a terminal that has never answered, as far as that can be
estimated.
"""
MUTE = 1.0
"""Seconds after which a terminal that has never answered is assumed never to answer."""
RETRY = 2.0
"""Seconds after which a query is sent again, as its answer may be lost; doubled each time."""


class TerminalAllowance:
    """Limits how much output is in flight, by how long the terminal's answers take.

    The quickest one shows the delay of the line itself; any longer one has waited behind other
    output. A terminal that has never answered gets a little at a time, and after a rest a full
    share.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._limit = FIRST
        self._quickest = float("inf")
        self._sent = self._taken = 0
        self._asked: tuple[int, float] | None = None
        self._clear_at = 0.0
        """When all that was sent has passed, at the rate for those that never answer."""

    @property
    def is_waiting(self) -> bool:
        """Whether the terminal, which does answer, still owes an answer."""
        return self._asked is not None and self._answers

    @property
    def is_used_up(self) -> bool:
        """Whether nothing more should be sent before an answer comes."""
        if self._asked is None:
            return False
        if not self._answers:
            return self.wait > 0
        late = self._clock() - self._asked[1] > ANSWER_TIMEOUT
        return self._sent - self._taken >= self._limit and not late

    @property
    def most(self) -> int:
        """How many characters should be sent at one time."""
        if self._answers:
            return self._limit
        return LEAST if self._is_mute and self._clear_at > self._clock() else MOST

    @property
    def wait(self) -> float:
        """Seconds after which output should be sent even if no answer comes."""
        if self._answers:
            return ANSWER_TIMEOUT
        return max(0.0, self._clear_at - WAITING / RATE - self._clock())

    def send(self, text: str) -> str:
        """Count a text; return it, followed by a query if one is due."""
        now = self._clock()
        self._sent += len(text)
        self._clear_at = max(self._clear_at, now) + len(text.encode("utf-8", "replace")) / RATE
        unanswered = self._asked is not None and now - self._asked[1] <= ANSWER_TIMEOUT
        if unanswered or self._sent - self._taken < EVERY or self._is_mute:
            return text
        self._asked = (self._sent, now)
        return text + ASK

    def answered(self) -> None:
        """Note that the terminal has answered."""
        if self._asked is None:
            return
        (sent, asked_at), self._asked = self._asked, None
        took = self._clock() - asked_at
        self._quickest = min(self._quickest, took)
        waited = took - self._quickest
        self._quickest += AGING * waited
        if waited > QUEUE:
            self._limit = max(LEAST, int(self._limit * max(0.25, QUEUE / waited)))
        elif waited < QUEUE / 2:
            self._limit = min(MOST, self._limit * 2)
        self._taken = sent

    def begin(self) -> None:
        """Begin with what may be another terminal: wait for no answer of the one before."""
        self._asked = None
        self._taken = self._sent

    @property
    def _answers(self) -> bool:
        return self._quickest < float("inf")

    @property
    def _is_mute(self) -> bool:
        """Whether the terminal was asked in vain: it isn't asked again."""
        return self._asked is not None and not self._answers


Act = Callable[[], object]


@dataclass(slots=True)
class _Query:
    is_measured: bool
    acts: list[Act] = field(default_factory=list)


class Receipts:
    """Matches a terminal's answers with queries, in order, and calls what waits for them.

    However late an answer comes, nothing counts as shown before it.
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
        _call_waiting(query)
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
        """Call everything that waits, for a terminal that never answers."""
        for query in self._queries:
            _call_waiting(query)


def _call_waiting(query: _Query) -> None:
    acts, query.acts = query.acts, []
    for act in acts:
        act()
