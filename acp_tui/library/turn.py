"""A turn as callers see it: plain values that never change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.content import Diff
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Finding, Severity
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.updates import Cost, PlanEntry, ToolCallLocation


@dataclass(frozen=True)
class ToolCall:
    """A tool call as it was at that moment.

    `text` is the text of its content, `output` that of its terminals. `decisions` are the names of
    the options that were chosen when the agent asked for permission, each followed by what the agent
    got if the answer was changed or dropped on its way. `seconds` leaves out the wait for these answers.
    `use` counts the calls before it in the session that had the same id.
    """

    tool_call_id: str
    title: str
    kind: str
    status: str
    name: str | None = None
    text: str = ""
    output: str = ""
    diffs: tuple[Diff, ...] = ()
    locations: tuple[ToolCallLocation, ...] = ()
    raw_input: Any = field(default=None, repr=False)
    raw_output: Any = field(default=None, repr=False)
    decisions: tuple[str, ...] = ()
    seconds: float = 0.0
    use: int = field(default=0, repr=False)

    def __str__(self) -> str:
        return f"{self.tool_call_id}: {self.title!r} [{self.kind}, {self.status}]"


class ToolCalls(tuple[ToolCall, ...]):
    """The tool calls of a turn, in their order."""

    __slots__ = ()

    def of(self, **facts: Any) -> "ToolCalls":
        """Return those with these facts: `of(kind="edit", status="completed")`."""
        unknown = facts.keys() - ToolCall.__dataclass_fields__.keys()
        if unknown:
            raise TypeError(f"a tool call has no {', '.join(sorted(unknown))}")
        return ToolCalls(
            call
            for call in self
            if all(getattr(call, name) == wanted for name, wanted in facts.items())
        )

    def one(self, **facts: Any) -> ToolCall:
        """Return the only one with these facts.

        Raises:
            AssertionError: there is none, or more than one; the text lists all of them.
        """
        __tracebackhide__ = True
        found = self.of(**facts)
        if len(found) == 1:
            return found[0]
        wanted = ", ".join(f"{name}={value!r}" for name, value in facts.items())
        words = f"{len(found)} tool calls" if found else "no tool call"
        raise AssertionError(f"{words} with {wanted or 'any facts'}; the turn has:{_listed(self)}")


class Findings(tuple[Finding, ...]):
    """The broken rules of the protocol; empty if there are none."""

    __slots__ = ()

    @classmethod
    def among(cls, found: Iterable[Finding], *, notes: bool = False) -> "Findings":
        """Choose the errors and warnings; or the `notes`, which are worth knowing and break nothing."""
        return cls(one for one in found if (one.severity is Severity.INFO) is notes)

    def __repr__(self) -> str:
        return f"<{len(self)} findings: {'; '.join(map(finding_line, self)) or 'none'}>"


def finding_line(finding: Finding) -> str:
    """Return a finding as one line: severity, rule, where, and what is wrong."""
    where = f" at {finding.where}" if finding.where else ""
    return f"{finding.severity} {finding.rule.id}{where}: {finding.message}"


def _listed(lines: Iterable[object]) -> str:
    return "".join(f"\n  {line}" for line in lines) or " none"


@dataclass(frozen=True)
class Usage:
    """Tokens in the context (`used` of `size`), the `cost` so far, and the `tokens` in the answer
    to the prompt.
    """

    used: int | None = None
    size: int | None = None
    cost: Cost | None = None
    tokens: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Timings:
    """How the `seconds` of a turn are divided; each moment counts once.

    `first_token` is the time until the agent said anything. `person` is the wait for permissions and
    elicitations, `client` that for files and terminals.
    """

    seconds: float
    first_token: float | None
    model: float
    tools: float
    person: float
    client: float


@dataclass(frozen=True)
class Turn:
    """One prompt and all that followed until its answer.

    `text` is what the agent said, `thoughts` what it thought. `findings` are errors and warnings,
    `notes` is what else is worth knowing of how the agent uses the protocol. Without a `stop_reason` the turn
    failed: with an `error` of the agent, or because it was `lost` with its process.
    """

    session_id: str
    prompt: str
    text: str
    thoughts: str
    tool_calls: ToolCalls
    plan: tuple[PlanEntry, ...]
    stop_reason: str | None
    error: Error | None
    lost: str | None
    usage: Usage
    findings: Findings
    notes: Findings
    timings: Timings
    records: Sequence[Record] = field(repr=False, compare=False)
    """Everything recorded from the connection in this time."""

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The file changes that the tool calls showed."""
        return tuple(diff for call in self.tool_calls for diff in call.diffs)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The lines on the wire, of both directions."""
        return tuple(one for one in self.records if isinstance(one, Frame))

    def __repr__(self) -> str:
        end = self.stop_reason or (self.error.words if self.error else self.lost)
        said = f"{len(self.tool_calls)} tool calls, {len(self.findings)} findings"
        return f"<Turn {end}: {self.text[:60]!r}, {said}>"
