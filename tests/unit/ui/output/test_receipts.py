"""What was written counts as shown once the terminal has answered what was asked behind it."""

from dataclasses import dataclass, field
from functools import partial

from acp_tui.ui.output.flow_control import MUTE, RETRY, Receipts


@dataclass
class Line:
    """A line to a terminal, with a clock that is moved by hand."""

    now: float = 0.0
    shown: list[str] = field(default_factory=list)
    receipts: Receipts = field(init=False)

    def __post_init__(self) -> None:
        self.receipts = Receipts(lambda: self.now)

    def ask(self, name: str) -> None:
        self.receipts.add_query(partial(self.shown.append, name))


def test_each_answer_is_for_the_oldest_query_however_late() -> None:
    line = Line()
    line.ask("first")
    line.receipts.add_query(is_measured=True)
    line.ask("second")
    line.now = 60.0
    assert line.receipts.answered() is False
    assert line.shown == ["first"]
    assert line.receipts.answered() is True
    assert line.shown == ["first"]
    assert line.receipts.is_waiting
    line.receipts.answered()
    assert line.shown == ["first", "second"]
    assert not line.receipts.is_waiting
    assert line.receipts.answered() is False  # nobody asked


def test_a_terminal_that_never_answers_is_not_waited_for() -> None:
    line = Line()
    assert not line.receipts.is_mute
    line.ask("first")
    assert line.receipts.retry_in() == MUTE
    line.now = MUTE
    assert line.receipts.is_mute
    line.receipts.run_pending()
    assert line.shown == ["first"]
    line.receipts.answered()  # it was only slow
    assert line.shown == ["first"]
    assert not line.receipts.is_mute


def test_a_lost_answer_is_asked_for_again_and_again_but_less_often() -> None:
    line = Line()
    line.ask("first")
    line.receipts.answered()
    line.ask("second")
    assert [line.receipts.retry_in() for _ in range(3)] == [RETRY, 2 * RETRY, 4 * RETRY]
    line.receipts.add_query()
    line.receipts.answered()
    assert line.shown == ["first", "second"]
    assert line.receipts.retry_in() == RETRY


def test_what_waited_when_another_program_got_the_terminal_is_asked_again() -> None:
    line = Line()
    line.ask("first")
    (waiting,) = line.receipts.restart()
    assert not line.receipts.is_waiting
    line.receipts.answered()
    assert line.shown == []
    waiting()
    assert line.shown == ["first"]
