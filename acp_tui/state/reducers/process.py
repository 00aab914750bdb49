"""The agent's process or connection: start, end, restarts, stderr, unreadable output and stalls."""

import re
from typing import assert_never

from acp_tui.formatting import counted
from acp_tui.policy.rules import RuleScope
from acp_tui.protocol.content import text_of_content
from acp_tui.protocol.events import LineDamaged, QuirkHelped, TrustAnswered, TrustAsked
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import (
    AgentLogLine,
    AgentLogOmitted,
    Connecting,
    Disconnected,
    LineUnfinished,
    Negotiating,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    RestartPlanned,
    RestartRequested,
    RestartStopped,
    SourceChanged,
    Stalled,
    StderrLine,
    StderrOmitted,
    StdoutClosed,
    TransportFact,
)
from acp_tui.protocol.unstable import SteeringParams
from acp_tui.protocol.wire_events import Unreadable
from acp_tui.state.changes import Change, ScreenChanged, TerminalChanged, TurnChanged
from acp_tui.state.peer import Peer, ProcessState, RestartState
from acp_tui.state.reducers import air, notices, session_setup, transcript, turns
from acp_tui.state.state import State

BEGAN_OR_ENDED = (
    RestartRequested,
    ProcessStarted,
    ProcessFailed,
    ProcessExited,
    StdoutClosed,
    Connecting,
    Disconnected,
)
UNFINISHED = "The agent printed this, and has not ended the line:"
STILL_RUNS = "the agent closed its output but still runs"
Happened = (
    ProcessStarted
    | ProcessFailed
    | ProcessExited
    | Connecting
    | Disconnected
    | TransportFact
    | RestartRequested
    | RestartPlanned
    | SourceChanged
    | StdoutClosed
    | StderrLine
    | StderrOmitted
    | AgentLogLine
    | AgentLogOmitted
    | Stalled
    | QuirkHelped
    | TrustAsked
    | TrustAnswered
    | LineDamaged
)


_SESSION_ID = re.compile(r'"sessionId"\s*:\s*"([^"\\]+)"')


def on_unreadable(state: State, event: Unreadable) -> list[Change]:
    """Store what an agent prints before a session is open: it may be the only explanation of a
    failure. Later, notify the user of lost messages.
    """
    if event.direction is Direction.OUT or event.by is not None:
        return []
    if not state.open_sessions():
        heading = "The agent printed a line that is no message:"
        if event.lost_message:
            heading = f"Not read from the agent: {event.reason}:"
        _store_noise(state.peer, heading, event.excerpt)
        return [ScreenChanged()]
    return _lost_message(state, event) if event.lost_message else []


def _lost_message(state: State, event: Unreadable) -> list[Change]:
    """Add a notice of a lost message to the session, or count another line in its turn's notice."""
    named = _SESSION_ID.search(event.excerpt)
    opened = state.open_sessions()
    session = (
        next((one for one in opened if named is not None and one.session_id == named[1]), None)
        or next((one for one in opened if one.turn is not None), None)
        or opened[-1]
    )
    turn = session.turn.request.number if session.turn is not None else 0
    key = f"lost messages {turn}"
    count = session.lost_lines.get(key, 0) + 1 if key in session.indexes.notices else 1
    session.lost_lines[key] = count
    title = f"{counted(count, 'line')} from the agent not read"
    latest = "" if count == 1 else "the last one: "
    words = f"{latest}{event.reason}:\n{event.excerpt}"
    return notices.set_notice(session, event.at, key, title, words, "warning")


def on_unfinished(state: State, event: LineUnfinished) -> list[Change]:
    """Store an unfinished line that the agent has printed."""
    _store_noise(state.peer, UNFINISHED, event.text)
    return [ScreenChanged()]


def _store_noise(peer: Peer, heading: str, text: str) -> None:
    """Store text that the agent printed; its longer form replaces an unfinished line."""
    if peer.output.noise is not None and peer.output.noise[0] != UNFINISHED:
        peer.output.noise_before.append(peer.output.noise[1])
    peer.output.noise = heading, text


def on_negotiating(state: State, _: Negotiating) -> list[Change]:
    """Record that version 1 is tried if this protocol version fails."""
    state.peer.fallback = ""
    return [ScreenChanged()]


def on_restart_stopped(state: State, event: RestartStopped) -> list[Change]:
    """Record that the agent isn't restarted, and don't resend prompts: at a later connection, the
    user may not expect it.
    """
    state.peer.restart.planned = None
    state.peer.restart.stopped = event.why
    for session in state.sessions.values():
        session.unanswered = None
    return [ScreenChanged()]


