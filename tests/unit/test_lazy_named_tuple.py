"""Named tuples that are compiled late."""

import pickle

import pytest

from acp_tui.lazy_named_tuple import SEVERAL, NamedTuple


class Place(NamedTuple):
    """Where something is."""

    name: str
    line: int | None = None

    @property
    def words(self) -> str:
        return f"{self.name}:{self.line}"


class Nowhere(NamedTuple):
    """No place at all."""


def test_it_is_a_named_tuple_from_its_first_object_on() -> None:
    place = Place("a", line=3)
    assert place == ("a", 3) == Place("a", 3)
    assert (place.name, place.line, place.words) == ("a", 3, "a:3")
    assert Place("a").line is None
    assert repr(place) == "Place(name='a', line=3)"
    assert place._asdict() == {"name": "a", "line": 3}
    name, line = place
    assert (name, line) == ("a", 3)
    match place:
        case Place(name="a", line=line):
            assert line == 3
        case _:
            pytest.fail("its fields are not matched")


class Many(NamedTuple):
    """One of which there are several."""

    name: str
    line: int = 1
    column: int = 2


def test_the_first_objects_and_those_that_are_compiled_are_alike() -> None:
    for _ in range(2 * SEVERAL):
        assert Many("a", column=3) == ("a", 1, 3)
        assert Many(name="a", line=4) == ("a", 4, 2)
        assert Many("a", 5, 6) == ("a", 5, 6)
        for wrong in ({"nam": "a"}, {"name": "a", "x": 1}):
            with pytest.raises(TypeError, match="unexpected keyword argument"):
                Many(**wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="multiple values for argument 'name'"):
            Many("a", name="b")  # type: ignore[misc]


def test_it_does_not_change_and_has_its_fields_only() -> None:
    place = Place("a")
    with pytest.raises(AttributeError):
        place.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        place.column = 3  # type: ignore[attr-defined]
    assert (place._replace(line=4), place) == (("a", 4), ("a", None))
    with pytest.raises(ValueError, match="column"):
        place._replace(column=3)  # type: ignore[call-arg]


def test_wrong_arguments_are_told_as_of_any_class() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
            Place()  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="takes 1 positional argument"):
            Nowhere("x")  # type: ignore[call-arg]
    assert Nowhere() == ()


def test_it_can_be_packed() -> None:
    again = pickle.loads(pickle.dumps(Place("a", 3)))
    assert (type(again), again) == (Place, Place("a", 3))
