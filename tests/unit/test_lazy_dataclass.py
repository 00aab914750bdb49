"""Dataclasses that are compiled late."""

import pickle
from dataclasses import FrozenInstanceError, field, replace

import pytest

from acp_tui.lazy_dataclass import lazy_dataclass


@lazy_dataclass(frozen=True)
class Place:
    """Where something is."""

    name: str
    line: int | None = None


@lazy_dataclass(frozen=True)
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


@lazy_dataclass(slots=True)
class Trip:
    """Where somebody goes."""

    name: str
    places: list[str] = field(default_factory=list)
    day: int = 1

    @property
    def words(self) -> str:
        return f"{self.name}, day {self.day}"


def test_one_with_slots_holds_its_fields_and_nothing_else() -> None:
    trip, other = Trip("home"), Trip("home", day=2)
    assert (trip.places, trip.day, other.day) == ([], 1, 2)
    assert trip.places is not other.places
    assert trip == Trip("home", [])
    assert trip != other
    trip.day = 2
    assert trip == other
    assert trip.words == "home, day 2"
    assert replace(trip, name="away") == Trip("away", [], 2)
    assert pickle.loads(pickle.dumps(trip)) == trip
    with pytest.raises(AttributeError):
        trip.house = 3  # type: ignore[attr-defined]
