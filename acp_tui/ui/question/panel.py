"""The base of all questions of agents: they stand above the prompt, which passes its keys to them."""

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

TAKES_NO_WORDS = "Answer above: only the agent talks to its subagent"
"""The words in the empty prompt below a question of a subagent."""
SCROLLS = {
    "pageup": (-1, True),
    "pagedown": (1, True),
    "ctrl+up": (-1, False),
    "ctrl+down": (1, False),
}
"""Where these keys scroll to, and whether by pages."""
PUT_ASIDE = ("escape", "saves it for later")


class AnswerPort(Protocol):
    """The port through which a panel answers its question."""

    def answer_permission(self, asked: AskedPermission, option_id: str, in_view: Parts) -> None:
        """Answer with one of the options, and record what was in view."""

    def cancel_permission(self, asked: AskedPermission) -> None:
        """Cancel the turn; outside one, all questions of its session."""

    def turn_of(self, asked: AskedPermission) -> Session | None:
        """Return the session whose turn is canceled with a question."""

    def answer_elicitation(
        self, asked: AskedElicitation, action: str, content: Mapping[str, Value] | None = None
    ) -> None:
        """Answer with what was filled in."""

    def open_link(self, asked: AskedElicitation, url: str) -> None:
        """Open the link that a person agreed to; that answers the question."""

    def copy_link(self, asked: AskedElicitation, url: str) -> None:
        """Copy the link that a person agreed to; that answers the question."""


