"""Fields with patch semantics: a missing field leaves, null clears, a value replaces."""

from typing import Annotated, Any, TypeVar

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T")


class _LeftOnError:
    """A bad value counts as not given (`x-deserialize-default-on-error` of a patch): it clears nothing."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(handler(source), default=None, on_error="omit")


Patched = Annotated[T | None, _LeftOnError()]
"""A field of a patch; whether it was given is in `model_fields_set`."""
