"""What the conformance tests share."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.fake_agent.script import Played, Script
from tests.hosting import Host, hosting

Play = Callable[..., AbstractAsyncContextManager[Host]]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The session's working directory."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def play(tmp_path: Path, work: Path) -> Iterator[Play]:
    """Host an agent that plays a script in `work`; afterwards all its expectations were met."""
    started = []

    def start(script: Script, **launch: Any) -> AbstractAsyncContextManager[Host]:
        started.append(script)
        return hosting(script.argv(tmp_path), work, **launch)

    yield start
    for _ in started:
        Played(tmp_path).check()


@pytest.fixture
def played(tmp_path: Path) -> Callable[[], Played]:
    """What came over the wire."""
    return lambda: Played(tmp_path)
