"""Signals that ask us to leave."""

import signal
from collections.abc import AsyncIterator

import pytest

from acp_tui.host.leave import QuitSignal

pytestmark = pytest.mark.anyio


async def heard(*numbers: int) -> AsyncIterator[int]:
    for number in numbers:
        yield number


@pytest.mark.parametrize(
    ("number", "lent", "asked"),
    [
        (signal.SIGINT, False, True),
        (signal.SIGINT, True, False),
        (signal.SIGTERM, True, True),
        (signal.SIGHUP, True, True),
    ],
)
async def test_ctrl_c_is_for_the_program_that_has_the_terminal(
    number: int, lent: bool, asked: bool
) -> None:
    leave = QuitSignal()
    leave.is_lent = lambda: lent
    await leave.handle(heard(number), lambda: None)
    assert leave.requested.is_set() == asked
