"""Objects from outside: what their classes say of them."""

import pickle
from copy import deepcopy
from typing import Annotated, Any, Literal

import pytest
from pydantic_core import ValidationError

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.setup import Implementation
from acp_tui.structs import Struct, Where, field


class Pet(Struct):
    name: Annotated[str, Where(pattern="^[A-Z]")]
    kind: Literal["cat", "dog"] | None = None
    toys: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


class Owner(Struct):
    pet: Pet
    weights: dict[str, float | bool | str]

    def _validated(self, _: object) -> None:
        if len(self.weights) > 2:
            raise ValueError("too many weights")


def test_values_are_checked_and_defaults_are_filled_in() -> None:
    owner = Owner.model_validate({"pet": {"name": "Ann"}, "weights": {"a": 1.5, "b": "?"}})
    assert owner == Owner(pet=Pet(name="Ann"), weights={"a": 1.5, "b": "?"})
    assert owner.pet.model_fields_set == {"name"}
    assert (owner.pet.kind, owner.pet.toys, owner.pet.notes) == (None, [], {})
    assert owner.pet.toys is not Pet(name="Ann").toys


def test_a_field_that_is_declared_anew_has_no_default_of_before() -> None:
    class Working(Pet):
        kind: Literal["dog"]

    with pytest.raises(ValidationError):
        Working.model_validate({"name": "Ann"})
    assert Working(name="Ann", kind="dog").toys == []


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"pet": {"name": "ann"}, "weights": {}}, ("pet", "name")),
        ({"pet": {"name": "Ann", "kind": "fox"}, "weights": {}}, ("pet", "kind")),
        ({"pet": {"name": "Ann", "age": 3}, "weights": {}}, ("pet", "age")),
        ({"pet": {"name": "Ann"}}, ("weights",)),
        ({"pet": {"name": "Ann"}, "weights": {"a": 1, "b": 2, "c": 3}}, ()),
    ],
)
def test_what_the_class_does_not_say_is_wrong_and_has_a_place(
    wrong: dict[str, Any], where: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationError) as caught:
        Owner.model_validate(wrong)
    assert caught.value.errors()[0]["loc"] == where


def test_a_copy_has_the_new_values_and_leaves_the_old_ones() -> None:
    old = Implementation.model_validate({"name": "a", "vendor": "x"})
    new = old.model_copy(update={"version": "2"})
    assert (old.version, new.version) == ("", "2")
    assert (old.model_fields_set, new.model_fields_set) == (
        {"name", "vendor"},
        {"name", "vendor", "version"},
    )
    assert new.wire() == {"name": "a", "version": "2", "vendor": "x"}


def test_equal_values_make_equal_objects_and_unknown_fields_count() -> None:
    plain, extended = TextContent(text="a"), TextContent(text="a", vendor=1)  # type: ignore[call-arg]
    assert plain == TextContent(text="a")
    assert hash(plain) == hash(TextContent(text="a"))
    assert plain != extended
    assert plain != Implementation(name="a")
    assert plain != "a"


def test_objects_survive_pickling_and_copying_whole() -> None:
    object_ = TextContent.model_validate({"type": "text", "text": "a", "vendor": 1})
    for again in (pickle.loads(pickle.dumps(object_)), deepcopy(object_)):
        assert again == object_
        assert again.wire() == {"type": "text", "text": "a", "vendor": 1}


def test_an_object_shows_what_it_holds() -> None:
    assert repr(Pet(name="Ann", toys=["ball"])) == (
        "Pet(name='Ann', kind=None, toys=['ball'], notes={})"
    )
    assert "vendor=1" in repr(TextContent.model_validate({"text": "a", "vendor": 1}))
