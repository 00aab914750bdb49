"""Settings written into a person's own file: it stays as it is otherwise, and can be read then."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from acp_tui.config.errors import ConfigError
from acp_tui.config.private_files import write_whole
from acp_tui.config.settings import AgentSettings
from acp_tui.config.toml_lines import place_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def agent_table(name: str, agent: AgentSettings) -> str:
    """Return an agent's command and variables as the lines of a TOML table."""
    lines = [f"[agents.{_key(name)}]", f"command = [{', '.join(map(_text, agent.command))}]"]
    if agent.env:
        pairs = ", ".join(f"{_key(one)} = {_text(value)}" for one, value in agent.env.items())
        lines.append(f"env = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def append_to_settings(path: Path, text: str) -> None:
    """Add lines to the end of a settings file, which stays as it is otherwise.

    Raises:
        ConfigError: the file couldn't be read with them.
        OSError: it can't be written.
    """
    before = path.read_text("utf-8") if path.exists() else ""
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    after = before + gap + text
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: these lines can't be added: {error}") from None
    write_whole(path.resolve(), after)  # it may be a link into a folder of settings


def set_in_text(text: str, keys: tuple[str, ...], value: Any) -> str:
    """Return the lines of a settings file with a value changed or added; the others stay as they are.

    Raises:
        ConfigError: that can't be done line by line; the person can do it in an editor.
    """
    wanted = _with(tomllib.loads(text), keys, value)
    lines = text.splitlines(keepends=True)
    line, column = place_of(text, keys)
    said = f"{_key(keys[-1])} = {toml_value(value)}"
    if line and _is_key(lines[line - 1], keys[-1]):
        old = lines[line - 1]
        comment = _comment(old)
        end = old[len(old.rstrip("\r\n")) :]
        lines[line - 1] = old[: column - 1] + said + comment + end
    elif len(keys) == 1:
        at = next((at for at, one in enumerate(lines) if one.lstrip().startswith("[")), len(lines))
        while at and not lines[at - 1].strip():
            at -= 1
        _put(lines, at, said)
    else:
        headers = [
            at for at, one in enumerate(lines) if one.split("#")[0].strip() == f"[{keys[0]}]"
        ]
        if not headers:
            _put(lines, len(lines), f"\n[{keys[0]}]" if lines else f"[{keys[0]}]")
        _put(lines, headers[0] + 1 if headers else len(lines), said)
    new = "".join(lines)
    try:
        if tomllib.loads(new) == wanted:
            return new
    except tomllib.TOMLDecodeError:
        pass
    raise ConfigError(f"{'.'.join(keys)} can't be changed on its own there: acp-tui config edit")


def unset_in_text(text: str, keys: tuple[str, ...]) -> str:
    """Return the lines of a settings file without the line of a value; the others stay as they are.

    Raises:
        ConfigError: that can't be done line by line; the person can do it in an editor.
    """
    wanted = tomllib.loads(text)
    inner = wanted
    for key in keys[:-1]:
        inner = inner.get(key, {})
    if keys[-1] not in inner:
        return text
    del inner[keys[-1]]
    lines = text.splitlines(keepends=True)
    line, _ = place_of(text, keys)
    if line:
        del lines[line - 1]
    new = "".join(lines)
    try:
        if tomllib.loads(new) == wanted:
            return new
    except tomllib.TOMLDecodeError:
        pass
    raise ConfigError(f"{'.'.join(keys)} can't be removed on its own there: acp-tui config edit")


def _put(lines: list[str], at: int, line: str) -> None:
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += "\n"
    lines.insert(at, line + "\n")


def _with(body: dict[str, Any], keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    first, *rest = keys
    inner = body.get(first, {})
    new = _with(inner if isinstance(inner, dict) else {}, tuple(rest), value) if rest else value
    return {**body, first: new}


def _is_key(line: str, key: str) -> bool:
    return line.partition("=")[0].strip(" \t\"'").rpartition(".")[2] == key and "=" in line


def _comment(line: str) -> str:
    """The comment at the end of a line, with the space before it: what is read without it is the same."""
    line = line.rstrip("\r\n")
    for at, character in enumerate(line):
        if character == "#":
            try:
                tomllib.loads(line[:at])
            except tomllib.TOMLDecodeError:
                continue
            return line[len(line[:at].rstrip()) :]
    return ""


def toml_value(value: Any) -> str:
    """Write a value as it stands in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    return _text(value) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """Quote a text: TOML's escapes are those of JSON, and half a character has none."""
    quoted = json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return "".join(one if one.isprintable() else _escaped(one) for one in quoted)


def _escaped(character: str) -> str:
    """Write what can't be seen by its number: a direction that turns, or a blank of no width."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
