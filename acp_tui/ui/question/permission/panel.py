"""The panel of a permission request."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from acp_tui.formatting import counted
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.commands import AddRule
from acp_tui.state.question import (
    SINGLE,
    Answered,
    InView,
    Offer,
    Question,
    Reply,
    permission_offers,
)
from acp_tui.state.subject import asked_about
from acp_tui.state.subject_parts import Parts, question_parts
from acp_tui.ui.question.panel import AnswerPort, QuestionPanel
from acp_tui.ui.question.permission import question
from acp_tui.ui.question.permission.body import Subject
from acp_tui.ui.question.permission.new_rule import NewRule, rules_of
from acp_tui.ui.tabs.tabs import Asked, AskedPermission
from acp_tui.ui.toolkit.hints import Hint

if TYPE_CHECKING:
    from acp_tui.ui.question.feature import RulesFeature

FRAME = 2
"""Rows of the frame's edges."""
AROUND = 6
"""Cells beside the subject's rows: the frame, its padding, the scrollbar."""
SHARE = 3
"""The subject gets at least one in this many rows; the options scroll."""
DiffPosition: TypeAlias = tuple[int, int, bool]
"""The first line in the old text and in the new one, from 1, and whether the diff covers the whole
file.
"""
MAKE_RULE = "a"
"""The key that makes a rule from the question."""


