"""The body of a tab: its transcript, and its question below."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING

from anyio import to_thread
from textual import events, work
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from acp_tui.host.agent import Agent
from acp_tui.protocol.requests import RequestPermissionParams
from acp_tui.state.changes import Change
from acp_tui.ui.conversation.plan import PlanPanel
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Asked, AskedElicitation, Tabs
from acp_tui.ui.textual_fixes.compositor import lay_out, lay_out_and_draw

if TYPE_CHECKING:
    from acp_tui.ui.conversation.pane import TranscriptPane
    from acp_tui.ui.external.feature import ExternalFeature
    from acp_tui.ui.question.feature import QuestionFeature
    from acp_tui.ui.question.panel import QuestionPanel
    from acp_tui.ui.transcript.entries.entry_view import ViewOf

SETTLE_SECONDS = 0.2
"""Seconds after which a new session is drawn, and more code can be imported."""
SHARE = 3
"""The conversation keeps at least one in this many rows of the screen while a question waits."""
HALF = 2
"""A question gets one in this many rows of the screen before an open plan gets any."""
LEAST = 7
"""Rows that a question gets before the conversation gets its share."""
TINY = 12
"""Screens with fewer rows have no room for both: the question gets all rows."""


class TabBody(Vertical):
    """Shows the transcript and the question of a tab.

    Each tab has a transcript, created with its first entry, and each question a panel. Both keep
    their state while another tab is shown.
    """

    class Turned(Message):
        """Another tab is shown, and a transcript had the focus."""

    class PanelMounted(Message):
        """A panel was mounted, so that its question can be shown."""

    def __init__(
        self,
        tabs: Tabs,
        clock: Callable[[], float],
        external: "ExternalFeature",
        questions: "QuestionFeature",
        empty: Widget,
        plan: PlanPanel,
        trouble: Widget,
    ) -> None:
        """`empty` is shown until the first entry, the others between transcript and prompt;
        `questions` creates the panels of questions.
        """
        super().__init__(empty, plan, trouble)
        self._tabs = tabs
        self._clock = clock
        self._external = external
        self._questions = questions
        self._empty = empty
        self._plan = plan
        self._trouble = trouble
        self._shown: Tab | None = None
        self._loads = False
        self._panes: dict[Tab, TranscriptPane] = {}
        self._panels: dict[tuple[Agent, int], QuestionPanel] = {}
        self._spare_panel: QuestionPanel | None = None
        """A panel mounted in advance for the next permission request."""
        self.can_write = True
        """Whether there is a prompt that text typed here can go to."""
        self.question: QuestionPanel | None = None
        """The question of the tab that is shown; the oldest, if there are several."""

    @property
    def pane(self) -> "TranscriptPane | None":
        """The pane of the tab that is shown, once it has an entry."""
        return self._panes.get(self._tabs.shown)

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Update an agent's transcripts and questions."""
        for tab, pane in self._panes.items():
            if tab.agent is agent:
                pane.transcript.changed(changes)
        for asked, panel in self._panels.items():
            if asked[0] is agent and panel.is_asked:
                panel.follow(changes)

    # The transcript

    def show_pane(self) -> None:
        """Show the tab's transcript, which is created once there is an entry."""
        tab, session = self._tabs.shown, self._tabs.shown.session
        if session is not None and not self._loads:
            self._loads = True
            self.set_timer(SETTLE_SECONDS, self._prepare)
        has_entries = session is not None and bool(session.entries)
        if has_entries and tab not in self._panes:
            self._panes[tab] = self._new_pane(tab)
            self.mount(self._panes[tab], before=self._plan)
        for removed in [one for one in self._panes if one not in self._tabs.visible]:
            self._panes.pop(removed).remove()
        if tab is not self._shown:
            self._turn_to(tab)
        if self.pane is not None:
            self.pane.show()
            self.pane.display = has_entries
        self._empty.display = not has_entries

    @work
    async def _prepare(self) -> None:
        """Import most of the program's code, and mount the panel for the first permission request."""
        await to_thread.run_sync(_load_later_modules, abandon_on_cancel=True)
        self._mount_spare()

    def _new_pane(self, tab: Tab) -> "TranscriptPane":
        pane, view_of = _load_transcript()
        return pane(tab, self._external, view_of, self._clock, self._means, self._withheld_digit)

    def _means(self, key: str) -> bool:
        """Return whether a key that isn't a command of the transcript isn't text, either."""
        return not self.can_write or (self.question is not None and key.isdecimal())

    def _withheld_digit(self, event: events.Key) -> str:
        """Return a digit pressed just before a key, which then begins a text with it."""
        question = self.question
        return (
            ""
            if question is None or not question.has_withheld_key
            else question.type_elsewhere(event)
        )

    def _turn_to(self, tab: Tab) -> None:
        """Show the pane of another tab, and hide the others."""
        reading = any(pane.has_focus_within for pane in self._panes.values())
        self._shown = tab
        for other, pane in self._panes.items():
            pane.display = other is tab
        if reading:
            self.post_message(self.Turned())

    # The question

    def show_question(self, text: str) -> None:
        """Show the tab's oldest question; `text` is in the prompt below."""
        waiting = {(asked.agent, asked.number) for asked in self._tabs.questions()}
        for removed in [one for one in self._panels if one not in waiting]:
            panel = self._panels.pop(removed)
            panel.display = False
            panel.remove()
        here = self._tabs.questions_in(self._tabs.shown)
        shown = self._panel_of(here[0]) if here else None
        for other in self._panels.values():
            other.display = other is shown
        before, self.question = self.question, shown
        if shown is not None:
            if shown is before:
                shown.refresh_title(len(here))
            else:
                shown.come_into_view(text, len(here))

    def _panel_of(self, asked: Asked) -> "QuestionPanel | None":
        """Return the panel of a question; None until it is mounted, and PanelMounted posted."""
        key = asked.agent, asked.number
        if key not in self._panels:
            self._panels[key] = self._new_panel(asked)
        panel = self._panels[key]
        if not panel.is_mounted:
            return None
        if not panel.is_asked:
            panel.ask(asked)
        return panel

    def _new_panel(self, asked: Asked) -> "QuestionPanel":
        if isinstance(asked, AskedElicitation):
            panel = self._questions.elicitation_panel(asked)
        elif self._spare_panel is None:
            panel = self._questions.permission_panel()
        else:
            panel, self._spare_panel = self._spare_panel, None
            self.call_after_refresh(self._mount_spare)
            return panel
        self._mount_panel(panel)
        return panel

    def _mount_spare(self) -> None:
        if self._spare_panel is None:
            self._spare_panel = self._questions.permission_panel()
            self._mount_panel(self._spare_panel)

    def _mount_panel(self, panel: "QuestionPanel") -> None:
        panel.display = False
        self.mount(panel)
        self.call_next(self.post_message, self.PanelMounted())  # runs after the panel was mounted

    def on_question_panel_scrolled(self, event: "QuestionPanel.Scrolled") -> None:
        """Scroll the conversation and the question as one page: at the end of one, continue in the
        other.
        """
        step, question = event.step, self.question
        transcript = self.pane.transcript if self.pane is not None else None
        at_end = transcript is None or transcript.scroll_y >= transcript.max_scroll_y
        scrolls_question = question is not None and (step < 0 or at_end)
        if question is not None and scrolls_question:
            scrolls_question = question.scroll_subject(step, pages=event.pages)
        if not scrolls_question and transcript is not None:
            (transcript.action_pages if event.pages else transcript.action_lines)(step)

    # The question's height

    def on_resize(self) -> None:
        """Fit the question to the new size."""
        self.fit()

    def fit(self) -> None:
        """Fit the question once it is known which rows the other parts need."""
        self.call_after_refresh(self._fit_again)

    def _fit_again(self) -> None:
        if not self._fit_question():
            self.fit()

    def place_question(self) -> None:
        """Show a new question with its full height in its first frame.

        The height depends on the rows that other parts leave, so the screen is laid out once or
        twice before it is drawn.
        """
        if self.question is None or not self.screen.is_current:
            self.fit()
            return
        self.question.unfold()
        lay_out(self.screen)
        if not self._fit_question():
            lay_out(self.screen)
            self._fit_question()
        lay_out_and_draw(self.screen)

    def _fit_question(self) -> bool:
        """Fit the question into the rows that the last layout left; return False if the plan has to
        shrink first.
        """
        if self.question is None:
            self._plan.limit_rows(None)
        else:
            rows = self.app.size.height
            share = 0 if rows < TINY or self.question.needs_all else ceil(rows / SHARE)
            room = self.size.height - _used_rows(self._trouble)
            if self._plan.limit_rows(max(1, room - share - ceil(rows / HALF))):
                return False
            room -= _used_rows(self._plan)
            self.question.fit(max(min(LEAST, room), room - share))
        return True


def _used_rows(panel: Widget) -> int:
    return panel.outer_size.height if panel.display else 0


def _load_later_modules() -> None:
    """Import most of the program's code while the prompt is already usable: the transcript, and the
    permission panel, which would otherwise be imported while a question waits to be shown.
    """
    _load_transcript()
    from acp_tui.ui.question.permission import panel

    assert panel
    RequestPermissionParams.model_rebuild()


def _load_transcript() -> "tuple[type[TranscriptPane], ViewOf]":
    from acp_tui.ui.conversation.pane import TranscriptPane
    from acp_tui.ui.transcript.entries.views import view_of

    return TranscriptPane, view_of
