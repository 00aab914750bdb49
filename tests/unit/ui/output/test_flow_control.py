"""How much is under way to a terminal follows from how soon it answers."""

from acp_tui.ui.output.flow_control import (
    ANSWER_TIMEOUT,
    EVERY,
    LEAST,
    MOST,
    QUERY,
    RATE,
    WAITING,
    TerminalAllowance,
)


class Line:
    """A line that takes so many characters a second, and some time for each way."""

    def __init__(self, rate: float, way: float) -> None:
        self.now = 0.0
        self.rate, self.way = rate, way
        self.free_at = 0.0
        self.carried = 0
        self.answers: list[float] = []
        self.allowance = TerminalAllowance(lambda: self.now)

    def send(self, text: str) -> float:
        """Send a text; returns when the terminal has it."""
        sent = self.allowance.send(text)
        self.carried += len(sent)
        self.free_at = max(self.now, self.free_at) + len(sent) / self.rate
        if sent.endswith(QUERY):
            self.answers.append(self.free_at + 2 * self.way)
        return self.free_at + self.way

    def pour(self, seconds: float) -> list[float]:
        """Send all that is allowed; returns how long each text took to get there."""
        until, took = self.now + seconds, []
        while self.now < until:
            while self.answers and self.answers[0] <= self.now:
                self.answers.pop(0)
                self.allowance.answered()
            if not self.allowance.is_exhausted:
                took.append(self.send("x" * 300) - self.now)
            self.now += 0.016
        return took


def test_over_a_slow_line_a_text_waits_behind_little_else_and_the_line_is_used() -> None:
    line = Line(rate=12_500, way=0.03)
    line.pour(5)
    before = line.carried
    took = line.pour(20)
    assert max(took) < 0.4
    assert line.carried - before > 0.6 * 20 * 12_500


def test_over_a_fast_line_there_is_no_limit_however_long_the_way() -> None:
    line = Line(rate=10_000_000, way=0.15)
    line.pour(10)
    assert line.allowance.most == MOST


def test_a_line_that_becomes_slow_is_noticed() -> None:
    line = Line(rate=10_000_000, way=0.02)
    line.pour(5)
    line.rate = 12_500
    line.pour(10)
    assert max(line.pour(10)) < 0.4


class Mute(Line):
    """A line to a terminal that never answers."""

    def send(self, text: str) -> float:
        there = super().send(text)
        self.answers.clear()
        return there


def test_to_a_terminal_that_never_answers_little_is_under_way() -> None:
    line = Mute(rate=12_500, way=0.03)
    line.send("x" * 8000)  # a whole screen
    took = line.pour(20)
    assert max(took[5:]) < 0.3
    assert line.carried > 0.5 * 20 * 12_500


def test_a_terminal_that_does_not_answer_is_asked_once_and_never_waited_for() -> None:
    now = [0.0]
    allowance = TerminalAllowance(lambda: now[0])
    sent = [allowance.send("x" * EVERY) for _ in range(100)]
    assert allowance.is_exhausted
    assert allowance.most == LEAST
    now[0] += 10 * ANSWER_TIMEOUT
    assert not allowance.is_exhausted
    assert allowance.most == MOST, "after a rest all of a screen comes at once"
    sent += [allowance.send("x" * EVERY) for _ in range(100)]
    assert sum(text.endswith(QUERY) for text in sent) == 1
    assert not allowance.is_waiting


def test_how_long_to_wait_follows_from_what_was_sent() -> None:
    now = [0.0]
    allowance = TerminalAllowance(lambda: now[0])
    assert allowance.wait == 0
    allowance.send("x" * (RATE + WAITING))
    assert allowance.wait == 1
    now[0] += 1
    assert not allowance.is_exhausted
    allowance.answered()
    assert allowance.wait == ANSWER_TIMEOUT


def test_an_answer_that_is_lost_is_not_waited_for_for_ever() -> None:
    now = [0.0]
    allowance = TerminalAllowance(lambda: now[0])
    allowance.send("x" * EVERY)
    allowance.answered()
    while not allowance.is_exhausted:
        allowance.send("x" * EVERY)
    assert allowance.is_waiting
    now[0] += ANSWER_TIMEOUT + 1
    assert not allowance.is_exhausted
    assert allowance.send("x").endswith(QUERY)


def test_a_key_asks_for_nothing() -> None:
    assert QUERY not in TerminalAllowance(lambda: 0.0).send("key")


def test_what_another_terminal_was_asked_is_forgotten() -> None:
    allowance = TerminalAllowance(lambda: 0.0)
    allowance.send("x" * EVERY)
    allowance.restart()
    assert allowance.send("x" * EVERY).endswith(QUERY)
    allowance.answered()
    allowance.answered()  # one that nobody asked for
    assert not allowance.is_waiting
