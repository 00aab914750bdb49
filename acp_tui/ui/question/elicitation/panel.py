"""What forms and links have in common: who asks, and how they are answered."""

from collections.abc import Callable, Mapping

from textual.containers import VerticalScroll

from acp_tui.host.session_names import for_subagent, session_name
from acp_tui.protocol.elicitation import Value
from acp_tui.ui.question.panel import AnswerPort, QuestionPanel
from acp_tui.ui.tabs.open_questions import AskedElicitation


class ElicitationPanel(QuestionPanel):
    """One question; the state takes it away once it is answered."""

    invites = "Write here to decline with words"
    asks = ""
    """What the agent does."""
    asked: AskedElicitation

    def __init__(
        self,
        asked: AskedElicitation,
        clock: Callable[[], float],
        answers: AnswerPort,
    ) -> None:
        super().__init__(asked, clock)
        self._answers = answers
        self._question = asked.elicitation

    def title(self) -> tuple[str, str]:
        """Who asks, for which subagent, or in which session, if there are several."""
        state = self.asked.agent.state
        if asker := for_subagent(state, self._question.session_id):
            return f"{self.asked.agent.name} {self.asks}", f" {asker}"
        session = state.sessions.get(self._question.session_id or "")
        several = len(state.open_sessions()) > 1
        where = f"  in {session_name(state, session)}" if session and several else ""
        return f"{self.asked.agent.name} {self.asks}", where

    def rejects(self) -> str:
        """What becomes of the question when what is written is sent."""
        return "declines and sends this"

    def answer(self, action: str, content: Mapping[str, Value] | None = None) -> None:
        """Answer; the next key is for something else."""
        self.question.guard(self._clock())
        self._answers.answer_elicitation(self.asked, action, content)

    def action_cancel(self) -> None:
        """Cancel the question: neither yes nor no."""
        self.answer("cancel")


def scrolled(view: VerticalScroll, step: int, *, pages: bool) -> bool:
    """Scroll a view; false if there is nothing more in that direction."""
    more = view.max_scroll_y - view.scroll_y if step > 0 else view.scroll_y
    if more > 0:
        rows = max(1, view.size.height - 1) if pages else 1
        view.scroll_relative(y=step * rows, animate=False, force=True)
    return more > 0
