"""What can come next in a filter."""

from acp_tui.debug.filters.completion import complete_filter
from tests.unit.debug.scenes import Wire


def offered(text: str) -> list[str]:
    return [one.text for one in complete_filter(text, len(text), Wire().prompted().log())]


def test_directions_are_offered() -> None:
    assert offered("dir:") == ["in", "out", "local"]
    assert offered("dir:lo") == ["local"]


def test_nothing_is_offered_for_a_field_that_there_is_not() -> None:
    assert offered("colour:") == []


def test_nothing_is_offered_for_text_that_can_be_anything() -> None:
    assert offered("text:h") == []
