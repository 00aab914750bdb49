"""Rules in TOML: `[[permissions]]` in the settings, or in a file of their own."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from acp_tui.config.errors import ConfigError, exists
from acp_tui.config.reading import read_named
from acp_tui.policy.rules import Rule, RuleError, Scope, written_rule

TABLE = "permissions"
_TABLE_LINE = re.compile(r"\s*\[\[\s*permissions\s*\]\]")
_ANY_TABLE_LINE = re.compile(r"\s*\[")


def load_policy(path: Path) -> tuple[Rule, ...]:
    """The rules of a file that holds nothing else. Raises ConfigError."""
    return _rules(path, alone=True)


def load_settings_rules(path: Path) -> tuple[Rule, ...]:
    """The rules among the settings; none if there is no such file. Raises ConfigError."""
    return _rules(path, alone=False) if exists(path) else ()


def _rules(path: Path, *, alone: bool) -> tuple[Rule, ...]:
    try:
        text = read_named(path).decode()
        body = tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    others = [key for key in body if key != TABLE]
    if alone and others:
        line = _line(text.splitlines(), re.compile(rf"\s*\[*\s*{re.escape(others[0])}\b"), 0)
        raise ConfigError(f"{path}:{line}: {others[0]}: rules stand in [[{TABLE}]]")
    entries = body.get(TABLE, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{path}: {TABLE}: rules stand in [[{TABLE}]]")
    rules, faults = [], []
    for index, entry in enumerate(entries):
        try:
            rules.append(written_rule(entry, Scope.FILE, path.name))
        except RuleError as error:
            key = f"{error.key}: " if error.key else ""
            faults.append(f"{path}:{_place(text, index, error.key)}: {key}{error}")
    if faults:
        raise ConfigError("\n".join(faults))
    return tuple(rules)


def _place(text: str, index: int, key: str | None) -> int:
    """The line of a rule's key, else of its table, else of all."""
    lines = text.splitlines()
    starts = list(_tables(lines))
    if index >= len(starts):
        return _line(lines, re.compile(rf"\s*{TABLE}\b"), 0)
    start = starts[index]
    for number in range(start, len(lines)):
        if _ANY_TABLE_LINE.match(lines[number]):
            break
        if key is not None and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", lines[number]):
            return number + 1
    return start


def _tables(lines: list[str]) -> Iterator[int]:
    return (number for number, line in enumerate(lines, 1) if _TABLE_LINE.match(line))


def _line(lines: list[str], wanted: re.Pattern[str], otherwise: int) -> int:
    return next((at for at, line in enumerate(lines, 1) if wanted.match(line)), otherwise)
