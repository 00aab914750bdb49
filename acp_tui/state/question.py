"""Key handling while a permission question is open.

The agent may change a call while its question is open: replace the command, add a diff. So an
answer only counts for what was in view when the key was pressed, and exactly that is recorded as
allowed. This module draws nothing and reads no clock, so that every order of events can be tested.
The UI, `--plain`, `run`, the browser and attached screens all use it.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.subject_parts import Parts, by_agent, describe_differences, summary_line

SHOWN_BEFORE_KEYS = 0.5
"""Seconds for which something must be in view before a key can answer it: enough to see it."""
WORD_GAP = 0.3
"""Seconds within which another printable key makes a digit the start of a text ("2 spaces")."""
SINGLE = 9
"""Most answers that a digit can choose; with more, it marks one, and Enter chooses it."""
NEVER = float("inf")
CHANGES = 3
CHANGING = 2.0
"""The agent keeps changing the question if it made `CHANGES` changes within this many seconds."""
STEPS = {"up": -1, "down": 1}
TOO_EARLY = "came too early to answer"
TOO_NEW = "not allowed yet: this is new on the screen"
KEEPS_CHANGING = "the agent keeps changing this, so it can't be allowed"


@dataclass(frozen=True, slots=True)
class Offer:
    """An answer that can be chosen. If `always`, it applies to more than this call."""

    allows: bool
    always: bool = False
    offered: bool = True


def permission_offers(options: Sequence[PermissionOption]) -> list[Offer]:
    """Return the answers to a permission request: all but rejecting kinds may allow, even for good."""
    return [
        Offer(not one.rejects, not (one.rejects or one.kind == "allow_once")) for one in options
    ]


@dataclass(frozen=True, slots=True)
class InView:
    """What is painted: the subject, the answers in view, and their position on the screen.

    `is_unread` if a part of what would be run or written is out of view. To answer with a digit,
    the whole command (or the input, if there is no command) and the first change of each file must
    be in view; to answer with Enter, the end of everything.
    """

    subject: Parts
    answers: frozenset[int]
    is_unread: bool = False
    is_unread_by_enter: bool = False
    place: tuple[int, ...] = ()

    def shows_more_than(self, other: "InView") -> bool:
        """Return whether this view shows more to read than the other."""
        return (
            self.subject != other.subject
            or not self.answers <= other.answers
            or self.is_unread < other.is_unread
            or self.is_unread_by_enter < other.is_unread_by_enter
        )

    def drawn_over(self, drawn: "InView") -> "InView":
        """Return this view without what another drawing has moved out of view."""
        return replace(
            self,
            answers=self.answers & drawn.answers,
            is_unread=self.is_unread or drawn.is_unread,
            is_unread_by_enter=self.is_unread_by_enter or drawn.is_unread_by_enter,
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer was chosen, for exactly the parts that were `seen`."""

    index: int
    seen: Parts


@dataclass(frozen=True, slots=True)
class KeyChosen:
    """A letter was pressed that does something other than answer."""

    key: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A key that was held back is text for the prompt; the current key follows it."""

    text: str


@dataclass(frozen=True, slots=True)
class NotAKey:
    """The key isn't handled here: it is text, or something else handles it."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a key didn't answer, or what else is needed."""

    reason: str


class QuestionEffect(Enum):
    """Other effects of a key or a click."""

    READ_ON = auto()
    """Show more of what would be run or written: it can't be allowed unread."""
    REVEAL = auto()
    """Scroll to the marked answer: it can't be chosen while out of view."""
    CANCEL = auto()
    PUT_ASIDE = auto()
    """Clear the prompt, and store its text for later."""


Effect = Answered | KeyChosen | Typed | NotAKey | Explained | QuestionEffect


class Reply(Enum):
    """The state of the text in the prompt below the question. Keys only answer while it is empty."""

    NONE = auto()
    DRAFT = auto()
    """Begun before the question was seen: Enter only explains what it would do."""
    WARNED = auto()
    """The user was told what Enter would do; the next Enter does it."""
    WORDS = auto()
    """Begun after the question was seen: Enter rejects, and sends the text."""

    def written(self, text: str) -> "Reply":
        """Return the state after the prompt's text has become `text`."""
        if not text.strip():
            return Reply.NONE
        return self if self is Reply.WORDS else Reply.DRAFT


@dataclass(frozen=True, slots=True)
class _HeldKey:
    """A key whose effect is decided once no other key follows it in time.

    `view` is what was in view when the key was first pressed, `since` the time. Repeating the key
    must not replace the view, but everything `typed` becomes text.
    """

    text: str
    typed: str
    view: InView | None
    since: float
    at: float
    is_line: bool = False


