"""`acp-tui policy`: list rules, revoke them, and try them on a recording."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from acp_tui.cli.output import add_recording, complain, finish, out
from acp_tui.cli.policy_test import DecisionDifference, Retrial, retrial
from acp_tui.config.paths import project_rules_folder, settings_file
from acp_tui.config.policy import LoadedRules, load_policy, load_settings_rules
from acp_tui.log_files import open_log, recording_path
from acp_tui.policy.rules import InactivePattern, Rule, RuleAnswer, inactive_patterns
from acp_tui.store.project_rules import ProjectRules
from acp_tui.text import reveal_escapes

DIFFERS = 1
_EPILOG = """\
acp-tui policy list
acp-tui policy test 1          what would have been decided in the newest recording

exit codes: 0; 1 test: something would be allowed that a person did not allow, or forget: there is no
such rule; 2 usage, or a file that can't be read"""

_MARKS = "! marks what the policy allows but nobody did, - what it rejects but was allowed"


def execute(options: argparse.Namespace) -> int:
    """List, revoke or try rules."""
    work = {"list": _list, "forget": _forget, "test": _test}[options.what]
    return finish("policy", getattr(options, "recording", ""), lambda: work(options))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
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


def _list(options: argparse.Namespace) -> int:
    for rule in (rule for file in _given(options) for rule in file.rules):
        out(f"     {rule.words}  ({rule.origin})")
        _list_inactive(rule)
    kept = ProjectRules(project_rules_folder())
    project = os.path.realpath(options.cwd)
    projects = kept.all() if options.all else {project: kept.load(project)}
    for folder, rules in projects.items():
        out(f"{folder}:{'' if rules else ' no rules'}")
        for number, rule in enumerate(rules, 1):
            out(f"{number:>3}  {rule.words}")
            _list_inactive(rule)
    return 0


def _list_inactive(rule: Rule) -> None:
    for one in inactive_patterns([rule]):
        out(f"       {one.pattern!r} allows nothing: {one.why}")


def _given(options: argparse.Namespace) -> Iterator[LoadedRules]:
    yield load_settings_rules(settings_file())
    for file in options.policy:
        yield load_policy(Path(file))


def _forget(options: argparse.Namespace) -> int:
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
        complain(
            f"there is no rule {options.number} here; acp-tui policy list shows them", "policy"
        )
        return DIFFERS
    return 0


def _test(options: argparse.Namespace) -> int:
    if options.policy:
        files = [load_policy(Path(file)) for file in options.policy]
    else:
        files = [load_settings_rules(settings_file())]
    rules = tuple(rule for file in files for rule in file.rules)
    opened = open_log(recording_path(options.recording))
    cases = list(retrial(opened.records, rules))
    for case in cases:
        _show(case)
    for pattern in (one for file in files for one in file.inactive):
        _show_inactive(pattern, cases)
    counts = {answer: sum(case.answer == answer for case in cases) for answer in RuleAnswer}
    looser = sum(case.difference is DecisionDifference.LOOSER for case in cases)
    said = ", ".join(f"{count} {answer}" for answer, count in counts.items())
    requests = "1 request" if len(cases) == 1 else f"{len(cases)} requests"
    out(f"{requests}: {said}; {looser} allowed that nobody allowed")
    return DIFFERS if looser else 0


def _show(case: Retrial) -> None:
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


def _show_inactive(inactive: InactivePattern, cases: list[Retrial]) -> None:
    """Print why a pattern allows nothing, and the patterns to write instead for this recording."""
    out(reveal_escapes(inactive.words))
    missed = [miss for case in cases for miss in case.misses if miss.pattern == inactive.pattern]
    better = dict.fromkeys(miss.better for miss in missed if miss.better is not None)
    if better:
        out(f"    in this recording these would match: {reveal_escapes(', '.join(better))}")
