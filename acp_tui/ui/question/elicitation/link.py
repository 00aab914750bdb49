"""The agent asks a person to open a link."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.state import links
from acp_tui.state.question import Answered, Offer
from acp_tui.text import clean, clean_line, judged
from acp_tui.ui.question.elicitation.panel import ElicitationPanel, scrolled
from acp_tui.ui.question.panel import AnswerPort, Hint
from acp_tui.ui.tabs.open_questions import AskedElicitation
from acp_tui.ui.toolkit.choice_rows import AnswerChoice

FRAME = 3
"""Rows of the frame, and an empty one above the choices."""


class LinkPanel(ElicitationPanel):
    """A link, shown whole, with its host: opened, copied or declined."""

    asks = "asks you to open a link"

    def __init__(
        self,
        asked: AskedElicitation,
        clock: Callable[[], float],
        answers: AnswerPort,
    ) -> None:
        super().__init__(asked, clock, answers)
        self._url = asked.elicitation.url or ""
        offered = _choices(self._url)
        self._actions = [action for action, _ in offered]
        choices = [choice for _, choice in offered]
        self._choices.offer(choices)
        offers = [Offer(one != "decline", offered=choice.offered) for one, choice in offered]
        self.question.offer(offers, mark=next(at for at, one in enumerate(choices) if one.offered))

    def compose(self) -> ComposeResult:
        url = self._url
        with self._box:
            with VerticalScroll(can_focus=False, id="subject"):
                # What is ours comes first: no text of the agent's pushes it away, or looks like it.
                host = clean_line(links.host(url)) or "?"
                yield Static(Content.assemble("Host: ", (host, "bold")))
                for words in links.warnings(url):
                    yield Static(Content.styled(f"⚠ {clean(words)}", "$warning"), markup=False)
                yield Static(clean(self._question.message), markup=False, id="message")
                shown = Content.styled(clean_line(judged(url)), "$primary")
                yield Static(shown, markup=False, id="url")
            yield self._choices

    def fit(self, most: int) -> None:
        """Leave what is asked about what the choices do not need."""
        super().fit(most)
        rows = most - FRAME - self._choices.count
        self.query_one("#subject").styles.max_height = max(1, rows)

    def answers(self) -> list[Hint]:
        """What keys do while nothing is written."""
        numbers = "1-3" if links.can_open(self._url) else "2-3"
        return [
            (numbers, "answer"),
            ("enter", "choose"),
            ("escape", "cancel the question"),
        ]

    def choose(self, answer: Answered) -> None:
        """Do what was chosen."""
        action = self._actions[answer.index]
        if action == "decline":
            self.answer(action)
        elif action == "open":
            self._answers.open_link(self.asked, self._url)
        else:
            self._answers.copy_link(self.asked, self._url)

    def scroll_subject(self, step: int, *, pages: bool) -> bool:
        """Scroll the message and the link."""
        return scrolled(self.query_one("#subject", VerticalScroll), step, pages=pages)


def _choices(url: str) -> list[tuple[str, AnswerChoice]]:
    opening = AnswerChoice("Open it in the browser", "▸", "$success", offered=links.can_open(url))
    return [
        ("open", opening),
        ("copy", AnswerChoice("Copy it, to be opened elsewhere", "⧉", "$success")),
        ("decline", AnswerChoice("Decline", "✗", "$error")),
    ]
