"""Dataclasses that are compiled late."""

import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, replace
from threading import Barrier
from typing import Any

import pytest

from acp_tui.lazy_dataclass import SEVERAL, lazy_dataclass


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


def test_objects_are_alike_before_and_after_it_is_compiled() -> None:
    @lazy_dataclass(frozen=True)
    class Walk:
        """One way."""

        name: str
        places: list[str] = field(default_factory=list)
        far: bool = field(default=False, kw_only=True)
        length: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.places))

    walks = [Walk("w", ["a", "b"], far=True) for _ in range(2 * SEVERAL)]
    assert {(one.name, one.far, one.length) for one in walks} == {("w", True, 2)}
    assert walks[0] == walks[-1]
    assert Walk("v").places is not Walk("v").places
    for one in walks:
        with pytest.raises(FrozenInstanceError):
            one.name = "x"  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            del one.name


@pytest.mark.parametrize(
    ("arguments", "values"),
    [((), {}), (("a", 1, 2), {}), (("a",), {"name": "b"}), (("a",), {"house": 1})],
)
def test_the_first_object_needs_its_arguments_like_any_other(
    arguments: tuple[object, ...], values: dict[str, object]
) -> None:
    @lazy_dataclass()
    class Spot:
        """Where something is."""

        name: str
        line: int = 0

    for _ in range(2):
        with pytest.raises(TypeError, match="argument"):
            Spot(*arguments, **values)  # type: ignore[arg-type]
    assert Spot("a") == Spot("a", 0)


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


@pytest.fixture
def hasty() -> Iterator[None]:
    """Let threads take turns after each few steps."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("how", [{"frozen": True}, {"slots": True}, {}])
def test_threads_that_make_the_first_objects_at_once_make_whole_ones(how: dict[str, bool]) -> None:
    def look(spot: Any) -> tuple[Any, ...]:
        return spot.name, spot.line, tuple(spot.places), repr(spot), spot == replace(spot)

    with ThreadPoolExecutor(8) as threads:
        for _ in range(60):

            @lazy_dataclass(**how)
            class Spot:
                """Where something is."""

                name: str
                line: int = 3
                places: list[str] = field(default_factory=list)

            wait = Barrier(8)

            def make(kind: Any = Spot, wait: Barrier = wait) -> list[tuple[Any, ...]]:
                wait.wait()
                return [look(kind("a")) for _ in range(SEVERAL)]

            found = {
                one for many in [threads.submit(make) for _ in range(8)] for one in many.result()
            }
            assert {(*one[:3], one[4]) for one in found} == {("a", 3, (), True)}
