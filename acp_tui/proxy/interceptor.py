"""Breakpoints and faults of one agent; puts a gate on its wire while there are any."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.gate_events import BreakpointSet, FaultSet
from acp_tui.state.commands import (
    AnswerFrame,
    Command,
    DelayFrame,
    DropFrame,
    ReleaseFrame,
    RemoveBreakpoint,
    RemoveFault,
    SetBreakpoint,
    SetFault,
)

if TYPE_CHECKING:
    from acp_tui.client.connection.transport import Wire
    from acp_tui.debug.faults import FaultPlan
    from acp_tui.debug.filters.predicates import Breakpoints
    from acp_tui.proxy.gate import FrameGate

_DONE = {
    "passed": "passed on as it was",
    "edited": "passed on as it was edited",
    "doubled": "passed on twice",
    "dropped": "dropped",
    "answered": "answered by hand",
    "delayed": "passed on later",
}


class Interceptor:
    """Keeps breakpoints and faults across connections; held frames are lost with their connection.

    `warn` shows an error to the user, with a title and a reason.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
        warn: Callable[[str, str], None],
        seed: int = 0,
    ) -> None:
        self._clock = clock
        self._emit = emit
        self._warn = warn
        self._seed = seed
        self._breakpoints: Breakpoints | None = None
        self._plan: FaultPlan | None = None
        self._permanent_faults: list[str] = []
        self._reported: set[str] = set()
        self._make_wire: Callable[[], Wire] | None = None
        self._waiting: Callable[[], list[Frame]] = list
        self._gate: FrameGate | None = None
        self.commands: Mapping[type[Command], Callable[[Any], None]] = {
            SetBreakpoint: self._set_breakpoint,
            RemoveBreakpoint: self._remove_breakpoint,
            SetFault: self._set_fault,
            RemoveFault: self._remove_fault,
            ReleaseFrame: self._release_frame,
            DropFrame: self._drop_frame,
            DelayFrame: self._delay,
            AnswerFrame: self._answer_held,
        }

    def begin(self, faults: Iterable[str]) -> None:
        """Set the faults that remain when all screens are closed."""
        for text in faults:
            self._set_fault(SetFault(text))
        self._permanent_faults = [] if self._plan is None else self._plan.faults

    def connect(self, make_wire: "Callable[[], Wire]", waiting: Callable[[], list[Frame]]) -> None:
        """Start a connection: `make_wire` returns its wire for a gate, `waiting` its pending
        requests.
        """
        self._make_wire, self._waiting = make_wire, waiting
        self._install_gate()

    def disconnect(self) -> None:
        """Disconnect from an ended connection; frames that are still held are never passed on."""
        if self._gate is not None:
            self._gate.close()
            self._report_missed_faults()
        self._make_wire = self._gate = None

    def reset(self) -> None:
        """Pass on held frames, and remove what screens have set, when the last screen is closed."""
        if self._breakpoints is not None:
            for text in self._breakpoints.filters:
                self._remove_breakpoint(RemoveBreakpoint(text))
        if self._plan is not None:
            for text in self._plan.faults:
                if text not in self._permanent_faults:
                    self._remove_fault(RemoveFault(text))
        if self._gate is not None:
            self._gate.resume()

    def _report_missed_faults(self) -> None:
        """Report each fault that never hit a frame, once: the experiment did not take place."""
        for text in [] if self._plan is None else self._plan.missed:
            if text not in self._reported:
                self._reported.add(text)
                self._warn("A fault never hit anything", text)

    def _install_gate(self) -> None:
        """Put a gate on the wire once there is a breakpoint or fault."""
        wanted = self._breakpoints or self._plan
        if self._make_wire is None or self._gate is not None or not wanted:
            return
        from acp_tui.proxy.gate import FrameGate

        way, (breakpoints, plan) = self._make_wire(), self._settings()
        self._gate = FrameGate(way, self._clock, breakpoints, plan, self._waiting())
        way.use(self._gate)

    def _settings(self) -> "tuple[Breakpoints, FaultPlan]":
        from acp_tui.debug.faults import FaultPlan
        from acp_tui.debug.filters.predicates import Breakpoints

        self._breakpoints = Breakpoints() if self._breakpoints is None else self._breakpoints
        self._plan = FaultPlan(self._seed) if self._plan is None else self._plan
        return self._breakpoints, self._plan

    def _set_breakpoint(self, command: SetBreakpoint) -> None:
        from acp_tui.debug.filters.language import FilterError

        breakpoints, _ = self._settings()
        try:
            breakpoints.set(command.filter, on=command.on)
        except FilterError as error:
            self._warn("No breakpoint", error.message)
            return
        self._emit(BreakpointSet(self._clock(), command.filter, command.on))
        self._install_gate()

    def _remove_breakpoint(self, command: RemoveBreakpoint) -> None:
        self._settings()[0].remove(command.filter)
        self._emit(BreakpointSet(self._clock(), command.filter, on=False, removed=True))

    def _set_fault(self, command: SetFault) -> None:
        from acp_tui.debug.faults import FaultError, read_fault

        _, plan = self._settings()
        try:
            fault = read_fault(command.fault)
        except FaultError as error:
            self._warn("No fault", str(error))
            return
        plan.set(fault, on=command.on)
        self._emit(FaultSet(self._clock(), fault.text, command.on, seed=plan.seed))
        self._install_gate()

    def _remove_fault(self, command: RemoveFault) -> None:
        self._settings()[1].remove(command.fault)
        self._emit(FaultSet(self._clock(), command.fault, on=False, removed=True))

    def _release_frame(self, command: ReleaseFrame) -> None:
        lines = [line for line in command.raw.split(b"\n") if line.strip()]
        wanted = "edited" if lines else "doubled" if command.times > 1 else "passed"
        if (gate := self._gate_with(command.frame, wanted)) is not None:
            gate.release(command.frame, lines or None, command.times)

    def _drop_frame(self, command: DropFrame) -> None:
        if (gate := self._gate_with(command.frame, "dropped")) is not None:
            gate.drop(command.frame)

    def _delay(self, command: DelayFrame) -> None:
        wanted = "passed" if command.seconds is None else "delayed"
        if (gate := self._gate_with(command.frame, wanted)) is not None:
            gate.delay(command.frame, command.seconds)

    def _answer_held(self, command: AnswerFrame) -> None:
        if (gate := self._gate_with(command.frame, "answered")) is not None:
            gate.answer(command.frame, command.raw)

    def _gate_with(self, number: int, wanted: str) -> "FrameGate | None":
        """Return the gate that may hold a frame.

        Tell the user if the frame was already released in another way: a screen may be outdated,
        and there may be several screens.
        """
        done = None if self._gate is None else self._gate.fate_of(number)
        if done is not None and wanted not in (done, "passed"):
            words = f"it was {_DONE.get(done, done)} before, and is not {_DONE[wanted]}"
            self._warn(f"#{number} is no longer held", words)
        return self._gate
