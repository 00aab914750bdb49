"""The base of all ACP types, and the schema's leniency rules.

The official schema marks which bad values a receiver salvages: `x-deserialize-default-on-error`
takes the default instead, `x-deserialize-skip-invalid-items` drops the bad items of an array.
Both are done by pydantic's core, so they cost nothing on good messages.
"""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, TypeVar

from acp_tui.structs import Discriminator, Schema, Struct, with_default

T = TypeVar("T")


class DefaultOnError:
    """A bad value turns into the default (`x-deserialize-default-on-error`), or what a factory makes."""

    def __init__(self, default: Any = None, factory: Callable[[], Any] | None = None) -> None:
        self._default = default
        self._factory = factory

    def apply(self, schema: Schema) -> Schema:
        if self._factory is not None:
            return with_default(schema, default_factory=self._factory, on_error="default")
        return with_default(schema, default=self._default, on_error="default")


class _OmitOnError:
    """A bad item is left out of its list (`x-deserialize-skip-invalid-items`)."""

    def apply(self, schema: Schema) -> Schema:
        return with_default(schema, on_error="omit")


class _EmptyOnError:
    """What is no array counts as an empty one; a missing field is still an error."""

    def apply(self, schema: Schema) -> Schema:
        salvaged = with_default(schema, default=[], on_error="default")
        # Wrapped like this, the default is not taken for a missing field.
        return {"type": "lax-or-strict", "lax_schema": salvaged, "strict_schema": salvaged}


Salvaged = Annotated[T | None, DefaultOnError()]
Items = list[Annotated[T, _OmitOnError()]]
Listed = Annotated[Items[T], _EmptyOnError()]


class Model(Struct):
    """An ACP object: camelCase on the wire, unknown fields kept."""

    _extra = "allow"

    meta: Salvaged[dict[str, Any]] = None

    @classmethod
    def names_of(cls, field: str) -> list[str]:
        return [_wire_name(field)]

    def wire(self) -> dict[str, Any]:
        """Return the object as it goes on the wire, without fields that were not given.

        What has no type of ours is the same object here, however deep it is.
        """
        values = {self.names_of(name)[0]: _wired(value) for name, value in self.__dict__.items()}
        values |= self.__pydantic_extra__ or {}
        return {name: value for name, value in values.items() if value is not None}


@cache
def _wire_name(field: str) -> str:
    if field == "meta":
        return "_meta"
    first, *words = field.split("_")
    return first + "".join(word.title() for word in words)


def _wired(value: Any) -> Any:
    if isinstance(value, list):
        return [_wired_item(one) for one in value]
    if isinstance(value, dict):
        return {name: _wired_item(one) for name, one in value.items()}
    return _wired_item(value)


def _wired_item(value: Any) -> Any:
    return value.wire() if isinstance(value, Model) else value


BY_TYPE = Discriminator("type")
"""Chooses a union's member by the object's `type`."""
