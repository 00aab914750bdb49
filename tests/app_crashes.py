"""Ends a test with the app it runs: with the app's own error, as soon as that is raised."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import pytest
from textual.app import App
from textual.pilot import Pilot


@contextmanager
def crashes_end_tests() -> Iterator[None]:
    """Cancel what a test does with an app that has crashed.

    Textual raises the app's error where `App.run_test` ends: a test that waits for words on the screen
    would get there only when its patience is over. It also renders the error with all local values,
    which takes seconds and shows nothing that pytest doesn't.
    """
    run_test = App.run_test

    @asynccontextmanager
    async def run_until_crash(app: App[Any], **options: Any) -> AsyncIterator[Pilot[Any]]:
        async with run_test(app, **options) as pilot, anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_at_crash, app, tasks.cancel_scope)
            yield pilot
            tasks.cancel_scope.cancel()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "run_test", run_until_crash)
        patch.setattr(App, "_fatal_error", App._close_messages_no_wait)
        yield


async def _cancel_at_crash(app: App[Any], test: anyio.CancelScope) -> None:
    await app._exception_event.wait()
    test.cancel()
