"""The dialog that asks whether agents keep running after the app quits."""

from collections.abc import Callable

from textual.app import ComposeResult

from acp_tui.ui.keys import CONFIRM, bind_key, feature_action, key_name
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.question_dialogs import AnswersDialog

QUESTION = "Quit?"
PERIOD = 1.0
"""Seconds between two updates of the line about working agents."""


class LeaveDialog(AnswersDialog[bool]):
    """Asks whether to end the agents or keep them running.

    Dismissed with True to end them, False to keep them, None to stay. `working` returns which
    agents are working, and for how long.
    """

    BINDINGS = [  # noqa: RUF012
        *CONFIRM,
        bind_key("ctrl+d", feature_action("leaving.leave_empty_prompt"), "", priority=True),
    ]

    def __init__(
        self,
        name: str,
        agents: int,
        working: Callable[[], str],
        clock: Callable[[], float],
        *,
        kept_by_default: bool,
        opened_by: str,
    ) -> None:
        """Create a dialog.

        `kept_by_default` is whether the agents keep running by default; pressing the `opened_by` key again
        confirms the default.
        """
        super().__init__(clock)
        them = "the agent" if agents == 1 else "the agents"
        again = f" ({key_name(opened_by)} again)"
        come_back = f"Come back with: acp-tui attach {name}"
        keep = AnswerChoice(
            f"Keep {them} running in the background{again if kept_by_default else ''}",
            "→",
            detail=f"{come_back}. Questions wait for you, unless a rule decides them.",
        )
        end = AnswerChoice(f"End {them}{'' if kept_by_default else again}", "✗", "$error")
        self._answers = [keep, end]
        self._working = working

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._choices

    def on_mount(self) -> None:
        """Offer the answers, and update the line about working agents each second."""
        self._box.ask(QUESTION)
        self.offer_answers(self._answers)
        self.set_interval(PERIOD, self._show_working)
        self.call_after_refresh(self._show_working)

    def _show_working(self) -> None:
        words = self._working()
        self._box.ask(QUESTION, f" {words}" if words else "")

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Dismiss with the answer."""
        event.stop()
        self.dismiss(event.index == 1)
