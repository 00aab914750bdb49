"""How much output may be in flight to a terminal: over a slow line, a key must not wait behind a
stream.
"""

from collections.abc import Callable

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


class TerminalAllowance:
    """Learns from how long the answers take.

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
