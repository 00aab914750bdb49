"""Frozen objects that are compiled late."""

from dataclasses import FrozenInstanceError

import pytest

from acp_tui.lazy_dataclass import lazy_dataclass


@lazy_dataclass
class Place:
    """Where something is."""

    name: str
    line: int | None = None


@lazy_dataclass
class Nowhere:
    """No place at all."""


def test_it_is_a_frozen_dataclass_from_its_first_object_on() -> None:
    place = Place("a", line=3)
    assert place == Place("a", 3)
    assert place != Place("a")
    assert {place: 1}[Place("a", 3)] == 1
    assert repr(place) == "Place(name='a', line=3)"
    with pytest.raises(FrozenInstanceError):
        place.line = 4  # type: ignore[misc]
    match place:
        case Place(name, line):
            assert (name, line) == ("a", 3)


def test_wrong_arguments_are_told_as_of_any_class() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="takes 1 positional argument"):
            Nowhere("x")  # type: ignore[call-arg]
    assert Nowhere() == Nowhere()
