"""The base of all ACP types, and the schema's leniency rules.

The official schema marks which bad values a receiver salvages: `x-deserialize-default-on-error`
takes the default instead, `x-deserialize-skip-invalid-items` drops the bad items of an array.
Both are done by pydantic's core, so they cost nothing on good messages.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, GetCoreSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


@dataclass(frozen=True)
class DefaultOnError:
    """A bad value turns into the default (`x-deserialize-default-on-error`), or what a factory makes."""

    default: Any = None
    factory: Callable[[], Any] | None = None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        if self.factory is not None:
            return core_schema.with_default_schema(
                schema, default_factory=self.factory, on_error="default"
            )
        return core_schema.with_default_schema(schema, default=self.default, on_error="default")


@dataclass(frozen=True)
class _OmitOnError:
    """A bad item is left out of its list (`x-deserialize-skip-invalid-items`)."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(handler(source), on_error="omit")


@dataclass(frozen=True)
class _EmptyOnError:
    """What is no array counts as an empty one; a missing field is still an error."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        salvaged = core_schema.with_default_schema(handler(source), default=[], on_error="default")
        # Inside a chain the default is not taken for a missing field.
        return core_schema.chain_schema([salvaged, core_schema.any_schema()])


Salvaged = Annotated[T | None, DefaultOnError()]
Items = list[Annotated[T, _OmitOnError()]]
Listed = Annotated[Items[T], _EmptyOnError()]


class Model(BaseModel):
    """An ACP object: camelCase on the wire, unknown fields kept.

    Validators are built when a model is first used, as start-up needs few of them.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="allow",
        frozen=True,
        defer_build=True,
    )

    meta: Salvaged[dict[str, Any]] = Field(default=None, alias="_meta")

    def wire(self) -> dict[str, Any]:
        """The object as it goes on the wire: fields that were not given are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def by_type(*known: str) -> Discriminator:
    """Choose a union's member by the object's `type`: one of these, else "unknown"."""

    def tag(value: Any) -> str:
        kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
        return kind if kind in known else "unknown"

    return Discriminator(tag)