class PermissionPanel(QuestionPanel):
    """The panel of one permission request, removed once that is answered.

    It is mounted in advance, so that a request only has to be filled in.
    """

    DEFAULT_CSS = """
    PermissionPanel {
        & > QuestionBox {
            padding: 0 1 0 0;
        }
        & #answers {
            padding-left: 1;
        }
    }
    """
    asked: AskedPermission
    _reads_on = (False, False)
    """Whether a number, or Enter, scrolls to the rest of what would be run or written before it can
    allow that.
    """

    def __init__(
        self, clock: Callable[[], float], answers: AnswerPort, rules: "RulesFeature"
    ) -> None:
        super().__init__(clock)
        self._parts: Parts = ()
        """The current parts of the request."""
        self._drawn: Parts = ()
        """The parts that are drawn."""
        self._positions: list[DiffPosition] = []
        """The positions in their files at which the diffs are drawn; may be known only after the
        first drawing.
        """
        self._answers = answers
        self._rules = rules
        self._body = Subject()
        self._width = 0
        """The width of the screen, in cells, that the body was built for."""
        self._answers_view = VerticalScroll(id="answers", can_focus=False)
        self._heading = Static(markup=False, id="heading")
        self._makes_rules = False
        """Whether a rule can be made from the drawn request; otherwise its key isn't shown."""
        self._new_rule: NewRule | None = None
        """The rule that is being made; its choices replace the answers."""

    def ask(self, asked: Asked) -> None:
        assert isinstance(asked, AskedPermission)
        self.asked, self._permission = asked, asked.permission
        self._parts = self._drawn = question_parts(asked.agent.state, asked.permission)
        self.question = Question(self._parts)
        self._show_options()
        self._show_body()
        super().ask(asked)

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._body
            with self._answers_view:
                yield self._heading
                yield self._choices

    def on_mount(self) -> None:
        self.watch(self._body, "scroll_y", self._offer, init=False)
        self.watch(self._body, "virtual_size", self._refit, init=False)
        self.watch(self._answers_view, "scroll_y", self._offer, init=False)

    def title(self) -> tuple[str, str]:
        """Return a line with the asking agent and the subject."""
        agent = self.asked.agent
        return question.asker_and_subject(agent.name, agent.state, self._permission), ""

    # The request

    def follow(self, changes: Sequence[Change]) -> None:
        """Show the agent's changes to its request at once."""
        session = self.asked.agent.state.sessions.get(self._permission.session_id)
        call = self._permission.tool_call
        if session is None or call is None:
            return
        here = EntryChanged(
            session.session_id, session.indexes.tool_calls.get(call.tool_call_id, -1)
        )
        if any(one == here or isinstance(one, TerminalChanged) for one in changes):
            self.refresh_title()

    def refresh_title(self, waiting: int | None = None) -> None:
        """Update the title and the request; more to read gets more time."""
        self.update()
        super().refresh_title(waiting)

    def update(self) -> None:
        """Redraw the request if it has changed since it was drawn."""
        state = self.asked.agent.state
        if self.is_attached and state.permission(self._permission.number) is self._permission:
            self._parts = question_parts(state, self._permission)
            self.question.update(self._parts, self._clock())
        if self._parts != self._drawn or self._positions != self._find_positions():
            self._show_body()
            self._refit()
            self._follow_reply()
            self._guard_until_painted()

    def _show_body(self) -> None:
        self._width, self._drawn = self.app.size.width, self._parts
        state = self.asked.agent.state
        self._positions = self._find_positions()
        self._makes_rules = bool(
            rules_of(self._permission, state.session(self._permission.session_id))
        )
        self._body.judge(question.question_body(state, self._permission, self._width - AROUND))

    def _find_positions(self) -> list[DiffPosition]:
        session = self.asked.agent.state.sessions.get(self._permission.session_id)
        if session is None or self._permission.tool_call is None:
            return []
        edits = asked_about(session, self._permission).edits
        found = edits.places.values() if edits is not None else ()
        return [(one.line, one.new_line, one.whole) for one in found]

    def in_view(self) -> InView:
        """Return which part of the question is on screen."""
        return replace(
            super().in_view(),
            subject=self._drawn,
            is_unread=self._body.is_unread(to_end=False),
            is_unread_by_enter=self._body.is_unread(to_end=True),
        )

    # Room

    def fit(self, most: int) -> None:
        """Give the subject the rows that the options leave, at least a third.

        Empty rows are kept only if all of the subject is in view; a change has priority over
        unchanged lines above it.
        """
        super().fit(most)
        room = max(2, most - FRAME)
        body = self._body.judged.height
        least = min(body, ceil(room / SHARE))
        options = self._options_in(room)

        def answers(gap: int) -> int:
            return max(1, min(options, room - gap - least))

        self._body.fit(room - answers(0))
        gap = int(room - options > body)
        self._answers_view.styles.margin = (gap, 0, 0, 0)
        self._answers_view.styles.max_height = answers(gap)
        self._body.styles.max_height = max(1, room - gap - answers(gap))
        self.call_after_refresh(self._choices.reveal)
        self._offer()

    def _options_in(self, room: int) -> int:
        """Return how many rows the options take. Short ones are paired if that brings more of a
        change into view.
        """
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
        """Lay out the question for the new width: options may wrap differently, and a path may no
        longer fit.
        """
        if self._width != self.app.size.width:
            self._show_body()
        if self._most:
            self._refit()

    def _offer(self) -> None:
        """Update the lower edge with what is out of view, after the next refresh."""
        self.call_after_refresh(self._offer_now)

    def _offer_now(self) -> None:
        self._note_view()
        answers = self._answers_view
        reads_on = self._body.is_unread(to_end=False), self._body.is_unread(to_end=True)
        if reads_on != self._reads_on:
            self._reads_on = reads_on
            # Deferred, so that the panel itself is the sender: a message sent by its parent
            # wouldn't reach the parent.
            self.call_later(self.announce_keys)
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

    def on_subject_laid_out(self, event: Subject.LaidOut) -> None:
        """Fit the question, whose height is known only now."""
        event.stop()
        if self._most:
            self._refit()

    def scroll_subject(self, step: int, *, pages: bool) -> bool:
        """Scroll the subject; return False if it can't scroll further in that direction."""
        return self._body.read_on(step, pages=pages)

    # Keys

    def answers(self) -> list[Hint]:
        """Return the hints for the keys that work while the prompt is empty."""
        marked, count = self._choices.marked, self._choices.count
        numbers = "1" if count == 1 else f"1-{count}"
        session = self.asked.agent.state.session(self._permission.session_id)
        several = len(session.permissions) > 1
        questions = f"cancel all {len(session.permissions)}" if several else "cancel the question"
        stop = questions if self._answers.turn_of(self.asked) is None else "cancel the turn"
        number_reads_on, enter_reads_on = self._reads_on
        chooses = "read on" if enter_reads_on else "choose"
        enter = [("enter", chooses)] if marked is not None else [("down", "mark")]
        if self._new_rule is not None:
            return [(numbers, "choose"), *enter, ("escape", "back to the answers")]
        answer = "reject, or read on" if number_reads_on else "answer"
        # While there is more to read, the key for that gets the room of the key for rules.
        names_rule = self._makes_rules and not number_reads_on
        return [
            (numbers, answer if count <= SINGLE else "mark"),
            *enter,
            *([(MAKE_RULE, "make rule")] if names_rule else []),
            ("escape", stop),
        ]

    def describe_rejection(self) -> str:
        """Return what Enter does with the text in the prompt."""
        has_rejection = self._permission.rejection is not None
        return "rejects and sends this" if has_rejection else "cancels the turn and sends this"

    def choose(self, answer: Answered) -> None:
        """Answer the request, or go to the next step of a rule."""
        if self._new_rule is not None:
            self._choose_rule(self._new_rule, answer.index)
        else:
            option = self._permission.options[answer.index]
            self._answers.answer_permission(self.asked, option.option_id, answer.seen)

    def action_cancel(self) -> None:
        """Return from a rule to the answers; from there, cancel the turn, or the session's
        questions.
        """
        if self._new_rule is not None:
            self._show_options()
        else:
            self._answers.cancel_permission(self.asked)

    # Making a rule in place of the answers

    def choose_key(self, key: str) -> None:  # noqa: ARG002 - there is only one
        """Offer the rules that can be made from the question."""
        rules = self._rules.offered(self.asked)
        if rules:
            session = self.asked.agent.state.session(self._permission.session_id)
            self._new_rule = NewRule(rules, self._permission, session)
            self._show_rule(self._new_rule)
        else:
            self._guard_again()  # the next digit was meant for the rules, and there are none

    def _show_rule(self, new: NewRule) -> None:
        """Show the next step. Nothing is marked in it, so that Enter can't make a rule unseen."""
        self._heading.update(new.heading)
        self._choices.offer(new.choices)
        offers = [Offer(allows=new.allows(at)) for at in range(len(new.choices))]
        self.question.offer(offers, drops_early=True)
        self._show_answers()

    def _show_options(self) -> None:
        """Show the agent's own options."""
        self._new_rule = None
        options = self._permission.options
        self._choices.offer(question.answer_choices(options))
        offers = permission_offers(options)
        self.question.offer(offers, mark=question.marked_first(options), letters=(MAKE_RULE,))
        self._show_answers()

    def _show_answers(self) -> None:
        self._heading.display = self._new_rule is not None
        if self._most:
            self._answers_view.scroll_home(animate=False)
            self._refit()
            self._guard_until_painted()
            self.refresh_title()
            self._follow_reply()

    def _follow_reply(self) -> None:
        """Abandon the rule once there is text in the prompt."""
        if self.question.reply is not Reply.NONE and self._new_rule is not None:
            self._show_options()
        super()._follow_reply()

    def _choose_rule(self, new: NewRule, index: int) -> None:
        rule = new.choose(index)
        if rule is None:
            self._show_rule(new)
        else:
            self.asked.agent.do(AddRule(rule))
            self._show_options()
