"""What a turn's tool calls announced, and what was answered about them."""

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
    """A tool call of a turn: what it names, and what was answered about it."""

    id: str
    paths: set[str] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)
    edits: set[tuple[str, str]] = field(default_factory=set)
    """The paths and new texts of its diffs."""
    terminals: set[str] = field(default_factory=set)
    """The ids of the terminals that it shows."""
    status: str = ""
    asked: set[int] = field(default_factory=set)
    """The open questions about it, by the index of the request."""
    allowed: bool = False
    denied: str = ""
    """How the last answer was not an approval; empty if it was one, or there is none."""
    rejected: bool = False
    """Whether that answer was an option that rejects."""
    option: str = ""
    """The name of that option."""
    answered_at: float = 0.0
    reported: bool = False

    @property
    def may_run(self) -> bool:
        """Return whether the call was allowed, or no permission was requested."""
        return not (self.denied or self.asked)

    @property
    def names_all(self) -> bool:
        """Return whether the call has ended and listed its effects: others can't be attributed to it."""
        return self.status in FINISHED and bool(self.paths or self.commands)

    @property
    def answer_words(self) -> str:
        """The answer to the question about the call, in words; a call that is allowed has none."""
        return f"{self.id!r} was {self.denied}" if self.denied else f"{self.id!r} has no answer yet"

    def learn(self, update: dict[str, Any]) -> None:
        """Add what an update of it names."""
        self.paths |= set(map(plain_path, paths_in(update)))
        self.commands |= {plain_command(one) for one in commands_in(update)} - {""}
        self.edits |= set(edits_in(update))
        self.terminals |= set(terminals_in(update))
        self.status = text_at(update, "status") or self.status


@dataclass
class UnnamedWork:
    """A write or a command that no tool call of its turn names so far.

    `guess` says why it may be the work of one that was not allowed; it is empty if another call was
    under way. `terminal` is the command's, once that exists.
    """

    reading: Reading
    done: str
    where: JsonPath
    names: Callable[[CallConsent], bool]
    guess: str
    terminal: str = ""

    def is_of(self, call: CallConsent) -> bool:
        """Return whether a call did it: one that needs no permission, or got it."""
        return call.may_run and (self.names(call) or self.terminal in call.terminals)


@dataclass
class TurnConsent:
    """A session since its last prompt: its tool calls, and whether it was asked, canceled and ended."""

    calls: dict[str, CallConsent] = field(default_factory=dict)
    unnamed: list[UnnamedWork] = field(default_factory=list)
    cancelled_at: float | None = None
    ended: bool = False
    """Whether it has ended after its cancel."""
    questioned: bool = False
    """Whether anything was asked; else there is nothing to look for in what may be a flood."""
    settings_changed: bool = False
    """Whether the client has set a mode or an option, by which less may be asked about."""

    def call(self, id: str) -> CallConsent:
        """Return a tool call, which may be new."""
        return self.calls.setdefault(id, CallConsent(id))

    def question(self, reading: Reading) -> CallConsent:
        """Return a stand-in for a question that names no tool call, as those of version 2 may."""
        title = text_at(reading.params, "title")
        return self.calls.setdefault(f"question {reading.index}", CallConsent(title))
