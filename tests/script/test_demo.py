"""The README's cast, and its picture, show what the program does, and what its script expects holds."""

from pathlib import Path

import pytest

from tests.script.animated import draw
from tests.script.casts import Cast
from tests.script.demo import CAST, PICTURE, make, scenes


@pytest.mark.slow  # at the pace of a person
def test_the_cast_of_the_readme_is_what_its_script_shows(tmp_path: Path) -> None:
    """If it isn't: `python -m tests.script.demo`, and look at it before it is committed."""
    made = make(tmp_path / "demo.cast")
    assert made.returncode == 0, made.stdout + made.stderr
    new, shown = (Cast(path.read_text("utf-8")) for path in (tmp_path / "demo.cast", CAST))
    assert new.labels == shown.labels
    assert list(scenes(new)) == list(scenes(shown))


def test_the_picture_of_the_readme_is_that_cast() -> None:
    assert PICTURE.read_text("utf-8") == draw(Cast(CAST.read_text("utf-8")))
