"""Cancels turns, and other requests that the user waits for."""

from typing import ClassVar

from acp_tui.host.agent import Agent
from acp_tui.protocol.wire_events import Requested
from acp_tui.state import commands
from acp_tui.state.entries import Entry, TerminalEntry, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.subagents import command_that_stops, is_at_work, name_of, running_subagents
from acp_tui.text import clean_title
from acp_tui.ui.feature import EscapeUnused, Feature, TurnCancelRequested
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs import conditions
from acp_tui.ui.tabs.conditions import is_overdue, is_working
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.window import SECOND_KEY, Window


class TurnsFeature(Feature):
    """Cancels the running turn or request; queued prompts return to the editor."""

    name = "turns"
    handlers: ClassVar = {TurnCancelRequested: "stop"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._tabs = window.tabs
        self._note_shown_at = float("-inf")

    def cancel(self) -> None:
        """Cancel a planned restart, the turn, or another pending request to the agent."""
        tab, agent = self._tabs.shown, self._tabs.agent
        if (child := self._child_under_cursor()) is not None:
            self._cancel_subagent(agent, child.session_id)
            return
        calls = conditions.unanswered_requests(agent.state, tab.session)
        if agent.state.peer.restart.planned is not None:
            agent.do(commands.StopRestarting())
        elif not calls or is_working(tab.session) or tab.queue.waiting:
            self._cancel_turn(tab)
        else:
            self._cancel_request(agent, calls[0])

    def stop(self, event: TurnCancelRequested) -> None:
        """Cancel a session's turn; queued prompts return to the editor."""
        agent, session_id = event.agent, event.session_id
        tab = self._tabs.find(agent, session_id)
        if tab is not None:
            self._window.prompt.unqueue_all(tab)
        agent.do(commands.Cancel(session_id))
        self._window.refresh_view()

    def refusal(self, action: str) -> str:
        """Return why Esc cancels nothing here, so that its next binding is tried."""
        tab, session = self._tabs.shown, self._tabs.shown.session
        works = session is not None and (
            session.turn is not None or session.reported.active is not None
        )
        waits = tab.queue.waiting or tab.queue.preparing or self._window.question
        if action == "cancel" and not (works or waits or self._child_under_cursor()):
            return "no turn is running"
        return ""

    def _child_under_cursor(self) -> commands.Cancel | None:
        """Return the command that cancels the subagent under the cursor; None if it isn't at work,
        or the agent can't cancel it alone.
        """
        transcript, tab = self._window.transcript, self._tabs.shown
        current = transcript.current if transcript is not None and transcript.has_focus else None
        if tab.session is None or current is None:
            return None
        entry = tab.session.entries[current]
        command = command_that_stops(tab.agent.state, tab.session, entry)
        return command if isinstance(command, commands.Cancel) else None

    def stop_entry(self) -> None:
        """Stop the tool call, terminal or subagent under the cursor, if the agent offers that."""
        transcript, tab = self._window.transcript, self._tabs.shown
        current = transcript.current if transcript is not None else None
        session = tab.session
        if session is None or current is None:
            return
        entry = session.entries[current]
        command = command_that_stops(tab.agent.state, session, entry)
        is_running = _is_unfinished(entry) or running_subagents(tab.agent.state, entry)
        if command is None and not is_running:
            self._window.refuse("nothing to stop here")
        elif command is None:
            self._window.refuse("the agent offers no way to stop this alone")
        elif isinstance(command, str):
            self._window.show_note("asked to stop; waiting for the agent")
        elif isinstance(command, commands.Cancel):
            self._cancel_subagent(tab.agent, command.session_id)
        else:
            tab.agent.do(command)

    def _cancel_turn(self, tab: Tab) -> None:
        """Cancel the turn; queued prompts return to the editor."""
        session, question = tab.session, self._window.question
        was_idle = not (tab.queue.waiting or tab.queue.preparing)
        self._window.prompt.unqueue_all(tab)
        if session is not None and session.subagent is not None:
            self._cancel_shown_subagent(tab.agent, session)
        elif session is not None and session.turn is not None:
            if session.turn.cancelled is None:
                tab.agent.do(commands.Cancel(session.session_id))
            else:
                late = is_overdue(session, self._window.clock())
                help_ = (
                    f"{key_name('alt+a')} restarts it"
                    if late
                    else "waiting for the agent to end the turn"
                )
                self._window.show_note(f"canceled; {help_}")
        elif session is not None and session.reported.active is not None:
            tab.agent.do(commands.Cancel(session.session_id))
        elif question is not None:
            question.action_cancel()
        elif was_idle:
            self._window.emit(EscapeUnused(tab, self._window.prompt.text))
        self._window.refresh_view()

    def _cancel_shown_subagent(self, agent: Agent, session: Session) -> None:
        about = session.subagent
        if about is None or not about.can_cancel:
            self._window.refuse("the agent doesn't let its subagent be canceled alone")
        elif not is_at_work(agent.state, session):
            self._window.refuse("nothing to stop here")
        elif about.canceled is not None:
            self._window.show_note("asked to stop; waiting for the agent")
        else:
            self._cancel_subagent(agent, session.session_id)

    def _cancel_subagent(self, agent: Agent, session_id: str) -> None:
        """Cancel one subagent, and name it in a note: a tool call may link to several."""
        agent.do(commands.Cancel(session_id))
        self._window.show_note(f"asked {clean_title(name_of(agent.state, session_id))} to stop")

    def _cancel_request(self, agent: Agent, call: Requested) -> None:
        """Cancel a pending request. Without a session, that takes a second press: everything
        depends on it.
        """
        now, cancelled = self._window.clock(), agent.state.cancelled_calls
        if call.number in cancelled:
            self._window.show_note("canceled; waiting a moment for the agent's answer")
        elif not agent.state.open_sessions() and now - self._note_shown_at > SECOND_KEY:
            self._note_shown_at = now
            self._window.show_note(
                f"Esc again cancels {call.method}",
                SECOND_KEY,
                is_valid=lambda: call.number not in cancelled,
            )
        else:
            agent.do(commands.CancelRequest(call.number))


def _is_unfinished(entry: Entry) -> bool:
    """Return whether an entry is still running."""
    match entry:
        case ToolCallEntry():
            return not entry.finished
        case TerminalEntry():
            return entry.ended is None
    return False
