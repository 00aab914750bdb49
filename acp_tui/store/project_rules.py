"""Stores the user's permission rules for projects: in our state folder, never in the project."""

import json
import os
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import write_whole
from acp_tui.config.toml_files import ConfigError, file_exists
from acp_tui.policy.rules import Rule, RuleError, RuleScope, read_rule


class ProjectRules:
    """A private folder with a file of rules for each project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, project: str) -> tuple[Rule, ...]:
        """Load the rules of a project, by its real path. Raises ConfigError."""
        if not file_exists(self._folder):
            return ()
        return _read_rules(self._file(project), project)

    def all(self) -> dict[str, tuple[Rule, ...]]:
        """Load the rules of every project. Raises ConfigError."""
        found = {}
        for file in sorted(self._folder.glob("*.json")):
            project = str(_body(file)["project"])
            found[project] = _read_rules(file, project)
        return found

    def add_rule(self, rule: Rule) -> None:
        """Add a rule to its project. Raises OSError and ConfigError."""
        rules = [one for one in self.load(rule.where) if one != rule]
        self._write_rules(rule.where, [*rules, rule])

    def forget(self, rule: Rule) -> None:
        """Delete a rule of its project. Raises OSError and ConfigError."""
        self._write_rules(rule.where, [one for one in self.load(rule.where) if one != rule])

    def _file(self, project: str) -> Path:
        from hashlib import sha256

        return self._folder / f"{sha256(os.fsencode(project)).hexdigest()[:32]}.json"

    def _write_rules(self, project: str, rules: list[Rule]) -> None:
        file = self._file(project)
        if not rules:
            file.unlink(missing_ok=True)
            return
        body = {"project": project, "rules": [rule.to_json() for rule in rules]}
        write_whole(file, json.dumps(body, indent=2) + "\n")


def _read_rules(file: Path, project: str) -> tuple[Rule, ...]:
    try:
        if not file_exists(file):
            return ()
        rules = tuple(map(read_rule, _body(file)["rules"]))
    except (RuleError, TypeError, AttributeError, KeyError) as error:
        raise ConfigError(f"{file}: not a file of rules: {error}") from error
    return tuple(rule for rule in rules if (rule.scope, rule.where) == (RuleScope.PROJECT, project))


def _body(file: Path) -> dict[str, Any]:
    try:
        body = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{file}: not a file of rules: {error}") from error
    if not isinstance(body, dict) or "project" not in body or "rules" not in body:
        raise ConfigError(f"{file}: not a file of rules")
    return body
