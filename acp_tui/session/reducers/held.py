"""Breakpoints, what they hold, and faults on purpose."""

from acp_tui.protocol.events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.session.changes import Change, ScreenChanged
from acp_tui.session.held import HeldFrame, Switch
from acp_tui.session.state import State

UNALTERED = ("passed", "fragment", "delay", "late-answer")
"""The acts after which each side still gets exactly what the other one sent."""


def apply(
    state: State,
    event: BreakpointSet | FrameHeld | FrameDelayed | FrameReleased | FaultSet | FaultInjected,
) -> list[Change]:
    """Note what is to be done to frames, and what was done."""
    holding = state.holding
    match event:
        case BreakpointSet():
            _set(holding.breakpoints, event.filter, event)
        case FaultSet():
            _set(holding.faults, event.fault, event)
        case FrameHeld():
            _count(holding.breakpoints, event.filter)
            facts = event.direction, event.name, event.filter, event.is_answer, event.session_id
            holding.frames[event.frame] = HeldFrame(event.frame, event.at, *facts)
        case FrameDelayed():
            if event.frame in holding.frames:
                due = None if event.seconds is None else event.at + event.seconds
                holding.frames[event.frame].due = due
        case FrameReleased():
            held = holding.frames.pop(event.frame, None)
            if held is not None and event.done not in UNALTERED:
                holding.altered.add(held.session_id)
        case _:
            _count(holding.faults, event.fault)
            if event.kind not in UNALTERED:
                holding.altered.add(event.session_id)
    return [ScreenChanged()]


def _set(switches: dict[str, Switch], name: str, event: BreakpointSet | FaultSet) -> None:
    if event.removed:
        switches.pop(name, None)
    else:
        switches.setdefault(name, Switch()).on = event.on


def _count(switches: dict[str, Switch], name: str) -> None:
    if name in switches:
        switches[name].count += 1
