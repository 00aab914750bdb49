"""The base class of all ACP types, and the official schema's rules for bad values.

The schema marks where a receiver tolerates bad values: with `x-deserialize-default-on-error` the
default replaces the value, with `x-deserialize-skip-invalid-items` bad items of an array are
dropped. pydantic's core does both, so good messages cost nothing extra.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


class DefaultOnError:
    """Replaces a bad value by the default, or a factory's value (`x-deserialize-default-on-error`)."""

    def __init__(self, default: Any = None, factory: Callable[[], Any] | None = None) -> None:
        self._default = default
        self._factory = factory

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        if self._factory is not None:
            return core_schema.with_default_schema(
                schema, default_factory=self._factory, on_error="default"
            )
        return core_schema.with_default_schema(schema, default=self._default, on_error="default")


class _OmitOnError:
    """Drops a bad item from its list (`x-deserialize-skip-invalid-items`)."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(handler(source), on_error="omit")


class _EmptyOnError:
    """Reads a value that isn't an array as an empty one; a missing field is still an error."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        salvaged = core_schema.with_default_schema(handler(source), default=[], on_error="default")
        # Without this wrapper, pydantic would use the default for a missing field, too.
        return core_schema.lax_or_strict_schema(salvaged, salvaged)


Salvaged = Annotated[T | None, DefaultOnError()]
Items = list[Annotated[T, _OmitOnError()]]
Listed = Annotated[Items[T], _EmptyOnError()]


@cache
def camel_case(field: str) -> str:
    """Return a field's name on the wire, unless its class renames it."""
    if field == "meta":
        return "_meta"
    first, *words = field.split("_")
    return first + "".join(word.title() for word in words)


def config_with_names(**names: str) -> ConfigDict:
    """Return a model configuration that gives these fields other names on the wire."""
    return ConfigDict(alias_generator=lambda field: names.get(field) or camel_case(field))


class Model(BaseModel):
    """An ACP object: camelCase on the wire, immutable. Unknown fields are kept."""

    # Deferred: a session needs few of the 150 classes, and building them all takes longer than
    # starting up.
    model_config = ConfigDict(
        alias_generator=camel_case,
        defer_build=True,
        extra="allow",
        frozen=True,
        validate_by_name=True,
    )

    meta: Salvaged[dict[str, Any]] = None

    if not TYPE_CHECKING:  # pragma: no branch  # mypy would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Return the default of a field that pydantic left unset because its value was bad."""
            field = type(self).model_fields.get(name)
            return super().__getattr__(name) if field is None else field.default

    @classmethod
    def wire_name(cls, field: str) -> str:
        """Return a field's name on the wire."""
        alias = cls.model_config["alias_generator"]
        assert callable(alias)
        return alias(field)

    def wire(self) -> dict[str, Any]:
        """Return the object as it goes on the wire, without fields that are None.

        Values that aren't models are the same objects, not copies, however deeply nested.
        """
        values = {self.wire_name(name): _wired(value) for name, value in self.__dict__.items()}
        values |= self.model_extra or {}
        return {name: value for name, value in values.items() if value is not None}

    def slim(self) -> None:
        """Share equal parts with other objects, to save memory."""
        # Safe: a copy of the object gets a set and a dict of its own, and nothing else changes
        # them.
        self.__pydantic_fields_set__ = _shared_set(frozenset(self.model_fields_set))
        if self.__pydantic_extra__ == {}:
            self.__pydantic_extra__ = _NO_EXTRA


_NO_EXTRA: dict[str, Any] = {}


@lru_cache(1024)
def _shared_set(names: frozenset[str]) -> set[str]:
    """Return the same set for all objects with these fields."""
    return set(names)


def _wired(value: Any) -> Any:
    if isinstance(value, list):
        return [_wired_item(one) for one in value]
    if isinstance(value, dict):
        return {name: _wired_item(one) for name, one in value.items()}
    return _wired_item(value)


def _wired_item(value: Any) -> Any:
    return value.wire() if isinstance(value, Model) else value


def literal_values(model: type[Model], field: str) -> tuple[str, ...]:
    """Return the only values allowed for a field; () if any is."""
    hint = model.model_fields[field].annotation
    return get_args(hint) if get_origin(hint) is Literal else ()


class OpenDiscriminator:
    """Chooses a union's member by a literal field: the first member that has the value.

    One member may allow any text there: it is used for all other values, which pydantic's own
    discriminator would reject. Only the chosen member is built.
    """

    def __init__(self, field: str) -> None:
        self._field = field

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        members: Sequence[type[Model]] = get_args(source)
        field, name = self._field, members[0].wire_name(self._field)
        choices: dict[str, CoreSchema] = {}
        for member in members:
            validate = core_schema.no_info_plain_validator_function(member.model_validate)
            for value in literal_values(member, field) or (_OTHER,):
                choices.setdefault(value, validate)

        def choose(value: Any) -> str:
            chosen = value.get(name) if isinstance(value, dict) else getattr(value, field, None)
            return chosen if isinstance(chosen, str) and chosen in choices else _OTHER

        return core_schema.tagged_union_schema(choices, choose)


_OTHER = ""
"""The tag of the member for all other values."""

BY_TYPE = OpenDiscriminator("type")
"""Chooses a union's member by the object's `type`."""
