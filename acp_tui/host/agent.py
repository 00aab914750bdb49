"""An agent as the app sees it: its state, and a function that sends it commands."""

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
"""Runs a program on the user's terminal, which nothing else may use; returns its exit code."""


@dataclass(slots=True, eq=False)
class Agent:
    """An agent: its state, and a function that sends it commands.

    records: the records that the inspector shows; they may grow.
    limits: time limits for responses.
    program_facts: what `run_program` needs, as JSON.
    place: the agent's folder and command; drafts are stored by it.
    drafts_restored: whether earlier drafts of this place were searched for.
    called: its name in the user's settings, or "".
    name: its unique display name: `called`, else the name that it reports.
    since: when the app began to wait for it.
    postponed_sign_in: the sign-in that the user postponed.
    found: numbers of errors and warnings in its checked frames.
    found_seen: those numbers when the user last opened the findings.
    resumed: the id of the session that it should reopen at its start, until the outcome is known;
        `resumed_from` is the recording that has that session, if known.
    choosing: the user wants to choose a session at the start, and wasn't asked yet.
    choosing_options: the same for the options of its first session.
    openings: the number of sessions that this screen requested, if other screens can act, too:
        sessions that others requested are not shown at once.
    """

    state: State
    do: Do
    records: Sequence[Record] = ()
    limits: Limits = field(default_factory=Limits)
    run_program: RunProgram | None = None
    settings: AgentSettings | None = None
    program_facts: Mapping[str, Any] = field(default_factory=dict)
    place: tuple[str, ...] = ()
    drafts_restored: bool = False
    called: str = ""
    since: float = 0.0
    name: str = ""
    postponed_sign_in: SignIn | None = None
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
        """End an agent and everything that it started."""
