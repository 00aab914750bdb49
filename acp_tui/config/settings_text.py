"""Edits the user's settings file, preserving comments, order and everything else."""

import errno
import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import tomlkit

from acp_tui.config.private_files import read_file, write_whole
from acp_tui.config.settings import AgentSettings, Settings
from acp_tui.config.toml_files import ConfigError, file_exists, read_toml

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def agent_table(name: str, agent: AgentSettings) -> str:
    """Format an agent's command and variables as a TOML table."""
    lines = [f"[agents.{_key(name)}]", f"command = [{', '.join(map(_text, agent.command))}]"]
    if agent.env:
        pairs = ", ".join(f"{_key(one)} = {_text(value)}" for one, value in agent.env.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def append_to_settings(path: Path, text: str) -> None:
    """Append lines to a settings file.

    Raises:
        ConfigError: the file would no longer be valid TOML.
        OSError: it can't be written.
    """
    before = path.read_text("utf-8") if path.exists() else ""
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = before + gap + text
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: these lines can't be added: {error}") from None
    write_whole(path.resolve(), after)  # it may be a symlink, as in a folder of dotfiles


def set_in_text(text: str, keys: tuple[str, ...], value: Any) -> str:
    """Return a settings file's text with one value changed or added; comments and order are
    preserved.

    Raises:
        ConfigError: the result would have another meaning; the user can edit the file instead.
    """
    wanted = tomllib.loads(text)
    inner = wanted
    for key in keys[:-1]:
        if not isinstance(inner.get(key), dict):
            inner[key] = {}
        inner = inner[key]
    inner[keys[-1]] = value
    document = tomlkit.parse(text)
    table: Any = document
    for key in keys[:-1]:
        if not isinstance(table.get(key), dict):
            table[key] = tomlkit.table()
        table = table[key]
    table[keys[-1]] = value
    return _checked(tomlkit.dumps(document), wanted, f"{'.'.join(keys)} can't be changed")


def unset_in_text(text: str, keys: tuple[str, ...]) -> str:
    """Return a settings file's text without one value; comments and order are preserved.

    Raises:
        ConfigError: the result would have another meaning; the user can edit the file instead.
    """
    wanted = tomllib.loads(text)
    inner = wanted
    for key in keys[:-1]:
        inner = inner.get(key, {})
    if keys[-1] not in inner:
        return text
    del inner[keys[-1]]
    document = tomlkit.parse(text)
    table: Any = document
    for key in keys[:-1]:
        table = table[key]
    del table[keys[-1]]
    return _checked(tomlkit.dumps(document), wanted, f"{'.'.join(keys)} can't be removed")


def _checked(text: str, wanted: dict[str, Any], problem: str) -> str:
    """Return the text if it parses to `wanted`. Raises ConfigError: the user's file is never edited
    on a guess.
    """
    try:
        if tomllib.loads(text) == wanted:
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise ConfigError(f"{problem} on its own there: acp-tui config edit")


def toml_value(value: Any) -> str:
    """Format a value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return _text(value) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """Quote a text with JSON's escapes, which TOML shares; lone surrogates are replaced."""
    quoted = json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False)
    escaped = []
    for one in quoted:  # escape invisible characters: some reverse the direction of the text
        code = ord(one)
        number = f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        escaped.append(one if one.isprintable() else number)
    return "".join(escaped)


def save_setting(path: Path, keys: tuple[str, ...], value: Any) -> None:
    """Write one value into a settings file; everything else is preserved.

    Raises:
        ConfigError: the file is invalid, or can't be edited that way.
        OSError: it can't be written.
    """
    text = ""
    if file_exists(path):
        read_toml(path, Settings)
        text = read_file(path).decode()
    write_whole(linked_file(path), set_in_text(text, keys, value))


def remove_setting(path: Path, keys: tuple[str, ...]) -> None:
    """Remove one value from a settings file, so that the default applies; everything else is
    preserved.

    Raises:
        ConfigError: the file is invalid, or can't be edited that way.
        OSError: it can't be written.
    """
    if file_exists(path):
        read_toml(path, Settings)
        write_whole(linked_file(path), unset_in_text(read_file(path).decode(), keys))


def linked_file(path: Path) -> Path:
    """Return the file that a path leads to through symlinks. Raises OSError if they form a circle."""
    target = os.path.realpath(path)
    if os.path.islink(target):  # noqa: PTH114
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(target)
