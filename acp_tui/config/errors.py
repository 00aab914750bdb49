"""A file of a person's that can't be used."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from acp_tui.config.named_files import read_file
from acp_tui.config.toml_lines import line_of
from acp_tui.pydantic_engine import ValidationError
from acp_tui.structs import Struct

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Checked = TypeVar("Checked", bound=Struct)
_WORDS = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "greater_than": "must be over {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "missing": "is missing",
    "model_type": "must be a table",
    "string_type": "must be a text",
    "too_short": "must not be empty",
    "value_error": "{error}",
}
"""What the core says, in our words."""


class ConfigError(Exception):
    """A file says something that can't be used; the message tells which file, where, and what."""


def exists(path: Path) -> bool:
    """Whether a file exists; in a folder that we can't enter, nothing belongs to the person."""
    try:
        return path.exists()
    except PermissionError:
        return False


def read_toml(path: Path, model: type[Checked]) -> Checked:
    """Read a TOML file as a model.

    Raises:
        ConfigError: the file can't be read, is no TOML, or has a wrong or unknown key.
    """
    import tomllib  # most starts read no file, and never need it

    text = ""
    try:
        text = read_file(path).decode()
        return model.model_validate(tomllib.loads(text))
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise ConfigError("\n".join(_told(path, text, model, fault) for fault in faults)) from error


def _told(path: Path, text: str, model: type[Struct], fault: "ErrorDetails") -> str:
    place, kind = fault["loc"], fault["type"]
    line = line_of(text, place)
    words = _WORDS.get(kind, fault["msg"]).format(**fault.get("ctx", {}))
    if kind == "extra_forbidden":
        words = f"there is no such key; there are: {', '.join(_keys(model, place[:-1]))}"
    where = f"{path}:{line}" if line else str(path)
    return f"{where}: {'.'.join(map(str, place))}: {words}"


def _keys(hint: Any, place: tuple[int | str, ...]) -> list[str]:
    """The keys that there are at this place."""
    for part in place:
        hint = get_args(hint)[1] if get_origin(hint) is dict else hint.__annotations__[part]
    return [key for key in hint.__annotations__ if not key.startswith("_")]
