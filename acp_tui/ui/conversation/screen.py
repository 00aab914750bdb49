"""The conversation screen: composes its parts, updates them, and passes keys to the question."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.host.agent import Agent
from acp_tui.host.session_names import subagent_name
from acp_tui.state.changes import Change
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.ui.conversation import bindings, footer
from acp_tui.ui.conversation.late_parts import LateParts
from acp_tui.ui.conversation.plan import PlanPanel
from acp_tui.ui.conversation.status_line import StatusLine
from acp_tui.ui.conversation.tab_body import TabBody
from acp_tui.ui.conversation.trouble import TroublePanel
from acp_tui.ui.conversation.welcome import Welcome
from acp_tui.ui.keys import key_name
from acp_tui.ui.prompt.editor import (
    PromptEditor,
    empty_prompt_hint,
    invitation_to,
    sendable_suggestion,
)
from acp_tui.ui.tabs.conditions import CANCEL_PATIENCE, TROUBLED
from acp_tui.ui.tabs.status import allows_all_warning
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.textual_fixes.compositor import compose_narrowly
from acp_tui.ui.toolkit.hints import Hint, KeyHints, ListsMoreKeys, footer_of
from acp_tui.ui.toolkit.notes import REFUSAL, Note, NoteRow
from acp_tui.ui.toolkit.screens import show_cursor

if TYPE_CHECKING:
    from acp_tui.ui.conversation.pane import TranscriptPane
    from acp_tui.ui.features import Features
    from acp_tui.ui.question.panel import QuestionPanel
    from acp_tui.ui.transcript.transcript import Transcript

_TAB_WORDS = {1: "comes here", 2: "twice comes here"}
"""The label of Tab by the number of stops to the trouble panel."""


class ConversationScreen(Screen[None], ListsMoreKeys):
    """Shows the transcript above, the prompt below, and the status line and the hints at the
    bottom.
    """

    AUTO_FOCUS = "PromptEditor"
    """Not the first focusable widget: text pasted while the screen is being mounted would be lost.
    """
    BINDINGS = bindings.CONVERSATION  # type: ignore[assignment]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (12, "-low"), (31, "-high")]  # noqa: RUF012

    class Ready(Message):
        """The screen is mounted."""

    def __init__(
        self, tabs: Tabs, clock: Callable[[], float], editor: PromptEditor, features: "Features"
    ) -> None:
        super().__init__()
        compose_narrowly(self)
        self._was_shown = False
        self._tabs = tabs
        self.clock = clock
        self._features = features
        self._patience: Timer | None = None
        self.prompt = editor
        self.notes = NoteRow(lambda: allows_all_warning(self.state))
        self.hints = KeyHints()
        self.only_keys: list[Hint] = []
        """Hints of a replay, which replace those for a live agent."""
        self._tip = ""
        self._plan = PlanPanel()
        self.trouble = TroublePanel(clock, features.sessions, features.agents)
        self._welcome = Welcome(tabs, clock)
        self.body = TabBody(
            tabs,
            clock,
            features.external,
            features.questions,
            self._welcome,
            self._plan,
            self.trouble,
        )
        self.parts = LateParts(
            self.mount,
            self.body,
            editor.completion.commands,
            tabs,
            clock,
            features.prompts,
            features.sessions,
        )
        self._status = StatusLine(tabs, clock)
        self.side_widgets: Sequence[Widget] = ()
        """The widgets of the pane beside the conversation that Tab focuses."""

    @property
    def pane(self) -> "TranscriptPane | None":
        """The pane of the tab that is shown, once it has an entry."""
        return self.body.pane

    @property
    def transcript(self) -> "Transcript | None":
        """The transcript of the tab that is shown."""
        return self.pane.transcript if self.pane is not None else None

    @property
    def state(self) -> State:
        """The state of the agent that is shown."""
        return self._tabs.agent.state

    @property
    def session(self) -> Session | None:
        """The session of the tab that is shown."""
        return self._tabs.shown.session

    def expect(self, size: Size) -> None:
        """Set the classes for a screen size before everything is styled: a later class would style
        it again.
        """
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
        self.screen_layout_refresh_signal.subscribe(self, lambda _: self._place_notes())
        self.post_message(self.Ready())

    def only_show(self, keys: list[Hint], words: str, welcome: Sequence[str]) -> None:
        """Show a session that can't be acted on: show these keys, `words` in place of the prompt,
        and `welcome` until the first entry.

        Nothing can be written, and the trouble panel has no keys.
        """
        self._welcome.instead = welcome
        self.only_keys = keys
        self._tabs.refusal = words
        self.prompt.placeholder = words
        self.prompt.disabled = True
        self.body.can_write = False
        self.trouble.is_read_only = True
        self.trouble.can_focus = False
        self.set_focus(self.transcript)

    def show_only_keys(self, keys: list[Hint]) -> None:
        """Replace the hints of a session that can't be acted on."""
        if keys != self.only_keys:
            self.only_keys = keys
            self._show_keys()

    def show_status(self) -> None:
        """Update only the status line."""
        self._status.refresh()

    def show(self) -> None:
        """Update the screen for the tab in front."""
        tab = self._tabs.shown
        session, queue = tab.session, tab.queue
        self.body.show_pane()
        self._welcome.show()
        followed = session is not None and session.turn is not None
        self._plan.show(session.plan.steps if session else (), followed=followed)
        self.prompt.completion.commands.offer(session.commands if session else ())
        self.prompt.completion.files.offer(
            (self.state.folder_here(session) or "") if session else ""
        )
        self.prompt.offered = self.state.peer.capabilities.prompt_capabilities
        self.prompt.waiting = bool(queue.waiting)
        self.parts.show_queue(queue.waiting, paused=queue.paused)
        self._status.show()
        self.parts.show_tab_row()
        self._show_trouble()
        self._update_question()

    def _invite(self) -> None:
        """Update the hint in the empty prompt."""
        session, queue = self.session, self._tabs.shown.queue
        if self.only_keys:
            return
        if self.question is not None:
            self.prompt.placeholder = self.question.prompt_hint
            return
        if self.prompt.suggested:
            self.prompt.placeholder = invitation_to(self.prompt.suggested)
            return
        if self.focused is self.prompt:
            self._tip = self._features.tips.words(self.prompt.completion.lists, self.hints.named)
        self.prompt.placeholder = empty_prompt_hint(
            self.state.peer,
            session,
            self._tip,
            waits=bool(queue.waiting),
            held=queue.paused and bool(queue.waiting),
        )

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Update an agent's transcripts and questions."""
        self.body.changed(agent, changes)

    def on_tab_body_turned(self) -> None:
        """Focus the transcript or, if there is none, the prompt."""
        (self.transcript or self.prompt).focus()

    on_trouble_panel_reading_wanted = on_tab_body_turned

    # The question

    @property
    def question(self) -> "QuestionPanel | None":
        """The question of the tab that is shown."""
        return self.body.question

    def _update_question(self) -> None:
        """Show the tab's question, and the hints for the keys that work now."""
        before = self.question
        self._show_question(before)
        self._show_keys()
        if self.question is not None and self.question is not before:
            self.body.place_question()
        elif before is not None:
            self.body.fit()

    def _show_question(self, before: "QuestionPanel | None") -> None:
        """Show the tab's question, and which other tabs wait; `before` is the question shown so
        far.
        """
        had_focus = before is not None and before.has_focus_within  # a hidden one loses it
        self.body.show_question(self.prompt.text)
        question = self.question
        if had_focus and before is not question:
            self.prompt.focus()
        if question is not None and question is not before:
            self.notes.drop_passing()
        self.parts.show_elsewhere()
        # The class takes rows from these widgets only on a low or a tiny screen.
        is_low, is_tiny = not self.has_class("-high"), self.has_class("-tiny")
        for one in (self.prompt, self.notes, self._plan):
            one.set_class(question is not None, "-asked", update=is_low)
        for row in (self._status, *self.parts.rows):
            row.set_class(question is not None, "-asked", update=is_tiny)
        if self.only_keys:
            return
        self.prompt.asked = question
        if question is not None:
            # A text that rejects goes to the tab's session: a subagent can't be sent anything.
            asker = question.asked.session_id
            question.can_send = not subagent_name(self.state, asker or "") and (
                self.session is None or self.session.subagent is None
            )

    def _place_notes(self) -> None:
        """Put notes that float over the screen over the last row of the conversation, where they
        hide no part of the question.
        """
        question = self.question
        floats = self.notes.has_class("-asked") and self.has_class("-low")
        region = question.region if question is not None and floats else None
        if region:
            self.notes.float_at(max(region.y - 1, self.body.region.y), region.width)
        elif not floats:
            self.notes.unfloat()

    def on_text_area_changed(self, event: PromptEditor.Changed) -> None:
        """Save the draft, and update the question below which it is written: it answers only once
        it is sent.
        """
        self._features.drafts.schedule_write()
        if self.question is not None and event.text_area is self.prompt:
            self.question.write(self.prompt.text)
        self._show_keys()

    def on_tab_body_panel_mounted(self) -> None:
        """Show a question whose panel had to be mounted first."""
        self._update_question()

    def on_question_panel_save_for_later(self) -> None:
        """Save the text in the prompt for later, so that keys answer."""
        self._features.prompts.save_for_later()

    def on_question_panel_explains(self, event: "QuestionPanel.Explains") -> None:
        """Show why a key answered nothing, until the question itself shows a warning."""
        asked = self.question

        def is_valid() -> bool:
            return self.question is asked and not (asked and asked.has_warned)

        self.notes.show_note(Note(event.words, is_valid=is_valid))

    def on_prompt_editor_scrolls(self, event: PromptEditor.Scrolls) -> None:
        """Scroll the conversation from the prompt."""
        if self.transcript is not None:
            self.transcript.action_pages(event.pages)
            self.transcript.action_lines(event.lines)

    def on_key(self, event: events.Key) -> None:
        """Let digits answer from the transcript, too, unless they belong to a text meant for the
        prompt.
        """
        question = self.prompt.asked
        if self.transcript is None or not self.transcript.has_focus or question is None:
            return
        if not event.key.isdecimal():
            question.type_elsewhere(event)
        elif not self.prompt.text.strip():
            pressed = question.press(event)
            if not pressed.done:
                self.prompt.insert_typed(f"{pressed.text}{event.key}", event)
            event.stop()

    def _show_trouble(self) -> None:
        readable = self.pane is not None and self.pane.display
        alone = len(self._tabs.agents) == 1
        if self.trouble.show(self.state.peer, readable=readable, alone=alone):
            self.notes.drop_passing()
            if not self.prompt.text:
                self.trouble.focus()
        elif self.focused is self.trouble and not self.trouble.display:
            self.prompt.focus()

    def _show_keys(self) -> None:
        self.notes.drop_outdated()
        waits = bool(self._tabs.shown.queue.waiting or self.only_keys) or self.question is not None
        self.prompt.suggested = sendable_suggestion(self.state.peer, self.session, waits=waits)
        self.hints.show(self._keys_here() if self.is_active else ())
        self.trouble.lead(self._keys_to_trouble() if self.is_active else ())
        self._invite()
        turn = self.session.turn if self.session else None
        if turn is None or turn.cancelled is None:
            self._patience = None
        elif self._patience is None:
            self._patience = self.set_timer(CANCEL_PATIENCE, self._show_keys)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Tell the question that it is in view again. Everything is styled already at the start."""
        event.refresh_styles = self._was_shown
        show_cursor(self, is_behind=False)
        self._was_shown = True
        self.trouble.guard_keys()
        if self.question is not None:
            self.question.come_into_view(self.prompt.text)
        self._show_keys()

    def on_screen_suspend(self) -> None:
        """Hide the hints and the cursor: the screen above has its own."""
        self.hints.show([])
        show_cursor(self, is_behind=True)
        self.trouble.lead(())

    def on_resize(self) -> None:
        """Update the key hints: which ones are shown, and in which order, depends on the width."""
        if self.is_mounted:
            self._show_keys()

    def watch_focused(self) -> None:
        """Update the hints for the widget that has the focus now."""
        if self.is_mounted:
            self._show_keys()

    def on_descendant_blur(self) -> None:
        """Update the hints; focus the prompt if the focused widget is gone."""
        if self.focused is None and self.app.app_focus and not self.only_keys:
            self.prompt.focus()
        self._show_keys()

    def on_descendant_focus(self) -> None:
        """Update the hints."""
        self._show_keys()

    on_transcript_marked = on_transcript_selecting = on_descendant_focus
    on_transcript_pane_matches_found = on_transcript_pane_search_ended = on_descendant_focus
    on_question_panel_keys_changed = on_descendant_focus
    on_prompt_editor_list_changed = on_file_list_mentions_changed = on_descendant_focus
    # The selection matters, too: Enter begins a new line while the cursor is after a backslash.
    on_text_area_selection_changed = on_descendant_focus

    def on_transcript_pane_written(self, event: "TranscriptPane.Written") -> None:
        """Insert the text into the prompt, with the same handling of pastes."""
        self.prompt.insert_typed(event.text, event.typed)
        self.notes.show_note(Note("written in the prompt; Tab goes back to the transcript"))

    def on_shell_text_area_note_added(self, event: PromptEditor.NoteAdded) -> None:
        """Show the editor's note about a paste."""
        self.notes.show_note(Note(event.words))

    def selected_text(self) -> str:
        """Return the selected text of the prompt, if it has the focus, or of the transcript."""
        if self.focused is self.prompt and self.prompt.selected_text:
            return self.prompt.selected_text
        return (self.transcript.selected_text() or "") if self.transcript is not None else ""

    @property
    def focused_by_tab(self) -> Sequence[Widget]:
        return [one for one in (self.prompt, self.transcript) if one is not None]

    def show_side_pane(self, pane: Widget | None, focusable: Sequence[Widget] = ()) -> None:
        """Mount a pane beside the conversation, of which Tab focuses these widgets; None removes
        it.
        """
        self.side_widgets = focusable
        if pane is not None:
            self.mount(pane, before=0)

    # The order of Tab

    def action_focus_next(self) -> None:
        """Focus the next of the prompt, the trouble panel, the pane beside the conversation, and
        the transcript.
        """
        if not self.side_widgets and not self.trouble.display:
            self.focus_next()
        elif stops := self._tab_stops():
            stops[(self._tab_position(stops) + 1) % len(stops)].focus()

    def _tab_stops(self) -> list[Widget]:
        places = [self.prompt, self.trouble, *self.side_widgets, self.transcript]
        return [one for one in places if one is not None and one.display and one.focusable]

    def _tab_position(self, stops: list[Widget]) -> int:
        return stops.index(self.focused) if self.focused in stops else -1

    def _keys_to_trouble(self) -> list[Hint]:
        """Return the hint for the key that focuses the trouble panel, if that is shown; if Tab does
        something else, the hint for a restart.
        """
        stops = self._tab_stops()
        if self.trouble not in stops:
            return []
        tab_is_used = self.focused is self.prompt and self.prompt.handles_tab
        steps = (stops.index(self.trouble) - self._tab_position(stops)) % len(stops)
        words = "" if tab_is_used else _TAB_WORDS.get(steps, "")
        return [("tab", words)] if words else [("alt+a", "restart")]

    # Hints

    def _keys_here(self) -> Sequence[Hint]:
        """Return the hints for the keys that work now."""
        if self.only_keys:
            return self._keys_of_focus()
        named = self.trouble.has_focus
        ways_on = footer.ways_on(self.state.peer, self.session, self.clock(), named=named)
        return [*ways_on, *self._keys_of_focus()]

    def _keys_of_focus(self) -> Sequence[Hint]:
        """Return the hints of the focused widget."""
        if own := footer_of(self.focused):
            return own
        pane, transcript = self.pane, self.transcript
        if transcript is not None and self.focused is transcript:
            return footer.transcript_keys(
                self.only_keys,
                None if self._is_troubled else self.session,
                self.size.width,
                enter=transcript.enter,
                selecting=transcript.is_selecting,
                found=pane.found if pane is not None and pane.is_searching else None,
                asked=self.prompt.asked is not None,
            )
        if pane is not None and pane.writes_search:
            return footer.search_keys(pane.found)
        return self._keys_of_prompt()

    def _keys_of_prompt(self) -> Sequence[Hint]:
        """Return the hints of the prompt, and of the lists above it."""
        if self.parts.queue_has_focus:
            return footer.queue_keys(can_send=not self._is_troubled)
        if self.only_keys:
            return footer.replay_keys(self.only_keys)
        prompt = self.prompt
        if self.focused is prompt and prompt.completion.choosing:
            return footer.CHOOSING_KEYS
        if self.focused is prompt and (familiar := prompt.familiar) is not None:
            return footer.familiar_keys(familiar.words)
        has_transcript = self.pane is not None and self.pane.display
        if self._is_troubled:
            runs = self.focused is prompt and prompt.runs and not prompt.continues_line
            return footer.trouble_keys(runs=runs, has_transcript=has_transcript)
        if self.question is not None:
            continues_line = self.focused is prompt and prompt.continues_line
            return footer.question_keys(self.question.keys(), continues_line=continues_line)
        return footer.prompt_keys(
            self.state,
            self.session,
            self.size.width,
            queued=self.parts.is_queued,
            runs=prompt.runs,
            continues_line=prompt.continues_line,
            has_transcript=has_transcript,
            suggests=prompt.suggests,
        )

    @property
    def _is_troubled(self) -> bool:
        """Whether the agent can't be used; never in a replay."""
        return self.state.peer.phase in TROUBLED and not self.only_keys

    # Actions

    def action_toggle_plan(self) -> None:
        """Open or fold the plan; show a note if there is none."""
        if self.session is None or not self.session.plan.steps:
            words = f"{key_name('f2')} opens the plan: the agent has made none so far"
            self.notes.show_note(Note(words, REFUSAL))
            return
        self._plan.toggle()
        self.body.fit()

    def action_queue(self) -> None:
        """Focus the queue, or return to the prompt."""
        queue = self.parts.queue if self.parts.is_queued else None
        (self.prompt if queue is None or queue.has_focus else queue).focus()

    async def action_search(self) -> None:
        """Open the search, or focus its input."""
        if self.pane is not None:
            await self.pane.search()
        else:
            self.notes.show_note(Note("nothing to search yet", REFUSAL))
