"""The tool calls of a turn: what each one names, and how its permission request was answered."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.named_work import (
    commands_in,
    edits_in,
    paths_in,
    plain_command,
    plain_path,
    terminals_in,
)
from acp_tui.protocol.findings import JsonPath
from acp_tui.protocol.json_parts import text_at
from acp_tui.state.entries import FINISHED


@dataclass
class CallConsent:
    """A tool call, what it names, and the answer to its permission request."""

    id: str
    paths: set[str] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)
    edits: set[tuple[str, str]] = field(default_factory=set)
    """The paths and new texts of its diffs."""
    terminals: set[str] = field(default_factory=set)
    """The ids of the terminals that it shows."""
    status: str = ""
    asked: set[int] = field(default_factory=set)
    """The indexes of its permission requests that have no answer yet."""
    allowed: bool = False
    denied: str = ""
    """How its last permission request was denied; empty if it was allowed, or has no answer."""
    rejected: bool = False
    """Whether it was denied with an option that rejects."""
    option: str = ""
    """The name of the option that was chosen."""
    answered_at: float = 0.0
    reported: bool = False

    @property
    def may_run(self) -> bool:
        """Whether the call was allowed, or needs no permission."""
        return not (self.denied or self.asked)

    @property
    def names_all(self) -> bool:
        """Whether the call has ended and said what it did: other work can't be attributed to it."""
        return self.status in FINISHED and bool(self.paths or self.commands)

    @property
    def answer_words(self) -> str:
        """How a call that may not run was answered, as the end of a message."""
        return f"{self.id!r} was {self.denied}" if self.denied else f"{self.id!r} has no answer yet"

    def learn(self, update: dict[str, Any]) -> None:
        """Add the files, commands and terminals that an update names."""
        self.paths |= set(map(plain_path, paths_in(update)))
        self.commands |= {plain_command(one) for one in commands_in(update)} - {""}
        self.edits |= set(edits_in(update))
        self.terminals |= set(terminals_in(update))
        self.status = text_at(update, "status") or self.status


@dataclass
class UnnamedWork:
    """A write or a command that no tool call of the turn has named yet.

    `guess` explains why a call that was not allowed may have done it; empty if another call was
    running. `terminal` is the id of the command's terminal, once there is one.
    """

    reading: Reading
    done: str
    where: JsonPath
    names: Callable[[CallConsent], bool]
    guess: str
    terminal: str = ""

    def is_of(self, call: CallConsent) -> bool:
        """Return whether a call that may run names this work, or shows its terminal."""
        return call.may_run and (self.names(call) or self.terminal in call.terminals)


@dataclass
class TurnConsent:
    """What was asked and answered in a session since its last prompt."""

    calls: dict[str, CallConsent] = field(default_factory=dict)
    unnamed: list[UnnamedWork] = field(default_factory=list)
    cancelled_at: float | None = None
    ended: bool = False
    """Whether the turn has ended after session/cancel."""
    questioned: bool = False
    """Whether any permission was requested. If not, nothing is compared: updates may come as a flood."""
    settings_changed: bool = False
    """Whether the client has set a mode or an option since: the agent may ask about less."""

    def call(self, id: str) -> CallConsent:
        """Return the tool call with this id; add it if it is new."""
        return self.calls.setdefault(id, CallConsent(id))

    def call_without_id(self, reading: Reading) -> CallConsent:
        """Add a call for a permission request without a tool call id, which version 2 allows."""
        title = text_at(reading.params, "title")
        return self.calls.setdefault(f"question {reading.index}", CallConsent(title))
