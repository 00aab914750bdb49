"""Loads settings in layers: the user's file, a trusted project's, environment variables,
`--setting`.
"""

import os
import stat
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from acp_tui.config.paths import trust_file
from acp_tui.config.private_files import read_file
from acp_tui.config.settings import MARK, PROJECT_FILE, REMOVED, Settings
from acp_tui.config.settings_table import (
    PREFIX,
    Setting,
    all_settings,
    nest_in_tables,
    settings_by_name,
)
from acp_tui.config.toml_files import (
    ConfigError,
    faults_of,
    file_exists,
    parse_toml,
    place_of_setting,
    read_toml,
)
from acp_tui.config.trust import TrustStore

LARGEST = 1 << 16
"""Largest project settings file, in bytes: an agent could write one that fills the memory."""
OPTION_VALUES: dict[str, str] = {}
"""The values of `--setting NAME=VALUE` of the command line by name; they override all other layers."""


def load_settings(path: Path) -> Settings:
    """Load the settings file, if it exists, and apply those of a trusted project, of variables and
    of `--setting`.

    Raises:
        ConfigError: one of these is invalid.
    """
    settings = read_toml(path, Settings) if file_exists(path) else _default_settings()
    has_variables = any(one.startswith(PREFIX) and one != MARK for one in os.environ)
    if not OPTION_VALUES and not has_variables and not file_exists(PROJECT_FILE):
        return settings  # most starts end here, without building the table of settings
    found = _trusted_project(PROJECT_FILE)
    if found is not None:
        theirs = found.settings()
        for one in settings_by_name().values():
            if one.is_in(theirs):
                settings = _with_value(settings, one.keys, one.of(theirs))
    for values in (_values_of_variables(os.environ), _values_of_options()):
        for name, (value, _) in values.items():
            settings = _with_value(settings, settings_by_name()[name].keys, value)
    return settings


def _with_value(settings: Any, keys: tuple[str, ...], value: Any) -> Any:
    """Return a copy of the settings with one value replaced, as models are frozen."""
    first, *rest = keys
    new = _with_value(getattr(settings, first), tuple(rest), value) if rest else value
    return settings.model_copy(update={first: new})


@cache
def _default_settings() -> Settings:
    """Return the default settings without validating them: building the schema would slow down a
    start.
    """
    return Settings.model_construct()


class SettingValue(NamedTuple):
    """A setting's value, the layer it comes from (such as `default` or `user`), and its place in a
    file, or "".
    """

    setting: Setting
    value: Any
    origin: str
    place: str


class Project(NamedTuple):
    """A project's settings file; its values apply only if the user trusts this content."""

    path: Path
    data: bytes
    is_trusted: bool

    def settings(self) -> Settings:
        """Parse the settings. Raises ConfigError, also for a setting that projects can't set."""
        settings = parse_toml(self.data, self.path, Settings)
        text = self.data.decode()
        wrong: dict[str, None] = {}
        for one in all_settings():
            if not one.in_projects and _is_in(one, settings):
                keys = one.keys
                if "NAME" in keys:  # report the first table: a project can't set any of them
                    keys = (keys[0], *list(getattr(settings, keys[0]))[:1])
                place = _place_of_key(self.path, text, keys)
                wrong[f"{place}: {'.'.join(keys)}: a project can't set this"] = None
        if wrong:
            raise ConfigError("\n".join(wrong))
        return settings

    def trust(self) -> None:
        """Remember that the user trusts this content. Raises OSError."""
        TrustStore(trust_file()).trust(self.data, self.path)


def project_of(path: Path) -> Project | None:
    """Read a project's settings file; return None if it doesn't exist.

    Raises:
        ConfigError: the file can't be read, is too large, or isn't a regular file.
    """
    try:
        path = path.absolute()
        data = _read_plain(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        data = None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    if data is None:
        raise ConfigError(f"{path}: not read: only a file of at most {LARGEST} bytes is")
    return Project(path, data, TrustStore(trust_file()).trusts(data, path))


def _read_plain(path: Path) -> bytes | None:
    """Read a regular file of at most LARGEST bytes; return None for any other.

    An agent may have put it there. So it is checked when it is open and can't be swapped anymore,
    and opened without blocking: a FIFO without a writer would block forever.
    """
    how = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, how, 0), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        data = file.read(LARGEST + 1)
    return data if len(data) <= LARGEST else None


