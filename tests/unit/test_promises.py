"""The documents name tests that are there, and settings that can be had."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from acp_tui.config.layers import load_settings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["security.md"])
def test_the_tests_that_hold_a_promise_exist(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    named = set(re.findall(r"`(?:tests/)?([\w/]+(?:\.py|/))`", text)) - {"hosting.py", "tests/"}
    assert len(named) >= 8
    assert [one for one in named if not (ROOT / "tests" / one).exists()] == []


def test_the_modules_that_the_map_names_exist() -> None:
    """A row may name a folder once, and the modules in it by their own names."""
    code = ROOT / "acp_tui"
    for row in (ROOT / "docs" / "architecture.md").read_text("utf-8").splitlines():
        found = re.findall(r"`([\w./-]+)`", row) if row.startswith("| ") else []
        named = [one for one in found if "/" in one or one.endswith(".py")]
        near = [code / one if one.endswith("/") else (code / one).parent for one in named]
        missing = [
            one for one in named if not any((at / one).exists() for at in (ROOT, code, *near))
        ]
        assert missing == [], row


@pytest.mark.parametrize("name", ["docs/guide.md", "docs/settings.md", "docs/permissions.md"])
def test_the_settings_that_are_shown_can_be_used_as_they_stand(name: str, tmp_path: Path) -> None:
    text, _, _ = (ROOT / name).read_text("utf-8").partition("\n## Themes\n")
    indented = "\n".join(line for line in text.split("\n") if line.startswith("    "))
    for number, shown in enumerate(re.findall(r"```toml\n(.*?)```", text, re.DOTALL) or [indented]):
        assert "=" in shown
        path = tmp_path / f"{number}.toml"
        path.write_text(dedent(shown), "utf-8")
        load_settings(path)
