"""An agent as the app sees it: its state, and a way to send it commands."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from acp_tui.config.limits import Limits
from acp_tui.config.settings import AgentSettings
from acp_tui.protocol.events import Record
from acp_tui.state.authentication import Program
from acp_tui.state.commands import Do
from acp_tui.state.peer import SignIn
from acp_tui.state.state import State

RunProgram = Callable[[Program], Awaitable[int]]
"""Runs a program on the person's terminal, which nothing else uses; returns its exit code."""


@dataclass(slots=True, eq=False)
class Agent:
    """An agent: its state, and a way to send it commands.

    records: the records that the inspector shows; they may grow.
    limits: time limits of responses.
    program_facts: what `run_program` needs, as JSON.
    place: the agent's folder and command; drafts are kept by it.
    looked_back: earlier drafts of this place were searched for.
    called: its name in the user's settings, if any.
    name: its unique display name: `called`, else the name that it reports.
    since: the time at which the app began to wait for it.
    declined: the sign-in that the user postponed.
    found: errors and warnings in its checked frames.
    found_seen: those that the user has opened.
    resumed: the session that it was asked for at its start, until it is known whether it opens it; `resumed_from`
        is the recording that has it, if that is known.
    choosing: the user wants to choose a session at the start, and hasn't been asked yet.
    choosing_options: the same for the options that its first session begins with.
    openings: where other screens act, too, how many sessions were asked for on this one: others are
        not shown at once.
    """

    state: State
    do: Do
    records: Sequence[Record] = ()
    limits: Limits = field(default_factory=Limits)
    run_program: RunProgram | None = None
    settings: AgentSettings | None = None
    program_facts: Mapping[str, Any] = field(default_factory=dict)
    place: tuple[str, ...] = ()
    looked_back: bool = False
    called: str = ""
    since: float = 0.0
    name: str = ""
    declined: SignIn | None = None
    found: tuple[int, int] = (0, 0)
    found_seen: tuple[int, int] = (0, 0)
    resumed: str = ""
    resumed_from: str = ""
    choosing: bool = False
    choosing_options: bool = False
    openings: int | None = None


class Hosts(Protocol):
    """Starts and ends agents for the app."""

    @property
    def known(self) -> Mapping[str, AgentSettings]:
        """Agents from the user's settings, by name."""

    def open(self, settings: AgentSettings, called: str = "") -> Agent:
        """Start an agent; its state shows the progress."""

    def close(self, agent: Agent) -> None:
        """End an agent and all that it started."""
