"""Places as people write them."""

import pytest

from acp_tui.debug.filters.language import FilterError
from acp_tui.ui.inspector.positions import position_of
from tests.unit.ui.inspector.scene import talk


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("", None),
        ("#1", 1),
        ("#12", 12),
        ("#13", 13),
        ("#14", 15),
        ("0%", 0),
        ("50 %", 10),
        ("100%", 20),
        ("0", 0),
        ("0.06", 5),
        ("1.5s", 11),
        ("0m7", 20),
        ("0:01.5", 11),
    ],
)
def test_a_place(text: str, index: int | None) -> None:
    assert position_of(text, talk().records) == index


@pytest.mark.parametrize("text", ["x", "#", "12x", "1:2:3"])
def test_what_is_no_place_says_what_is(text: str) -> None:
    with pytest.raises(FilterError, match=r"#12"):
        position_of(text, talk().records)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#900", "there is no frame #900: 1 to 19"),
        ("#0", "there is no frame #0: 1 to 19"),
        ("1m30", "it is shorter: it ends at 6.7s"),
    ],
)
def test_what_is_not_there_is_said(text: str, words: str) -> None:
    with pytest.raises(FilterError) as raised:
        position_of(text, talk().records)
    assert raised.value.message == words


def test_in_nothing_is_no_place() -> None:
    assert position_of("5", []) is None
