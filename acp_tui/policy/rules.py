"""Permission rules: parsed from the user's files, and stored as JSON."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

KINDS = (
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
)
"""The kinds of tool calls (ACP: Tool Calls)."""
CHANGING = frozenset(("edit", "delete", "move"))
"""Kinds of tool calls that change files."""
READING = frozenset(("read", "search"))
"""Kinds of tool calls that only read; but with an input that isn't understood, they may do more."""
KEYS = ("answer", "kind", "title", "path", "command")


class RuleAnswer(StrEnum):
    """A rule's answer, strictest first: if several rules match, the strictest answer wins."""

    REJECT = "reject"
    ASK = "ask"
    ALLOW = "allow"


class RuleScope(StrEnum):
    """Where a rule applies and comes from; FILE rules are in one of the user's files."""

    FILE = "file"
    PROJECT = "project"
    SESSION = "session"
    ALL = "all"


class RuleError(Exception):
    """A rule is invalid; `key` is the invalid part, or None."""

    def __init__(self, problem: str, key: str | None = None) -> None:
        super().__init__(problem)
        self.key = key


class Rule(NamedTuple):
    """A permission rule: all of its conditions must hold, each through one of its patterns.

    `where` is the name of the file, the folder of the project, or the session's id.
    """

    answer: RuleAnswer
    kinds: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    scope: RuleScope = RuleScope.FILE
    where: str = ""

    @property
    def conditions(self) -> dict[str, tuple[str, ...]]:
        """The conditions that the rule has, by their keys in a file."""
        values = (self.kinds, self.titles, self.paths, self.commands)
        return {key: value for key, value in zip(KEYS[1:], values, strict=True) if value}

    @property
    def words(self) -> str:
        """The rule on one line, without its origin."""
        if self.scope is RuleScope.ALL:
            return "allow all"
        given = [f"{key} {' or '.join(value)}" for key, value in self.conditions.items()]
        return f"{self.answer} {', '.join(given)}"

    @property
    def subject(self) -> str:
        """The rule's conditions on one line, without its answer."""
        if self.scope is RuleScope.ALL:
            return "everything"
        if set(self.conditions) == {"kind", "path"}:
            return f"{' or '.join(self.kinds)} {' or '.join(self.paths)}"
        return self.words.removeprefix(f"{self.answer} ")

    @property
    def origin(self) -> str:
        """Where the rule comes from, for display."""
        match self.scope:
            case RuleScope.SESSION:
                return "this session"
            case RuleScope.PROJECT:
                return "this project"
            case RuleScope.ALL:
                return "--dangerously-allow-all"
        return self.where

    def to_json(self) -> dict[str, Any]:
        """Return the rule as JSON, which `read_rule` parses."""
        given = {key: list(value) for key, value in self.conditions.items()}
        return {"answer": str(self.answer), **given, "scope": str(self.scope), "where": self.where}


YOUR_RULE = "your rule: "
"""Prefix of the deciding rules; a decision without a rule has a reason instead."""


def ruling_words(verb: str, by: str) -> str:
    """Format a decision with its rules or reason. Older recordings have rules without `YOUR_RULE`."""
    return f"{verb} by {by}" if by.startswith(YOUR_RULE) else f"{verb}: {by}"


ALLOW_ALL = Rule(RuleAnswer.ALLOW, scope=RuleScope.ALL)
"""The rule for `--dangerously-allow-all`."""


def read_rule(body: Mapping[str, Any]) -> Rule:
    """Parse a rule from the JSON of `Rule.plain`. Raises RuleError."""
    given = {key: value for key, value in body.items() if key not in ("scope", "where")}
    try:
        scope, where = RuleScope(body.get("scope", RuleScope.FILE)), str(body.get("where", ""))
    except ValueError as error:
        raise RuleError(str(error), "scope") from None
    return ALLOW_ALL if scope is RuleScope.ALL else written_rule(given, scope, where)


def written_rule(body: Mapping[str, Any], scope: RuleScope, where: str) -> Rule:
    """Parse a rule that the user wrote: `answer`, and at least one condition. Raises RuleError."""
    from acp_tui.policy.globs import compile_problem, glob_problem  # most starts have no rules
    from acp_tui.policy.shell import pattern_problem

    for key in body:
        if key not in KEYS:
            raise RuleError(f"there is no such key; there are: {', '.join(KEYS)}", key)
    if body.get("answer") not in list(RuleAnswer):
        raise RuleError("must be allow, ask or reject", "answer")
    kinds, titles, paths, commands = (_texts(body, key) for key in KEYS[1:])
    for kind in kinds:
        if kind not in KINDS:
            raise RuleError(
                f"{kind!r} is not a kind of tool call; there are: {', '.join(KINDS)}", "kind"
            )
    for title in titles:
        _raise_problem(compile_problem(title), "title")
    for path in paths:
        _raise_problem(glob_problem(path), "path")
    for command in commands:
        _raise_problem(pattern_problem(command), "command")
    if not (kinds or titles or paths or commands):
        raise RuleError("needs a condition: kind, title, path or command")
    return Rule(RuleAnswer(body["answer"]), kinds, titles, paths, commands, scope, where)


class InactivePattern(NamedTuple):
    """A command pattern that allows nothing: its `*` could match the program or what that runs."""

    where: str
    pattern: str
    why: str

    @property
    def words(self) -> str:
        """The problem on one line, for the user who wrote the rule."""
        return f"{self.where}: {self.pattern!r} allows nothing: {self.why}"


def inactive_patterns(rules: Iterable[Rule]) -> Iterator[InactivePattern]:
    """Yield the command patterns that allow nothing; `where` is the origin of their rule."""
    for rule in rules:
        if rule.answer is RuleAnswer.ALLOW and rule.commands:
            from acp_tui.policy.allow_patterns import open_pattern_problem

            for command in rule.commands:
                why = open_pattern_problem(command)
                if why:
                    yield InactivePattern(rule.origin, command, why)


def refuse_inactive(rule: Rule) -> None:
    """Raise RuleError for a new rule with a pattern that allows nothing.

    Rules saved before such patterns were refused can still be loaded.
    """
    for found in inactive_patterns([rule]):
        raise RuleError(f"{found.pattern!r}: {found.why}", "command")


def _texts(body: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = body.get(key, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts):
        raise RuleError("must be a string or a list of strings", key)
    if key in body and not texts:
        raise RuleError("is empty: leave it out, or give a pattern", key)
    return tuple(texts)


def _raise_problem(problem: str | None, key: str) -> None:
    if problem is not None:
        raise RuleError(problem, key)
