"""Breakpoints, the frames that they hold, and injected faults."""

from typing import assert_never

from acp_tui.protocol.events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.extensions import ASK_USER
from acp_tui.protocol.frames import Direction
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.interception import HeldFrame, Switch
from acp_tui.state.reducers import notices
from acp_tui.state.state import State

ASKS = ("elicitation/create", ASK_USER)
"""Questions whose answers the transcript shows without a tool call."""
_DONE = {
    "edited": "edited at a breakpoint",
    "dropped": "dropped at a breakpoint",
    "answered": "dropped at a breakpoint",
    "left": "held at a breakpoint as the connection ended",
}
UNALTERED = ("passed", "fragment", "delay", "late-answer")
"""Ways to release a frame after which each side still gets exactly what the other sent."""


def apply_held(
    state: State,
    event: BreakpointSet | FrameHeld | FrameDelayed | FrameReleased | FaultSet | FaultInjected,
) -> list[Change]:
    """Update breakpoints, faults and held frames."""
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
                holding.alter(held.session_id, held.name, event.at)
                return [ScreenChanged(), *_told(state, held, event)]
        case FaultInjected():
            _count(holding.faults, event.fault)
            if event.kind not in UNALTERED:
                kills = event.kind == "kill-midturn"
                holding.alter(event.session_id, "" if kills else event.about, event.at)
        case _:
            assert_never(event)
    return [ScreenChanged()]


def _told(state: State, held: HeldFrame, event: FrameReleased) -> list[Change]:
    """Warn in the transcript that the agent got a text other than the one shown.

    The fate of a permission's answer is shown at its tool call, that of a lost prompt at its turn.
    """
    what = "answer" if held.is_answer else "prompt"
    is_shown = held.name in ASKS if held.is_answer else held.name == "session/prompt"
    is_told = is_shown and event.done in (_DONE if held.is_answer else ("edited",))
    session = state.sessions.get(held.session_id)
    if held.direction is Direction.IN or not is_told or session is None or not session.opened:
        return []
    title = f"This {what} did not reach the agent as shown here"
    words = f"It was {_DONE[event.done]}: frame {held.number}"
    return notices.notify(state, event.at, held.session_id, "warning", title, words)


def _set(switches: dict[str, Switch], name: str, event: BreakpointSet | FaultSet) -> None:
    if event.removed:
        switches.pop(name, None)
    else:
        switches.setdefault(name, Switch()).on = event.on


def _count(switches: dict[str, Switch], name: str) -> None:
    if name in switches:
        switches[name].count += 1
