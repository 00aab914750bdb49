"""Breakpoints, held frames and injected faults, and the permission answers that they stopped.

Only frames decide what the agent got: it has what was sent on, and until then nothing.
"""

from typing import assert_never

from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.gate_events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.jsonrpc import Failure, Response
from acp_tui.protocol.model import Model
from acp_tui.protocol.payloads import read_result
from acp_tui.protocol.requests import RequestPermissionResult
from acp_tui.protocol.unstable import ASK_USER
from acp_tui.protocol.wire_events import Aside, Responded
from acp_tui.state.changes import Change, EntryChanged, ScreenChanged
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.interception import HeldFrame, StoppedAnswer, Switch
from acp_tui.state.open_questions import Permission
from acp_tui.state.reducers import notices
from acp_tui.state.session import Session
from acp_tui.state.state import State

ASKS = ("elicitation/create", ASK_USER)
"""Methods whose answers are shown in the transcript without a tool call."""
_DONE = {
    "edited": "edited at a breakpoint",
    "dropped": "dropped at a breakpoint",
    "answered": "dropped at a breakpoint",
    "left": "held at a breakpoint as the connection ended",
}
UNALTERED = ("passed", "fragment", "delay", "late-answer")
"""Ways to release a frame, and faults, that leave each side with exactly what the other sent."""


def apply_held(
    state: State,
    event: BreakpointSet | FrameHeld | FrameDelayed | FrameReleased | FaultSet | FaultInjected,
) -> list[Change]:
    """Update breakpoints, faults and held frames."""
    holding = state.holding
    match event:
        case BreakpointSet():
            _set_switch(holding.breakpoints, event.filter, event)
        case FaultSet():
            _set_switch(holding.faults, event.fault, event)
        case FrameHeld():
            _count_switch(holding.breakpoints, event.filter)
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
                return [ScreenChanged(), *_warn_of_altered_frame(state, held, event)]
        case FaultInjected():
            _count_switch(holding.faults, event.fault)
            if event.kind not in UNALTERED:
                kills = event.kind == "kill-midturn"
                holding.alter(event.session_id, "" if kills else event.about, event.at)
        case _:
            assert_never(event)
    return [ScreenChanged()]


def _warn_of_altered_frame(state: State, held: HeldFrame, event: FrameReleased) -> list[Change]:
    """Warn in the transcript that the agent got another text than the one shown.

    The fate of a permission's answer is shown at its tool call, that of a dropped prompt at its
    turn.
    """
    what = "answer" if held.is_answer else "prompt"
    is_shown = held.name in ASKS if held.is_answer else held.name == "session/prompt"
    is_told = is_shown and event.done in (_DONE if held.is_answer else ("edited",))
    session = state.sessions.get(held.session_id)
    if held.direction is Direction.IN or not is_told or session is None or not session.opened:
        return []
    title = f"This {what} did not reach the agent as shown here"
    words = f"It was {_DONE[event.done]}: frame {held.number}"
    return notices.notify_person(state, event.at, held.session_id, "warning", title, words)


def _set_switch(switches: dict[str, Switch], name: str, event: BreakpointSet | FaultSet) -> None:
    if event.removed:
        switches.pop(name, None)
    else:
        switches.setdefault(name, Switch()).on = event.on


def _count_switch(switches: dict[str, Switch], name: str) -> None:
    if name in switches:
        switches[name].count += 1


NOT_GOT = "the agent didn't get this"
AN_ERROR = "an error"
NO_ANSWER = "what is no answer"


def note_stopped_answer(
    state: State, event: Responded, permission: Permission, entry: ToolCallEntry
) -> None:
    """Record that the newest answer to a question was stopped, and mark it in the tool call."""
    said = entry.consent.rulings if permission.ruled else entry.consent.decisions
    stopped = StoppedAnswer(
        id=event.request.id,
        session_id=permission.session_id,
        call=entry.key,
        options=permission.options,
        words=said[-1],
        at=len(said) - 1,
        meant=_meant(event.result) if event.error is None else AN_ERROR,
        rule=permission.rule if permission.ruled else "",
    )
    state.holding.answers[event.number] = stopped
    said[-1] = _with(stopped, NOT_GOT)


def apply_aside(state: State, event: Aside) -> list[Change]:
    """Apply the message that the agent got instead of a stopped answer."""
    stopped, message = state.holding.answers.get(event.of), event.message
    if stopped is None or not isinstance(message, Response | Failure) or message.id != stopped.id:
        return []
    del state.holding.answers[event.of]
    session = state.sessions.get(stopped.session_id)
    index = None if session is None else session.call_index(stopped.call)
    if session is None or index is None:
        return []  # its tool call was cleared by a load
    _replace_answer(session, index, stopped, _got(message))
    return [EntryChanged(session.session_id, index)]


def _replace_answer(session: Session, index: int, stopped: StoppedAnswer, got: str) -> None:
    entry = session.entries[index]
    assert isinstance(entry, ToolCallEntry)
    said = entry.consent.rulings if stopped.rule else entry.consent.decisions
    if stopped.at < len(said) and said[stopped.at] == _with(stopped, NOT_GOT):
        names = [one.name for one in stopped.options if one.option_id == got]
        words = f"the agent got: {' or '.join(names) or got}"
        said[stopped.at] = stopped.words if got == stopped.meant else _with(stopped, words)


def _got(message: Response | Failure) -> str:
    if isinstance(message, Failure):
        return AN_ERROR
    result, _ = read_result(Direction.IN, "session/request_permission", message.result)
    return _meant(result)


def _meant(result: Model | None) -> str:
    """Return the id of the option that a result selects, or else its outcome."""
    if not isinstance(result, RequestPermissionResult):
        return NO_ANSWER
    outcome = result.outcome
    return (outcome.option_id if outcome.outcome == "selected" else None) or outcome.outcome


def _with(stopped: StoppedAnswer, note: str) -> str:
    """Insert a note into the words of an answer, before the rule that decided it."""
    by = ruling_words("", stopped.rule) if stopped.rule else ""
    return f"{stopped.words.removesuffix(by)} ({note}){by}"
