"""The base of the panels of all questions. They are shown above the prompt, which passes them its
keys.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from textual import events
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from acp_tui.formatting import running_duration
from acp_tui.protocol.elicitation import Value
from acp_tui.state.changes import Change
from acp_tui.state.question import (
    Answered,
    Effect,
    Explained,
    InView,
    KeyChosen,
    NotAKey,
    Question,
    QuestionEffect,
    Reply,
    Typed,
)
from acp_tui.state.session import Session
from acp_tui.state.subject_parts import Parts
from acp_tui.ui.tabs.status import allows_all_warning
from acp_tui.ui.tabs.tabs import Asked, AskedElicitation, AskedPermission
from acp_tui.ui.textual_fixes.compositor import when_shown
from acp_tui.ui.toolkit.boxes import QuestionBox
from acp_tui.ui.toolkit.choices import Choices
from acp_tui.ui.toolkit.hints import Hint
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.toolkit.type_ahead import time_of_press
from acp_tui.ui.window import Pressed

NO_TEXT_HINT = "Answer above: only the agent talks to its subagent"
"""Shown in the empty prompt below a subagent's question."""
SCROLLS = {
    "pageup": (-1, True),
    "pagedown": (1, True),
    "ctrl+up": (-1, False),
    "ctrl+down": (1, False),
}
"""The direction in which each of these keys scrolls, and whether by pages."""
SAVE_HINT = ("escape", "saves it for later")


class AnswerPort(Protocol):
    """The port through which a panel answers its question."""

    def answer_permission(self, asked: AskedPermission, option_id: str, in_view: Parts) -> None:
        """Answer a permission request with one of its options; record what was in view."""

    def cancel_permission(self, asked: AskedPermission) -> None:
        """Cancel the turn; outside a turn, cancel all permission requests of the session."""

    def turn_of(self, asked: AskedPermission) -> Session | None:
        """Return the session whose turn is canceled along with a question."""

    def answer_elicitation(
        self, asked: AskedElicitation, action: str, content: Mapping[str, Value] | None = None
    ) -> None:
        """Answer an elicitation."""

    def open_link(self, asked: AskedElicitation, url: str) -> None:
        """Open a link with the user's consent, which accepts the elicitation."""

    def copy_link(self, asked: AskedElicitation, url: str) -> None:
        """Copy a link with the user's consent, which accepts the elicitation."""


