"""The base of all questions of agents: they stand above the prompt, which passes its keys to them."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.containers import Vertical
from textual.message import Message

from acp_tui.formatting import running_duration
from acp_tui.ui.choices import Choices
from acp_tui.ui.question.reply import Reply
from acp_tui.ui.question_box import QuestionBox
from acp_tui.ui.sessions.asked import Asked
from acp_tui.ui.sessions.status import loud
from acp_tui.ui.textual_fixes.screens import OverlayScreen

Hint = tuple[str, str]
SCROLLS = {
    "pageup": (-1, True),
    "pagedown": (1, True),
    "ctrl+up": (-1, False),
    "ctrl+down": (1, False),
}
"""Where these keys scroll to, and whether by pages."""
PUT_ASIDE = ("escape", "puts it aside")


class QuestionPanel(Vertical):
    """One question. While nothing is written, keys of the prompt answer it; a text that is written
    there rejects it. The screen tells it what stands in the prompt, and how many rows it may take.
    """

    @dataclass
    class PutAside(Message):
        """The person wants to put the text aside, until no question waits anymore."""

    @dataclass
    class TooEarly(Message):
        """A number came before the question was seen for long enough: it is text in the prompt."""

        number: str

    @dataclass
    class Scrolled(Message):
        """The person scrolls on, up or down, by pages or by lines."""

        step: int
        pages: bool

    @dataclass
    class KeysChanged(Message):
        """Other keys have a meaning now."""

    invites = "Write here to reject with words"
    """What stands in the empty prompt below."""
    topic = "Question of the agent"
    """Where the help begins that lists its keys."""
    needs_all = False
    """Whether it takes the rows of the conversation above, too, where it has so many."""

    def __init__(self, asked: Asked, clock: Callable[[], float], *, led: bool = True) -> None:
        super().__init__()
        self.asked = asked
        self.reply = Reply.NONE
        self.can_send = True
        """Whether what is written can be sent to the agent at all."""
        self._clock = clock
        self._box = QuestionBox()
        self._choices = Choices(clock, led=led)
        self._most = 0

    def on_mount(self) -> None:
        """Start the clock, once the content is in place."""
        self.set_interval(1, self.tell)
        self.tell()
        self._take(self.reply)

    def on_unmount(self) -> None:
        """Collect what the question leaves in memory."""
        self.app.post_message(OverlayScreen.Left())

    # What is shown

    def seen(self, text: str) -> None:
        """Note that the question has come into view, above this text: keys count a moment later."""
        self._choices.guard()
        self._take(Reply.NONE.written(text))
        self.tell()

    def wrote(self, text: str) -> None:
        """Note what stands in the prompt now."""
        self._take(self.reply.written(text))

    def _take(self, reply: Reply) -> None:
        """Take over what the prompt says. While something is written, no option is marked: Enter
        allows nothing.
        """
        self.reply = reply
        if self.is_beside:
            self._choices.unmark()
        self._choices.set_class(self.is_beside, "-aside")
        self.tell_keys()

    def tell_keys(self) -> None:
        """Let the screen know that other keys have a meaning now."""
        self.post_message(self.KeysChanged())

    @property
    def is_beside(self) -> bool:
        """Whether something is written, so that no key answers."""
        return self.reply is not Reply.NONE

    @property
    def has_warned(self) -> bool:
        """Whether the row of keys says what Enter would do with what is written."""
        return self.reply is Reply.WARNED

    def title(self) -> tuple[str, str]:
        """The question in one line, and a less prominent addition."""
        raise NotImplementedError

    def tell(self, waiting: int | None = None) -> None:
        """Say who asks, for how long, and how many are `waiting` in this tab."""
        if waiting is not None:
            self._waiting = waiting
        what, more = self.title()
        count = f"  1 of {self._waiting}" if self._waiting > 1 else ""
        self._box.ask(what, f"{more}{count}  {self._since()}", loud(self.asked.agent.state))

    def _since(self) -> str:
        """Return how long the agent has waited, or that no key counts before a moment is over."""
        if not self.is_beside and not self._choices.is_armed:
            return "one moment …"
        limit = self.asked.agent.limits.question
        within = f" of {running_duration(limit)}" if limit is not None else ""
        return f"waiting {running_duration(self._clock() - self.asked.at)}{within}"

    def on_choices_armed(self) -> None:
        """Say that keys count from now on."""
        self.tell()

    _waiting = 1

    def fit(self, most: int) -> None:
        """Take `most` rows at most; before that is known, there is nothing to see of it."""
        if not self._most:
            self.add_class("-shown")
            self._choices.guard()
        self._most = most
        self.styles.max_height = most

    # Keys

    def keys(self) -> list[Hint]:
        """Return what keys do now."""
        if not self.is_beside:
            return self.answers()
        if not self.can_send:
            return [("escape", "puts this aside, to answer")]
        if self.reply is Reply.DRAFT:
            return [("escape", "puts this aside, to answer"), ("enter", f"twice {self.rejects()}")]
        again = "again " if self.reply is Reply.WARNED else ""
        return [("enter", f"{again}{self.rejects()}"), PUT_ASIDE]

    def answers(self) -> list[Hint]:
        """Return what keys do while nothing is written."""
        raise NotImplementedError

    def rejects(self) -> str:
        """Return what becomes of the question when the text is sent."""
        raise NotImplementedError

    def wants(self, key: str) -> bool:
        """Return whether a key is for the question, and so no text."""
        if key in SCROLLS or key == "escape":
            return True
        return key == "enter" if self.is_beside else self._choices.knows(key)

    def takes(self, event: events.Key) -> bool:
        """Do what a key of the prompt does here; return whether nothing else is left to do."""
        if event.key in SCROLLS:
            step, pages = SCROLLS[event.key]
            self.post_message(self.Scrolled(step, pages))
        elif event.key == "escape":
            self._leave(event)
        elif self.is_beside:
            return self._takes_beside(event)
        elif not self._answers(event):
            if self._choices.knows(event.key):
                self.post_message(self.TooEarly(event.key))
            self.begins(event)
            return False
        return True

    def _answers(self, event: events.Key) -> bool:
        """Answer by a key, while nothing is written; return False if the key answers nothing."""
        return self._choices.takes(event)

    def begins(self, event: events.Key | events.Paste) -> None:
        """Note that the person begins to write; if the question had been seen for long enough by
        then, the text is an answer.
        """
        if isinstance(event, events.Key) and not event.is_printable:
            return
        if not self.is_beside and self._choices.counts(event):
            self._take(Reply.WORDS)
        if isinstance(event, events.Key):
            self.passes(event)

    def passes(self, event: events.Key) -> None:
        """Let keys count later: a letter was typed that is meant for something else."""
        if event.is_printable:
            self._choices.early(event, known=False)

    def _takes_beside(self, event: events.Key) -> bool:
        """Handle a key while something is written: only Enter is more than text."""
        if event.key != "enter" or not self.can_send:
            self.begins(event)
            return False
        seen = self.reply is Reply.WARNED and not self._choices.early(event)
        if seen or self.reply is Reply.WORDS:
            return False
        self._choices.guard()
        self._take(Reply.WARNED)
        return True

    def _leave(self, event: events.Key) -> None:
        """Put the text aside; without one, answer neither yes nor no."""
        if self.is_beside:
            self._choices.guard()
            self.post_message(self.PutAside())
        elif not self._choices.early(event):
            self.action_cancel()

    def action_cancel(self) -> None:
        """Answer neither yes nor no."""
        raise NotImplementedError

    def scroll_subject(self, step: int, *, pages: bool) -> bool:  # noqa: ARG002
        """Scroll what is asked about; return False if there is nothing more in that direction."""
        return False
