"""`acp-tui policy`: list and revoke permission rules, and test them on a recording."""

import argparse
import os
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acp_tui.cli.output import add_recording, finish_command, out, print_error
from acp_tui.config.paths import project_rules_folder, settings_file
from acp_tui.config.policy import load_policy, load_settings_rules
from acp_tui.log_files import open_log, recording_path
from acp_tui.policy.allow_patterns import widen_command
from acp_tui.policy.evaluation import ResolvedRequest, evaluate_rules, near_misses
from acp_tui.policy.globs import anchor_pattern
from acp_tui.policy.rules import InactivePattern, Rule, RuleAnswer, inactive_patterns, ruling_words
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.requests import AnyPermissionRequest, RequestPermissionResult
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.recordings.recording import Interpreter
from acp_tui.state.fold import apply_event
from acp_tui.state.open_questions import Permission
from acp_tui.state.request_facts import RequestFacts, permission_facts
from acp_tui.state.state import State
from acp_tui.store.project_rules import ProjectRules
from acp_tui.text import reveal_escapes

DIFFERS = 1
_EPILOG = """\
acp-tui policy list
acp-tui policy test 1          what would have been decided in the newest recording

exit codes: 0; 1 test: something would be allowed that a person did not allow, or forget: there is no
such rule; 2 usage, or a file that can't be read"""
_MARKS = "! marks what the policy allows but nobody did, - what it rejects but was allowed"
UNANSWERED = "no answer"


def execute(options: argparse.Namespace) -> int:
    """List, revoke or test rules."""
    work = {"list": _list_rules, "forget": _forget_rules, "test": _test_rules}[options.what]
    return finish_command("policy", getattr(options, "recording", ""), lambda: work(options))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.description = "Permission rules: what is allowed, rejected and asked."
    parser.epilog = _EPILOG
    what = parser.add_subparsers(dest="what", metavar="list|forget|test", required=True)
    shown = what.add_parser(
        "list", help="list the rules in force; those that can be revoked have a number"
    )
    shown.add_argument("--all", action="store_true", help="list the rules of every project")
    forget = what.add_parser("forget", help="revoke rules of a project")
    forget.add_argument("number", metavar="NUMBER|all", help="as acp-tui policy list numbers them")
    test = what.add_parser(
        "test", help="show what a policy would have decided about a recording", epilog=_MARKS
    )
    add_recording(test)
    for one in (shown, forget):
        one.add_argument("--cwd", metavar="DIR", default=".", help="the project (default: .)")
    for one in (shown, test):
        one.add_argument(
            "--policy", metavar="FILE", action="append", default=[], help="rules (repeatable)"
        )


def _list_rules(options: argparse.Namespace) -> int:
    files = [load_settings_rules(settings_file()), *map(load_policy, map(Path, options.policy))]
    for rule in (rule for file in files for rule in file.rules):
        out(f"     {rule.words}  ({rule.origin})")
        _print_inactive_patterns(rule)
    kept = ProjectRules(project_rules_folder())
    project = os.path.realpath(options.cwd)
    projects = kept.all() if options.all else {project: kept.load(project)}
    for folder, rules in projects.items():
        out(f"{folder}:{'' if rules else ' no rules'}")
        for number, rule in enumerate(rules, 1):
            out(f"{number:>3}  {rule.words}")
            _print_inactive_patterns(rule)
    return 0


def _print_inactive_patterns(rule: Rule) -> None:
    for one in inactive_patterns([rule]):
        out(f"       {one.pattern!r} allows nothing: {one.why}")


def _forget_rules(options: argparse.Namespace) -> int:
    kept = ProjectRules(project_rules_folder())
    rules = kept.load(os.path.realpath(options.cwd))
    numbers = {str(number): rule for number, rule in enumerate(rules, 1)}
    chosen = (
        rules
        if options.number == "all"
        else [numbers[options.number]]
        if (options.number in numbers)
        else []
    )
    for rule in chosen:
        kept.forget(rule)
        out(f"forgotten: {rule.words}")
    if not chosen:
        print_error(
            f"there is no rule {options.number} here; acp-tui policy list shows them", "policy"
        )
        return DIFFERS
    return 0


class DecisionDifference(StrEnum):
    """How the rules' decision differs from the recorded answer. LOOSER: the rules allow a request
    that wasn't allowed.
    """

    SAME = "same"
    LOOSER = "looser"
    STRICTER = "stricter"


