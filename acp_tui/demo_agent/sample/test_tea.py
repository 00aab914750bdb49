"""What the tea timer should do."""

from tea import brew_time


def test_green_tea_is_quick() -> None:
    assert brew_time("green") == "green tea: 2 minutes"


def test_black_tea_takes_longer() -> None:
    assert brew_time("black") == "black tea: 4 minutes"


def test_an_unknown_tea_gets_a_sensible_time() -> None:
    assert brew_time("moonflower") == "moonflower tea: 3 minutes"
