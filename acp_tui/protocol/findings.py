"""Protocol rules, and findings: broken rules, with the frame, the place in it, and a message."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

JsonPath = tuple[str | int, ...]
"""The keys and indexes that lead to a value within JSON."""


class Severity(StrEnum):
    """The severity of a finding.

    ERROR: a MUST was broken, or something was done without consent. WARNING: a SHOULD was broken,
    or the receiver corrects the error. INFO: worth knowing.
    """

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


AGENT_WRITES = "The agent MUST NOT write anything to its stdout that is not a valid ACP message."
BOTH_WRITE = f"{AGENT_WRITES} The client MUST NOT write anything to the agent's stdin that is not a valid ACP message."
ONE_LINE = "Messages are delimited by newlines (\\n), and MUST NOT contain embedded newlines."
OF_STDIO = (BOTH_WRITE, AGENT_WRITES, ONE_LINE)
CUSTOM_TRANSPORTS = (
    "Implementers who choose to support custom transports MUST ensure they preserve the JSON-RPC message "
    "format and lifecycle requirements defined by ACP."
)
"""The protocol's sentence about custom transports, to replace those above, which are about stdio."""


class ProtocolRule(NamedTuple):
    """A rule of the protocol, with the `sentence` that states it, in the docs, schema or JSON-RPC.

    A rule without such a sentence is a `guess`: its words are ours, and agents may break it on
    purpose. `versions` are the versions of the protocol that have the rule; `second` is the same
    rule in version 2, if its sentence differs there.
    """

    id: str
    severity: Severity
    sentence: str
    guess: bool = False
    versions: tuple[int, ...] = (1, 2)
    second: "ProtocolRule | None" = None

    def of(self, version: int) -> "ProtocolRule":
        """Return the rule with the sentence of a version."""
        return self.second if version == 2 and self.second is not None else self

    def on_network(self) -> "ProtocolRule":
        """Return the rule for a remote agent: sentences about stdin and stdout are replaced."""
        sentence = self.sentence
        for one in OF_STDIO:
            sentence = sentence.replace(one, CUSTOM_TRANSPORTS)
        return self._replace(sentence=sentence)

    @property
    def basis(self) -> str:
        """The basis of the rule for display: a quotation, or a guess marked as one."""
        return f"A guess: {self.sentence}" if self.guess else f"“{self.sentence}”"


_VERSIONS = {"every": (1, 2), "version_1": (1,), "version_2": (2,), "second": (1, 2)}


@cache
def _rules() -> dict[str, ProtocolRule]:
    """Read all rules from `rules.toml`, by id."""
    import tomllib  # most runs of the program need no rules

    found: dict[str, ProtocolRule] = {}
    listed = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
    for name, versions in _VERSIONS.items():
        for basis, by_severity in listed[name].items():
            for severity, sentences in by_severity.items():
                for id, sentence in sentences.items():
                    rule = ProtocolRule(
                        id, Severity(severity), sentence, basis == "guess", versions
                    )
                    found[id] = found[id]._replace(second=rule) if name == "second" else rule
    return found


def protocol_rule(id: str) -> ProtocolRule:
    """Return a rule in `rules.toml`."""
    return _rules()[id]


def protocol_rules() -> tuple[ProtocolRule, ...]:
    """Return all rules in `rules.toml`."""
    return tuple(_rules().values())


class Violation(NamedTuple):
    """A broken rule, before it is assigned to a record of a log."""

    rule: ProtocolRule
    path: JsonPath
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The record at `index` of a log breaks a rule, at `path` within its message."""

    rule: ProtocolRule
    index: int
    message: str
    path: JsonPath = ()

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    @property
    def where(self) -> str:
        """The path for people: `params.update.content[0].text`."""
        return format_path(self.path)


def format_path(path: JsonPath) -> str:
    """Format a path within JSON for people."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")