@dataclass(frozen=True, slots=True)
class PatternMiss:
    """A pattern that almost matches a command: why it doesn't, and a `better` one that does."""

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
    """A recorded permission request, and what the rules decide about it.

    `number` is its frame's; `was` is the recorded answer in words, and `allowed` whether it allowed
    the request. `misses` are patterns that almost match.
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


def reevaluate(records: Iterable[Record], rules: tuple[Rule, ...]) -> Iterator[Retrial]:
    """Evaluate the rules for each permission request and each question about a file, in order.

    Paths are compared as they are written: a recording doesn't say which of them were symlinks.
    """
    state, interpreter = State(), Interpreter()
    cases: dict[int, Retrial] = {}
    for record in records:
        event = interpreter.event(record)
        _record_answer(state, event, cases)
        apply_event(state, event)
        permission = _asked_permission(state, event)
        if permission is not None:
            cases[permission.number] = _try_rules(state, permission, rules)
    yield from cases.values()


def _asked_permission(state: State, event: Event) -> Permission | None:
    match event:
        case Requested(direction=Direction.IN, params=AnyPermissionRequest()):
            return state.permission(event.number)
        case AccessAsked():
            return state.permission(event.request)
    return None


def _try_rules(state: State, permission: Permission, rules: tuple[Rule, ...]) -> Retrial:
    session = state.session(permission.session_id)
    asked = permission_facts(session, permission)
    folder = Path(session.cwd or state.peer.cwd).as_posix()
    request = _resolve_request(asked, folder)
    home = str(Path("~").expanduser())

    def anchor(rule: Rule) -> Rule:
        return rule._replace(paths=tuple(anchor_pattern(path, folder, home) for path in rule.paths))

    said = evaluate_rules(rules, request, anchor)
    answer, by = (RuleAnswer.ASK, "") if said is None else (said.answer, said.words)
    about = _describe_request(permission, asked, folder)
    missed = () if said is not None else near_misses(rules, request)
    misses = tuple(
        dict.fromkeys(
            PatternMiss(one.pattern, one.rule.origin, one.why, widen_command(one.words, (folder,)))
            for one in missed
        )
    )
    return Retrial(permission.number, about, answer, by, misses=misses)


def _describe_request(permission: Permission, asked: RequestFacts, folder: str) -> str:
    """Describe a request, including commands and files that its title omits."""
    if permission.access is not None:
        return f"{permission.access.operation} {permission.access.path}"
    what = [reveal_escapes(line) for line in asked.lines]
    what += [path.removeprefix(f"{folder}/") for path in asked.paths]
    words = [asked.title, *(one for one in what if one not in asked.title)]
    return f"{asked.kind}: {' — '.join(words)}"


def _resolve_request(asked: RequestFacts, folder: str) -> ResolvedRequest:
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


def _record_answer(state: State, event: Event, cases: dict[int, Retrial]) -> None:
    """Record the answer to a request, before the state forgets the request's options."""
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
    case.was = chosen[0].name if chosen else "canceled"
    case.allowed = any(not option.rejects for option in chosen)
    if permission.ruled:
        case.was = ruling_words(case.was, permission.rule)


def _test_rules(options: argparse.Namespace) -> int:
    if options.policy:
        files = [load_policy(Path(file)) for file in options.policy]
    else:
        files = [load_settings_rules(settings_file())]
    rules = tuple(rule for file in files for rule in file.rules)
    opened = open_log(recording_path(options.recording))
    cases = list(reevaluate(opened.records, rules))
    for case in cases:
        _print_case(case)
    for pattern in (one for file in files for one in file.inactive):
        _print_alternatives(pattern, cases)
    counts = {answer: sum(case.answer == answer for case in cases) for answer in RuleAnswer}
    looser = sum(case.difference is DecisionDifference.LOOSER for case in cases)
    said = ", ".join(f"{count} {answer}" for answer, count in counts.items())
    requests = "1 request" if len(cases) == 1 else f"{len(cases)} requests"
    out(f"{requests}: {said}; {looser} allowed that nobody allowed")
    return DIFFERS if looser else 0


def _print_case(case: Retrial) -> None:
    mark = {
        DecisionDifference.SAME: " ",
        DecisionDifference.LOOSER: "!",
        DecisionDifference.STRICTER: "-",
    }[case.difference]
    by = case.by or "no rule"
    out(f"{mark} #{case.number}  {case.about}")
    out(f"    policy: {case.answer} ({by})")
    out(f"    was:    {case.was}")
    for miss in case.misses:
        out(f"    {reveal_escapes(miss.words)}")


def _print_alternatives(inactive: InactivePattern, cases: list[Retrial]) -> None:
    """Print why a pattern allows nothing, and patterns that would match this recording."""
    out(reveal_escapes(inactive.words))
    missed = [miss for case in cases for miss in case.misses if miss.pattern == inactive.pattern]
    better = dict.fromkeys(miss.better for miss in missed if miss.better is not None)
    if better:
        out(f"    in this recording these would match: {reveal_escapes(', '.join(better))}")
