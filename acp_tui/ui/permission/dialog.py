"""The permission dialog: the questions that wait, one after the other."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.message import Message

from acp_tui.session.state import Permission, State
from acp_tui.ui import bindings
from acp_tui.ui.choices import Choices
from acp_tui.ui.conversation.status import loud
from acp_tui.ui.frame import Frame
from acp_tui.ui.leaving import Dialog
from acp_tui.ui.permission import question
from acp_tui.ui.permission.body import Body
from acp_tui.ui.sessions.desk import AskedPermission
from acp_tui.ui.transcript.lines_view import LinesView

WIDTH = 130
"""Cells that the dialog is wide at most."""
LEAST = 3
"""Rows that the body should have; else the gaps are left out."""
TIGHT = 2
"""Rows of the dialog beside its body and its options, without gaps."""
FRAME = 5
"""Rows of the dialog beside its body and its options, and what is left free around it."""


class PermissionDialog(Dialog[None]):
    """Shows the oldest question, whichever agent's; an answer goes up as a message, the state
    brings the next.
    """

    CSS_PATH = "dialog.tcss"
    BINDINGS = bindings.PERMISSION  # type: ignore[assignment]

    class Answered(Message):
        """A person chose an option."""

        def __init__(self, asked: AskedPermission, option_id: str) -> None:
            super().__init__()
            self.asked = asked
            self.option_id = option_id

    class Cancelled(Message):
        """A person wants neither: cancel the turn; outside one, all that its session asks."""

        def __init__(self, asked: AskedPermission) -> None:
            super().__init__()
            self.asked = asked

    class Remember(Message):
        """A person wants a rule made of this."""

        def __init__(self, asked: AskedPermission) -> None:
            super().__init__()
            self.asked = asked

    def __init__(
        self,
        waiting: Callable[[], Sequence[AskedPermission]],
        clock: Callable[[], float],
        writing: Callable[[], bool],
    ) -> None:
        """While a person is `writing` a prompt, Enter is meant for that: it answers nothing."""
        super().__init__()
        self._waiting = waiting
        self._writing = writing
        self._asked: AskedPermission | None = None
        self._found = question.Found((), 0)
        self._frame = Frame()
        self._body = LinesView()
        self._judged = Body(())
        self._choices = Choices(clock)

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._body
            yield self._choices

    def on_mount(self) -> None:
        self._choices.focus()
        self.watch(self._body, "scroll_y", self._offer, init=False)
        self.watch(self._body, "virtual_size", self._offer, init=False)
        self.show()

    def show(self) -> None:
        """Show the oldest question that waits; close when none does."""
        waiting = self._waiting()
        if not waiting:
            if self.is_active:
                self.dismiss()
            return
        if not self._choices.is_mounted:
            return
        self._frame.ask(*_title(waiting[0], len(waiting)), loud(waiting[0].agent.state))
        if waiting[0] != self._asked:
            self._asked = waiting[0]
            agent, permission = waiting[0]
            self._found = question.found(agent.state, permission)
            self._show_body(agent.state, permission)
            choices = question.choices(permission.options)
            self._choices.show(choices, marked=not self._writing())
            self._fit()
        else:
            self._show_found(waiting[0].agent.state, waiting[0].permission)
        self._offer()

    def _show_found(self, state: State, permission: Permission) -> None:
        """Show what has been found since; who has more to read gets the time for it."""
        found = question.found(state, permission)
        if found == self._found:
            return
        self._show_body(state, permission)
        if found.words != self._found.words:
            self._choices.guard()
        self._found = found

    def _show_body(self, state: State, permission: Permission) -> None:
        self._judged = question.body(state, permission)
        self._body.show(self._judged)

    def on_resize(self) -> None:
        """Leave the body what the rest does not need."""
        self._fit()
        self._offer()

    def _offer(self) -> None:
        """Say what keys do, and how much of what is asked is not in view, once that is known."""
        self.call_after_refresh(self._offer_now)

    def _offer_now(self) -> None:
        if self._asked is not None:
            seen = self._body.scroll_offset.y + self._body.scrollable_content_region.height
            self._frame.offer(_keys(self._asked, self._judged, seen))

    def _fit(self) -> None:
        """Options come first: in a small terminal the gap gives way to the body."""
        rows = self._choices.rows_in(min(self.size.width, WIDTH) - 4)
        room = self.size.height - FRAME - rows
        self.set_class(room < LEAST, "-tight")
        least = max(1, self.size.height - TIGHT - rows)
        self._body.styles.max_height = room if room >= LEAST else min(least, LEAST)

    def on_screen_resume(self) -> None:
        """What was above is gone: much may have happened meanwhile."""
        self._choices.guard()
        self.show()

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        """Pass the answer on."""
        event.stop()
        if not self._frame.region.contains_region(self._choices.region):
            self.app.bell()  # nobody can have read them all
        elif self._asked is not None:
            option = self._asked.permission.options[event.index]
            self.post_message(self.Answered(self._asked, option.option_id))

    def action_scroll(self, pages: int) -> None:
        """Scroll what is asked by pages."""
        if pages > 0:
            self._body.scroll_page_down(animate=False)
        else:
            self._body.scroll_page_up(animate=False)

    def action_remember(self) -> None:
        """Ask for a rule, unless the key came before the question was seen."""
        if self._asked is not None and self._choices.is_armed:
            self.post_message(self.Remember(self._asked))

    def action_cancel(self) -> None:
        """Ask to cancel the turn, or the session's questions."""
        if self._asked is not None:
            self.post_message(self.Cancelled(self._asked))


def _title(asked: AskedPermission, count: int) -> tuple[str, str]:
    agent, permission = asked
    words = question.asker(agent.name, agent.state, permission)
    return words, f"  1 of {count}" if count > 1 else ""


def _keys(asked: AskedPermission, judged: Body, seen: int) -> list[tuple[str, str]]:
    """Of what is to be judged the first `seen` rows are in view. What is not is told first."""
    session = asked.agent.state.session(asked.permission.session_id)
    several = len(session.permissions) > 1
    questions = f"cancel all {len(session.permissions)}" if several else "cancel the question"
    stop = questions if session.turn is None else "cancel the turn"
    keys = [("1-9", "answer"), ("a", "always")]
    if below := judged.out_of_view(seen):
        return [("pagedown", below), *keys, ("escape", "cancel" if session.turn else stop)]
    if cut := judged.cut():
        return [("⚠", f"not all of the {cut} is shown"), *keys, ("escape", "cancel")]
    return [*keys, ("escape", stop)]
