"""Where the value of a setting comes from: the person's file, a trusted project, variables, `--setting`."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from acp_tui.config.paths import trust_file
from acp_tui.config.private_files import read_file
from acp_tui.config.settings import GIVEN, REMOVED, Settings
from acp_tui.config.settings_table import Setting, all_settings, nest, settings_by_name
from acp_tui.config.toml_files import (
    ConfigError,
    exists,
    faults_of,
    parse_toml,
    place_of,
    read_toml,
)
from acp_tui.config.trust import TrustStore

LARGEST = 1 << 16
"""The largest file of a project in bytes."""


class SettingValue(NamedTuple):
    """What a setting is, and where that comes from: `default`, or a place."""

    setting: Setting
    value: Any
    origin: str
    place: str


class Project(NamedTuple):
    """The settings of a project; nothing is read from them unless the file is trusted as it is."""

    path: Path
    data: bytes
    is_trusted: bool

    def settings(self) -> Settings:
        """Read them. Raises ConfigError: also for what no project may set."""
        settings = parse_toml(self.data, self.path, Settings)
        text = self.data.decode()
        others = [one for one in all_settings() if not one.in_projects and _is_in(one, settings)]
        wrong = {
            f"{_place(self.path, text, keys)}: {'.'.join(keys)}: a project can't set this": None
            for keys in (_keys_in(settings, one) for one in others)
        }
        if wrong:
            raise ConfigError("\n".join(wrong))
        return settings

    def trust(self) -> None:
        """Remember that a person trusts the file as it is. Raises OSError."""
        TrustStore(trust_file()).trust(self.data, self.path)


def project_of(path: Path) -> Project | None:
    """Return the settings of a project; None if there are none.

    Raises:
        ConfigError: the file is none to read: too large, or no regular one.
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
    """Read what an agent may have put there: looked at once it is open, and never waited for."""
    how = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, how, 0), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        data = file.read(LARGEST + 1)
    return data if len(data) <= LARGEST else None


def layered(settings: Settings, project: Path, environ: Mapping[str, str]) -> Settings:
    """Return settings with what a trusted project, variables and `--setting` say in their place.

    Raises:
        ConfigError: one of these can't be used.
    """
    found = _trusted(project)
    if found is not None:
        theirs = found.settings()
        for one in settings_by_name().values():
            if one.is_in(theirs):
                settings = _with(settings, one.keys, one.of(theirs))
    for given in (_in_variables(environ), _on_command_line()):
        for name, (value, _) in given.items():
            settings = _with(settings, settings_by_name()[name].keys, value)
    return settings


def values(path: Path, project: Path, environ: Mapping[str, str]) -> list[SettingValue]:
    """Return every setting with its value and where it comes from. Raises ConfigError."""
    settings = read_toml(path, Settings) if exists(path) else Settings()
    text = read_file(path).decode() if exists(path) else ""
    found = {}
    for one in all_settings():
        if "NAME" in one.keys:
            continue
        is_here = _is_in(one, settings)
        value = one.of(settings)
        place = _place(path, text, one.keys) if is_here else ""
        found[one.name] = SettingValue(one, value, "user" if is_here else "default", place)
    trusted = _trusted(project)
    if trusted is not None:
        theirs, text = trusted.settings(), trusted.data.decode()
        for name, one in settings_by_name().items():
            if one.is_in(theirs):
                place = _place(trusted.path, text, one.keys)
                found[name] = SettingValue(one, one.of(theirs), "project", place)
    for origin, given in (
        ("environment", _in_variables(environ)),
        ("option", _on_command_line()),
    ):
        for name, (value, where) in given.items():
            found[name] = SettingValue(settings_by_name()[name], value, origin, where)
    return list(found.values())


def unused_project(path: Path) -> list[str]:
    """Return why the settings of a project aren't used, if they aren't."""
    try:
        found = project_of(path)
    except ConfigError as error:
        return [str(error)]
    if found is None or found.is_trusted:
        return []
    return [f"{found.path}: not used, as you don't trust it: acp-tui config trust"]


def unused_lines(path: Path) -> list[str]:
    """Return which lines of a file set what was removed. Raises ConfigError: it can't be used."""
    if not exists(path):
        return []
    read_toml(path, Settings)
    text = read_file(path).decode()
    places = {key: place_of(text, (key,)) for key in REMOVED}
    return [
        f"{path}:{line}:{column}: {key}: not used, as there is no such setting anymore"
        for key, (line, column) in places.items()
        if line
    ]


def check_given(name: str, text: str, where: str) -> Any:
    """Return the value of a setting that was given as a text. Raises ConfigError."""
    one = settings_by_name().get(name)
    if one is None:
        from difflib import get_close_matches

        near = get_close_matches(name, settings_by_name(), 3, 0.5)
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        raise ConfigError(f"{where}: there is no setting {name!r} that it could set{meant}")
    try:
        return one.of(Settings.model_validate(nest(one.keys, _read(one, text))))
    except ValidationError as error:
        said = "; ".join(words for _, words in faults_of(error, Settings))
        raise ConfigError(f"{where}: {name}: {said}") from None


def _trusted(path: Path) -> Project | None:
    try:
        found = project_of(path)
    except ConfigError:
        return None  # nobody can have trusted it; acp-tui config says what is wrong
    return found if found is not None and found.is_trusted else None


def _in_variables(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    return {
        name: (check_given(name, environ[one.variable], one.variable), one.variable)
        for name, one in settings_by_name().items()
        if environ.get(one.variable)
    }


def _on_command_line() -> dict[str, tuple[Any, str]]:
    return {
        name: (check_given(name, text, f"--setting {name}"), f"--setting {name}")
        for name, text in GIVEN.items()
    }


def _read(one: Setting, text: str) -> Any:
    """Return a text as TOML would have it; words need no quotes."""
    import tomllib

    if one.kind == "text" or "\n" in text:
        return text
    try:
        return tomllib.loads(f"it = {text}")["it"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _keys_in(settings: Settings, one: Setting) -> tuple[str, ...]:
    """Return the keys to a setting, or to the first table with a name that it could stand in."""
    if "NAME" not in one.keys:
        return one.keys
    return (one.keys[0], *list(getattr(settings, one.keys[0]))[:1])


def _is_in(one: Setting, settings: Settings) -> bool:
    if "NAME" in one.keys:
        return one.keys[0] in settings.model_fields_set
    return one.is_in(settings)


def _place(path: Path, text: str, keys: tuple[str, ...]) -> str:
    line, column = place_of(text, keys)
    return f"{path}:{line}:{column}"


def _with(settings: Any, keys: tuple[str, ...], value: Any) -> Any:
    first, *rest = keys
    new = _with(getattr(settings, first), tuple(rest), value) if rest else value
    return settings.model_copy(update={first: new})
