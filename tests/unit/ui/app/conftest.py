from pathlib import Path

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def no_settings_of_mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the person who runs the tests has set must not matter."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def slow_fingers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two keys of a test are one word, and none waits for another, but where it says so."""
    monkeypatch.setattr("acp_tui.state.question.WORD_GAP", 0.0)
    monkeypatch.setattr("acp_tui.ui.conversation.pane.QUICK", 0.0001)
