"""Quirks: named, only for the agents that need them, and only as long as they do."""

from pathlib import Path

import pytest

from acp_tui.config import known_agents
from acp_tui.config.known_agents import Quirk, Remedy, quirks_of
from acp_tui.config.layers import load_settings
from acp_tui.config.toml_files import ConfigError


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
    monkeypatch.setattr(known_agents, "QUIRKS", (mended,))
    assert bool(quirks_of("agent", version)) is helped


def test_a_person_names_quirks_of_more_agents_in_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        '[quirks.tea]\nagent = "tea-agent"\nuntil = "2"\n'
        'remedy = "missing-file-is-empty"\nwhy = "It spills."\n'
    )
    own = [one.quirk() for one in load_settings(file).quirks.values()]
    assert own == [Quirk("tea-agent", "2", Remedy.MISSING_FILE_IS_EMPTY, "It spills.")]
    assert quirks_of("tea-agent", "1.9", own) == tuple(own)
    assert quirks_of("tea-agent", "2.1", own) == ()
    file.write_text('[quirks.tea]\nagent = "tea-agent"\nremedy = "milk"\nwhy = ""\n')
    with pytest.raises(ConfigError, match=r"quirks\.tea\.remedy: must be 'missing-file-is-empty'"):
        load_settings(file)