def apply_process_event(state: State, event: Happened) -> list[Change]:
    """Apply an event about the process: its start, end, output or a stall."""
    if isinstance(event, BEGAN_OR_ENDED):
        return [*_apply_start_or_end(state, event), ScreenChanged()]
    peer = state.peer
    match event:
        case RestartPlanned():
            peer.restart.planned = event
        case SourceChanged():
            peer.restart.source = event
        case StderrLine() | StderrOmitted():
            peer.output.stderr.append(event.words)
        case QuirkHelped():
            peer.quirks.append(event)
        case TrustAsked() | TrustAnswered():
            state.trust = event if isinstance(event, TrustAsked) else None
        case LineDamaged() | TransportFact() | AgentLogLine() | AgentLogOmitted():
            return []
        case Stalled():
            peer.waiting = event.waiting
            peer.stalled = (peer.stalled or event.at) if event.waiting else None
        case _:
            assert_never(event)
    return [ScreenChanged()]


def _apply_start_or_end(
    state: State,
    event: RestartRequested
    | ProcessStarted
    | ProcessFailed
    | ProcessExited
    | StdoutClosed
    | Connecting
    | Disconnected,
) -> list[Change]:
    peer = state.peer
    match event:
        case ProcessStarted():
            changes = _reset_process_state(state, event.at, "the agent was restarted")
            state.peer = Peer(
                argv=event.argv,
                cwd=event.cwd,
                process=ProcessState(
                    pid=event.pid,
                    place=event.place,
                    served=event.served,
                    elsewhere=event.elsewhere,
                    started=event.at,
                ),
                restart=RestartState(
                    reason=peer.restart.source.words if peer.restart.source is not None else ""
                ),
            )
            return changes
        case Connecting():
            changes = _reset_process_state(state, event.at, "the connection was opened again")
            process = ProcessState(started=event.at)
            state.peer = Peer(url=event.url, cwd=event.cwd, process=process)
            return changes
        case RestartRequested():
            peer.restart.requested = True
            return []
        case ProcessFailed():
            state.peer = Peer(argv=event.argv, trouble=event.reason)
            return []
        case ProcessExited() | Disconnected():
            peer.process.exit = event
            _note_failure(peer, event)
            peer.process.cut = any(session.turn for session in state.sessions.values())
            if peer.trouble == STILL_RUNS:
                peer.trouble = None
            why = _ENDED[type(event)] if event.asked else event.words
            return _connection_lost(state, event.at, why)
    peer.output.stdout_closed = True
    if peer.has_fallback:
        peer.fallback = peer.fallback or STILL_RUNS
    elif peer.process.exit is None:
        peer.trouble = peer.trouble or STILL_RUNS
    return _connection_lost(state, event.at, "the agent closed its output")


def _note_failure(peer: Peer, event: ProcessExited | Disconnected) -> None:
    """Record why version 1 is tried next. An agent that refused the connection would do so in any
    version, unless it misread the client's messages.
    """
    if isinstance(event, Disconnected) and event.refused and not event.misread:
        peer.fallback = None
    elif peer.has_fallback and not event.asked:
        peer.fallback = peer.fallback or event.words


_ENDED = {ProcessExited: "the agent was ended", Disconnected: "the connection was ended"}


def _reset_process_state(state: State, at: float, why: str) -> list[Change]:
    """Clear the state of the previous process or connection."""
    changes = _connection_lost(state, at, why)
    ended = state.peer.process.exit
    for session in state.sessions.values():
        if ended is not None:
            changes += transcript.redraw_lost_turns(session, ended.at)
        session.forget_process()
        if session.subagent is not None:
            session.opened, session.closed = False, True
    state.rules = [rule for rule in state.rules if rule.scope is not RuleScope.SESSION]
    return changes


def _connection_lost(state: State, at: float, why: str) -> list[Change]:
    """End everything that waits for this process: no responses will arrive."""
    asked = [call.params for call in state.calls.values()]
    state.calls.clear()
    state.cancelled_calls.clear()
    changes: list[Change] = []
    state.catalogue.loading = False
    state.elicitations.clear()
    state.awaited.clear()
    for terminal in state.terminals.values():
        if terminal.display and terminal.ended is None:
            terminal.ended = at
            terminal.can_cancel = terminal.stop_requested = False
            changes.append(TerminalChanged(terminal.terminal_id))
    for session in list(state.sessions.values()):
        changes += session_setup.restore_after_load(state, session)
    for session in state.sessions.values():
        session.lost = session.lost or (session.opened and session.subagent is None)
        changes += transcript.cancel_tool_calls(session, at)
        changes += air.lose_tasks(session, at, why)
        changes += [TurnChanged(session.session_id)] if session.reported.active is not None else []
        session.stop()
        if not state.peer.restart.requested:  # otherwise the user has given up on this prompt
            turns.store_unanswered_prompt(session)
        changes += turns.end_turn(session, at, lost=why)
        session.evaluating.clear()
        session.permissions.clear()
    for params in asked:
        if isinstance(params, SteeringParams):
            text = text_of_content(params.prompt)
            changes += notices.notify_person(
                state, at, params.session_id, "error", "Not sent", text
            )
    return changes
