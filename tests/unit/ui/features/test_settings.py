"""Settings hold from the start, and again as soon as they are changed: each in the feature that goes by it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.config.settings import Settings
from acp_tui.ui.features import Features
from tests.unit.ui.app import states
from tests.unit.ui.features.window import FakeWindow

FOLLOWED: dict[str, tuple[dict[str, Any], Callable[[Features], object], object]] = {
    "bell": ({"bell": False}, lambda one: one.questions.bell_enabled, False),
    "index": ({"index": False}, lambda one: one.settings.followed.indexing_enabled, False),
    "hints": ({"hints": False}, lambda one: one.tips.enabled, False),
    "history": ({"history": False}, lambda one: one.recall.enabled, False),
    "drafts": ({"drafts": True}, lambda one: one.drafts.files is not None, True),
    "notify": (
        {"notify": {"when": "always"}},
        lambda one: one.notifications.settings and one.notifications.settings.when,
        "always",
    ),
    "checkpoints.where": (
        {"checkpoints": {"where": "nowhere"}},
        lambda one: one.checkpoints.where,
        "nowhere",
    ),
    "fold_pastes": ({"fold_pastes": 99}, lambda one: one.prompts._editor.folded.from_lines, 99),
}


@pytest.mark.parametrize("name", FOLLOWED)
@pytest.mark.parametrize("later", [False, True])
def test_a_setting_holds_from_the_start_and_when_it_is_changed(
    name: str, later: bool, tmp_path: Path
) -> None:
    values, read, expected = FOLLOWED[name]
    window = FakeWindow(states.opened()[0])
    window.feature.drafts.folder = tmp_path / "drafts"
    settings, file = Settings.model_validate(values), tmp_path / "settings.toml"
    before = Settings(drafts=False)
    assert read(window.feature) != expected
    if later:
        window.feature.settings.start(before, file)
        assert read(window.feature) != expected
        window.feature.settings.followed.follow(settings, file)
    else:
        window.feature.settings.start(settings, file)
    assert read(window.feature) == expected
