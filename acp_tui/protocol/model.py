"""The base of all ACP types, and the schema's leniency rules.

The official schema marks which bad values a receiver salvages: `x-deserialize-default-on-error`
takes the default instead, `x-deserialize-skip-invalid-items` drops the bad items of an array.
Both are done by pydantic's core, so they cost nothing on good messages.
"""

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


@dataclass(frozen=True)
class DefaultOnError:
    """A bad value turns into the default (`x-deserialize-default-on-error`)."""

    default: Any = None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(
            handler(source), default=self.default, on_error="default"
        )


@dataclass(frozen=True)
class _OmitOnError:
    """A bad item is left out of its list (`x-deserialize-skip-invalid-items`)."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(handler(source), on_error="omit")


Salvaged = Annotated[T | None, DefaultOnError()]
Items = list[Annotated[T, _OmitOnError()]]


class Model(BaseModel):
    """An ACP object: camelCase on the wire, unknown fields kept."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True
    )

    meta: Salvaged[dict[str, Any]] = Field(default=None, alias="_meta")

    def wire(self) -> dict[str, Any]:
        """The object as it goes on the wire: fields that were not given are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