def setting_values(path: Path, environ: Mapping[str, str]) -> list[SettingValue]:
    """Return every setting's value and the layer it comes from. Raises ConfigError."""
    settings = read_toml(path, Settings) if file_exists(path) else Settings()
    text = read_file(path).decode() if file_exists(path) else ""
    found = {}
    for one in all_settings():
        if "NAME" in one.keys:
            continue
        is_here = _is_in(one, settings)
        value = one.of(settings)
        place = _place_of_key(path, text, one.keys) if is_here else ""
        found[one.name] = SettingValue(one, value, "user" if is_here else "default", place)
    trusted = _trusted_project(PROJECT_FILE)
    if trusted is not None:
        theirs, text = trusted.settings(), trusted.data.decode()
        for name, one in settings_by_name().items():
            if one.is_in(theirs):
                place = _place_of_key(trusted.path, text, one.keys)
                found[name] = SettingValue(one, one.of(theirs), "project", place)
    for origin, values in (
        ("environment", _values_of_variables(environ)),
        ("option", _values_of_options()),
    ):
        for name, (value, where) in values.items():
            found[name] = SettingValue(settings_by_name()[name], value, origin, where)
    return list(found.values())


def unused_project() -> list[str]:
    """Return why the project's settings aren't used; nothing if they are, or don't exist."""
    try:
        found = project_of(PROJECT_FILE)
    except ConfigError as error:
        return [str(error)]
    if found is None or found.is_trusted:
        return []
    return [f"{found.path}: not used, as you don't trust it: acp-tui config trust"]


def unused_prompt(path: Path) -> list[str]:
    """Report that a project's system prompt isn't used, because the user doesn't trust the project;
    else return nothing.
    """
    try:
        found = project_of(path)
        unused = found is not None and not found.is_trusted and found.settings().system_prompt
    except ConfigError:
        return []  # `acp-tui config` reports what is wrong
    if not unused:
        return []
    return [f"{path}: its system prompt is not used, as you don't trust it: acp-tui config trust"]


def unused_lines(path: Path) -> list[str]:
    """Return a message for each line that sets a removed setting. Raises ConfigError if the file is
    invalid.
    """
    if not file_exists(path):
        return []
    read_toml(path, Settings)
    text = read_file(path).decode()
    places = {key: place_of_setting(text, (key,)) for key in REMOVED}
    return [
        f"{path}:{line}:{column}: {key}: not used, as there is no such setting anymore"
        for key, (line, column) in places.items()
        if line
    ]


def parse_setting_text(name: str, text: str, where: str) -> Any:
    """Parse a setting's value from text. Raises ConfigError, which names its source `where`."""
    one = settings_by_name().get(name)
    if one is None:
        from difflib import get_close_matches

        near = get_close_matches(name, settings_by_name(), 3, 0.5)
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ConfigError(f"{where}: there is no setting {name!r} that it could set{meant}")
    try:
        return one.of(Settings.model_validate(nest_in_tables(one.keys, _parse_text(one, text))))
    except ValidationError as error:
        problems = "; ".join(words for _, words in faults_of(error, Settings))
        raise ConfigError(f"{where}: {name}: {problems}") from None


def _trusted_project(path: Path) -> Project | None:
    try:
        found = project_of(path)
    except ConfigError:
        return None  # an invalid file can't be trusted; `acp-tui config` reports what is wrong
    return found if found is not None and found.is_trusted else None


def _values_of_variables(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    return {
        name: (parse_setting_text(name, environ[one.variable], one.variable), one.variable)
        for name, one in settings_by_name().items()
        if environ.get(one.variable)
    }


def _values_of_options() -> dict[str, tuple[Any, str]]:
    return {
        name: (parse_setting_text(name, text, f"--setting {name}"), f"--setting {name}")
        for name, text in OPTION_VALUES.items()
    }


def _parse_text(one: Setting, text: str) -> Any:
    """Parse a text as a TOML value; strings need no quotes."""
    if one.kind == "text" or "\n" in text:
        return text
    try:
        return tomllib.loads(f"it = {text}")["it"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _is_in(one: Setting, settings: Settings) -> bool:
    if "NAME" in one.keys:
        return one.keys[0] in settings.model_fields_set
    return one.is_in(settings)


def _place_of_key(path: Path, text: str, keys: tuple[str, ...]) -> str:
    line, column = place_of_setting(text, keys)
    return f"{path}:{line}:{column}"
