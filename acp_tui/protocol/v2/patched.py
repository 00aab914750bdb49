"""Fields with patch semantics: a missing field leaves, null clears, a value replaces."""

from typing import Annotated, TypeVar

from acp_tui.structs import Schema, with_default

T = TypeVar("T")


class _LeftOnError:
    """A bad value counts as not given (`x-deserialize-default-on-error` of a patch): it clears nothing."""

    def apply(self, schema: Schema) -> Schema:
        return with_default(schema, default=None, on_error="omit")


Patched = Annotated[T | None, _LeftOnError()]
"""A field of a patch; whether it was given is in `model_fields_set`."""
