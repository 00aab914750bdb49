"""Evaluates rules on a request (reject before ask before allow), and suggests rules to allow it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from unicodedata import normalize

from acp_tui.policy.allow_patterns import allows_command, near_miss, widen_command
from acp_tui.policy.globs import escape_glob, matches_glob, path_matches
from acp_tui.policy.launchers import Words
from acp_tui.policy.rules import CHANGING, READING, YOUR_RULE, Rule, RuleAnswer, RuleScope
from acp_tui.policy.shell import may_match_command, pattern_of
from acp_tui.policy.shell_words import Commands, Expanded

UNREADABLE = "the command can't be read with certainty"


class ResolvedRequest(NamedTuple):
    """An agent's request in one session, with all paths resolved.

    `paths` are pairs of an absolute path and its real path, with links and `..` resolved.
    `commands` is None if nothing is run. `clear` if the whole request is understood; `writes` if it
    has content to write, whatever its kind. All of it comes from the agent.
    """

    session_id: str
    project: str
    kind: str
    title: str = ""
    paths: tuple[tuple[str, str], ...] = ()
    commands: Commands | None = None
    clear: bool = True
    writes: bool = False
    folder: str = ""

    @property
    def folders(self) -> tuple[str, ...]:
        """The session's folder: its real path, and as the agent names it."""
        return (self.project, self.folder)


class RuleVerdict(NamedTuple):
    """The answer, and the rules that gave it; if there are none, `why` is the reason."""

    answer: RuleAnswer
    rules: tuple[Rule, ...] = ()
    why: str = ""

    @property
    def words(self) -> str:
        """The deciding rules, or the reason, on one line."""
        named = "; ".join(f"{rule.subject} ({rule.origin})" for rule in self.rules)
        return f"{YOUR_RULE}{named}" if named else self.why


class _Act(NamedTuple):
    """A part of a request: to allow the request, each part must be allowed, and none rejected."""

    words: Words | None = None
    path: tuple[str, str] | None = None


def evaluate_rules(
    rules: Iterable[Rule],
    request: ResolvedRequest,
    anchor: Callable[[Rule], Rule] = lambda rule: rule,
) -> RuleVerdict | None:
    """Evaluate the rules; return None if they don't decide.

    `anchor` makes the path patterns of a rule absolute.
    """
    here = {anchor(rule): rule for rule in rules if _reaches(rule, request)}
    for answer in (RuleAnswer.REJECT, RuleAnswer.ASK):
        hits = [
            written
            for rule, written in here.items()
            if rule.answer is answer and _concerns(rule, request)
        ]
        if hits:
            return RuleVerdict(answer, tuple(hits))
    if _is_doubtful(here, request):
        return RuleVerdict(RuleAnswer.ASK, why=UNREADABLE)
    by = [_first_allowing(here, request, act) for act in _acts(request)]
    if None in by:
        return None
    return RuleVerdict(
        RuleAnswer.ALLOW, tuple(dict.fromkeys(rule for rule in by if rule is not None))
    )


class NearMiss(NamedTuple):
    """A command that begins like a pattern, and why the pattern doesn't match it."""

    pattern: str
    rule: Rule
    words: Words
    why: str


def near_misses(rules: Iterable[Rule], request: ResolvedRequest) -> Iterator[NearMiss]:
    """Yield a request's commands that no rule allows, with the patterns that nearly match them."""
    allowing = [
        rule for rule in rules if rule.answer is RuleAnswer.ALLOW and _reaches(rule, request)
    ]
    patterns = [(pattern, rule) for rule in allowing for pattern in rule.commands]
    parts = request.commands.parts if request.commands is not None else ()
    for words in _without_entering(parts, request.folders):
        whys = [near_miss(pattern, words, request.folders) for pattern, _ in patterns]
        if not any(allows_command(pattern, words, request.folders) for pattern, _ in patterns):
            for (pattern, rule), why in zip(patterns, whys, strict=True):
                if why is not None:
                    yield NearMiss(pattern, rule, words, why)


def _first_allowing(here: Mapping[Rule, Rule], request: ResolvedRequest, act: _Act) -> Rule | None:
    for rule, written in here.items():
        if rule.answer is RuleAnswer.ALLOW and _allows(rule, request, act):
            return written
    return None


def _reaches(rule: Rule, request: ResolvedRequest) -> bool:
    match rule.scope:
        case RuleScope.SESSION:
            return rule.where == request.session_id
        case RuleScope.PROJECT:
            return rule.where == request.project
    return True


def _acts(request: ResolvedRequest) -> Iterator[_Act]:
    """Yield the acts of a request, at least one: each command and each path."""
    if request.commands is not None:
        parts = _without_entering(request.commands.parts, request.folders)
        yield from (_Act(words) for words in parts or ((),))
        yield from (_Act(path=path) for path in request.paths if not _is_inside(request, path[1]))
    elif request.paths:
        yield from (_Act(path=path) for path in request.paths)
    else:
        yield _Act()


def _without_entering(parts: tuple[Words, ...], folders: Words) -> tuple[Words, ...]:
    """Return the commands of a line without `cd` to the session's folder, where they run anyway.

    A line that is nothing but such a `cd` needs a rule like any other.
    """
    entering = {("cd", folder) for folder in folders if folder.startswith("/")}
    return tuple(words for words in parts if words not in entering or _expands(words)) or parts


def _is_inside(request: ResolvedRequest, path: str) -> bool:
    """Return whether a path is in the session's folder, which a command may change anyway."""
    return f"{path}/".startswith(f"{request.project.rstrip('/')}/")


