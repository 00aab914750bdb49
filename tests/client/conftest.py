"""What the tests of the client share."""

import time
from collections.abc import Callable

import pytest

from tests import hosting
from tests.hosting import PATIENCE


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def process_state() -> Callable[[int], str]:
    """The letter that stands for the state of a process (Z: a zombie), "" once it is gone."""
    return hosting.process_state


@pytest.fixture
def dead(process_state: Callable[[int], str]) -> Callable[[int], bool]:
    """Whether a process that is not our child ends (init may reap it late)."""

    def is_dead(pid: int) -> bool:
        until = time.monotonic() + PATIENCE
        while process_state(pid) not in ("", "Z") and time.monotonic() < until:
            time.sleep(0.02)
        return process_state(pid) in ("", "Z")

    return is_dead
