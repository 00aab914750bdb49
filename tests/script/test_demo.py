"""The README's moving picture shows what the program does."""

from pathlib import Path

import pytest

from tests.script.animated import draw
from tests.script.casts import Cast
from tests.script.demo import CAST, PICTURE, STILLS, make


@pytest.mark.slow  # at the pace of a person
def test_the_cast_of_the_readme_shows_what_the_program_does(tmp_path: Path) -> None:
    """If a scene can't be played: `python -m tests.script.demo`, and look at the picture."""
    stills = make(tmp_path / "demo.cast")
    new, shown = (Cast(path.read_text("utf-8")) for path in (tmp_path / "demo.cast", CAST))
    assert new.labels == shown.labels
    assert any("asks for permission" in screen for screen in shown.screens())
    assert {path.stem for path in STILLS.iterdir()} == set(stills)


def test_the_picture_of_the_readme_is_that_cast() -> None:
    assert PICTURE.read_text("utf-8") == draw(Cast(CAST.read_text("utf-8")))
