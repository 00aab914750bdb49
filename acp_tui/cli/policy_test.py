"""What rules would have decided about the requests of a recording, beside what was answered."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from acp_tui.policy.allow_patterns import widened
from acp_tui.policy.evaluation import NearMiss, ResolvedRequest, evaluate, near_misses
from acp_tui.policy.globs import anchored
from acp_tui.policy.rules import Rule, RuleAnswer, ruling_words
from acp_tui.protocol.events import AccessAnswered, AccessAsked, Event, Requested, Responded
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.requests import AnyPermissionRequest, RequestPermissionResult
from acp_tui.recordings.recording import Interpreter, Record
from acp_tui.state.fold import apply
from acp_tui.state.request_facts import RequestFacts, permission_facts
from acp_tui.state.state import Permission, State
from acp_tui.text import reveal_escapes

UNANSWERED = "no answer"


class DecisionDifference(StrEnum):
    """How the decision of the rules compares with the answer: LOOSER is an allow where there was
    none.
    """

    SAME = "same"
    LOOSER = "looser"
    STRICTER = "stricter"


@dataclass(frozen=True, slots=True)
class PatternMiss:
    """A pattern that nearly matches a command, why it doesn't, and a `better` one that does."""

    pattern: str
    origin: str
    why: str
    better: str | None

    @property
    def words(self) -> str:
        better = f"; {self.better} does" if self.better is not None else ""
        return f"{self.pattern} ({self.origin}) doesn't match: {self.why}{better}"


@dataclass(slots=True)
class Retrial:
    """One request, by its frame's number; `was` is the answer in words, `allowed` whether it
    allowed. `misses` are the patterns that nearly match, and why they don't.
    """

    number: int
    about: str
    answer: RuleAnswer
    by: str
    was: str = UNANSWERED
    allowed: bool = False
    misses: tuple[PatternMiss, ...] = ()

    @property
    def difference(self) -> DecisionDifference:
        if self.answer is RuleAnswer.ALLOW and not self.allowed:
            return DecisionDifference.LOOSER
        if self.answer is RuleAnswer.REJECT and self.allowed:
            return DecisionDifference.STRICTER
        return DecisionDifference.SAME


def retrial(records: Iterable[Record], rules: tuple[Rule, ...]) -> Iterator[Retrial]:
    """Evaluate the rules for each permission request and each question about a file, in order.

    Paths are taken as they are written: a recording doesn't say which of them were links.
    """
    state, interpreter = State(), Interpreter()
    cases: dict[int, Retrial] = {}
    for record in records:
        event = interpreter.event(record)
        _answered(state, event, cases)
        apply(state, event)
        permission = _asked(state, event)
        if permission is not None:
            cases[permission.number] = _case(state, permission, rules)
    yield from cases.values()


def _asked(state: State, event: Event) -> Permission | None:
    match event:
        case Requested(direction=Direction.IN, params=AnyPermissionRequest()):
            return state.permission(event.number)
        case AccessAsked():
            return state.permission(event.request)
    return None


def _case(state: State, permission: Permission, rules: tuple[Rule, ...]) -> Retrial:
    session = state.session(permission.session_id)
    asked = permission_facts(session, permission)
    folder = Path(session.cwd or state.peer.cwd).as_posix()
    request = _resolved(asked, folder)
    said = evaluate(rules, request, partial(_anchored, folder))
    answer, by = (RuleAnswer.ASK, "") if said is None else (said.answer, said.words)
    about = _about(permission, asked, folder)
    missed = () if said is not None else near_misses(rules, request)
    misses = tuple(dict.fromkeys(_miss(one, folder) for one in missed))
    return Retrial(permission.number, about, answer, by, misses=misses)


def _miss(miss: NearMiss, folder: str) -> PatternMiss:
    better = widened(miss.words, (folder,))
    return PatternMiss(miss.pattern, miss.rule.origin, miss.why, better)


def _about(permission: Permission, asked: RequestFacts, folder: str) -> str:
    """Return what was asked about, with the command and the files that the title leaves out."""
    if permission.access is not None:
        return f"{permission.access.operation} {permission.access.path}"
    what = [reveal_escapes(line) for line in asked.lines]
    what += [path.removeprefix(f"{folder}/") for path in asked.paths]
    words = [asked.title, *(one for one in what if one not in asked.title)]
    return f"{asked.kind}: {' — '.join(words)}"


def _resolved(asked: RequestFacts, folder: str) -> ResolvedRequest:
    places = [posixpath.normpath(posixpath.join(folder, path)) for path in asked.paths]
    paths = tuple((place, place) for place in places)
    return ResolvedRequest(
        "",
        folder,
        asked.kind,
        asked.title,
        paths,
        asked.commands,
        clear=asked.clear,
        writes=asked.writes,
    )


def _anchored(folder: str, rule: Rule) -> Rule:
    home = str(Path("~").expanduser())
    return rule._replace(paths=tuple(anchored(path, folder, home) for path in rule.paths))


def _answered(state: State, event: Event, cases: dict[int, Retrial]) -> None:
    """Note how a request was answered, before the state forgets its options."""
    match event:
        case AccessAnswered(request=number, answer=answer):
            permission, option_id = state.permission(number), answer
        case Responded(request=request, result=RequestPermissionResult(outcome=outcome)):
            number, option_id = request.number, outcome.option_id or ""
            permission = state.permission(number)
        case _:
            return
    if permission is None or number not in cases:
        return
    case = cases[number]
    chosen = [option for option in permission.options if option.option_id == option_id]
    case.was = chosen[0].name if chosen else "cancelled"
    case.allowed = any(option.kind.startswith("allow") for option in chosen)
    if permission.ruled:
        case.was = ruling_words(case.was, permission.rule)
