"""Findings: broken rules, with the frame, the place in it, and a message."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

JsonPath = tuple[str | int, ...]
"""The names and indexes that lead to a value within JSON."""


class Severity(StrEnum):
    """ERROR: a MUST was broken, or something was done without consent. WARNING: a SHOULD, or what peers mend. INFO: worth knowing."""

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
"""The protocol's sentence about other transports; those above are about stdio."""


class ProtocolRule(NamedTuple):
    """A rule of the protocol, with the `sentence` that states it: in the documentation, the schema, or
    JSON-RPC.

    Without such a sentence it is a `guess`: the words are ours, and an agent may break it on purpose.
    `versions` are those of the protocol that have the rule; `second` is the sentence of version 2, if
    that has one of its own.
    """

    id: str
    severity: Severity
    sentence: str
    guess: bool = False
    versions: tuple[int, ...] = (1, 2)
    second: "ProtocolRule | None" = None

    def of(self, version: int) -> "ProtocolRule":
        """Return the rule as a version has it."""
        return self.second if version == 2 and self.second is not None else self

    def on_network(self) -> "ProtocolRule":
        """Return the rule for a remote agent, which has no stdin or stdout: sentences about them are replaced."""
        sentence = self.sentence
        for one in OF_STDIO:
            sentence = sentence.replace(one, CUSTOM_TRANSPORTS)
        return self._replace(sentence=sentence)

    @property
    def basis(self) -> str:
        """The basis of the rule, for display: a quotation, or a guess that is marked as one."""
        return f"A guess: {self.sentence}" if self.guess else f"“{self.sentence}”"


_VERSIONS = {"every": (1, 2), "version_1": (1,), "version_2": (2,), "second": (1, 2)}


@cache
def _rules() -> dict[str, ProtocolRule]:
    """Read all rules, by their ids."""
    import tomllib  # most starts need none of them

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
    """A broken rule, before it is known which record of a log broke it."""

    rule: ProtocolRule
    path: JsonPath
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule was broken by the record at `index` of the log: at `path` within its message."""

    rule: ProtocolRule
    index: int
    message: str
    path: JsonPath = ()

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    @property
    def where(self) -> str:
        """The path as one reads it: `params.update.content[0].text`."""
        return format_path(self.path)


def format_path(path: JsonPath) -> str:
    """Format a path into JSON for people."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")
