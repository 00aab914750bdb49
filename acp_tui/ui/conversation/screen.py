"""The conversation screen: puts the parts together and tells each what to show."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.session.changes import Change
from acp_tui.session.state import Session, State
from acp_tui.ui import bindings
from acp_tui.ui.bindings import key_name
from acp_tui.ui.conversation import footer
from acp_tui.ui.conversation.command_list import CommandList
from acp_tui.ui.conversation.file_list import FileList
from acp_tui.ui.conversation.plan import PlanPanel
from acp_tui.ui.conversation.prompt import PromptEditor
from acp_tui.ui.conversation.prompt_words import invitation
from acp_tui.ui.conversation.status_line import StatusLine
from acp_tui.ui.conversation.tab_body import TabBody
from acp_tui.ui.conversation.trouble import KEPT, TROUBLED, TroublePanel
from acp_tui.ui.conversation.welcome import Welcome
from acp_tui.ui.hints import Hint, KeyHints, footer_of
from acp_tui.ui.notes import REFUSAL, Note, NoteRow
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.conditions import CANCEL_PATIENCE
from acp_tui.ui.sessions.status import loud
from acp_tui.ui.sessions.tabs import Tabs
from acp_tui.ui.textual_fixes.compositor import compose_narrowly

if TYPE_CHECKING:
    from acp_tui.ui.controllers.controllers import Controllers
    from acp_tui.ui.conversation.elsewhere import WaitingElsewhere
    from acp_tui.ui.conversation.pane import TranscriptPane
    from acp_tui.ui.conversation.queue_view import QueueView
    from acp_tui.ui.conversation.session_tabs import SessionTabs
    from acp_tui.ui.question.panel import QuestionPanel
    from acp_tui.ui.transcript.transcript import Transcript


class ConversationScreen(Screen[None]):
    """The transcript above, the prompt below, what is going on at the bottom."""

    BINDINGS = bindings.CONVERSATION  # type: ignore[assignment]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (12, "-low"), (31, "-high")]  # noqa: RUF012

    class Ready(Message):
        """The screen is ready to show things."""

    def __init__(self, tabs: Tabs, clock: Callable[[], float], controllers: "Controllers") -> None:
        super().__init__()
        compose_narrowly(self)
        self._was_seen = False
        self._tabs = tabs
        self._clock = clock
        self._controllers = controllers
        self._tab_row: SessionTabs | None = None
        self._patience: Timer | None = None
        self.prompt = PromptEditor(CommandList(), FileList(clock), controllers.prompts)
        self.notes = NoteRow(lambda: loud(self._state))
        self.hints = KeyHints()
        self._only_keys: list[Hint] = []
        """Keys of a replay: they stand instead of what is for a living agent."""
        self.refusal = ""
        """Why nothing can be sent from here, if this only shows what isn't ours."""
        self._plan = PlanPanel()
        self._trouble = TroublePanel(clock, controllers)
        self._welcome = Welcome(tabs, clock)
        self.body = TabBody(tabs, clock, controllers, self._welcome, self._plan, self._trouble)
        self._queue: QueueView | None = None
        self._elsewhere: WaitingElsewhere | None = None
        self._status = StatusLine(tabs, clock, lambda: self.prompt.mode)
        self.beside: Sequence[Widget] = ()
        """What can have the focus of what is beside the conversation."""

    @property
    def pane(self) -> "TranscriptPane | None":
        """What is read in the tab that is shown, if anything was said there."""
        return self.body.pane

    @property
    def transcript(self) -> "Transcript | None":
        """The transcript of the tab that is shown."""
        return self.pane.transcript if self.pane is not None else None

    @property
    def _state(self) -> State:
        return self._tabs.agent.state

    @property
    def _session(self) -> Session | None:
        return self._tabs.shown.session

    def expect(self, size: Size) -> None:
        """Look as in this size, before all is styled: what comes later styles all again."""
        fitting = [one for one in self.VERTICAL_BREAKPOINTS if one[0] <= size.height]
        self.add_class(max(fitting)[1], update=False)

    def compose(self) -> ComposeResult:
        yield self.body
        yield self.prompt.completion.commands
        yield self.prompt.completion.files
        yield self.notes
        yield self.prompt
        yield self._status
        yield self.hints

    def on_mount(self) -> None:
        self.prompt.focus()
        self.post_message(self.Ready())

    def only_show(self, keys: list[Hint], words: str) -> None:
        """Show what is not ours to act in, with these keys and words in place of the prompt: nothing
        can be written, or done about the agent's end.
        """
        self._only_keys, self.refusal = keys, words
        self._tabs.are_only_shown = True
        self.prompt.placeholder = words
        self.prompt.disabled = True
        self.body.can_write = False
        self._trouble.only_tells = True
        self._trouble.can_focus = False
        self.set_focus(self.transcript)

    def show_only_keys(self, keys: list[Hint]) -> None:
        """Show other keys of what is not ours to act in."""
        if keys != self._only_keys:
            self._only_keys = keys
            self._show_keys()

    def on_prompt_editor_mode_changed(self) -> None:
        """Say what letters do in the prompt."""
        self.show_status()

    def show_status(self) -> None:
        """Bring the status line up to date, and nothing else."""
        self._status.refresh()

    def show(self) -> None:
        """Show the tab that is on top as it is now."""
        tab = self._tabs.shown
        session, queue = tab.session, tab.queue
        self.body.show_pane()
        self._welcome.show()
        followed = session is not None and session.turn is not None
        self._plan.show(session.plan if session else (), followed=followed)
        self.prompt.completion.commands.offer(session.commands if session else ())
        self.prompt.completion.files.offer(
            (self._state.folder_here(session) or "") if session else ""
        )
        self.prompt.offered = self._state.peer.capabilities.prompt_capabilities
        if not self._only_keys:
            kept = KEPT.get(self._state.peer.phase)
            self.prompt.placeholder = kept or invitation(session, self._controllers.tips.words)
        self.prompt.waiting = bool(queue.waiting)
        self._show_queue(queue.waiting, paused=queue.paused)
        self._status.show()
        self._show_tab_row()
        self._show_trouble()
        self._show_question()
        self._show_keys()

    def _show_queue(self, waiting: Sequence[str], *, paused: bool) -> None:
        """Show what waits to be sent; only then there has to be a place for it."""
        if self._queue is None and waiting:
            from acp_tui.ui.conversation.queue_view import QueueView

            self._queue = QueueView(self._controllers.prompts)
            self.mount(self._queue, before=self.prompt.completion.commands)
        if self._queue is not None:
            self._queue.show(waiting, paused=paused)

    def _show_elsewhere(self) -> None:
        """Show who waits for the person in another tab."""
        if self._elsewhere is None and self._tabs.waiting_elsewhere():
            from acp_tui.ui.conversation.elsewhere import WaitingElsewhere

            self._elsewhere = WaitingElsewhere(self._tabs, self._controllers.sessions)
            self.mount(self._elsewhere, after=self.body)
        if self._elsewhere is not None:
            self._elsewhere.show()

    def _show_tab_row(self) -> None:
        """Show what is open beside this tab."""
        several = len(self._tabs.visible) > 1
        if self._tab_row is None and several:
            from acp_tui.ui.conversation.session_tabs import SessionTabs

            self._tab_row = SessionTabs(self._tabs, self._clock, self._controllers.sessions)
            self.mount(self._tab_row, before=0)
        if self._tab_row is not None:
            self._tab_row.display = several
            self._tab_row.show()

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Something moved in the transcripts of an agent."""
        self.body.changed(agent, changes)

    def on_tab_body_turned(self) -> None:
        """Go to where one was: in the transcript, or the prompt."""
        (self.transcript or self.prompt).focus()

    # What is asked

    @property
    def question(self) -> "QuestionPanel | None":
        """What is asked in the tab that is shown."""
        return self.body.question

    def _show_question(self) -> None:
        """Show what is asked here, and who waits elsewhere; the prompt leads it its keys."""
        before = self.question
        had_focus = before is not None and before.has_focus_within  # what is hidden has none
        self.body.show_question(self.prompt.text)
        if had_focus and before is not self.question:
            self.prompt.focus()
        question = self.question
        if question is not None and question is not before:
            self.notes.forget()
        self.set_class(question is not None, "-asks")
        self._show_elsewhere()
        if self._only_keys:
            return
        self.prompt.asked = question
        if question is not None:
            question.can_send = self._session is None or self._session.subagent is None
            if question.can_send:
                self.prompt.placeholder = question.invites

    def on_prompt_editor_list_closed(self) -> None:
        """Show the keys of the prompt again."""
        self._show_keys()

    def on_file_list_found(self) -> None:
        """Show the keys of the list of files, or no longer."""
        self._show_keys()

    def on_text_area_changed(self, event: PromptEditor.Changed) -> None:
        """Keep what is written. Below a question it is no answer before it is sent."""
        self._controllers.drafts.keep()
        if self.question is not None and event.text_area is self.prompt:
            self.question.wrote(self.prompt.text)
        self._show_keys()

    def on_question_panel_put_aside(self) -> None:
        """Put aside what is written, to answer."""
        self._controllers.prompts.put_aside()

    def on_question_panel_too_early(self, event: "QuestionPanel.TooEarly") -> None:
        """Say why a number answers nothing."""
        asked = self.question
        words = f"{event.number} came too early to answer: it is in the prompt; Esc puts it aside"
        self.notes.say(
            Note(
                words,
                holds=lambda: self.question is asked and not (asked and asked.has_warned),
            )
        )

    def on_question_panel_keys_changed(self) -> None:
        """Show the keys that count now."""
        self._show_keys()

    def on_question_panel_scrolled(self, event: "QuestionPanel.Scrolled") -> None:
        """Conversation and question are read as one: on from the end of the one into the other."""
        step, transcript, question = event.step, self.transcript, self.question
        at_end = transcript is None or transcript.scroll_y >= transcript.max_scroll_y
        ours = question is not None and (step < 0 or at_end)
        if ours and question is not None and question.scroll_subject(step, pages=event.pages):
            return
        if transcript is not None:
            (transcript.action_pages if event.pages else transcript.action_lines)(step)

    def on_prompt_editor_scrolls(self, event: PromptEditor.Scrolls) -> None:
        """Scroll the conversation from the prompt."""
        if self.transcript is not None:
            self.transcript.action_pages(event.pages)
            self.transcript.action_lines(event.lines)

    def on_key(self, event: events.Key) -> None:
        """Numbers answer from the transcript, too, where they mean nothing else; not those of a text
        that was meant for the prompt.
        """
        question = self.prompt.asked
        if question is None or self.transcript is None or not self.transcript.has_focus:
            return
        if not event.key.isdecimal():
            question.passes(event)
        elif not self.prompt.text.strip():
            if not question.takes(event):
                self.prompt.take(event.key, event)
            event.stop()

    def _show_trouble(self) -> None:
        readable = self.pane is not None and self.pane.display
        alone = len(self._tabs.agents) == 1
        if self._trouble.show(self._state.peer, readable=readable, alone=alone):
            self.notes.forget()
            if not self.prompt.text:
                self._trouble.focus()
        elif self.focused is self._trouble and not self._trouble.display:
            self.prompt.focus()

    def _show_keys(self) -> None:
        self.notes.look()
        self.hints.show(self._keys())
        turn = self._session.turn if self._session else None
        if turn is None or turn.cancelled is None:
            self._patience = None
        elif self._patience is None:
            self._patience = self.set_timer(CANCEL_PATIENCE, self._show_keys)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """What came up behind another screen is seen from now on. At the start all has its styles."""
        event.refresh_styles = self._was_seen
        self._was_seen = True
        self._trouble.seen()
        if self.question is not None:
            self.question.seen(self.prompt.text)
        self._show_keys()

    def on_screen_suspend(self) -> None:
        """Show no keys here: the screen above has its own."""
        self.hints.show([])

    def watch_focused(self) -> None:
        """Show the keys of what has the focus now, with the frame that shows that it has."""
        if self.is_mounted:
            self._show_keys()

    def on_descendant_focus(self) -> None:
        """Show the keys of what has the focus now."""
        self._show_keys()

    def on_descendant_blur(self) -> None:
        """Show the keys of what has the focus now: the prompt, if what had it is gone."""
        if self.focused is None and self.app.app_focus and not self._only_keys:
            self.prompt.focus()
        self._show_keys()

    def on_transcript_marked(self) -> None:
        """Say what Enter does now."""
        self._show_keys()

    def on_transcript_selecting(self) -> None:
        """Show the keys that work on a selection, or no longer."""
        self._show_keys()

    def on_transcript_pane_written(self, event: "TranscriptPane.Written") -> None:
        """Write it on, as it was no command; pastes are as good as in the prompt."""
        self.prompt.take(event.text, event.begun)
        self.notes.say(Note("written in the prompt; Tab goes back to the transcript"))

    def on_transcript_pane_search_ended(self) -> None:
        """Show the keys of the transcript again."""
        self._show_keys()

    def _keys(self) -> Sequence[Hint]:
        if not self.is_active:
            return ()
        peer, transcript = self._state.peer, self.transcript
        if own := footer_of(self.focused):
            return own
        if peer.phase in TROUBLED and not self._only_keys:
            return footer.trouble_keys(peer.phase, named=self._trouble.has_focus)
        searching = self.pane is not None and self.pane.is_searching
        if transcript is not None and self.focused is transcript:
            return footer.transcript_keys(
                self._only_keys,
                self._session,
                self.size.width,
                enter=transcript.enter,
                selecting=transcript.is_selecting,
                searching=searching,
                asked=self.prompt.asked is not None,
            )
        if self.pane is not None and self.pane.writes_search:
            return footer.SEARCH_KEYS
        if self._queue is not None and self._queue.display and self._queue.has_focus:
            return footer.QUEUE_KEYS
        if self._only_keys:
            return footer.replay_keys(self._only_keys)
        if self.focused is self.prompt and self.prompt.completion.choosing:
            return footer.CHOOSING_KEYS
        if self.question is not None:
            return footer.question_keys(self.question.keys())
        now, width = self._clock(), self.size.width
        return footer.prompt_keys(
            peer, self._session, now, width, queued=self._is_queued, runs=self.prompt.runs
        )

    def on_shell_text_area_said(self, event: PromptEditor.Said) -> None:
        """Say what came of pasting."""
        self.notes.say(Note(event.words))

    def on_trouble_panel_read(self) -> None:
        """Let the reader go on reading."""
        (self.transcript or self.prompt).focus()

    def selected_text(self) -> str:
        """What is selected in the prompt, if that has the focus, or in the transcript."""
        if self.focused is self.prompt and self.prompt.selected_text:
            return self.prompt.selected_text
        return (self.transcript.selected_text() or "") if self.transcript is not None else ""

    def action_focus_next(self) -> None:
        """Go from the prompt to the frames beside it, on to the frame in full, to the transcript."""
        if not self.beside:
            self.focus_next()
            return
        places = [self.prompt, *self.beside, self.transcript]
        ways = [one for one in places if one is not None and one.display and one.focusable]
        at = ways.index(self.focused) if self.focused in ways else -1
        if ways:
            ways[(at + 1) % len(ways)].focus()

    def action_toggle_plan(self) -> None:
        """Open or fold the plan; say so where there is none."""
        if self._session is None or not self._session.plan:
            words = f"{key_name('f2')} opens the plan: the agent has made none so far"
            self.notes.say(Note(words, REFUSAL))
            return
        self._plan.toggle()
        self.body.fit()

    @property
    def _is_queued(self) -> bool:
        """Whether prompts wait to be sent."""
        return self._queue is not None and self._queue.display

    def action_queue(self) -> None:
        """Go to the queue, or back to the prompt."""
        queue = self._queue if self._is_queued else None
        (self.prompt if queue is None or queue.has_focus else queue).focus()

    async def action_search(self) -> None:
        """Open the search, or go back to it."""
        if self.pane is not None:
            await self.pane.search()
