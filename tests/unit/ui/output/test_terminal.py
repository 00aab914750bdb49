"""What is written gets to a terminal in its order, and nobody waits for one that is stuck."""

import fcntl
import os
import pty
import tty
from collections.abc import Iterator
from threading import Event

import pytest

from acp_tui.ui.output.terminal import Outbox
from tests.hosting import PATIENCE


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, slave
    for one in (master, slave):
        try:
            os.close(one)
        except OSError:
            pass


def read(master: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += os.read(master, 65536)
    return data


def test_all_comes_in_its_order_and_it_is_told_when_all_was_taken(
    terminal: tuple[int, int],
) -> None:
    master, slave = terminal
    emptied = Event()
    outbox = Outbox(slave, emptied.set)
    for number in range(100):
        outbox.send(f"{number} é\n")
    assert outbox.is_busy
    outbox.start()
    whole = "".join(f"{number} é\n" for number in range(100)).encode()
    assert read(master, len(whole)) == whole
    assert emptied.wait(PATIENCE)
    assert not outbox.is_busy
    assert outbox.end(PATIENCE)


def test_who_writes_to_a_stuck_terminal_does_not_wait_and_all_is_there_when_it_goes_on(
    terminal: tuple[int, int],
) -> None:
    master, slave = terminal
    outbox = Outbox(slave, lambda: None)
    outbox.start()
    for _ in range(100):
        outbox.send("x" * 10_000)
    assert outbox.is_busy
    assert not outbox.end(0.01)
    assert read(master, 1_000_000) == b"x" * 1_000_000
    outbox.join(PATIENCE)
    assert not outbox.is_alive()


def test_a_terminal_that_somebody_set_not_to_block_gets_all(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    fcntl.fcntl(slave, fcntl.F_SETFL, os.O_NONBLOCK)
    outbox = Outbox(slave, lambda: None)
    outbox.start()
    outbox.send("x" * 100_000)
    assert read(master, 100_000) == b"x" * 100_000
    assert outbox.end(PATIENCE)


def test_when_the_terminal_has_gone_the_rest_is_lost_in_silence(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    emptied = Event()
    outbox = Outbox(slave, emptied.set)
    outbox.start()
    os.close(master)
    for _ in range(10):
        outbox.send("x" * 100_000)
    assert outbox.end(PATIENCE)
    assert emptied.is_set()


def test_characters_that_the_terminal_lacks_are_replaced(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    outbox = Outbox(slave, lambda: None, str.maketrans({"─": "-"}))
    outbox.start()
    outbox.send("─\ud800─")
    assert outbox.end(PATIENCE)
    assert os.read(master, 100) == b"-?-"
