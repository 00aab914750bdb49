"""The dialog that asks whether the MCP servers of a project may be started."""

from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from acp_tui.host.agent import Agent
from acp_tui.protocol.events import TrustAsked
from acp_tui.text import clean_line, clean_text, judged_text
from acp_tui.ui.question import bindings
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.question_dialogs import AnswersDialog

ASKED = "This project wants the agent to use MCP servers"
CHOICES = (
    AnswerChoice("Not now: go on without them", "✗"),
    AnswerChoice("Trust them, until the file changes", "✓", "$warning"),
)
BESIDE = 7
"""Rows of the dialog around the file's content."""


class TrustDialog(AnswersDialog[None]):
    """Shows the project's file; a yes holds for exactly this content."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.TRUST  # type: ignore[assignment]
    escape = "not now"

    def __init__(
        self, agent: Agent, clock: Callable[[], float], answer: Callable[[TrustAsked, bool], None]
    ) -> None:
        """Ask for an agent whose state has a trust question; `answer` is called with the question
        and the answer.
        """
        super().__init__(clock)
        assert agent.state.trust is not None
        self._agent = agent
        self._answer = answer
        self._trust = agent.state.trust
        text = clean_text(judged_text(self._trust.content))
        self._content = VerticalScroll(Static(text, markup=False), can_focus=False)

    def compose(self) -> ComposeResult:
        with self._box:
            yield Static(clean_line(judged_text(self._trust.file)), markup=False, id="file")
            yield self._content
            yield self._choices

    def on_mount(self) -> None:
        self._box.ask(ASKED)
        self.offer_answers(CHOICES, self._content)

    def show(self) -> None:
        """Close once the question is decided."""
        if self._agent.state.trust is not self._trust and self.is_active:
            self.dismiss()

    def on_screen_resume(self) -> None:
        """Close if the question was decided while another screen was in front."""
        self.show()

    def on_resize(self) -> None:
        """Give the content the rows that the rest leaves."""
        self._content.styles.max_height = max(1, self.size.height - BESIDE)

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Answer the trust question."""
        event.stop()
        self._answer(self._trust, event.index == 1)

    def action_decline(self) -> None:
        """Decline for now."""
        self._answer(self._trust, False)