class Question:
    """One open question. All times are in seconds of the same clock."""

    def __init__(self, subject: Parts) -> None:
        self.marked: int | None = None
        """The answer that Enter chooses."""
        self.reply = Reply.NONE
        self.can_send = True
        """Whether the prompt's text can be sent to the agent at all."""
        self._offers: Sequence[Offer] = ()
        self._letters: Sequence[str] = ()
        self._subject = subject
        self._changes: deque[float] = deque(maxlen=CHANGES)
        self._view: InView | None = None
        self._painted_at = NEVER
        self._moved_at = -NEVER
        """When the answers last moved: a click soon afterward was aimed at another place."""
        self.appearance = 0
        """How often the question was presented: what was painted for an earlier time is outdated."""
        self._ready_at = NEVER
        """The time from which keys count, rejecting ones too: what was typed ahead must not answer."""
        self._drops_early = False
        """Whether a number pressed too early is dropped: the previous key led to these answers."""
        self._held: _HeldKey | None = None
        self._to_confirm: int | None = None
        self._digits = ""

    # Input

    def offer(
        self,
        offers: Sequence[Offer],
        *,
        mark: int | None = None,
        letters: Sequence[str] = (),
        drops_early: bool = False,
    ) -> None:
        """Replace the answers and mark one; no key counts before they were in view for a moment.

        Each of `letters` does something other than answer. A number that is pressed too early
        becomes text, or is dropped if `drops_early`. Text that was begun at other answers doesn't
        answer these.
        """
        if self.reply is Reply.WORDS:
            self.reply = Reply.DRAFT
        self._offers, self.marked, self._letters = offers, mark, letters
        self._held, self._to_confirm, self._digits = None, None, ""
        self._view, self._ready_at, self._drops_early = None, NEVER, drops_early
        self.appearance += 1

    def come_into_view(self, text: str) -> list[Effect]:
        """Restart the guard time: the question appears on screen, above a prompt with this text.

        A key that was held back doesn't answer, and the user is told so.
        """
        held, self._held = self._held, None
        self._view = None
        self._painted_at = self._ready_at = NEVER
        self.appearance += 1
        self._set_reply(Reply.NONE.written(text))
        return [] if held is None else [Explained(f"{held.typed} {TOO_EARLY}: press it again")]

    def guard(self, at: float) -> None:
        """Ignore all keys for a moment."""
        self._held = None
        self._defer(at)

    def guard_allowing(self, at: float) -> None:
        """Ignore allowing keys for a moment; rejecting ones still count."""
        self._held = None
        self._painted_at = max(self._painted_at, at)

    def update(self, subject: Parts, at: float) -> None:
        """Replace the subject: the agent changed it, or the client found out something about it."""
        if subject == self._subject:
            return
        if by_agent(subject) != by_agent(self._subject):
            self._changes.append(at)
        self._subject = subject
        self._to_confirm = None
        if self.marked is not None and self._offers[self.marked].always:
            self.marked = None  # it was marked for the earlier subject

    def paint(self, view: InView, at: float) -> None:
        """Record what is now painted on the screen."""
        if self._view is None or view.shows_more_than(self._view):
            self._painted_at = at
        if self._view is not None and view.place != self._view.place:
            self._moved_at = at
        if self._ready_at == NEVER:
            self._ready_at = at + SHOWN_BEFORE_KEYS
        self._view = view

    def draw(self, drawn: InView, at: float) -> None:
        """Record what is drawn, but may not be painted yet.

        What is now out of view can no longer be chosen; what is new can't be chosen until it is
        painted.
        """
        if self._view is None or drawn.subject != self._view.subject:
            return
        if drawn.place != self._view.place:
            self._moved_at = at
        self._view = self._view.drawn_over(drawn)

    def write(self, text: str) -> None:
        """Record the prompt's text."""
        self._set_reply(self.reply.written(text))

    def paste(self, at: float) -> list[Effect]:
        """Handle a paste: it is text, and never answers."""
        effects = [*self.tick(at), *self._release_held()]
        self._begin_words(at)
        return effects

    def type_elsewhere(self, at: float) -> list[Effect]:
        """Handle a printable key that was pressed outside the question and its prompt."""
        effects = [*self.tick(at), *self._release_held()]
        self._defer(at)
        return effects

    def press(self, key: str, at: float, *, printable: bool = False) -> list[Effect]:
        """Handle a key of the prompt."""
        effects = self.tick(at)
        if self.reply is not Reply.NONE:
            return [*effects, *self._press_in_words(key, at, printable=printable)]
        if self._held is not None and printable and not self._continues(self._held, key):
            # Another key so soon: the user is typing text, and didn't mean to answer.
            effects += self._release_held()
        elif self._number(key) or key in self._letters:
            return [*effects, *self._press_number(key, at)]
        if key == "enter" or key in STEPS:
            return [*effects, *self._press_mark(key, at)]
        if key == "escape":
            return [*effects, *self._press_escape(at)]
        if not printable:
            # Such as Backspace: a number that is deleted at once must not answer.
            return [*effects, *self._release_held(), NotAKey()]
        if self._to_confirm is not None:
            effects.append(Typed(str(self._to_confirm + 1)))
        self._begin_words(at)
        self._defer(at)
        return [*effects, NotAKey()]

    def click(self, index: int, at: float) -> list[Effect]:
        """Handle a click on an answer."""
        effects = self.tick(at)
        self._held = None
        if at < self._ready_at or at - self._moved_at < SHOWN_BEFORE_KEYS:
            self._defer(at)
            return effects
        return [*effects, *self._choose_answer(index, self._view, at, at)]

    def enter_line(self, text: str, at: float) -> list[Effect]:
        """Handle a line read from a terminal: only a number answers."""
        effects = self.tick(at)
        number = int(text) if text.isascii() and text.isdecimal() else 0
        if not 1 <= number <= len(self._offers) or at < self._ready_at:
            self._to_confirm = None
            return [*effects, NotAKey()]
        self._held = _HeldKey(text, text, self._view, at, at, is_line=True)
        return effects

    def tick(self, at: float) -> list[Effect]:
        """Decide on the held key if no other key has followed in time."""
        if self._held is None or at < self._held.at + WORD_GAP:
            return []
        return self._decide_held(self._held, at)

    # Current state

    @property
    def next_tick(self) -> float | None:
        """The time at which `tick` will have something to decide, or None."""
        return None if self._held is None else self._held.at + WORD_GAP

    def shows(self, view: InView) -> bool:
        """Return whether the screen shows exactly this view."""
        return self._view == view

    def is_ready(self, at: float) -> bool:
        """Return whether keys count at all."""
        return at >= self._ready_at

    def is_armed(self, at: float) -> bool:
        """Return whether a key could allow now."""
        settled = self._view is not None and self._view.subject == self._subject
        return self.is_ready(at) and settled and at - self._painted_at >= SHOWN_BEFORE_KEYS

    def is_changing(self, at: float) -> bool:
        """Return whether the agent keeps changing the question."""
        return len(self._changes) == CHANGES and at - self._changes[0] < CHANGING

    def not_ready_reason(self, at: float) -> str:
        """Return a short reason why nothing can be allowed yet, or ""."""
        if self.is_changing(at):
            return "the agent keeps changing this"
        return "" if self.is_armed(at) else "one moment …"

    def handles_key(self, key: str) -> bool:
        """Return whether a key is handled here, rather than being text."""
        if self.reply is not Reply.NONE:
            return key in ("enter", "escape")
        return bool(self._number(key)) or key in (*self._letters, *STEPS, "enter", "escape")

    # Keys

    def _press_in_words(self, key: str, at: float, *, printable: bool) -> list[Effect]:
        """Handle a key while the prompt has text: all keys but Enter and Esc are text."""
        if key == "escape":
            self.guard(at)
            return [QuestionEffect.PUT_ASIDE]
        if key == "enter" and self.can_send:
            sends = self.reply is Reply.WORDS or (self.reply is Reply.WARNED and self.is_ready(at))
            if sends:
                return [NotAKey()]
            self.guard(at)
            self._set_reply(Reply.WARNED)
            return []
        if printable:
            self._defer(at)
        return [NotAKey()]

    def _press_number(self, key: str, at: float) -> list[Effect]:
        if at < self._ready_at:
            self._defer(at)
            if self._drops_early:
                return []
            words = f"{key} {TOO_EARLY}: it is in the prompt; Esc saves it for later"
            return [Explained(words), NotAKey()]
        self._drops_early = False
        held = self._held or _HeldKey("", "", self._view, at, at)
        text = f"{held.text}{key}" if len(self._offers) > SINGLE else key
        self._held = replace(held, text=text, typed=f"{held.typed}{key}", at=at)
        return self.tick(at)

    def _press_mark(self, key: str, at: float) -> list[Effect]:
        if self._held is not None:
            return self._decide_held(self._held, at)
        if at < self._ready_at:
            self._defer(at)
            return []
        if key in STEPS:
            self._move(STEPS[key])
            return []
        if self.marked is None:
            return []
        return self._choose_answer(self.marked, self._view, at, at, enter=True)

    def _press_escape(self, at: float) -> list[Effect]:
        """Drop the held key, or cancel.

        Esc doesn't prolong the guard time: pressing it again must always get the user out.
        """
        if self._held is not None:
            self._held = None
            return []
        return [QuestionEffect.CANCEL] if self.is_ready(at) else []

    def _number(self, key: str) -> int:
        """Return the number that a digit completes, or 0."""
        if not (len(key) == 1 and key.isascii() and key.isdecimal()):
            return 0
        before = self._held.text if self._held is not None else self._digits
        every = (int(before + key) if before.isdecimal() else 0, int(key))
        return next((one for one in every if 0 < one <= len(self._offers)), 0)

    def _continues(self, held: _HeldKey, key: str) -> bool:
        """Return whether a key repeats the held one, or continues its number."""
        many = len(self._offers) > SINGLE and (held.text + key).isdecimal()
        return 0 < int(held.text + key) <= len(self._offers) if many else key == held.text

    def _release_held(self) -> list[Effect]:
        """Turn the held key into text."""
        held, self._held = self._held, None
        return [] if held is None else [Typed(held.typed)]

    def _begin_words(self, at: float) -> None:
        """Begin a text; if the question was seen before, the text is an answer."""
        if self.reply is Reply.NONE and self.is_ready(at):
            self._set_reply(Reply.WORDS)

    def _set_reply(self, reply: Reply) -> None:
        """Set the reply; while there is text no answer is marked, so Enter can't allow anything."""
        self.reply = reply
        if reply is not Reply.NONE:
            self.marked, self._held, self._to_confirm, self._digits = None, None, None, ""

    def _defer(self, at: float) -> None:
        """Ignore keys for a while: a user who is typing must not answer by accident."""
        if self._ready_at != NEVER:
            self._ready_at = max(self._ready_at, at + SHOWN_BEFORE_KEYS)

    # Answers

    def _move(self, step: int) -> None:
        count, start = len(self._offers), self.marked
        if start is None:
            start = 0 if step < 0 else -1
        every = ((start + step * distance) % count for distance in range(1, count + 1))
        self._mark(next((one for one in every if self._offers[one].offered), None))

    def _mark(self, index: int | None) -> None:
        """Mark an answer, unless the prompt has text: then Enter is for the text."""
        self.marked = index if self.reply is Reply.NONE else None
        self._digits, self._to_confirm = "", None

    def _decide_held(self, held: _HeldKey, now: float) -> list[Effect]:
        self._held = None
        if not held.text.isdecimal():
            return [KeyChosen(held.text)]
        if held.is_line:
            return self._choose_answer(int(held.text) - 1, held.view, held.since, now, is_line=True)
        number = self._number(held.text) if len(held.text) == 1 else int(held.text)
        if len(self._offers) <= SINGLE:
            return self._choose_answer(number - 1, held.view, held.since, now)
        if self._offers[number - 1].offered:
            self._mark(number - 1)
            self._digits = str(number)
        return self._reveal(now)

    def _choose_answer(
        self,
        index: int,
        view: InView | None,
        at: float,
        now: float,
        *,
        enter: bool = False,
        is_line: bool = False,
    ) -> list[Effect]:
        """Choose an answer to what was in view at the time `at`.

        `enter` if it was marked and chosen by Enter. `is_line` if it was typed as a line, whose
        Enter doesn't confirm.
        """
        offer, confirmed = self._offers[index], enter or self._to_confirm == index
        if not offer.offered:
            return []
        if view is None or index not in view.answers:
            self._mark(index)
            return self._reveal(now)
        if offer.allows:
            refused = self._why_not(view, now)
            if not refused and (view.is_unread_by_enter if enter or is_line else view.is_unread):
                self._mark(index)
                return [QuestionEffect.READ_ON]
            if not refused and at - self._painted_at < SHOWN_BEFORE_KEYS:
                refused = TOO_NEW
            if refused:
                self.guard_allowing(at)  # a key held down must not allow what it revealed
                return [Explained(refused)]
            if offer.always and not confirmed:
                self._mark(index)
                self._to_confirm = index
                self._drops_early = True
                if is_line:
                    self.guard_allowing(now)
                    again = "again"
                else:
                    self.guard(now)
                    again = "again, or Enter"
                return [Explained(f"{index + 1} {again}: this allows more than this once")]
        self._mark(index)
        self._drops_early = True
        self.guard(now)
        return [Answered(index, view.subject)]

    def _reveal(self, now: float) -> list[Effect]:
        """Scroll to the marked answer; it must be seen for a moment before it can be chosen."""
        self._painted_at = max(self._painted_at, now)
        return [QuestionEffect.REVEAL]

    def _why_not(self, view: InView, now: float) -> str:
        """Return why what was in view can't be allowed now, however long it was in view; or ""."""
        if self.is_changing(now):
            return KEEPS_CHANGING
        if view.subject != self._subject:
            what = describe_differences(view.subject, self._subject)
            return f"not allowed, because it has changed: {what or summary_line(self._subject)}"
        return ""
