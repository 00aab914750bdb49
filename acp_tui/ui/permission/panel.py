"""The agent asks whether it may do something."""

from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from acp_tui.formatting import counted
from acp_tui.ui.choice_rows import NONE
from acp_tui.ui.choices import SINGLE, Choices
from acp_tui.ui.permission import question
from acp_tui.ui.permission.found import found_in
from acp_tui.ui.permission.new_rule import NewRule
from acp_tui.ui.permission.subject import Subject
from acp_tui.ui.question.panel import Hint, QuestionPanel
from acp_tui.ui.question.reply import Reply
from acp_tui.ui.sessions.asked import AskedPermission

if TYPE_CHECKING:
    from acp_tui.ui.controllers.questions import QuestionController
    from acp_tui.ui.controllers.rules import RuleController

FRAME = 2
"""Rows of the frame."""
AROUND = 6
"""Cells beside the rows of what is asked about: the frame, its padding, the scrollbar."""
SHARE = 3
"""What is asked about keeps at least this part of the rows: the options scroll by themselves."""
ALLOWING = ("allow_once", "allow_always")
ALWAYS = "a"
"""What makes a rule of the question."""


class PermissionPanel(QuestionPanel):
    """One question; the state takes it away once it is answered."""

    asked: AskedPermission
    _reads_on = False
    """Whether Enter shows more of what would be run, before it allows that."""

    def __init__(
        self,
        asked: AskedPermission,
        clock: Callable[[], float],
        questions: "QuestionController",
        rules: "RuleController",
    ) -> None:
        super().__init__(asked, clock)
        self._questions = questions
        self._rules = rules
        self._permission = asked.permission
        self._found = found_in(asked.agent.state, asked.permission)
        self._body = Subject()
        self._width = 0
        """Cells of the screen that the body was made for."""
        self._answers_view = VerticalScroll(id="answers", can_focus=False)
        self._heading = Static(markup=False, id="heading")
        self._new_rule: NewRule | None = None
        """The rule that is being made, in place of the answers."""
        self._show_options(guarded=False)

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._body
            with self._answers_view:
                yield self._heading
                yield self._choices

    def on_mount(self) -> None:
        self._show_body()
        self.watch(self._body, "scroll_y", self._offer, init=False)
        self.watch(self._body, "virtual_size", self._refit, init=False)
        self.watch(self._answers_view, "scroll_y", self._offer, init=False)

    def title(self) -> tuple[str, str]:
        """Who asks, and for what."""
        agent = self.asked.agent
        return question.asker(agent.name, agent.state, self._permission), ""

    def tell(self, waiting: int | None = None) -> None:
        """Show also what has been found since; who has more to read gets the time for it."""
        super().tell(waiting)
        found = found_in(self.asked.agent.state, self._permission)
        if found == self._found:
            return
        self._show_body()
        self._refit()
        if found.words != self._found.words:
            self._choices.guard()
        self._found = found

    def _show_body(self) -> None:
        self._width = self.app.size.width
        state = self.asked.agent.state
        self._body.judge(question.body(state, self._permission, self._width - AROUND))

    # Room

    def fit(self, most: int) -> None:
        """Leave what is asked about what the options do not need, and a third in any case; empty rows
        only where all of it is in view, and a change before what is unchanged above it.
        """
        super().fit(most)
        room = max(2, most - FRAME)
        body = self._body.virtual_size.height
        least = min(body, ceil(room / SHARE))
        options = self._options_in(room)

        def answers(gap: int) -> int:
            return max(1, min(options, room - gap - least))

        self._body.fit(room - answers(0))
        gap = int(room - options > body)
        self.set_class(not gap, "-tight")
        self._answers_view.styles.max_height = answers(gap)
        self._body.styles.max_height = max(1, room - gap - answers(gap))
        self.call_after_refresh(self._choices.reveal)
        self._offer()

    def _options_in(self, room: int) -> int:
        """How many rows the options take: some share one where that brings more into view."""
        width = self._choices.size.width or self.app.size.width - 5
        alone, paired = (self._choices.rows_in(width, paired=one) for one in (False, True))
        shows = self._body.judged.rows_of_change
        few = self._choices.count <= SINGLE
        pairs = few and shows(room - alone) < shows(room - paired)
        self._choices.pair(pairs)
        heading = self._heading.get_content_height(self.size, self.size, width)
        return (paired if pairs else alone) + (heading if self._heading.display else 0)

    def _refit(self) -> None:
        self.fit(self._most)

    def on_resize(self) -> None:
        """The options may be wrapped otherwise, and a path may not fit anymore."""
        if self._width != self.app.size.width:
            self._show_body()
        if self._most:
            self._refit()

    def _offer(self) -> None:
        """Say how much is not in view, once that is known."""
        self.call_after_refresh(self._offer_now)

    def _offer_now(self) -> None:
        answers = self._answers_view
        reads_on = self._body.is_unread(whole=True)
        if reads_on != self._reads_on:
            self._reads_on = reads_on
            self.call_later(self.tell_keys)  # not as the parent that asked: it would not hear it
        more = []
        if below := self._body.out_of_view():
            more = [("pagedown", below)]
        elif cut := self._body.judged.cut():
            more = [("⚠", f"not all of the {cut} is shown")]
        if answers.max_scroll_y > 0:
            seen = answers.scroll_offset.y + answers.scrollable_content_region.height
            rows = answers.virtual_size.height - seen
            step = ("down", f"{counted(rows, 'more row')} of answers")
            more.append(step if rows > 0 else ("up", "answers above"))
        self._box.offer(more)

    def scroll_subject(self, step: int, *, pages: bool) -> bool:
        """Scroll what is asked about; false if there is nothing more in that direction."""
        return self._body.read_on(step, pages=pages)

    # Keys

    def answers(self) -> list[Hint]:
        """What keys do while nothing is written."""
        marked, count = self._choices.marked, self._choices.count
        numbers = "1" if count == 1 else f"1-{count}"
        session = self.asked.agent.state.session(self._permission.session_id)
        several = len(session.permissions) > 1
        questions = f"cancel all {len(session.permissions)}" if several else "cancel the question"
        stop = questions if session.turn is None else "cancel the turn"
        chooses = "read on" if self._reads_on else "choose"
        enter = [("enter", chooses)] if marked is not None else [("down", "mark")]
        if self._new_rule is not None:
            return [(numbers, "choose"), *enter, ("escape", "back to the answers")]
        return [
            (numbers, "answer" if count < 10 else "mark"),
            *enter,
            (ALWAYS, "always"),
            ("escape", stop),
        ]

    def rejects(self) -> str:
        """What becomes of the question when what is written is sent."""
        once = self._permission.rejection is not None
        return "rejects and sends this" if once else "cancels the turn and sends this"

    def _answers(self, event: events.Key) -> bool:
        if self._new_rule is not None:
            return self._makes_rule(self._new_rule, event)
        if event.key == ALWAYS and self._choices.counts(event):
            self._begin_rule()
            return True
        return super()._answers(event)

    def wants(self, key: str) -> bool:
        always = key == ALWAYS and self._new_rule is None and not self.is_beside
        return super().wants(key) or always

    # A rule in place of the answers

    def _begin_rule(self) -> None:
        rules = self._rules.offered(self.asked)
        if rules:
            session = self.asked.agent.state.session(self._permission.session_id)
            self._new_rule = NewRule(rules, self._permission, session)
            self._show_rule(self._new_rule)

    def _show_rule(self, new: NewRule) -> None:
        """Show the next step; nothing is marked in it, so that no Enter makes a rule unseen."""
        self._heading.update(new.heading)
        self._choices.show(new.choices, mark=NONE)
        self._show_answers()

    def _show_options(self, *, guarded: bool = True) -> None:
        """Show the agent's own answers."""
        self._new_rule = None
        options = self._permission.options
        self._choices.show(
            question.choices(options), guarded=guarded, mark=question.marked(options)
        )
        self._show_answers()

    def _show_answers(self) -> None:
        self._heading.display = self._new_rule is not None
        if self._most:
            self._answers_view.scroll_home(animate=False)
            self._refit()
            self.tell()
            self.tell_keys()

    def _makes_rule(self, new: NewRule, event: events.Key) -> bool:
        """Choose by a key. A letter that comes at once belongs to a text whose first one led here; a
        number that comes at once is dropped.
        """
        early = not self._choices.counts(event)
        taken = self._choices.takes(event) or (early and event.key.isdecimal())
        if taken:
            self.tell_keys()  # something may be marked by now
        elif early and event.is_printable and new.rule is None:
            self._rules.begin_text(ALWAYS)
        return taken

    def begins(self, event: events.Key | events.Paste) -> None:
        """Note that the person begins to write, in place of a rule, too: that is no answer yet."""
        if self._new_rule is not None and (isinstance(event, events.Paste) or event.is_printable):
            self._show_options()
        super().begins(event)

    def _take(self, reply: Reply) -> None:
        """Make no rule while something is written."""
        if reply is not Reply.NONE and self._new_rule is not None:
            self._show_options()
        super()._take(reply)

    def _choose_rule(self, new: NewRule, index: int) -> None:
        rule = new.choose(index)
        if rule is None:
            self._show_rule(new)
        else:
            self._rules.keep(self.asked.agent, rule)
            self._show_options()

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        """Pass the answer on; the next key is not for it anymore."""
        event.stop()
        self._choices.guard()
        new, options = self._new_rule, self._permission.options
        allows = new.allows(event.index) if new else options[event.index].kind in ALLOWING
        if allows and self._body.is_unread(whole=event.marked):
            self.app.bell()
            self.scroll_subject(1, pages=True)
        elif new is not None:
            self._choose_rule(new, event.index)
        else:
            self._questions.answer_permission(self.asked, options[event.index].option_id)

    def action_cancel(self) -> None:
        """Go back to the answers; from there, cancel the turn, or the session's questions."""
        if self._new_rule is not None:
            self._show_options()
        else:
            self._questions.cancel_permission(self.asked)
