"""Rules that a person might make of one request: from exactly this to all of its kind."""

from collections.abc import Iterator

from acp_tui.policy.globs import escaped
from acp_tui.policy.rules import Answer, Rule
from acp_tui.policy.shell import Commands, Words, pattern_of, runs_others

_MOST = 8
"""How many commands or paths of one request a rule is made of."""


def suggestions(
    kind: str, title: str, paths: tuple[str, ...], commands: Commands | None
) -> list[Rule]:
    """Rules that allow this and more, the narrowest first, and one that rejects just this.

    `paths` are as a pattern begins: relative to the session's folder where they are inside. None
    where no rule could allow it: its command can't be read for sure, or there is nothing to go by.
    """
    if commands is not None:
        wide = list(_commands(kind, commands))
    elif paths:
        wide = list(_paths(kind, paths))
    else:
        wide = [Rule(Answer.ALLOW, (kind,), (escaped(title),))] if title else []
    return [*wide, *(wide[0]._replace(answer=Answer.REJECT) for _ in wide[:1])]


def _commands(kind: str, commands: Commands) -> Iterator[Rule]:
    if not commands.clear or len(commands.parts) > _MOST:
        return
    exact = tuple(dict.fromkeys(map(pattern_of, commands.parts)))
    yield Rule(Answer.ALLOW, (kind,), commands=exact)
    if any(map(runs_others, commands.parts)):
        return
    begun = tuple(
        dict.fromkeys(pattern_of(_start(words), open_end=True) for words in commands.parts)
    )
    yield Rule(Answer.ALLOW, (kind,), commands=begun)


def _start(words: Words) -> Words:
    """The program, and what it is to do where that is a word, as in `git status`."""
    return words[:2] if len(words) > 1 and words[1].isalpha() else words[:1]


def _paths(kind: str, paths: tuple[str, ...]) -> Iterator[Rule]:
    if len(paths) > _MOST:
        return
    found = [tuple(map(escaped, paths))]
    folders = [path.rpartition("/")[0] for path in paths]
    if all(folders):
        found.append(tuple(dict.fromkeys(f"{escaped(folder)}/**" for folder in folders)))
    if not any(path.startswith(("/", "~", "..")) for path in paths):
        found.append(("**",))
    for patterns in dict.fromkeys(found):
        yield Rule(Answer.ALLOW, (kind,), paths=patterns)
