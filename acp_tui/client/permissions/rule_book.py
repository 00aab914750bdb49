"""The rules in force: those that were given, the project's that are kept, and the session's."""

import os
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any

from anyio import to_thread

from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.client.launch import Notify
from acp_tui.config.errors import ConfigError
from acp_tui.config.project_rules import ProjectRules
from acp_tui.policy.rules import Rule, Scope
from acp_tui.protocol.events import LocalEvent, RulesChanged
from acp_tui.session.commands import AddRule, ForgetRule
from acp_tui.session.state import State


class RuleBook:
    """Adds and forgets rules. `emit` folds a fact, `changed` is called after it, and `beside`
    does what waits for a disk.
    """

    def __init__(
        self,
        state: State,
        roots: ResolvedRoots,
        kept: ProjectRules | None,
        notify: Notify,
        *,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
        changed: Callable[[], None],
        beside: Callable[[Callable[[], Coroutine[Any, Any, None]]], None],
    ) -> None:
        self._state = state
        self._roots = roots
        self._kept = kept
        self._notify = notify
        self._clock = clock
        self._emit = emit
        self._changed = changed
        self._beside = beside
        self._folders: set[str] = set()

    async def begin(self, rules: Iterable[Rule], project: str) -> None:
        """Put the rules of the start in force: among them those of this project."""
        self._folders.add(project)
        await self._settle(rules, [project])
        self._put(rules)

    def _put(self, rules: Iterable[Rule]) -> None:
        new = tuple(dict.fromkeys(rules))
        if new != tuple(self._state.rules):
            self._emit(RulesChanged(self._clock(), new))
            self._changed()

    def add(self, rule: Rule) -> None:
        """Put one more rule in force."""
        self._put([*self._state.rules, rule])

    def do(self, command: AddRule | ForgetRule) -> None:
        """Do what a person asks; a rule of a project is kept, or no longer."""
        self._beside(partial(self._do, command))

    def opened(self, cwd: str) -> None:
        """A session is open: the rules of its project count, too."""
        if self._kept is not None and cwd not in self._folders:
            self._folders.add(cwd)
            self._beside(partial(self._load, self._kept, cwd))

    async def _do(self, command: AddRule | ForgetRule) -> None:
        rule = command.rule
        if rule.scope is Scope.PROJECT:
            where = await to_thread.run_sync(os.path.realpath, rule.where)
            rule = rule._replace(where=where)
        if rule.scope is Scope.PROJECT and self._kept is not None:
            keep = self._kept.add if isinstance(command, AddRule) else self._kept.forget
            try:
                await to_thread.run_sync(keep, rule)
            except (OSError, ConfigError) as error:
                self._notify(None, "warning", "The project's rules can't be written", str(error))
        if isinstance(command, AddRule):
            await self._settle([rule], list(self._folders))
            self.add(rule)
        else:
            self._put(one for one in self._state.rules if one != rule)

    async def _load(self, kept: ProjectRules, cwd: str) -> None:
        project = await to_thread.run_sync(self._roots.resolve, cwd)
        try:
            found = await to_thread.run_sync(kept.load, project)
            await self._settle([*self._state.rules, *found], [project])
            self._put([*self._state.rules, *found])
        except ConfigError as error:
            self._notify(None, "warning", "The project's rules can't be read", str(error))

    async def _settle(self, rules: Iterable[Rule], projects: Iterable[str]) -> None:
        """Find out where the folders of rules really are before an agent can move them."""
        pairs = [(project, rule) for project in projects for rule in rules if rule.paths]
        if pairs:
            await to_thread.run_sync(lambda: [self._roots.resolve_rule(*pair) for pair in pairs])
