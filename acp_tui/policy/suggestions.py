"""Suggests rules for a request: from exactly this to all of its kind."""

from collections.abc import Iterator

from acp_tui.policy.allow_patterns import widened
from acp_tui.policy.globs import escaped
from acp_tui.policy.launchers import Words
from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.policy.shell import pattern_of
from acp_tui.policy.shell_words import Commands, Expanded

_MOST_SUGGESTIONS = 8
"""Commands or paths of one request that a rule is suggested for."""


def suggestions(
    kind: str,
    title: str,
    paths: tuple[str, ...],
    commands: Commands | None,
    folders: tuple[str, ...] = (),
) -> list[Rule]:
    """Suggest rules that allow this and more, narrowest first, and one that rejects exactly this.

    `paths` are as in a pattern: relative to the session's folder if inside; `folders` are that
    folder's names. Returns none if no rule could allow it: its command is unclear, or it has no
    details.
    """
    if commands is not None:
        return list(_commands(kind, commands, folders))
    if paths:
        return list(_paths(kind, paths))
    named = Rule(RuleAnswer.ALLOW, (kind,), (escaped(title),))
    return [named, named._replace(answer=RuleAnswer.REJECT)] if title else []


def _commands(kind: str, commands: Commands, folders: tuple[str, ...]) -> Iterator[Rule]:
    if not commands.clear or len(commands.parts) > _MOST_SUGGESTIONS:
        return
    exact = Rule(
        RuleAnswer.ALLOW, (kind,), commands=tuple(dict.fromkeys(map(pattern_of, commands.parts)))
    )
    if not any(map(_expands, commands.parts)):
        yield exact
    wider = list(filter(None, (widened(words, folders) for words in commands.parts)))
    if len(wider) == len(commands.parts):
        yield Rule(RuleAnswer.ALLOW, (kind,), commands=tuple(dict.fromkeys(wider)))
    yield exact._replace(answer=RuleAnswer.REJECT)


def _expands(words: Words) -> bool:
    """Return whether what runs depends on the files that exist by then."""
    return any(isinstance(word, Expanded) for word in words)


def _paths(kind: str, paths: tuple[str, ...]) -> Iterator[Rule]:
    if len(paths) > _MOST_SUGGESTIONS:
        return
    found = [tuple(map(escaped, paths))]
    folders = [path.rpartition("/")[0] for path in paths]
    if all(folders):
        found.append(tuple(dict.fromkeys(f"{escaped(folder)}/**" for folder in folders)))
    if not any(path.startswith(("/", "~", "..")) for path in paths):
        found.append(("**",))
    for patterns in dict.fromkeys(found):
        yield Rule(RuleAnswer.ALLOW, (kind,), paths=patterns)
    yield Rule(RuleAnswer.REJECT, (kind,), paths=found[0])