class QuestionPanel(Vertical):
    """One question. While nothing is written, keys of the prompt answer it; a text that is written
    there rejects it. What a key means the `Question` decides; this draws it, and does what comes out.
    """

    @dataclass
    class PutAside(Message):
        """The person wants to put the text aside, until no question waits anymore."""

    @dataclass
    class Explains(Message):
        """A key answered nothing: why."""

        words: str

    @dataclass
    class Scrolled(Message):
        """The person scrolls on, up or down, by pages or by lines."""

        step: int
        pages: bool

    @dataclass
    class KeysChanged(Message):
        """Other keys have a meaning now."""

    invites = "Write here to reject with words"
    """The words in the empty prompt below, where what is written answers, too."""
    topic = "Question of the agent"
    """Where the help begins that lists its keys."""
    needs_all = False
    """Whether it takes the rows of the conversation above, too, where it has so many."""

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
        """How many views are drawn that the terminal doesn't show yet."""
        self._awaited: tuple[InView, int] | None = None
        """The newest view, and the appearance of the question that it belongs to."""
        self._named: tuple[Reply, int | None] | None = None
        """The state that the row of keys is about."""

    def ask(self, asked: Asked) -> None:
        """Show a question. Called once, after the panel is mounted."""
        self.asked, self.is_asked = asked, True
        self.set_interval(1, self.refresh_title)
        self.app.app_resume_signal.subscribe(self, lambda _: self._guard_again())
        self._follow_reply()

    def on_unmount(self) -> None:
        """Collect what the question leaves in memory."""
        self.app.app_resume_signal.unsubscribe(self)
        self.app.post_message(OverlayScreen.Left())

    # What is shown

    def come_into_view(self, text: str, waiting: int | None = None) -> None:
        """Note that the question is on the screen, above this text, and how many are `waiting` in this tab:
        keys count a moment later.
        """
        self._apply_effects(self.question.come_into_view(text))
        self._guard_until_painted()
        self.refresh_title(waiting)

    def _guard_again(self) -> None:
        """Guard what comes back on the screen like what is new there."""
        written = "" if self.question.reply is Reply.NONE else "written"
        self.come_into_view(written)

    def follow(self, changes: Sequence[Change]) -> None:
        """Show what the agent has changed, at once."""

    def write(self, text: str) -> None:
        """Note what stands in the prompt now."""
        self.question.write(text)
        self._follow_reply()

    def _follow_reply(self) -> None:
        """Show whether keys answer. While something is written, no option is marked: Enter allows
        nothing.
        """
        self._choices.mark(self.question.marked)
        self._choices.set_class(self.is_below_words, "-aside")
        named = self.question.reply, self.question.marked
        if named != self._named:
            self._named = named
            self.announce_keys()

    def announce_keys(self) -> None:
        """Let the screen know that other keys have a meaning now."""
        self.post_message(self.KeysChanged())

    @property
    def is_below_words(self) -> bool:
        """Whether something is written, so that no key answers."""
        return self.question.reply is not Reply.NONE

    @property
    def has_warned(self) -> bool:
        """Whether the row of keys says what Enter would do with what is written."""
        return self.question.reply is Reply.WARNED

    @property
    def can_send(self) -> bool:
        """Whether what is written can be sent to the agent at all."""
        return self.question.can_send

    @can_send.setter
    def can_send(self, value: bool) -> None:
        self.question.can_send = value

    @property
    def prompt_hint(self) -> str:
        """The words in the empty prompt below."""
        return self.invites if self.can_send else TAKES_NO_WORDS

    @property
    def holds_key(self) -> bool:
        """Whether a key is held back that may begin a text."""
        return self.question.due is not None

    def title(self) -> tuple[str, str]:
        """Return the question in one line, and a less prominent addition."""
        raise NotImplementedError

    def refresh_title(self, waiting: int | None = None) -> None:
        """Show who asks, for how long, and how many are `waiting` in this tab."""
        if waiting is not None:
            self._waiting = waiting
        what, more = self.title()
        count = f"  1 of {self._waiting}" if self._waiting > 1 else ""
        self._box.ask(
            what, f"{more}{count}  {self._since()}", allows_all_warning(self.asked.agent.state)
        )

    def _since(self) -> str:
        """Return how long the agent has waited, or why no key could allow what it asks yet."""
        not_yet = "" if self.is_below_words else self.question.why_not_yet(self._clock())
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
        """Take `most` rows at most; before that is known, there is nothing to see of it."""
        if not self._most:
            self.unfold()
            self._guard_until_painted()
        self._most = most
        self.styles.max_height = most

    # What is painted, and when

    def in_view(self) -> InView:
        """Return which part of the question is on the screen."""
        return InView((), self._choices.in_view(), place=self._choices.place)

    def _guard_until_painted(self) -> None:
        self._show_guard()
        self._note_painted()

    def _note_painted(self) -> None:
        """Note what is on the screen, once it is."""
        self.call_after_refresh(self._note_view)

    def _note_view(self) -> None:
        if self._most and self.is_attached:
            drawn = view, appearance = self.in_view(), self.question.appearance
            # What is on its way is not asked for again: each time would send the terminal a query.
            known = drawn == self._awaited if self._not_shown else self.question.shows(view)
            if not known:
                self._awaited = drawn
                self._not_shown += 1
                when_shown(self.app, lambda: self._note_shown(view, appearance))

    def _note_shown(self, view: InView, appearance: int) -> None:
        """Note what the terminal shows, unless the question has been away since."""
        self._not_shown -= 1
        if self.is_attached and appearance == self.question.appearance:
            self.question.paint(view, self._clock())

    def _note_drawn(self) -> None:
        """Note what is drawn at a key: it may have been scrolled, or moved, since it was shown."""
        self.update()
        self.question.draw(self.in_view(), self._clock())

    def _show_guard(self) -> None:
        """Dim the answers, until a key could allow something."""
        if self._guarded is None:
            self._choices.add_class("-guarded")
            self._guarded = self.set_interval(0.05, self._look_at_guard)

    def _look_at_guard(self) -> None:
        self._note_view()  # what a key scrolled may have come into view after the last frame was noted
        armed = self.question.is_armed(self._clock())
        if self._guarded is not None and armed and not self._not_shown:
            self._guarded.stop()
            self._guarded = None
            self._choices.remove_class("-guarded")
            self.refresh_title()
            self.on_armed()

    def on_armed(self) -> None:
        """Note that keys count from now on."""

    # Keys

    def keys(self) -> list[Hint]:
        """Return the hints for the keys that work now."""
        if not self.is_below_words:
            return self.answers()
        if not self.can_send:
            return [("escape", "saves this for later, to answer")]
        if self.question.reply is Reply.DRAFT:
            return [
                ("escape", "saves this for later, to answer"),
                ("enter", f"twice {self.describe_rejection()}"),
            ]
        again = "again " if self.has_warned else ""
        return [("enter", f"{again}{self.describe_rejection()}"), PUT_ASIDE]

    def answers(self) -> list[Hint]:
        """Return what keys do while nothing is written."""
        raise NotImplementedError

    def describe_rejection(self) -> str:
        """Return what becomes of the question when the text is sent."""
        raise NotImplementedError

    def means(self, key: str) -> bool:
        """Return whether a key is for the question, and so no text."""
        return key in SCROLLS or self.question.means(key)

    def press(self, event: events.Key) -> Pressed:
        """Apply a key of the prompt."""
        if event.key in SCROLLS:
            self.post_message(self.Scrolled(*SCROLLS[event.key]))
            return Pressed("", True)
        self._note_drawn()
        key, at = event.key, self._time_of(event.time)
        return self._apply_effects(self.question.press(key, at, printable=_is_text(event)))

    def begin_words(self, event: events.Key | events.Paste) -> str:
        """Note a key, or a paste, that is written in the prompt; return text that was held back, to be
        written first.
        """
        if isinstance(event, events.Key) and not _is_text(event):
            return ""
        at = self._time_of(event.time)
        text = self._apply_effects(self.question.paste(at)).text
        if isinstance(event, events.Key):
            self._apply_effects(self.question.type_elsewhere(at))
        return text

    def type_elsewhere(self, event: events.Key) -> str:
        """Note a key that is meant for something else than the prompt; return text that was held back."""
        if not _is_text(event):
            return ""
        return self._apply_effects(self.question.type_elsewhere(self._time_of(event.time))).text

    def on_choices_choice_clicked(self, event: Choices.ChoiceClicked) -> None:
        """Apply a click on an answer."""
        event.stop()
        self._note_drawn()
        self._apply_effects(self.question.click(event.index, self._time_of(event.pressed)))

    def update(self) -> None:
        """Compare what is asked with what was."""

    def _time_of(self, pressed: float) -> float:
        return time_of_press(self._clock, pressed)

    def _pass_time(self) -> None:
        """Let the question act on the passing of time: a key held back as the possible start of a word takes
        effect.
        """
        self.update()
        self._apply_effects(self.question.tick(self._clock()))

    def _apply_effects(self, effects: Sequence[Effect]) -> Pressed:
        """Do what comes out of a key; return what the prompt has to do."""
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
                self.post_message(self.PutAside())

    def _follow_question(self) -> None:
        """Show what has become of the question by a key."""
        self._follow_reply()
        self._note_painted()
        if not self.question.is_armed(self._clock()):
            self._show_guard()
        if self.question.due is not None:
            self.set_timer(max(0.01, self.question.due - self._clock()), self._pass_time)

    def choose(self, answer: Answered) -> None:
        """Pass an answer on."""
        raise NotImplementedError

    def choose_key(self, key: str) -> None:
        """Do what one of the letters does."""

    def action_cancel(self) -> None:
        """Answer neither yes nor no."""
        raise NotImplementedError

    def scroll_subject(self, step: int, *, pages: bool) -> bool:  # noqa: ARG002
        """Scroll what is asked about; return False if there is nothing more in that direction."""
        return False


def _is_text(event: events.Key) -> bool:
    """Return whether a key types a part of a text.

    `is_printable` is False for a no-break space, which some layouts have, and for joiners of characters.
    """
    character = event.character or ""
    return event.is_printable or not character.isascii()
