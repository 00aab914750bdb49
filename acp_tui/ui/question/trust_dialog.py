"""The question whether programs that a project names may be started."""

from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from acp_tui.host.agent import Agent
from acp_tui.protocol.events import TrustAsked
from acp_tui.text import clean_line, clean_text, judged_text
from acp_tui.ui.question import bindings
from acp_tui.ui.toolkit.boxes import QUESTION, QuestionBox
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.screens import OverlayScreen

ASKED = "This project wants the agent to use MCP servers"
CHOICES = (
    AnswerChoice("Not now: go on without them", "✗"),
    AnswerChoice("Trust them, until the file changes", "✓", "$warning"),
)
BESIDE = 7
"""Rows of the dialog beside the file's content."""


class TrustDialog(OverlayScreen[None]):
    """Shows the file as it is; a yes holds for this very content."""

    DEFAULT_CLASSES = QUESTION
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.TRUST  # type: ignore[assignment]

    def __init__(
        self, agent: Agent, clock: Callable[[], float], answer: Callable[[TrustAsked, bool], None]
    ) -> None:
        """Ask for an agent whose state has a trust question; `answer` is called with it and the answer."""
        super().__init__()
        assert agent.state.trust is not None
        self._agent = agent
        self._answer = answer
        self._trust = agent.state.trust
        self._box = QuestionBox()
        self._choices = KeyedChoices(clock)

    def compose(self) -> ComposeResult:
        with self._box:
            yield Static(clean_line(judged_text(self._trust.file)), markup=False, id="file")
            with VerticalScroll(can_focus=False):
                yield Static(clean_text(judged_text(self._trust.content)), markup=False)
            yield self._choices

    def on_mount(self) -> None:
        self._box.ask(ASKED)
        content = self.query_one(VerticalScroll)
        self.watch(content, "show_vertical_scrollbar", self._offer_keys)
        self._choices.show(CHOICES)
        self._choices.focus()

    def _offer_keys(self, scrolls: bool) -> None:
        scroll = [("pagedown", "scroll")] if scrolls else []
        self._box.offer([("enter", "answer"), *scroll, ("escape", "not now")])

    def show(self) -> None:
        """Close once it is decided."""
        if self._agent.state.trust is not self._trust and self.is_active:
            self.dismiss()

    def on_screen_resume(self) -> None:
        """Guard the choices again: another screen was in front."""
        self._choices.guard()
        self.show()

    def on_resize(self) -> None:
        """Leave the content what the rest does not need."""
        self.query_one(VerticalScroll).styles.max_height = max(1, self.size.height - BESIDE)

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Answer the trust question."""
        event.stop()
        self._answer(self._trust, event.index == 1)

    def action_scroll(self, pages: int) -> None:
        """Scroll the content by pages."""
        content = self.query_one(VerticalScroll)
        if pages > 0:
            content.scroll_page_down(animate=False)
        else:
            content.scroll_page_up(animate=False)

    def action_decline(self) -> None:
        """Decline for now."""
        self._answer(self._trust, False)
