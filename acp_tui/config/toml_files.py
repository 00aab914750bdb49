"""Reads TOML files as models, with errors that name the file, the position and what to change."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from acp_tui.config.private_files import read_file

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_TABLE = re.compile(r"\s*(\[\[?)([^\]]+)\]")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*""")
_KEY = re.compile(r"""((?:\s*(?:"[^"]*"|'[^']*'|[\w-]+)\s*\.?)+)=""")
_WORDS = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "greater_than": "must be over {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than_equal": "must be at most {le:g}",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "missing": "is missing",
    "model_type": "must be a table",
    "string_pattern_mismatch": "must be a color: #RRGGBB, or one of the terminal's, such as ansi_red",
    "string_type": "must be a string",
    "too_short": "must not be empty",
    "value_error": "{error}",
}
"""Our messages for pydantic's errors."""


class ConfigError(Exception):
    """A file is invalid; the message names the file, the position and the reason."""


class ConfigModel(BaseModel):
    """A table of a TOML file. An unknown key is an error, as it is probably a typo."""

    # Deferred, as building a model takes time, and most starts read few of these tables.
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)


Checked = TypeVar("Checked", bound=ConfigModel)


def read_toml(path: Path, model: type[Checked]) -> Checked:
    """Read a TOML file as a model.

    Raises:
        ConfigError: the file can't be read, isn't TOML, or has a wrong or unknown key.
    """
    try:
        data = read_file(path)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    return parse_toml(data, path, model)


def parse_toml(data: bytes, path: Path, model: type[Checked]) -> Checked:
    """Parse the content of a TOML file as a model.

    Raises:
        ConfigError: it isn't TOML, or has a wrong or unknown key.
    """
    import tomllib  # most starts read no file

    text = ""
    try:
        text = data.decode()
        return model.model_validate(tomllib.loads(text))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: not valid TOML: too deep") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(_describe_syntax_error(path, text, str(error))) from error
    except ValidationError as error:
        faults = []
        for place, words in faults_of(error, model):
            line, column = place_of_setting(text, place)
            where = f"{path}:{line}:{column}" if line else str(path)
            faults.append(f"{where}: {'.'.join(map(str, place))}: {words}")
        raise ConfigError("\n".join(faults)) from error


def file_exists(path: Path) -> bool:
    """Return whether a file exists; False in a folder that may not be entered, as the user has no
    file there.
    """
    try:
        return path.exists()
    except PermissionError:
        return False


def faults_of(
    error: ValidationError, model: type[ConfigModel]
) -> list[tuple[tuple[int | str, ...], str]]:
    """Return the path of keys to each fault, and our message for it."""
    return [
        (fault["loc"], _describe_fault(model, fault)) for fault in error.errors(include_url=False)
    ]


def _describe_fault(model: type[ConfigModel], fault: "ErrorDetails") -> str:
    place, kind = fault["loc"], fault["type"]
    if kind != "extra_forbidden":
        # pydantic's own message may have braces, which format() would interpret
        ours = _WORDS.get(kind)
        return fault["msg"] if ours is None else ours.format(**fault.get("ctx", {}))
    from difflib import get_close_matches

    keys = _keys_at(model, place[:-1])
    near = get_close_matches(str(place[-1]), keys, 3, 0.5)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return f"there is no such key; {meant}there are: {', '.join(keys)}"


def _keys_at(hint: Any, place: tuple[int | str, ...]) -> list[str]:
    """Return the valid keys at a path."""
    for part in place:
        hint = get_args(hint)[1] if get_origin(hint) is dict else hint.model_fields[part].annotation
    return list(hint.model_fields)


def _describe_syntax_error(path: Path, text: str, words: str) -> str:
    """Format a syntax error like other faults, beginning with its position."""
    match = re.fullmatch(
        r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", words, re.DOTALL
    )
    if match is None:
        return f"{path}: not valid TOML: {words}"
    line = int(match[2] or text.count("\n") + 1)
    column = int(match[3] or len(text) - text.rfind("\n"))
    return f"{path}:{line}:{column}: not valid TOML: {match[1]}"


def line_of_setting(text: str, place: Sequence[str | int]) -> int:
    """Return the line of the value at this path, or of the innermost table around it; 0 if there is
    none.
    """
    return place_of_setting(text, place)[0]


def place_of_setting(text: str, place: Sequence[str | int]) -> tuple[int, int]:
    """Return the line and column of the value at this path, or of the innermost table around it;
    zeros if there is none.
    """
    table: tuple[str | int, ...] = ()
    counts = Counter[tuple[str | int, ...]]()
    deepest, found = 0, (0, 0)
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _split_keys(header[2])
            heres = [table]
            if header[1] == "[[":
                table = (*table, counts[table])
                counts[heres[0]] += 1
                heres.append(table)
        elif key := _KEY.match(line):
            heres = [(*table, *_split_keys(key[1]))]
        else:
            continue
        for here in heres:
            known = here[: len(place)]  # an inner table's header also starts the outer table
            if len(known) > deepest and known == tuple(place[: len(known)]):
                deepest, found = len(known), (number, len(line) - len(line.lstrip()) + 1)
    return found


def _split_keys(dotted: str) -> tuple[str | int, ...]:
    return tuple("".join(parts) for parts in _PART.findall(dotted))
