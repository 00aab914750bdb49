"""The part of the app that sends prompts."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from anyio import to_thread

from acp_tui.protocol.content import TextContent
from acp_tui.session import commands
from acp_tui.session.commands import Command
from acp_tui.session.state import Peer, Phase, Session
from acp_tui.text import clean_line
from acp_tui.ui.conversation.prompt import PromptEditor
from acp_tui.ui.conversation.screen import ConversationScreen
from acp_tui.ui.guard import TypedAhead
from acp_tui.ui.question_box import QuestionBox
from acp_tui.ui.reviewing import ReviewingApp
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.asked import Asked, AskedElicitation
from acp_tui.ui.sessions.status import overdue
from acp_tui.ui.sessions.tabs import Tab, is_gone
from acp_tui.ui.textual_fixes.screens import Dialog

if TYPE_CHECKING:
    from acp_tui.ui.conversation.pane import TranscriptPane
    from acp_tui.ui.conversation.waiting import WaitingPrompts
    from acp_tui.ui.dialogs.new_rule import RememberDialog


class PromptingApp(ReviewingApp):
    """Every tab has a draft and a queue of its own."""

    conversation: ConversationScreen
    _written_in: Tab | None = None
    """The tab whose draft is in the prompt."""

    def refresh_all(self) -> None:
        """Bring everything beside the transcript up to date."""
        raise NotImplementedError

    # Drafts

    def save_draft(self) -> None:
        """Note in its tab what is being written."""
        tab = self._written_in or self.tabs.shown
        tab.draft = self.conversation.prompt.text

    def show_draft(self) -> None:
        """Put the draft of the tab that is shown into the prompt, unless it stands there."""
        tab, prompt = self.tabs.shown, self.conversation.prompt
        self._written_in = tab
        if prompt.text != tab.draft:
            prompt.write(tab.draft)

    def _put_before_draft(self, tab: Tab, text: str) -> None:
        self.save_draft()
        tab.prepend_draft(text)
        self.show_draft()

    def on_typed_ahead(self, event: TypedAhead) -> None:
        """Write what answers nothing into the prompt, and show it, whatever is above."""
        key, prompt = event.key, self.conversation.prompt
        if not key.is_printable:
            return
        if self.screen is not self.conversation:
            prompt.insert(key.character or "")
            self.tell_written(prompt.text)
            return
        prompt.focus()
        if prompt.asked is not None:
            prompt.asked.begins(key)
        prompt.insert(key.character or "")

    def tell_written(self, text: str) -> None:
        """Show in the dialog above what stands in the prompt by now."""
        if isinstance(self.screen, Dialog):
            for frame in self.screen.query(QuestionBox):
                frame.tell_written(text)

    def on_remember_dialog_written(self, event: "RememberDialog.Written") -> None:
        """Go on with a text that has begun with the key of a dialog."""
        self.conversation.prompt.focus()
        self.conversation.prompt.insert(event.text)

    # What is written below a question

    def on_question_panel_put_aside(self) -> None:
        """Keep it for when nothing is asked any more."""
        self.save_draft()
        self.tabs.shown.put_aside()
        self.show_draft()
        self.say("put aside: it comes back when nothing is asked any more")

    def take_up(self) -> None:
        """Go on with what was put aside, where nothing is asked any more."""
        for tab in self.tabs.visible:
            if tab.aside and not self.tabs.questions_in(tab):
                tab.take_up()

    def _reject(self, tab: Tab, asked: Asked) -> None:
        """Reject what was asked, once; where that is not offered, cancel its turn."""
        agent = asked.agent
        if isinstance(asked, AskedElicitation):
            agent.do(commands.AnswerElicitation(asked.number, "decline"))
            return
        option_id, turn = asked.permission.rejection, tab.session and tab.session.turn
        if option_id is not None or not turn:
            agent.do(commands.AnswerPermission(asked.number, option_id))
        else:
            self._take_back(tab)
            agent.do(commands.Cancel(asked.permission.session_id))

    def on_transcript_pane_written(self, event: "TranscriptPane.Written") -> None:
        """Write it on, as it was no command; pastes are as good as in the prompt."""
        self.conversation.prompt.take(event.text, event.begun)
        self.say("written in the prompt; Tab goes back to the transcript")

    # Sending

    def on_prompt_editor_submitted(self, event: PromptEditor.Submitted) -> None:
        """Send it as soon as the agent can take it, or at once into the turn that runs."""
        tab, session = self.tabs.shown, self.session
        tab.agent.declined = None
        why_not = _why_not(tab.agent.state.peer, session)
        if why_not is not None:
            self._put_before_draft(tab, event.text)
            self.say(f"not sent: {why_not}")
            return
        tab.queue.paused = False
        if event.steer and session is not None and session.turn is not None:
            self._steer(tab, session, event.text)
        elif event.asked is not None:
            self._reject(tab, event.asked.asked)
            tab.queue.waiting.insert(0, event.text)
        elif event.text:
            tab.queue.waiting.append(event.text)
        waits = session is not None and session.turn is not None and not event.steer
        if self.conversation.transcript is not None and not waits:
            self.conversation.transcript.follow()
        self.refresh_all()

    def _steer(self, tab: Tab, session: Session, text: str) -> None:
        offered = tab.agent.state.peer.offers("_session/steering")
        if offered:
            self.say("handed to the agent; it stands above once it is taken")
        else:
            turn = session.turn
            words = "cancelling the turn; this is sent next"
            self.conversation.hints.say(words, holds=lambda: session.turn is turn)
        self._send(tab, session, text, commands.Steer)

    def send_waiting(self) -> None:
        """Send what agents can take by now."""
        for tab in self.tabs.queues():
            text = tab.queue.next(tab.agent.state, tab.session)
            if text is not None and tab.session is not None:
                self._send(tab, tab.session, text, commands.Prompt)

    def _send(self, tab: Tab, session: Session, text: str, command: Callable[..., Command]) -> None:
        """Send a text; if it may mention files, as soon as they are read."""
        if "@" not in text:
            tab.agent.do(command(session.session_id, (TextContent(text=text),)))
            return
        tab.queue.preparing = True
        self.run_worker(self._read_and_send(tab, session, text, command))

    async def _read_and_send(
        self, tab: Tab, session: Session, text: str, command: Callable[..., Command]
    ) -> None:
        from acp_tui.workspace.mentions import prepare

        offered = tab.agent.state.peer.capabilities.prompt_capabilities
        pasted = self.conversation.prompt.pasted.kept
        try:
            prepared = await to_thread.run_sync(
                prepare, text, session.cwd, offered, pasted, abandon_on_cancel=True
            )
        finally:
            tab.queue.preparing = False
        if prepared.problems:
            words = "\n".join(clean_line(problem) for problem in prepared.problems)
            self.notify(words, title="Not sent", severity="error", markup=False)
            self._put_before_draft(tab, text)
        else:
            tab.agent.do(command(session.session_id, prepared.blocks))
        self.refresh_all()

    # The queue

    def on_prompt_editor_take_back(self) -> None:
        """Give back the newest that waits, to be edited."""
        tab = self.tabs.shown
        if tab.queue.waiting:
            self._put_before_draft(tab, tab.queue.waiting.pop())
        self.refresh_all()

    def on_waiting_prompts_changed(self, event: "WaitingPrompts.Changed") -> None:
        """The queue was put in another order, or something was taken out."""
        self.tabs.shown.queue.waiting[:] = event.prompts
        self.refresh_all()

    def on_waiting_prompts_edit(self, event: "WaitingPrompts.Edit") -> None:
        """Give one back, to be edited."""
        tab = self.tabs.shown
        self._put_before_draft(tab, tab.queue.waiting.pop(event.index))
        self.conversation.prompt.focus()
        self.refresh_all()

    def on_waiting_prompts_steer(self, event: "WaitingPrompts.Steer") -> None:
        """Send one now."""
        tab, session = self.tabs.shown, self.session
        if session is not None and session.turn is not None:
            self._steer(tab, session, tab.queue.waiting.pop(event.index))
        self.refresh_all()

    def stop_session(self, agent: Agent, session_id: str) -> None:
        """Cancel the turn; what waits to be sent goes back to the prompt."""
        tab = self.tabs.find(agent, session_id)
        if tab is not None:
            self._take_back(tab)
        super().stop_session(agent, session_id)
        self.refresh_all()

    def _take_back(self, tab: Tab) -> None:
        if tab.queue.waiting:
            self._put_before_draft(tab, tab.queue.take_back())

    def action_cancel(self) -> None:
        """Cancel the turn; what waits to be sent goes back to the prompt."""
        tab, session = self.tabs.shown, self.session
        self._take_back(tab)
        if session is not None and session.subagent is not None:
            if session.subagent.can_cancel:
                tab.agent.do(commands.Cancel(session.session_id))
            else:
                self.say("the agent doesn't let its subagent be cancelled alone")
        elif session is not None and session.turn is not None:
            if session.turn.cancelled is None:
                tab.agent.do(commands.Cancel(session.session_id))
            else:
                late = overdue(session, self._clock())
                help_ = "Ctrl+R restarts it" if late else "waiting for the agent to end the turn"
                self.say(f"cancelled; {help_}")
        elif self.conversation.question is not None:
            self.conversation.question.action_cancel()
        self.refresh_all()


def _why_not(peer: Peer, session: Session | None) -> str | None:
    """Why nothing can be sent, nor wait to be sent."""
    if is_gone(peer):
        return "the agent isn't running; Ctrl+R restarts it"
    if peer.phase is Phase.NO_SESSION:
        return "there is no session; Ctrl+T begins one"
    if session is not None and session.subagent is not None:
        return "only the agent talks to its subagent"
    return None