def _kind_and_title(rule: Rule, request: ResolvedRequest) -> bool:
    kind = not rule.kinds or request.kind in rule.kinds
    return kind and (
        not rule.titles or _any(rule.titles, lambda one: matches_glob(one, request.title))
    )


def _concerns(rule: Rule, request: ResolvedRequest) -> bool:
    """Return whether a rejecting or asking rule applies to any part of the request."""
    if not _kind_and_title(rule, request):
        return False
    parts = request.commands.parts if request.commands is not None else ()
    places = [place for both in request.paths for place in both]
    return (
        not rule.commands
        or _any(rule.commands, lambda one: any(may_match_command(one, words) for words in parts))
    ) and (
        not rule.paths
        or _any(rule.paths, lambda one: any(_same_path(one, place) for place in places))
    )


def _same_path(pattern: str, path: str) -> bool:
    """Return whether a path matches, ignoring case and Unicode composition as some disks do."""
    return path_matches(_folded(pattern), _folded(path))


def _folded(path: str) -> str:
    return normalize("NFC", normalize("NFC", path).casefold())


def _is_doubtful(rules: Iterable[Rule], request: ResolvedRequest) -> bool:
    """Return whether a command line may hide commands that a rule might reject or ask about."""
    return (
        request.commands is not None
        and request.commands.hides
        and any(
            rule.commands and rule.answer is not RuleAnswer.ALLOW and _kind_and_title(rule, request)
            for rule in rules
        )
    )


def _allows(rule: Rule, request: ResolvedRequest, act: _Act) -> bool:
    """Return whether a rule allows this part of a request.

    A title, which may be anything, never allows alone if there is a command or a path to check.
    Neither a command nor a path allows if part of the request isn't understood, nor a kind if the
    content is of another kind.
    """
    if not _kind_and_title(rule, request) or not _is_of_kind(rule, request, act):
        return False
    if (rule.commands or rule.paths) and not request.clear:
        return False
    if act.words is not None:
        assert request.commands is not None
        if rule.commands:
            words = act.words
            matching = (
                allows_command(pattern, words, request.folders) for pattern in rule.commands
            )
            return not rule.paths and request.commands.clear and any(matching)
        return not rule.paths and not rule.titles
    if act.path is not None:
        real = act.path[1]
        if rule.paths:
            return not rule.commands and _any(rule.paths, lambda one: path_matches(one, real))
        return not rule.commands and not rule.titles
    return not rule.commands and not rule.paths


def _is_of_kind(rule: Rule, request: ResolvedRequest, act: _Act) -> bool:
    """Return whether the content fits the kinds that a rule allows, beyond the agent's claim."""
    if request.writes and request.commands is not None:
        return rule.scope is RuleScope.ALL
    if not rule.kinds:
        return True
    if request.writes and not CHANGING.intersection(rule.kinds):
        return False
    if request.kind in READING and not request.clear:
        return False
    return act.words is None or bool(rule.commands) or "execute" in rule.kinds


def _any(patterns: Iterable[str], matches: Callable[[str], bool]) -> bool:
    return any(matches(pattern) for pattern in patterns)


_MOST_SUGGESTIONS = 8
"""Most commands or paths of a request for which rules are suggested."""


def suggest_rules(
    kind: str,
    title: str,
    paths: tuple[str, ...],
    commands: Commands | None,
    folders: tuple[str, ...] = (),
) -> list[Rule]:
    """Suggest rules that allow this request and more, narrowest first, and one that rejects it.

    `paths` are as in a pattern: relative to the session's folder if inside it; `folders` are that
    folder's names. Return none if no rule could allow the request: its command is unclear, or it
    has no details.
    """
    if commands is not None:
        return list(_commands(kind, commands, folders))
    if paths:
        return list(_paths(kind, paths))
    named = Rule(RuleAnswer.ALLOW, (kind,), (escape_glob(title),))
    return [named, named._replace(answer=RuleAnswer.REJECT)] if title else []


def _commands(kind: str, commands: Commands, folders: tuple[str, ...]) -> Iterator[Rule]:
    parts = _without_entering(commands.parts, folders)
    if not commands.clear or len(parts) > _MOST_SUGGESTIONS:
        return
    exact = Rule(RuleAnswer.ALLOW, (kind,), commands=tuple(dict.fromkeys(map(pattern_of, parts))))
    if not any(map(_expands, parts)):
        yield exact
    wider = list(filter(None, (widen_command(words, folders) for words in parts)))
    if len(wider) == len(parts):
        yield Rule(RuleAnswer.ALLOW, (kind,), commands=tuple(dict.fromkeys(wider)))
    yield exact._replace(answer=RuleAnswer.REJECT)


def _expands(words: Words) -> bool:
    """Return whether the shell expands a word to file names, so that files decide what is run."""
    return any(isinstance(word, Expanded) for word in words)


def _paths(kind: str, paths: tuple[str, ...]) -> Iterator[Rule]:
    if len(paths) > _MOST_SUGGESTIONS:
        return
    found = [tuple(map(escape_glob, paths))]
    folders = [path.rpartition("/")[0] for path in paths]
    if all(folders):
        found.append(tuple(dict.fromkeys(f"{escape_glob(folder)}/**" for folder in folders)))
    if not any(path.startswith(("/", "~", "..")) for path in paths):
        found.append(("**",))
    for patterns in dict.fromkeys(found):
        yield Rule(RuleAnswer.ALLOW, (kind,), paths=patterns)
    yield Rule(RuleAnswer.REJECT, (kind,), paths=found[0])
