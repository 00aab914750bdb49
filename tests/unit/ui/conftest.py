"""What the tests of the UI share."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _quick_pilot() -> Iterator[None]:
    """The pilot waits several times 20 ms after each key; what is under way is seen otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual._wait.SLEEP_GRANULARITY", 0.004)
        yield
