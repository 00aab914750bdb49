"""What the app does beside the screen, until it ends."""

import gc
import warnings

import pytest

from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_what_the_end_of_the_app_comes_before_is_dropped_in_silence() -> None:
    async def work() -> None:
        begun.append(1)

    begun: list[int] = []
    state, _ = states.talked()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        async with running(state) as it:
            it.app.spawn(work())
            it.app.conversation.run_worker(work())
            it.app.workers.cancel_all()
            await it.pilot.pause()
        del it
        gc.collect()
    assert begun == []
    assert [str(one.message) for one in told] == []
