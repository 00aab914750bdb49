"""The page docs/findings.md."""

import sys
from collections.abc import Iterable
from types import ModuleType

from acp_tui.debug.lint.linter import CHECKERS
from acp_tui.protocol import validation
from acp_tui.protocol.findings import ProtocolRule

_INTRO = """\
# Findings

These are the rules that the inspector, `acp-tui log FILE --findings` and `acp-tui run --findings` check. `make
pages` writes this page from them.

An **error** breaks a MUST of the protocol. A **warning** breaks a SHOULD, or is something that peers
correct on their own: a bad value that the schema lets a receiver replace, or a field that a later
version of the protocol may have. A note (**info**) is worth knowing. `--findings` exits with 1 if
there are errors.

Each rule quotes what it is based on: the protocol's documentation and schema, JSON-RPC, or what these
build on. If none of them has a sentence for it, the rule is a guess and says so: what breaks it is
unusual, but may be intended.

The rules are those of versions 1 and 2 of the protocol. If the versions differ in their words, the
rule quotes both and judges each version by its own; a rule that only one version has says so. The form of
`initialize` shows which version is spoken: in version 2 it has `info` and `capabilities`, whatever number
it names. In a log without `initialize` the version is guessed from the messages, and marked as a guess.

The rules apply to both sides: a finding belongs to the record that shows it. Custom methods, whose
names begin with an underscore, and everything under `_meta` are up to each side.

Some behavior has to be provoked and is not here, because a recording shows it only by chance: how an
agent handles bad parameters, unknown methods or an unknown version, whether it connects to MCP servers
and works in its folder, and whether it exits when its stdin is closed. `acp-tui check` provokes it: [check](check.md).
"""


def findings_page() -> str:
    """Make the page as Markdown."""
    subjects: list[tuple[ModuleType, tuple[ProtocolRule, ...]]] = [(validation, validation.RULES)]
    subjects += [(sys.modules[checker.__module__], checker.RULES) for checker in CHECKERS]
    return "\n".join([_INTRO, *(_section(module, rules) for module, rules in subjects)])


def _section(module: ModuleType, rules: Iterable[ProtocolRule]) -> str:
    title = (module.__doc__ or "").splitlines()[0].rstrip(".")
    lines = [f"## {title}", "", "| rule | severity | |", "| --- | --- | --- |"]
    lines += [f"| `{rule.id}` | {_severities(rule)} | {_told(rule)} |" for rule in rules]
    return "\n".join([*lines, ""])


def _severities(rule: ProtocolRule) -> str:
    first, second = rule.of(1).severity, rule.of(2).severity
    return first if first is second else f"{first}; in version 2 {second}"


def _told(rule: ProtocolRule) -> str:
    told = rule.basis
    if len(rule.versions) == 1:
        told = f"Version {rule.versions[0]}: {told}"
    if rule.second is not None:
        told = f"{told}<br>Version 2: {rule.second.basis}"
    return told.replace("|", "\\|").replace("*", "\\*")
