"""The prompt feature: drafts and queues of all tabs, and what submitting a prompt does."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events

from acp_tui.state import commands
from acp_tui.state.changes import ScreenChanged, TurnChanged
from acp_tui.state.session import Session
from acp_tui.text import clean_text
from acp_tui.ui.feature import (
    AgentChanged,
    EscapeUnused,
    Feature,
    PromptSent,
    SettingsChanged,
)
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt.command_list import written_command
from acp_tui.ui.prompt.editor import EditorWindow
from acp_tui.ui.prompt.sending import Sending, why_not_sent
from acp_tui.ui.tabs.conditions import is_left_lost
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Asked, AskedElicitation, ClosedTab
from acp_tui.ui.toolkit.boxes import QuestionBox
from acp_tui.ui.window import SECOND_KEY

if TYPE_CHECKING:
    from acp_tui.config.own_prompts import OwnPrompt
    from acp_tui.ui.checkpoints import CheckpointsFeature
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.prompt.own_commands import OwnCommandsFeature
    from acp_tui.ui.prompt.own_prompts import OwnPromptsFeature
    from acp_tui.ui.prompt.recall import RecallFeature

SAVED_FOR_LATER = "saved for later: it comes back when nothing is asked and the turn is over"
_NOTE_SECONDS = 8.0
"""Seconds that the note about inserted text stays."""


class PromptFeature(Feature):
    """Keeps a draft and a queue for each tab, and sends what is submitted."""

    name = "prompts"
    handlers: ClassVar = {
        AgentChanged: "send_waiting",
        SettingsChanged: "use_settings",
        EscapeUnused: "escape",
    }

    def __init__(
        self,
        window: EditorWindow,
        checkpoints: "CheckpointsFeature",
        recall: "RecallFeature",
        own_commands: "OwnCommandsFeature",
        own_prompts: "OwnPromptsFeature",
        external: "ExternalFeature",
    ) -> None:
        self._window = window
        self._recall = recall
        self._own_commands = own_commands
        self._own_prompts = own_prompts
        self._external = external
        self._tabs = window.tabs
        self._editor = window.editor
        self._sending = Sending(window, checkpoints, self._prepend_draft, self._send_next)
        self._written_in: Tab | None = None
        """The tab whose draft is in the prompt."""
        self._escaped: tuple[str, float] | None = None
        """The text at the first Esc, and the time of that."""

    def list_own(self) -> None:
        """Read the prompt files, and offer them for completion."""
        self._own_prompts.load()

    def use_own(self, prompt: "OwnPrompt", words: str = "") -> None:
        """Replace the text with a prompt from a file, with some words below it."""
        self._own_prompts.use(prompt, words)

    def use_settings(self, event: SettingsChanged) -> None:
        """Apply the setting for the number of lines from which a paste is folded."""
        self._editor.use_settings(event.settings)

    # The port

    @property
    def text(self) -> str:
        """The text of the prompt as it is drawn, with chips folded."""
        return self._editor.text

    @property
    def has_focus(self) -> bool:
        """Whether keys go to the prompt."""
        return self._editor.has_focus

    @property
    def sent(self) -> Sequence[str]:
        """The prompts that were sent from here."""
        return self._editor.earlier.prompts

    def focus(self) -> None:
        """Move the focus to the prompt."""
        self._editor.focus()

    def write_command(self, name: str) -> None:
        """Write a command of the agent into the prompt and focus it; the user sends it."""
        self._editor.focus()
        self._editor.write(written_command(name))

    def with_chips(self, text: str) -> str:
        """Return a prompt with its long pastes folded into chips, as in the editor."""
        return self._editor.folded.hide(text)

    def clear_by_key(self) -> bool:
        """Clear the prompt; return False if there is nothing to clear."""
        return self._editor.clear_by_key()

    def escape(self, event: EscapeUnused) -> None:
        """Clear the prompt at a second Esc that has nothing to cancel; undo restores it."""
        text, now = event.text, self._window.clock()
        before, self._escaped = self._escaped, None
        if not text or not self._editor.has_focus:
            return
        if before is not None and before[0] == text and now - before[1] <= SECOND_KEY:
            if self.clear_by_key():
                self._window.show_note(f"cleared: {key_name('ctrl+z')} brings it back")
            return
        self._escaped = (text, now)
        self._window.show_note(
            "Esc again clears the prompt", SECOND_KEY, lambda: self._editor.text == text
        )

    # Drafts

    def save_draft(self) -> None:
        """Store the text of the prompt as its tab's draft."""
        tab = self._written_in or self._tabs.shown
        tab.draft = self._editor.written

    def show_draft(self) -> None:
        """Put the draft of the current tab into the prompt, unless it is there already."""
        tab, prompt = self._tabs.shown, self._editor
        self._written_in = tab
        if prompt.written != tab.draft:
            prompt.show_draft(tab.draft)

    def prepend_text(self, text: str, words: str) -> None:
        """Put a text from elsewhere before what is written, and show `words`; the user decides
        whether to send it.

        It is never run as a `!` command.
        """
        text = clean_text(text)
        self._prepend_draft(self._tabs.shown, f" {text}" if text.startswith("!") else text)
        self._window.refresh_view()
        self._window.show_note(words, _NOTE_SECONDS)

    def follow_tabs(self) -> None:
        """Assign each session to a tab; drafts stay with their tabs."""
        self.save_draft()
        self._tabs.follow()
        self.show_draft()

    def save_closed_draft(self, tab: Tab) -> ClosedTab:
        """Keep the draft of a tab that is being closed; the prompt history gets it, too."""
        self.save_draft()
        closed = self._tabs.closed.add(tab)
        if closed.written:
            self._editor.earlier.add(closed.written)
        return closed

    def save_for_later(self) -> None:
        """Put the text away while a question is pending, until no more questions can come."""
        self.save_draft()
        self._tabs.shown.set_draft_aside()
        self.show_draft()
        self._window.show_note(SAVED_FOR_LATER)

    def _prepend_draft(self, tab: Tab, text: str) -> None:
        self.save_draft()
        tab.prepend_draft(text)
        self.show_draft()

    def type_ahead(self, typed: events.Key | events.Paste) -> None:
        """Insert a key or paste that didn't answer a question into the prompt; in a dialog, show it
        there, too.

        On another page it is dropped: it wasn't meant for a prompt that can't be seen.
        """
        if isinstance(typed, events.Key):
            text = typed.character or "" if typed.is_printable else ""
        else:
            text = typed.text
        if not text:
            return
        front, prompt = self._window.screens[-1], self._editor
        if self._window.is_conversation_in_front:
            prompt.insert_typed(text, typed)
            return
        is_over_page = len(self._window.screens) > 2
        if not is_over_page:
            prompt.insert(prompt.pastable(text))
        for box in front.query(QuestionBox):
            if is_over_page:
                box.show_dropped_key()
            else:
                box.show_prompt_text(prompt.text)

    def edit(self) -> None:
        """Open the prompt in $EDITOR; the edited text is put back, and isn't sent."""
        prompt = self._editor
        if prompt.asked is not None:
            self._window.refuse("answer first what is asked")
            return
        self._external.edit_text(
            prompt.written, ".md", partial(self._prompt_written, self._window.tabs.shown)
        )

    def _prompt_written(self, tab: Tab, text: str) -> None:
        prompt = self._editor
        written = prompt.cleaned(text.replace("\r\n", "\n").rstrip("\n"))
        draft = written
        if self._window.tabs.questions_in(tab):
            tab.aside, draft = written, ""
            self._window.show_note(SAVED_FOR_LATER)
        if tab is self._window.tabs.shown:
            prompt.write(prompt.folded.fold(draft))
        else:
            tab.draft = draft

    # Sending

    def send_waiting(self, event: AgentChanged) -> None:
        """Send what was queued until a turn ended or a session was opened; nothing is sent to an
        agent that is gone.
        """
        if not any(isinstance(change, TurnChanged | ScreenChanged) for change in event.changes):
            return
        self.follow_tabs()
        self._tabs.pause()
        self._restore_unsent()
        self._restore_drafts()
        self._send_queued()

    def _restore_unsent(self) -> None:
        """Move queued prompts of sessions that won't be reopened back into their drafts."""
        for tab in self._tabs.visible:
            state, session = tab.agent.state, tab.session
            if tab.queue.waiting and is_left_lost(state, session):
                self.unqueue_all(tab)
                self._window.refuse(f"not sent: {why_not_sent(state, session)}")

    def _restore_drafts(self) -> None:
        """Restore drafts put away for questions, where the turn is over and none is pending."""
        self.save_draft()
        for tab in self._tabs.visible:
            may_ask = tab.session is not None and tab.session.turn is not None
            if tab.aside and not self._tabs.questions_in(tab) and not may_ask:
                tab.restore_draft()
        self.show_draft()

    def submit(self, text: str, *, steer: bool = False, question: Asked | None = None) -> None:
        """Submit a prompt as Enter does: send it as soon as the agent is ready, or run a `!`
        command.

        With `steer`, send it into the running turn. Below a `question`, reject that first. Without
        text, resume a paused queue.
        """
        if text:
            self._recall.store(text)
            self._tabs.closed.forget_sent(text)
            self._window.emit(PromptSent(text))
        if text.startswith("!"):
            self._run_own(self._tabs.shown, text, question)
        else:
            self._submit_text(text, steer=steer, question=question)

    def resend(self, text: str) -> None:
        """Resend an earlier prompt; it is never run as a `!` command."""
        self._submit_text(text)

    def _submit_text(
        self, text: str, *, steer: bool = False, question: Asked | None = None
    ) -> None:
        tab, session = self._tabs.shown, self._tabs.shown.session
        tab.agent.postponed_sign_in = None
        asker = question.session_id if question is not None else None
        why_not = why_not_sent(tab.agent.state, session)
        why_not = why_not or why_not_sent(
            tab.agent.state, tab.agent.state.sessions.get(asker or "")
        )
        if why_not is not None:
            self._prepend_draft(tab, text)
            self._window.refuse(f"not sent: {why_not}")
            return
        tab.queue.paused = False
        if steer and session is not None and session.turn is not None:
            self._steer_turn(tab, session, text)
        elif question is not None:
            self._reject(tab, question)
            tab.queue.waiting.insert(0, text)
        elif text:
            tab.queue.waiting.append(text)
        waits = session is not None and session.turn is not None and not steer
        transcript = self._window.transcript
        if transcript is not None and not waits:
            transcript.follow()
        self._send_queued()
        self._window.refresh_view()

    def _run_own(self, tab: Tab, text: str, question: Asked | None) -> None:
        """Run a `!` command; below a question it is refused, as text answers the question."""
        why_not = "answer first what is asked" if question else self._own_commands.why_not(tab)
        if why_not is None:
            self._own_commands.run(tab, text[1:])
        else:
            self._prepend_draft(tab, text)
            self._window.refuse(f"not run: {why_not}")

    def _send_next(self) -> None:
        self._send_queued()
        self._window.refresh_view()

    def _send_queued(self) -> None:
        """Send the queued prompts whose agents are ready."""
        for tab in self._tabs.queues():
            text = tab.queue.next(tab.agent.state, tab.session)
            if text is not None and tab.session is not None:
                self._sending.send(tab, tab.session, text, commands.SendPrompt)

    def _steer_turn(self, tab: Tab, session: Session, text: str) -> None:
        if tab.agent.state.peer.offers("_session/steering"):
            self._window.show_note("handed to the agent; it appears above once it is taken")
        else:
            turn = session.turn
            words = "canceling the turn; this is sent next"
            self._window.show_note(words, is_valid=lambda: session.turn is turn)
        self._sending.send(tab, session, text, commands.Steer)

    def _reject(self, tab: Tab, asked: Asked) -> None:
        """Reject the question once; if it has no such option, cancel its turn."""
        agent = asked.agent
        if isinstance(asked, AskedElicitation):
            agent.do(commands.AnswerElicitation(asked.number, "decline"))
            return
        option_id, turn = asked.permission.rejection, tab.session and tab.session.turn
        if option_id is not None or not turn:
            agent.do(commands.AnswerPermission(asked.number, option_id))
        else:
            self.unqueue_all(tab)
            agent.do(commands.Cancel(asked.permission.session_id))

    # The queue

    def unqueue_newest(self) -> None:
        """Move the newest queued prompt back into the editor."""
        tab = self._tabs.shown
        if tab.queue.waiting:
            self._prepend_draft(tab, tab.queue.waiting.pop())
        self._window.refresh_view()

    def unqueue_all(self, tab: Tab) -> None:
        """Move all queued prompts of a tab back into its draft, even one that is being prepared."""
        if tab.queue.waiting:
            self._prepend_draft(tab, tab.queue.clear())
        self._sending.stop(tab)

    def reorder_queue(self, prompts: Sequence[str]) -> None:
        """Replace the queue with these prompts, in this order."""
        self._tabs.shown.queue.waiting[:] = prompts
        self._window.refresh_view()

    def edit_queued(self, index: int) -> None:
        """Move a queued prompt back into the editor."""
        tab = self._tabs.shown
        self._prepend_draft(tab, tab.queue.waiting.pop(index))
        self._editor.focus()
        self._window.refresh_view()

    def steer_queued(self, index: int) -> None:
        """Send a queued prompt into the running turn."""
        tab, session = self._tabs.shown, self._tabs.shown.session
        if session is not None and session.turn is not None:
            self._steer_turn(tab, session, tab.queue.waiting.pop(index))
        self._window.refresh_view()
