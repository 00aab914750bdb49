"""A file of a person's that can't be used."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic_core import ValidationError

from acp_tui.config.reading import read_named
from acp_tui.structs import Struct

Checked = TypeVar("Checked", bound=Struct)


class ConfigError(Exception):
    """A file says something that can't be used; the message tells which file, where, and what."""


def exists(path: Path) -> bool:
    """Whether there is such a file; in a folder that we can't enter none of it is the person's."""
    try:
        return path.exists()
    except PermissionError:
        return False


def read_toml(path: Path, model: type[Checked]) -> Checked:
    """Read a TOML file as a model.

    Raises:
        ConfigError: the file can't be read, is no TOML, or has a wrong or unknown key.
    """
    try:
        return model.model_validate(tomllib.loads(read_named(path).decode()))
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except ValidationError as error:
        raise ConfigError("\n".join(f"{path}: {fault}" for fault in _faults(error))) from error


def _faults(error: ValidationError) -> list[str]:
    return [
        f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {fault['msg']}"
        for fault in error.errors(include_url=False)
    ]
