"""Permission rules in TOML: `[[permissions]]` in the settings, or in a file of their own."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from acp_tui.config.private_files import read_file
from acp_tui.config.toml_files import ConfigError, file_exists, line_of_setting
from acp_tui.policy.rules import (
    InactivePattern,
    Rule,
    RuleError,
    RuleScope,
    inactive_patterns,
    written_rule,
)

TABLE = "permissions"


class LoadedRules(NamedTuple):
    """The rules of a file, and those of their patterns that allow nothing, with their lines."""

    rules: tuple[Rule, ...] = ()
    inactive: tuple[InactivePattern, ...] = ()


def load_policy(path: Path) -> LoadedRules:
    """Load a file that has only rules. Raises ConfigError."""
    return _read_rules(path, alone=True)


def load_settings_rules(path: Path) -> LoadedRules:
    """Load the rules of the settings; none if the file doesn't exist. Raises ConfigError."""
    return _read_rules(path, alone=False) if file_exists(path) else LoadedRules()


def check_new_rules(loaded: LoadedRules, before: LoadedRules) -> None:
    """Raise ConfigError for patterns that allow nothing and were not in the file before."""
    known = {one.pattern for one in before.inactive}
    new = [one.words for one in loaded.inactive if one.pattern not in known]
    if new:
        raise ConfigError("\n".join(new))


def _read_rules(path: Path, *, alone: bool) -> LoadedRules:
    try:
        text = read_file(path).decode()
        body = tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    others = [key for key in body if key != TABLE]
    if alone and others:
        line = line_of_setting(text, others[:1])
        raise ConfigError(f"{path}:{line}: {others[0]}: rules belong in [[{TABLE}]]")
    entries = body.get(TABLE, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(
            f"{path}:{line_of_setting(text, [TABLE])}: {TABLE}: rules belong in [[{TABLE}]]"
        )
    rules, faults = [], []
    inactive: list[InactivePattern] = []
    for index, entry in enumerate(entries):
        try:
            rule = written_rule(entry, RuleScope.FILE, path.name)
            rules.append(rule)
            line = line_of_setting(text, [TABLE, index, "command"])
            places = (one._replace(where=f"{path}:{line}") for one in inactive_patterns([rule]))
            inactive.extend(places)
        except RuleError as error:
            key = f"{error.key}: " if error.key else ""
            line = line_of_setting(text, [TABLE, index, *filter(None, [error.key])])
            faults.append(f"{path}:{line}: {key}{error}")
    if faults:
        raise ConfigError("\n".join(faults))
    return LoadedRules(tuple(rules), tuple(inactive))
