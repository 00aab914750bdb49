"""Breakpoints and faults of one agent: puts a gate on its wire while there are any."""

from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.link import Link
from acp_tui.client.connection.transport import Carrier
from acp_tui.client.core import Core
from acp_tui.protocol.events import BreakpointSet, FaultSet, LocalEvent
from acp_tui.protocol.frames import Direction, Line, Mark
from acp_tui.protocol.jsonrpc import Failure, Message, Request, Response
from acp_tui.session.commands import (
    AnswerFrame,
    DelayFrame,
    DropFrame,
    ReleaseFrame,
    RemoveBreakpoint,
    RemoveFault,
    SetBreakpoint,
    SetFault,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_tui.client.connection.gate import Gate
    from acp_tui.wire.breakpoints import Breakpoints
    from acp_tui.wire.faults import Plan


class Holding:
    """Keeps what a person has set, over all connections; what is held ends with its connection."""

    def __init__(self, core: Core, take: "Callable[[Direction, Line, Message | None, Mark], int]"):
        self._core = core
        self._take = take
        self._breakpoints: Breakpoints | None = None
        self._plan: Plan | None = None
        self._way: _ClientWay | None = None
        self._gate: Gate | None = None
        core.register(
            {
                SetBreakpoint: self._set_breakpoint,
                RemoveBreakpoint: self._remove_breakpoint,
                SetFault: self._set_fault,
                RemoveFault: self._remove_fault,
                ReleaseFrame: self._release,
                DropFrame: self._drop,
                DelayFrame: self._delay,
                AnswerFrame: self._answer,
            }
        )

    def begin(self) -> None:
        """Set what the command line asks for."""
        for text in self._core.launch.breakpoints:
            self._set_breakpoint(SetBreakpoint(text))
        for text in self._core.launch.faults:
            self._set_fault(SetFault(text))

    def connect(self, link: Link, carrier: Carrier, tasks: TaskGroup) -> None:
        """Stand ready for a connection that begins."""
        self._way = _ClientWay(self._core, self._take, link, carrier, tasks)
        self._guard()

    def disconnect(self) -> None:
        """Let go of a connection that ends: what is held is not passed on any more."""
        if self._gate is not None:
            self._gate.close()
        self._way = self._gate = None

    def _guard(self) -> None:
        """Put the gate on the wire with the first thing that it has to do."""
        if self._way is None or self._gate is not None or not (self._breakpoints or self._plan):
            return
        from acp_tui.client.connection.gate import Gate

        breakpoints, plan = self._kept()
        waiting = self._core.requests.waiting_frames()
        self._gate = Gate(self._way, self._core.clock, breakpoints, plan, waiting)
        self._way.link.gate = self._gate

    def _kept(self) -> "tuple[Breakpoints, Plan]":
        from acp_tui.wire.breakpoints import Breakpoints
        from acp_tui.wire.faults import Plan

        self._breakpoints = Breakpoints() if self._breakpoints is None else self._breakpoints
        if self._plan is None:
            self._plan = Plan(self._core.launch.fault_seed)
        return self._breakpoints, self._plan

    def _set_breakpoint(self, command: SetBreakpoint) -> None:
        from acp_tui.wire.filters.language import FilterError

        core, (breakpoints, _) = self._core, self._kept()
        try:
            breakpoints.set(command.filter, on=command.on)
        except FilterError as error:
            core.notify(None, "error", "No breakpoint", error.message)
            return
        core.emit(BreakpointSet(core.clock(), command.filter, command.on))
        self._guard()

    def _remove_breakpoint(self, command: RemoveBreakpoint) -> None:
        self._kept()[0].remove(command.filter)
        self._core.emit(BreakpointSet(self._core.clock(), command.filter, on=False, removed=True))

    def _set_fault(self, command: SetFault) -> None:
        from acp_tui.wire.fault_specs import FaultError, read_fault

        core, (_, plan) = self._core, self._kept()
        try:
            fault = read_fault(command.fault)
        except FaultError as error:
            core.notify(None, "error", "No fault", str(error))
            return
        plan.set(fault, on=command.on)
        core.emit(FaultSet(core.clock(), fault.text, command.on, seed=plan.seed))
        self._guard()

    def _remove_fault(self, command: RemoveFault) -> None:
        self._kept()[1].remove(command.fault)
        self._core.emit(FaultSet(self._core.clock(), command.fault, on=False, removed=True))

    def _release(self, command: ReleaseFrame) -> None:
        if self._gate is not None:
            lines = [line for line in command.raw.split(b"\n") if line.strip()]
            self._gate.release(command.frame, lines or None, command.times)

    def _drop(self, command: DropFrame) -> None:
        if self._gate is not None:
            self._gate.drop(command.frame)

    def _delay(self, command: DelayFrame) -> None:
        if self._gate is not None:
            self._gate.delay(command.frame, command.seconds)

    def _answer(self, command: AnswerFrame) -> None:
        if self._gate is not None:
            self._gate.answer(command.frame, command.raw)


class _ClientWay:
    """The wire of a client: what comes in is acted on, what goes out waits for the agent to read."""

    in_pieces = frozenset((Direction.OUT,))

    def __init__(
        self,
        core: Core,
        take: "Callable[[Direction, Line, Message | None, Mark], int]",
        link: Link,
        carrier: Carrier,
        tasks: TaskGroup,
    ) -> None:
        self.link = link
        self.record = take
        self._core = core
        self._carrier = carrier
        self._tasks = tasks
        if core.launch.remote is not None:
            self.in_pieces = frozenset()

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Give a line to the agent; we have acted on one of the agent's when it was recorded."""
        if direction is Direction.OUT:
            self.link.pass_on(raw, cuts)

    def emit(self, event: LocalEvent) -> None:
        """Record a fact."""
        self._core.emit(event)

    def after(self, seconds: float, then: "Callable[[], None]") -> None:
        """Call something later, unless the connection ends before."""
        self._tasks.start_soon(_later, seconds, then)

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """End a request of ours that never arrives, or that never gets its answer."""
        mine = isinstance(message, Request) == (direction is Direction.OUT)
        if not mine or not isinstance(message, Request | Response | Failure):
            return
        what = "the request" if direction is Direction.OUT else "the answer"
        if any(call.id == message.id for call in self._core.state.calls.values()):
            self._core.end_unsent(message.id, f"{what} was lost on purpose, {why}")

    def stall(self, direction: Direction, seconds: float) -> None:
        """Neither read from the agent nor write to it for a while."""
        self.link.stalled[direction] = self._core.clock() + seconds

    def kill(self) -> None:
        """Kill the agent."""
        self._carrier.kill_now()


async def _later(seconds: float, then: "Callable[[], None]") -> None:
    await anyio.sleep(seconds)
    then()
