"""The documents name tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["guarantees.md", "security.md"])
def test_the_tests_that_hold_a_promise_exist(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    named = set(re.findall(r"`(?:tests/)?([\w/]+(?:\.py|/))`", text)) - {"hosting.py", "tests/"}
    assert len(named) >= 8
    assert [one for one in named if not (ROOT / "tests" / one).exists()] == []
