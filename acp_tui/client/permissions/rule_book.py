"""The permission rules in force: the launch's, the projects' saved ones, and the sessions'."""

import os
from collections.abc import Callable, Iterable
from functools import partial

from anyio import to_thread

from acp_tui.client.core import Core
from acp_tui.client.files.resolved_roots import ResolvedRoots
from acp_tui.config.toml_files import ConfigError
from acp_tui.policy.rules import (
    Rule,
    RuleAnswer,
    RuleError,
    RuleScope,
    inactive_patterns,
    refuse_inactive,
)
from acp_tui.protocol.events import RulesChanged
from acp_tui.protocol.file_events import FileOperation
from acp_tui.protocol.kinds import OPENING_METHODS
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.commands import AddRule, ConsiderRules, ForgetRule
from acp_tui.store.project_rules import ProjectRules


class RuleBook:
    """Adds, removes, loads and saves rules."""

    def __init__(self, core: Core, roots: ResolvedRoots) -> None:
        self._core = core
        self._roots = roots
        self._project_rules = core.launch.project_rules
        self._folders: set[str] = set()
        core.register(
            {
                ConsiderRules: partial(core.spawn, self._resolve_considered),
                AddRule: partial(core.spawn, self._add_rule),
                ForgetRule: partial(core.spawn, self._forget_rule),
            },
            dict.fromkeys(OPENING_METHODS, self._opened),
        )

    async def begin(self) -> None:
        """Put the launch's rules in force, including those of its project."""
        rules, project = self._core.launch.rules, self._core.launch.cwd
        self._folders.add(project)
        await self._resolve_rules(rules, [project])
        self._replace_rules(rules)

    def _replace_rules(self, rules: Iterable[Rule]) -> None:
        new = tuple(dict.fromkeys(rules))
        if new != tuple(self._core.state.rules):
            self._core.emit(RulesChanged(self._core.clock(), new))

    def add_rule(self, rule: Rule) -> None:
        """Put another rule in force."""
        self._replace_rules([*self._core.state.rules, rule])

    def allow_folder(self, session_id: str, operation: FileOperation, folder: str) -> None:
        """Allow a session to read, or to write, everything in a resolved folder."""
        from acp_tui.policy.globs import escape_glob
        from acp_tui.state.request_facts import KINDS

        self._roots.remember(folder)  # the folder that the user saw
        paths = (f"{escape_glob(folder.rstrip('/'))}/**",)
        kinds = (KINDS[operation],)
        self.add_rule(
            Rule(RuleAnswer.ALLOW, kinds, paths=paths, scope=RuleScope.SESSION, where=session_id)
        )

    def _opened(self, _: Responded) -> None:
        """Load the rules of newly opened sessions' projects."""
        for session in self._core.state.open_sessions():
            if self._project_rules is not None and session.cwd not in self._folders:
                self._folders.add(session.cwd)
                self._core.spawn(self._load_rules, self._project_rules, session.cwd)

    async def _resolve_considered(self, command: ConsiderRules) -> None:
        await self._resolve_rules(command.rules, list(self._folders))

    async def _add_rule(self, command: AddRule) -> None:
        rule = await self._placed(command.rule)
        try:
            refuse_inactive(rule)
        except RuleError as error:
            self._core.notify(None, "warning", "The rule was not made", str(error))
            return
        if self._project_rules is not None:
            await self._save_rule(self._project_rules.add_rule, rule)
        await self._resolve_rules([rule], list(self._folders))
        self.add_rule(rule)

    async def _forget_rule(self, command: ForgetRule) -> None:
        rule = await self._placed(command.rule)
        if self._project_rules is not None:
            await self._save_rule(self._project_rules.forget, rule)
        self._replace_rules(one for one in self._core.state.rules if one != rule)

    async def _placed(self, rule: Rule) -> Rule:
        """Return a project rule with the project's real path, and other rules unchanged."""
        if rule.scope is not RuleScope.PROJECT:
            return rule
        return rule._replace(where=await to_thread.run_sync(os.path.realpath, rule.where))

    async def _save_rule(self, write: Callable[[Rule], None], rule: Rule) -> None:
        """Add a project rule to the saved ones, or remove it; other rules aren't saved."""
        if rule.scope is not RuleScope.PROJECT:
            return
        try:
            await to_thread.run_sync(write, rule)
        except (OSError, ConfigError) as error:
            title = "The project's rules can't be written"
            self._core.notify(None, "warning", title, str(error))

    async def _load_rules(self, project_rules: ProjectRules, cwd: str) -> None:
        project = await to_thread.run_sync(self._roots.resolve, cwd)
        try:
            found = await to_thread.run_sync(project_rules.load, project)
            await self._resolve_rules([*self._core.state.rules, *found], [project])
            self._replace_rules([*self._core.state.rules, *found])
            for one in inactive_patterns(found):
                self._core.notify(None, "warning", one.words)
        except ConfigError as error:
            self._core.notify(None, "warning", "The project's rules can't be read", str(error))

    async def _resolve_rules(self, rules: Iterable[Rule], projects: Iterable[str]) -> None:
        """Resolve the folders of rules before an agent can move them."""
        pairs = [(project, rule) for project in projects for rule in rules if rule.paths]
        if pairs:
            await to_thread.run_sync(lambda: [self._roots.resolve_rule(*pair) for pair in pairs])
