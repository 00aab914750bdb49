"""Regular expressions whose time grows with the text alone, whatever they are: those of Rust, which
pydantic's core has. They can't look around or refer back.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.pydantic_engine import SchemaError, SchemaValidator

if TYPE_CHECKING:
    from pydantic_core.core_schema import StringSchema

_CARET = re.compile(r"\n    ( *)\^")


class PatternError(Exception):
    """A text is no regular expression; `at` is where in it, as far as that is known."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Compile a pattern to a function that looks for it anywhere in a text. Raises PatternError."""
    try:
        schema: StringSchema = {"type": "str", "pattern": pattern, "regex_engine": "rust-regex"}
        matches = SchemaValidator(schema).isinstance_python
    except SchemaError as error:
        told = str(error)
        caret = _CARET.search(told)
        why = told.splitlines()[-1].strip().removeprefix("SchemaError: ").removeprefix("error: ")
        raise PatternError(why, len(caret[1]) if caret is not None else 0) from None
    # Lone surrogates are no text to Rust.
    return lambda text: matches(
        text if text.isascii() else text.encode("utf-8", "replace").decode()
    )
