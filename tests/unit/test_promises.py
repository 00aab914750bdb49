"""The documents name tests that are there, and settings that can be had."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from acp_tui.config.settings import load_settings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["guarantees.md", "security.md"])
def test_the_tests_that_hold_a_promise_exist(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    named = set(re.findall(r"`(?:tests/)?([\w/]+(?:\.py|/))`", text)) - {"hosting.py", "tests/"}
    assert len(named) >= 8
    assert [one for one in named if not (ROOT / "tests" / one).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "docs/settings.md", "docs/permissions.md"])
def test_the_settings_that_are_shown_can_be_used_as_they_stand(name: str, tmp_path: Path) -> None:
    text = (ROOT / name).read_text("utf-8")
    indented = "\n".join(line for line in text.split("\n") if line.startswith("    "))
    for number, shown in enumerate(re.findall(r"```toml\n(.*?)```", text, re.DOTALL) or [indented]):
        assert "=" in shown
        path = tmp_path / f"{number}.toml"
        path.write_text(dedent(shown), "utf-8")
        load_settings(path)
