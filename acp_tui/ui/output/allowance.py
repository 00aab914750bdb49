"""How much may be under way to a terminal: over a slow line a key must not wait behind a stream."""

from collections.abc import Callable

ASK = "\x1b[6n"
"""Asks where the cursor is. Every terminal answers that, once it has taken all before it."""
EVERY = 600
"""Characters after which it is asked again: not for a key."""
FIRST = 8192
LEAST = 600
MOST = 1 << 20
"""Characters that may be under way: in the beginning, at least, and at most."""
AGING = 0.02
"""How fast the quickest answer is forgotten: a way may become longer."""
QUEUE = 0.05
"""Seconds that something may wait on its way behind what was sent before it."""
PATIENCE = 5.0
"""Seconds after which an answer is no longer waited for."""
RATE = 8_000
"""Bytes a second for a terminal that never answered: it may be behind a line of 100 kbit/s."""
WAITING = 800
"""Bytes that may wait on the way to it, as far as can be guessed."""


class Allowance:
    """Learns from how long the answers take.

    The quickest one tells how long the way itself is; what others take longer they have waited
    behind what else was under way. A terminal that never answered gets little at a time, after a
    rest all that there is.
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
        """Whether a terminal that answers has yet to."""
        return self._asked is not None and self._answers

    @property
    def is_used_up(self) -> bool:
        """Whether nothing more should be sent before an answer comes."""
        if self._asked is None:
            return False
        if not self._answers:
            return self.wait > 0
        late = self._clock() - self._asked[1] > PATIENCE
        return self._sent - self._taken >= self._limit and not late

    @property
    def most(self) -> int:
        """How long what is sent at one go should be."""
        if self._answers:
            return self._limit
        return LEAST if self._is_mute and self._clear_at > self._clock() else MOST

    @property
    def wait(self) -> float:
        """Seconds after which something should be sent even if no answer comes."""
        if self._answers:
            return PATIENCE
        return max(0.0, self._clear_at - WAITING / RATE - self._clock())

    def send(self, text: str) -> str:
        """Count a text; returns it with a question behind it, if one is due."""
        now = self._clock()
        self._sent += len(text)
        self._clear_at = max(self._clear_at, now) + len(text.encode()) / RATE
        unanswered = self._asked is not None and now - self._asked[1] <= PATIENCE
        if unanswered or self._sent - self._taken < EVERY or self._is_mute:
            return text
        self._asked = (self._sent, now)
        return text + ASK

    def answered(self) -> None:
        """The terminal has answered."""
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
        """Another terminal may be there: wait for no answer of the one before."""
        self._asked = None
        self._taken = self._sent

    @property
    def _answers(self) -> bool:
        return self._quickest < float("inf")

    @property
    def _is_mute(self) -> bool:
        """Whether it was asked in vain: then it isn't asked again."""
        return self._asked is not None and not self._answers