class QuestionPanel(Vertical):
    """The panel of one question. Keys answer it while the prompt is empty; text sent from the
    prompt rejects it.

    The `Question` decides what a key means; the panel draws it, and carries out its effects.
    """

    @dataclass
    class SaveForLater(Message):
        """The user saves the text in the prompt until no question waits anymore."""

    @dataclass
    class Explains(Message):
        """A key answered nothing; `words` explain why."""

        words: str

    @dataclass
    class Scrolled(Message):
        """The user scrolls further than the panel can, by pages or by lines."""

        step: int
        pages: bool

    @dataclass
    class KeysChanged(Message):
        """The keys have changed their meaning."""

    invites = "Write here to reject with words"
    """Shown in the empty prompt below; text written there answers the question, too."""
    topic = "Question of the agent"
    """The help section that lists its keys."""
    needs_all = False
    """Whether the panel may take the conversation's rows, too, if it needs them."""

    asked: Asked
    is_asked = False
    """Whether `ask` was called."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self.question = Question(())
        self._clock = clock
        self._box = QuestionBox()
        self._choices: Choices = Choices()
        self._most = 0
        self._guarded: Timer | None = None
        self._not_shown = 0
        """The number of views that are drawn, but not yet shown by the terminal."""
        self._awaited: tuple[InView, int] | None = None
        """The newest view, and the appearance of the question when it was drawn."""
        self._named: tuple[Reply, int | None] | None = None
        """The reply and the mark for which the key hints were last updated."""

    def ask(self, asked: Asked) -> None:
        """Show a question. Called once, after the panel was mounted."""
        self.asked, self.is_asked = asked, True
        self.set_interval(1, self.refresh_title)
        self.app.app_resume_signal.subscribe(self, lambda _: self._guard_again())
        self._follow_reply()

    def on_unmount(self) -> None:
        """Collect the question's garbage."""
        self.app.app_resume_signal.unsubscribe(self)
        self.app.post_message(OverlayScreen.Closed())

    # Drawing

    def come_into_view(self, text: str, waiting: int | None = None) -> None:
        """Note that the question is on screen, above this text, as one of `waiting` in this tab.

        Keys are ignored for a moment, so that a key meant for something else answers nothing.
        """
        self._apply_effects(self.question.come_into_view(text))
        self._guard_until_painted()
        self.refresh_title(waiting)

    def _guard_again(self) -> None:
        """Guard a question that returns to the screen as if it were new."""
        written = "" if self.question.reply is Reply.NONE else "written"
        self.come_into_view(written)

    def follow(self, changes: Sequence[Change]) -> None:
        """Show the agent's changes to the question at once."""

    def write(self, text: str) -> None:
        """Update the question with the text in the prompt."""
        self.question.write(text)
        self._follow_reply()

    def _follow_reply(self) -> None:
        """Show whether keys answer. While there is text in the prompt, no option is marked, so that
        Enter can't allow anything.
        """
        self._choices.mark(self.question.marked)
        self._choices.set_class(self.has_prompt_text, "-aside")
        named = self.question.reply, self.question.marked
        if named != self._named:
            self._named = named
            self.announce_keys()

    def announce_keys(self) -> None:
        """Post that the keys have changed their meaning."""
        self.post_message(self.KeysChanged())

    @property
    def has_prompt_text(self) -> bool:
        """Whether there is text in the prompt, so that no key answers."""
        return self.question.reply is not Reply.NONE

    @property
    def has_warned(self) -> bool:
        """Whether the key hints warn of what Enter does with the text in the prompt."""
        return self.question.reply is Reply.WARNED

    @property
    def can_send(self) -> bool:
        """Whether the text in the prompt can be sent to the agent at all."""
        return self.question.can_send

    @can_send.setter
    def can_send(self, value: bool) -> None:
        self.question.can_send = value

    @property
    def prompt_hint(self) -> str:
        """The hint in the empty prompt below."""
        return self.invites if self.can_send else NO_TEXT_HINT

    @property
    def has_withheld_key(self) -> bool:
        """Whether a key is withheld that may begin a text."""
        return self.question.next_tick is not None

    def title(self) -> tuple[str, str]:
        """Return the question in one line, and a less prominent addition."""
        raise NotImplementedError

    def refresh_title(self, waiting: int | None = None) -> None:
        """Update the title: who asks, for how long, and how many questions are `waiting` in this
        tab.
        """
        if waiting is not None:
            self._waiting = waiting
        what, more = self.title()
        count = f"  1 of {self._waiting}" if self._waiting > 1 else ""
        self._box.ask(
            what, f"{more}{count}  {self._since()}", allows_all_warning(self.asked.agent.state)
        )

    def _since(self) -> str:
        """Return how long the agent has waited, or why no key can allow the request yet."""
        not_yet = "" if self.has_prompt_text else self.question.not_ready_reason(self._clock())
        if not_yet:
            return not_yet
        limit = self.asked.agent.limits.question
        within = f" of {running_duration(limit)}" if limit is not None else ""
        return f"waiting {running_duration(self._clock() - self.asked.at)}{within}"

    _waiting = 1

    def unfold(self) -> None:
        """Use as many rows as the question needs, from the next layout on."""
        self.styles.height = "auto"

    def fit(self, most: int) -> None:
        """Limit the panel to `most` rows. Before the first call it isn't visible."""
        if not self._most:
            self.unfold()
            self._guard_until_painted()
        self._most = most
        self.styles.max_height = most

    # Tracking what is on screen

    def in_view(self) -> InView:
        """Return which part of the question is on screen."""
        return InView((), self._choices.in_view(), place=self._choices.place)

    def _guard_until_painted(self) -> None:
        self._show_guard()
        self._note_painted()

    def _note_painted(self) -> None:
        """Record what is on screen, after the next refresh."""
        self.call_after_refresh(self._note_view)

    def _note_view(self) -> None:
        if self._most and self.is_attached:
            drawn = view, appearance = self.in_view(), self.question.appearance
            # A view that is already underway isn't requested again: each request sends the terminal
            # a query.
            known = drawn == self._awaited if self._not_shown else self.question.shows(view)
            if not known:
                self._awaited = drawn
                self._not_shown += 1
                when_shown(self.app, lambda: self._note_shown(view, appearance))

    def _note_shown(self, view: InView, appearance: int) -> None:
        """Record what the terminal shows, unless the question was off screen since."""
        self._not_shown -= 1
        if self.is_attached and appearance == self.question.appearance:
            self.question.paint(view, self._clock())

    def _note_drawn(self) -> None:
        """Record what is drawn when a key is pressed: the view may have scrolled or moved since it
        was shown.
        """
        self.update()
        self.question.draw(self.in_view(), self._clock())

    def _show_guard(self) -> None:
        """Dim the answers until a key can allow something."""
        if self._guarded is None:
            self._choices.add_class("-guarded")
            self._guarded = self.set_interval(0.05, self._update_guard)

    def _update_guard(self) -> None:
        self._note_view()  # a key may have scrolled after the last frame was recorded
        armed = self.question.is_armed(self._clock())
        if self._guarded is not None and armed and not self._not_shown:
            self._guarded.stop()
            self._guarded = None
            self._choices.remove_class("-guarded")
            self.refresh_title()
            self.on_armed()

    def on_armed(self) -> None:
        """Called when keys begin to count."""

    # Keys

    def keys(self) -> list[Hint]:
        """Return the hints for the keys that work now."""
        if not self.has_prompt_text:
            return self.answers()
        if not self.can_send:
            return [("escape", "saves this for later, to answer")]
        if self.question.reply is Reply.DRAFT:
            return [
                ("escape", "saves this for later, to answer"),
                ("enter", f"twice {self.describe_rejection()}"),
            ]
        again = "again " if self.has_warned else ""
        return [("enter", f"{again}{self.describe_rejection()}"), SAVE_HINT]

    def answers(self) -> list[Hint]:
        """Return the hints for the keys that work while the prompt is empty."""
        raise NotImplementedError

    def describe_rejection(self) -> str:
        """Return what Enter does with the text in the prompt."""
        raise NotImplementedError

    def means(self, key: str) -> bool:
        """Return whether a key is for the question, rather than being text."""
        return key in SCROLLS or self.question.handles_key(key)

    def press(self, event: events.Key) -> Pressed:
        """Handle a key pressed in the prompt."""
        if event.key in SCROLLS:
            self.post_message(self.Scrolled(*SCROLLS[event.key]))
            return Pressed("", True)
        self._note_drawn()
        key, at = event.key, self._time_of(event.time)
        return self._apply_effects(self.question.press(key, at, printable=_is_text(event)))

    def start_text(self, event: events.Key | events.Paste) -> str:
        """Note that a key or a paste goes into the prompt; return withheld text, to insert first."""
        if isinstance(event, events.Key) and not _is_text(event):
            return ""
        at = self._time_of(event.time)
        text = self._apply_effects(self.question.paste(at)).text
        if isinstance(event, events.Key):
            self._apply_effects(self.question.type_elsewhere(at))
        return text

    def type_elsewhere(self, event: events.Key) -> str:
        """Note that a key is for something other than the prompt; return withheld text."""
        if not _is_text(event):
            return ""
        return self._apply_effects(self.question.type_elsewhere(self._time_of(event.time))).text

    def on_choices_choice_clicked(self, event: Choices.ChoiceClicked) -> None:
        """Answer with the clicked choice."""
        event.stop()
        self._note_drawn()
        self._apply_effects(self.question.click(event.index, self._time_of(event.pressed)))

    def update(self) -> None:
        """Update the panel if the question has changed."""

    def _time_of(self, pressed: float) -> float:
        return time_of_press(self._clock, pressed)

    def _tick(self) -> None:
        """Let the question react to the passing of time: a key withheld as the possible start of a
        word takes effect.
        """
        self.update()
        self._apply_effects(self.question.tick(self._clock()))

    def _apply_effects(self, effects: Sequence[Effect]) -> Pressed:
        """Carry out the effects of a key; return what the prompt has to do."""
        text, done = "", True
        for effect in effects:
            match effect:
                case Typed():
                    text += effect.text
                case NotAKey():
                    done = False
                case Explained():
                    self.post_message(self.Explains(effect.reason))
                case Answered():
                    self.choose(effect)
                case KeyChosen():
                    self.choose_key(effect.key)
                case QuestionEffect():
                    self._apply_effect(effect)
        self._follow_question()
        return Pressed(text, done)

    def _apply_effect(self, what: QuestionEffect) -> None:
        match what:
            case QuestionEffect.READ_ON:
                self.app.bell()
                self.scroll_subject(1, pages=True)
            case QuestionEffect.REVEAL:
                self._choices.mark(self.question.marked)
                self._choices.reveal()
            case QuestionEffect.CANCEL:
                self.action_cancel()
            case QuestionEffect.PUT_ASIDE:
                self.post_message(self.SaveForLater())

    def _follow_question(self) -> None:
        """Show the question's state after a key."""
        self._follow_reply()
        self._note_painted()
        if not self.question.is_armed(self._clock()):
            self._show_guard()
        if self.question.next_tick is not None:
            self.set_timer(max(0.01, self.question.next_tick - self._clock()), self._tick)

    def choose(self, answer: Answered) -> None:
        """Carry out an answer."""
        raise NotImplementedError

    def choose_key(self, key: str) -> None:
        """Run the action of a letter key."""

    def action_cancel(self) -> None:
        """Cancel the question, which answers neither yes nor no."""
        raise NotImplementedError

    def scroll_subject(self, step: int, *, pages: bool) -> bool:  # noqa: ARG002
        """Scroll the subject of the question; return False if it can't scroll further in that
        direction.
        """
        return False


def _is_text(event: events.Key) -> bool:
    """Return whether a key types text.

    `is_printable` is False for a no-break space, which some keyboard layouts have, and for joiners.
    """
    character = event.character or ""
    return event.is_printable or not character.isascii()
