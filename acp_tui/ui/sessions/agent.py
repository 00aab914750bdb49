"""An agent as the app has it: what is true of it, and a way to ask it for things."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from acp_tui.config.limits import Limits
from acp_tui.config.settings import AgentSettings
from acp_tui.lazy_dataclass import lazy_dataclass
from acp_tui.session.authentication import Program
from acp_tui.session.commands import Do
from acp_tui.session.state import SignIn, State
from acp_tui.wire.recording import Record

RunProgram = Callable[[Program], Awaitable[int]]
"""Runs a program on the real terminal, from which the app has stepped aside."""


@lazy_dataclass(slots=True, eq=False)
class Agent:
    """`records` is what the inspector shows; it may grow. `limits` are how long an answer may take.
    `program_facts` are what `run_program` needs, as JSON. `place` is its folder and its command:
    drafts are kept by it, and `looked_back` for once.
    `since` is when the app began to wait for it. `name` tells it from the others: as the person has
    `called` it in the settings, else as it calls itself. `declined` is the sign-in
    that a person wants to do later. `found` counts errors and warnings in what went over the wire, as
    far as it was looked at, and `found_seen` those that a person went to. Where other screens act,
    too, `openings` counts the sessions that were asked for on this one: others are not shown at once.
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
    openings: int | None = None


class Hosts(Protocol):
    """What starts agents for the app, and ends them."""

    @property
    def known(self) -> Mapping[str, AgentSettings]:
        """The agents that a person has named."""

    def open(self, settings: AgentSettings, called: str = "") -> Agent:
        """Start an agent; its state says how that goes on."""

    def close(self, agent: Agent) -> None:
        """End an agent and all that it started."""
