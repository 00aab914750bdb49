"""Quirks: named, only for the agents that need them, and only as long as they do."""

import pytest

from acp_tui.config import quirks
from acp_tui.config.quirks import Quirk, Remedy, quirks_of


def test_gemini_is_told_that_a_missing_file_is_empty() -> None:
    assert [quirk.remedy for quirk in quirks_of("gemini-cli", "0.61.0")] == [
        Remedy.MISSING_FILE_IS_EMPTY
    ]


def test_other_agents_are_treated_by_the_protocol() -> None:
    assert quirks_of("gemini", "0.61.0") == ()


@pytest.mark.parametrize(
    ("version", "helped"), [("1.9.9", True), ("1.10", True), ("1.10.1", False), ("nightly", True)]
)
def test_a_quirk_ends_with_the_version_that_mended_it(
    monkeypatch: pytest.MonkeyPatch, version: str, helped: bool
) -> None:
    mended = Quirk("agent", "1.10", Remedy.MISSING_FILE_IS_EMPTY, "It can't.")
    monkeypatch.setattr(quirks, "QUIRKS", (mended,))
    assert bool(quirks_of("agent", version)) is helped
