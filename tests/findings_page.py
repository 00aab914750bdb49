"""The page docs/findings.md."""

import inspect
import re
import sys
from collections.abc import Iterable
from types import ModuleType

from acp_tui.debug.lint.linter import CHECKERS
from acp_tui.protocol import known_forms, validation
from acp_tui.protocol.findings import (
    CUSTOM_TRANSPORTS,
    ProtocolRule,
    protocol_rule,
    protocol_rules,
)

_INTRO = f"""\
# Findings: the rules of the protocol

    acp-tui log 1 --findings

lists the frames of the newest recording that break the rules below. F12 shows the same findings live, and `acp-tui
run --findings` prints them after a turn. `make pages` writes this page from the rules.

An **error** breaks a MUST of the protocol. A **warning** breaks a SHOULD, or is a fault that peers correct on their
own: a bad value that the schema lets a receiver replace, or a field that a later version of the protocol may have.
A note (**info**) is for your information. `--findings` exits with 1 if there are errors.

Each rule quotes its basis: the protocol's documentation and schema, JSON-RPC, or the standards under these. If none
of them has a sentence for a rule, the rule is called a guess: behavior that breaks it is unusual, but may be
intended. If versions 1 and 2 of the protocol word a rule differently, the rule quotes both, and each version is
judged by its own words. acp-tui recognizes the version by the form of `initialize`: in version 2 it has `info` and
`capabilities`. In a log without `initialize` it guesses the version from the messages, and marks it as a guess.

For an agent on the network, rules about stdin, stdout or lines quote the protocol's sentence on other transports
instead: “{CUSTOM_TRANSPORTS}”

Over HTTP, responses and updates can come on different event streams, and overtake each other. So over HTTP no rule
judges whether a history is replayed before or after the response to `session/load` or `session/resume`, or which
updates come before or after the response to `session/close`.

The rules apply to both sides: a finding belongs to the record that shows it. Custom methods, whose names begin with an
underscore, and everything under `_meta` are up to each side.

Some behavior shows only when it is provoked: how an agent handles bad parameters, unknown methods or an unknown
version, whether it connects to MCP servers, works in its folder, and exits when its stdin is closed. [acp-tui
check](check.md) provokes it.

Only the disk shows the changes that an agent makes with its own tools. acp-tui compares the session's folder with
its state before the turn: when the turn has ended, some seconds later, and from time to time while a question is
open. For files without a copy it knows only the time of the last change: ignored files, large ones, other
repositories, git's own hooks, settings and branches, and files outside the folder that a rejected or canceled
question named. At the paths that a question names, even outside the folder, acp-tui sees which files were created
or removed, and which permissions changed. It can't see a file that was written and deleted again between two
comparisons, a deleted file without a copy, an empty folder that no question named, or any other file outside the
folder. It doesn't report editors' swap files, logs that only grew, and hidden folders that belong to programs, not
to the project, unless a question named them.
"""


def findings_page() -> str:
    """Format the page as Markdown: a section for each module of rules."""
    subjects = {validation: [*_rules_in(validation), *_rules_in(known_forms)]}
    for checker in CHECKERS:
        module = sys.modules[checker.__module__]
        subjects[module] = _rules_in(module)
    assert {rule for rules in subjects.values() for rule in rules} == {*protocol_rules()}
    return "\n".join([_INTRO, *(_section(module, rules) for module, rules in subjects.items())])


def _rules_in(module: ModuleType) -> list[ProtocolRule]:
    """Return the rules that a module reports, in their order in it."""
    ids = re.findall(r'protocol_rule\("([\w-]+)"\)', inspect.getsource(module))
    return [protocol_rule(id) for id in ids]


def _section(module: ModuleType, rules: Iterable[ProtocolRule]) -> str:
    title = (module.__doc__ or "").splitlines()[0].rstrip(".")
    lines = [f"## {title}", ""]
    lines += [f"- `{rule.id}` ({_severities(rule)}): {_basis(rule)}" for rule in rules]
    return "\n".join([*lines, ""])


def _severities(rule: ProtocolRule) -> str:
    first, second = rule.of(1).severity, rule.of(2).severity
    return first if first is second else f"{first}; in version 2 {second}"


def _basis(rule: ProtocolRule) -> str:
    basis = rule.basis
    if len(rule.versions) == 1:
        basis = f"Version {rule.versions[0]}: {basis}"
    if rule.second is not None:
        basis = f"{basis} Version 2: {rule.second.basis}"
    return basis.replace("*", "\\*").replace("<", "\\<")
