"""Places as people write them."""

import pytest

from acp_tui.ui.inspector.positions import position_of
from acp_tui.wire.filters.language import FilterError
from tests.unit.ui.inspector.scene import talk


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("", None),
        ("#1", 1),
        ("#12", 12),
        ("#13", 13),
        ("#14", 15),
        ("#999", 20),
        ("0%", 0),
        ("50 %", 10),
        ("100%", 20),
        ("0", 0),
        ("0.06", 5),
        ("1.5s", 11),
        ("1m30", 20),
        ("0:01.5", 11),
    ],
)
def test_a_place(text: str, index: int | None) -> None:
    assert position_of(text, talk().records) == index


@pytest.mark.parametrize("text", ["x", "#", "12x", "1:2:3"])
def test_what_is_no_place_says_what_is(text: str) -> None:
    with pytest.raises(FilterError, match=r"#12"):
        position_of(text, talk().records)


def test_in_nothing_is_no_place() -> None:
    assert position_of("5", []) is None
