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

lists what breaks the rules below in the newest recording. F12 shows the same live, and `acp-tui run --findings` prints
it after a turn. `make pages` writes this page from the rules.

An **error** breaks a MUST of the protocol. A **warning** breaks a SHOULD, or is something that peers correct on their
own: a bad value that the schema lets a receiver replace, or a field that a later version of the protocol may have. A
note (**info**) is worth knowing. `--findings` exits with 1 if there are errors.

Each rule quotes what it is based on: the documentation and the schema of the protocol, JSON-RPC, or what these build
on. If none of them has a sentence for it, the rule is called a guess: what breaks it is unusual, but may be intended.
If versions 1 and 2 of the protocol differ in their words, the rule quotes both, and each version is judged by its own.
The form of `initialize` shows which version is spoken: in version 2 it has `info` and `capabilities`. In a log
without `initialize` the version is guessed from the messages, and marked as a guess.

For an agent on the network, a rule that quotes a sentence about stdin, stdout or lines quotes what the protocol asks of
other transports: “{CUSTOM_TRANSPORTS}”

Over HTTP, answers and updates can come on different event streams, and overtake each other. So no rule judges there
whether a history is replayed before the answer to `session/load` or `session/resume`, or after it, nor what comes
before the answer to `session/close` or after it.

The rules apply to both sides: a finding belongs to the record that shows it. Custom methods, whose names begin with an
underscore, and everything under `_meta` are up to each side.

Some behavior has to be provoked: how an agent handles bad parameters, unknown methods or an unknown version, whether it
connects to MCP servers, works in its folder, and exits when its stdin is closed. [acp-tui check](check.md) does that.

What an agent does by itself, only the disk shows. The session's folder is compared with what it was before the turn, when
the turn has ended, some seconds later, and from time to time while a question is open. Of some files only the time of
their last change is known, as there is no copy: ignored files, large ones, other repositories, git's own hooks, settings
and branches, and files outside the folder that a rejected or canceled question named. At the places that a question
names, even outside the folder, acp-tui sees what was created or removed, and which permissions changed. It can't see a
file that was written and deleted again between two comparisons, a deleted file of which there was no copy, an empty
folder that no question named, and any other file outside the folder. Swap files of editors, logs that only grew, and hidden folders
that belong to programs, not to the project, are not reported unless a question named them.
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
