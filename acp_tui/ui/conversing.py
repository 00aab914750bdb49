"""The part of the app that sends prompts, and goes between sessions."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.protocol.content import TextContent
from acp_tui.session import commands
from acp_tui.session.commands import Command, Do
from acp_tui.session.state import Phase, Session, State
from acp_tui.text import clean_line
from acp_tui.ui.asking import RunProgram
from acp_tui.ui.conversation.outgoing import Outgoing
from acp_tui.ui.conversation.prompt import PromptEditor
from acp_tui.ui.conversation.screen import ConversationScreen
from acp_tui.ui.conversation.status import choosing, overdue
from acp_tui.ui.reading import ReadingApp
from acp_tui.ui.sessions.desk import Desk

if TYPE_CHECKING:
    from acp_tui.ui.conversation.waiting import WaitingPrompts
    from acp_tui.ui.options.picker import OptionPicker
    from acp_tui.ui.sessions.picker import SessionPicker
    from acp_tui.ui.sessions.tabs import SessionTabs


class ConversingApp(ReadingApp):
    """Every session has a draft and a queue of its own."""

    conversation: ConversationScreen

    def __init__(
        self, state: State, do: Do, clock: Callable[[], float], run_program: RunProgram | None
    ) -> None:
        super().__init__(state, do, clock, run_program)
        self.desk = Desk(state)

    @property
    def session(self) -> Session | None:
        """The session that is shown."""
        return self.desk.shown

    def refresh_all(self) -> None:
        """Bring everything beside the transcript up to date."""
        raise NotImplementedError

    def converse(self) -> None:
        """Follow the state: which sessions are open, and which can take a prompt."""
        before = self.desk.shown_id
        self.desk.follow()
        self._change_draft(before)
        self._send_waiting()
        self.conversation.show(self.session, self.desk.queue)
        self.conversation.show_tabs(self.desk)
        self._show_sessions()

    def _change_draft(self, before: str | None) -> None:
        shown, prompt = self.desk.shown_id, self.conversation.prompt
        if shown == before or shown is None:
            return
        if before is not None and before in self._state.sessions:
            self.desk.drafts[before] = prompt.text
            prompt.write(self.desk.drafts.pop(shown, ""))
        elif shown in self.desk.drafts:
            self._put_before_draft(self.desk.drafts.pop(shown))

    # Prompts

    def on_prompt_editor_submitted(self, event: PromptEditor.Submitted) -> None:
        """Send it as soon as the agent can take it, or at once into the turn that runs."""
        session = self.session
        self._declined = None
        if self._state.peer.phase in (Phase.FAILED, Phase.EXITED):
            self._put_before_draft(event.text)
            self.say("not sent: the agent isn't running; Ctrl+R restarts it")
            return
        self.desk.queue.held = False
        if event.steer and session is not None and session.turn is not None:
            self._steer(session, event.text)
        elif event.text:
            self.desk.queue.waiting.append(event.text)
        self.refresh_all()

    def _steer(self, session: Session, text: str) -> None:
        offered = self._state.peer.offers("_session/steering")
        self.say("sent into the turn" if offered else "cancelling the turn; this is sent next")
        self._send(session, Outgoing(), text, commands.Steer)

    def on_prompt_editor_take_back(self) -> None:
        """Give back the newest that waits, to be edited."""
        if self.desk.queue.waiting:
            self._put_before_draft(self.desk.queue.waiting.pop())
        self.refresh_all()

    def _send_waiting(self) -> None:
        if self._state.peer.phase in (Phase.FAILED, Phase.EXITED):
            self.desk.hold()
        for session, queue in self.desk.queues():
            text = queue.next(self._state, session)
            if text is not None:
                self._send(session, queue, text, commands.Prompt)

    def _send(
        self,
        session: Session,
        queue: Outgoing,
        text: str,
        command: Callable[..., Command],
    ) -> None:
        """Send a text; if it may mention files, as soon as they are read."""
        if "@" not in text:
            self._do(command(session.session_id, (TextContent(text=text),)))
            return
        queue.preparing = True
        self.run_worker(self._read_and_send(session, queue, text, command))

    async def _read_and_send(
        self,
        session: Session,
        queue: Outgoing,
        text: str,
        command: Callable[..., Command],
    ) -> None:
        from acp_tui.workspace.mentions import prepare

        offered = self._state.peer.capabilities.prompt_capabilities
        pasted = self.conversation.prompt.pasted.images
        try:
            prepared = await to_thread.run_sync(prepare, text, session.cwd, offered, pasted)
        finally:
            queue.preparing = False
        if prepared.problems:
            words = "\n".join(clean_line(problem) for problem in prepared.problems)
            self.notify(words, title="Not sent", severity="error", markup=False)
            self._return(session, text)
        else:
            self._do(command(session.session_id, prepared.blocks))
        self.refresh_all()

    def _return(self, session: Session, text: str) -> None:
        """Give back what could not be sent, where it was written."""
        if session.session_id == self.desk.shown_id:
            self._put_before_draft(text)
        else:
            drafts = self.desk.drafts
            drafts[session.session_id] = "\n\n".join(
                filter(None, [text, drafts.get(session.session_id)])
            )

    def _take_back(self) -> None:
        """Put what waits in front of what is being written; nothing is lost."""
        if self.desk.queue.waiting:
            self._put_before_draft(self.desk.queue.take_back())

    def _put_before_draft(self, text: str) -> None:
        prompt = self.conversation.prompt
        prompt.write("\n\n".join(filter(None, [text, prompt.text])))

    def action_cancel(self) -> None:
        """Cancel the turn; what waits to be sent goes back to the prompt."""
        self._take_back()
        turn = self.session.turn if self.session else None
        if self.session is not None and turn is not None:
            if turn.cancelled is None:
                self._do(commands.Cancel(self.session.session_id))
            else:
                late = overdue(self.session, self._clock())
                help_ = "Ctrl+R restarts it" if late else "waiting for the agent to end the turn"
                self.say(f"cancelled; {help_}")
        self.refresh_all()

    def stop_session(self, session_id: str) -> None:
        """Cancel the turn; what waits to be sent goes back to the prompt."""
        if session_id == self.desk.shown_id:
            self._take_back()
        super().stop_session(session_id)
        self.refresh_all()

    # The queue

    def on_waiting_prompts_changed(self, event: "WaitingPrompts.Changed") -> None:
        """The queue was put in another order, or something was taken out."""
        self.desk.queue.waiting[:] = event.prompts
        self.refresh_all()

    def on_waiting_prompts_edit(self, event: "WaitingPrompts.Edit") -> None:
        """Give one back, to be edited."""
        self._put_before_draft(self.desk.queue.waiting.pop(event.index))
        self.conversation.prompt.focus()
        self.refresh_all()

    def on_waiting_prompts_steer(self, event: "WaitingPrompts.Steer") -> None:
        """Send one now."""
        if self.session is not None and self.session.turn is not None:
            self._steer(self.session, self.desk.queue.waiting.pop(event.index))
        self.refresh_all()

    # Sessions

    def show_session(self, session_id: str) -> None:
        """Show an open session."""
        before = self.desk.shown_id
        self.desk.show(session_id)
        self._change_draft(before)
        self.refresh_all()

    def action_step_session(self, step: int) -> None:
        """Show the next session, or the one before."""
        sessions = self.desk.sessions
        ids = [session.session_id for session in sessions]
        if self.desk.shown_id in ids:
            self.show_session(ids[(ids.index(self.desk.shown_id) + step) % len(ids)])

    def action_show_session(self, number: int) -> None:
        """Show a session by its number, from 1."""
        sessions = self.desk.sessions
        if number <= len(sessions):
            self.show_session(sessions[number - 1].session_id)

    def on_session_tabs_chosen(self, event: "SessionTabs.Chosen") -> None:
        """Show what was clicked on."""
        self.show_session(event.session_id)

    def action_new_session(self) -> None:
        """Open a new session beside the others."""
        if self._state.peer.phase is Phase.CONNECTED:
            self._do(commands.NewSession())
            self.say("asking for a new session")

    def action_close_session(self) -> None:
        """Close the session that is shown, if there is another."""
        if self.session is not None:
            self._close(self.session)

    def on_prompt_editor_close(self) -> None:
        """Close the session that is shown."""
        self.action_close_session()

    def _close(self, session: Session) -> None:
        if len(self.desk.sessions) < 2 or session not in self.desk.sessions:
            self.say("this is the only session: Ctrl+T opens another, Ctrl+Q leaves")
        elif session.turn is None:
            self._close_now(session)
        else:
            name = clean_line(session.title or session.session_id)
            facts = [name, "Its turn is cancelled."]
            self.confirm("Close this session?", facts, "Close it", lambda: self._close_now(session))

    def _close_now(self, session: Session) -> None:
        if self._state.peer.offers("session/close"):
            self._do(commands.CloseSession(session.session_id))
        else:
            self._do(commands.Cancel(session.session_id))
            self.desk.put_away(session.session_id)
        self.refresh_all()

    # The picker of sessions

    def action_sessions(self) -> None:
        """Show the sessions that the agent keeps."""
        if self._state.peer.phase is not Phase.CONNECTED:
            self.say("the agent is not there yet")
            return
        if self._state.peer.offers("session/list"):
            self._do(commands.ListSessions())
        self._push_picker()

    def _push_picker(self) -> None:
        from acp_tui.ui.sessions.picker import SessionPicker

        self.push_screen(SessionPicker(self.desk), self._picked)

    def _picked(self, _: None) -> None:
        if self._nothing_open():
            self._do(commands.NewSession())

    def _show_sessions(self) -> None:
        """Bring the picker up to date; open it if no session is open, and none is asked for."""
        if self._nothing_open() and len(self.screen_stack) == 1:
            self._push_picker()
        elif len(self.screen_stack) > 1:
            from acp_tui.ui.picker.picker import Picker

            for picker in self.screen_stack:
                if isinstance(picker, Picker) and picker.is_mounted:
                    picker.show()

    def _nothing_open(self) -> bool:
        return (
            self._state.peer.phase is Phase.CONNECTED
            and not self.desk.sessions
            and choosing(self._state)
        )

    def on_session_picker_wanted(self, event: "SessionPicker.Wanted") -> None:
        """Do what was asked for with a session."""
        session_id = event.session_id
        if event.action in ("open", "resume", "fork"):
            self._leave_picker()
        match event.action:
            case "open" if self._is_open(session_id):
                self.show_session(session_id)
            case "open" | "resume":
                self._do(commands.OpenSession(session_id, history=event.action == "open"))
            case "fork":
                self._do(commands.ForkSession(session_id))
            case "close" if self._is_open(session_id):
                self._close(self._state.sessions[session_id])
            case "delete":
                self._delete(session_id)

    def _is_open(self, session_id: str) -> bool:
        session = self._state.sessions.get(session_id)
        return session is not None and session.opened and not session.lost

    def on_session_picker_new(self) -> None:
        """Open a new session."""
        self._do(commands.NewSession())
        self._leave_picker()

    def _leave_picker(self) -> None:
        from acp_tui.ui.sessions.picker import SessionPicker

        picker = self._on_stack(SessionPicker)
        if picker is not None:
            self.call_later(picker.dismiss)

    def _delete(self, session_id: str) -> None:
        listed = self._state.catalogue.sessions.get(session_id)
        title = clean_line((listed.title if listed else None) or session_id)
        facts = [title, "The agent forgets it for good."]
        command = commands.DeleteSession(session_id)
        self.confirm("Delete this session?", facts, "Delete it", lambda: self._do(command))

    # Options

    def action_options(self) -> None:
        """Show what can be set."""
        from acp_tui.ui.options.picker import OptionPicker

        self.push_screen(OptionPicker(self._state, self.desk.shown_id))

    def on_option_picker_wanted(self, event: "OptionPicker.Wanted") -> None:
        """Have it set."""
        if isinstance(event.command, commands.Logout):
            facts = ["What the agent does next may want a sign-in."]
            self.confirm("Sign out?", facts, "Sign out", lambda: self._do(event.command))
        else:
            self._do(event.command)

    def on_option_picker_sign_in(self, event: "OptionPicker.SignIn") -> None:
        """Sign in by this method."""
        self.sign_in(event.method_id)
