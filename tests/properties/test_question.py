"""Whatever happens at a question in whatever order: an answer is a deliberate press on what was in view."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_tui.state.question import (
    CHANGES,
    CHANGING,
    SHOWN_BEFORE_KEYS,
    WORD_GAP,
    Answered,
    Effect,
    InView,
    NotAKey,
    Offer,
    Question,
    QuestionEffect,
    Reply,
    Typed,
)
from acp_tui.state.subject_parts import Parts
from tests.examples import some_of

ONCE, ALWAYS, REJECT = 0, 1, 2
OFFERS = [Offer(allows=True), Offer(allows=True, always=True), Offer(allows=False)]
LS: Parts = (("line", "$ ls"), ("command", "ls"))
RM: Parts = (("line", "$ rm -rf ~"), ("command", "rm -rf ~"))
FOUND: Parts = (*LS, ("warning", "notes.txt has changed on disk"))
ALL = frozenset(range(len(OFFERS)))
PAUSES = st.sampled_from([0.01, 0.1, WORD_GAP, SHOWN_BEFORE_KEYS, 0.6, 2.5])
EVENTS = st.one_of(
    st.tuples(
        st.just("press"),
        st.sampled_from(
            ["1", "1", "1", "2", "2", "2", "3", "x", " ", "enter", "down", "up", "escape"]
        ),
    ),
    st.tuples(st.just("line"), st.sampled_from(["1", "2", "3", "1 more", ""])),
    st.tuples(st.just("click"), st.sampled_from([ONCE, ALWAYS, REJECT])),
    st.tuples(st.just("update"), st.sampled_from([LS, RM, FOUND])),
    st.tuples(
        st.sampled_from(["paint", "draw"]),
        st.tuples(
            st.sampled_from([ALL, ALL, ALL, frozenset({REJECT})]),
            st.sampled_from([False, False, True]),
            st.sampled_from([False, False, True]),
            st.sampled_from([(), (), (1,)]),
        ),
    ),
    st.just(("arrive", None)),
    st.tuples(
        st.sampled_from(["tick", "paste", "elsewhere", "aside", "again", "guard"]), st.none()
    ),
)


@dataclass
class Press:
    """What was pressed, when, and what the screen showed by then."""

    at: float
    key: str
    view: InView | None
    marked: int | None


@dataclass
class Person:
    """Does what the events say, and holds what comes out against what a person saw and meant."""

    question: Question = field(default_factory=lambda: Question(LS))
    asked: Parts = LS
    now: float = 0.0
    view: InView | None = None
    """What the screen shows."""
    drawn: list[InView] = field(default_factory=list)
    """What is on its way to the screen."""
    painted_at: float = 0.0
    moved_at: float = 0.0
    up_at: float = float("inf")
    """When the question was first painted since it came into view."""
    typed_at: float = float("-inf")
    """When something was typed or clicked that answers nothing, or an answer was given."""
    presses: list[Press] = field(default_factory=list)
    changes: list[float] = field(default_factory=list)
    written: str = ""

    def __post_init__(self) -> None:
        self.question.offer(OFFERS, mark=ONCE)
        self.question.come_into_view("")

    def do(self, pause: float, kind: str, value: Any) -> None:
        self.now += pause
        effects = self.question.tick(self.now)
        self.check(effects)
        effects = getattr(self, kind)(value)
        self.check(effects)
        if self.written.strip():
            assert self.question.reply is not Reply.NONE
            assert self.question.marked is None

    def press(self, key: str) -> list[Effect]:
        printable = len(key) == 1
        self.note_drawn()
        self.presses.append(Press(self.now, key, self.view, self.question.marked))
        effects = self.question.press(key, self.now, printable=printable)
        self.write("".join(one.text for one in effects if isinstance(one, Typed)))
        if NotAKey() in effects and printable:
            self.write(key)
            self.typed_at = self.now
        if QuestionEffect.PUT_ASIDE in effects:
            self.set_text("")
        return effects

    def write(self, text: str) -> None:
        if text:
            self.set_text(self.written + text)

    def set_text(self, text: str) -> None:
        self.written = text
        self.question.write(text)

    def line(self, text: str) -> list[Effect]:
        effects = self.question.enter_line(text, self.now)
        if NotAKey() not in effects:
            self.presses.append(Press(self.now, f"line {text}", self.view, self.question.marked))
        return effects

    def click(self, index: int) -> list[Effect]:
        self.note_drawn()
        self.presses.append(Press(self.now, f"click {index}", self.view, self.question.marked))
        return self.question.click(index, self.now)

    def update(self, subject: Parts) -> list[Effect]:
        if {one for one in subject if one[0] != "warning"} != {
            one for one in self.asked if one[0] != "warning"
        }:
            self.changes.append(self.now)
        self.asked = subject
        self.question.update(subject, self.now)
        return []

    def paint(self, facts: tuple[frozenset[int], bool, bool, tuple[int, ...]]) -> list[Effect]:
        self.draw(facts)
        while self.drawn:
            self.arrive(None)
        return []

    def draw(self, facts: tuple[frozenset[int], bool, bool, tuple[int, ...]]) -> list[Effect]:
        """Draw on a screen that shows it later."""
        self.drawn.append(InView(self.asked, *facts))
        return []

    def arrive(self, _: None) -> list[Effect]:
        if not self.drawn:
            return []
        shown = self.drawn.pop(0)
        if self.view is None or shown.shows_more_than(self.view):
            self.painted_at = self.now
        if self.view is None or shown.place != self.view.place:
            self.moved_at = self.now
        if self.up_at == float("inf"):
            self.up_at = self.now
        self.view = shown
        self.question.paint(shown, self.now)
        return []

    def note_drawn(self) -> None:
        """As at each key: what is drawn by now may differ from what the screen shows."""
        if self.drawn:
            self.question.draw(self.drawn[-1], self.now)

    def tick(self, _: None) -> list[Effect]:
        return self.question.tick(self.now)

    def paste(self, _: None) -> list[Effect]:
        self.presses.append(Press(self.now, "paste", self.view, None))
        held = self.question.next_tick is not None
        effects = self.question.paste(self.now)
        self.write("".join(one.text for one in effects if isinstance(one, Typed)) + "1")
        assert any(isinstance(one, Typed) for one in effects) is held
        return effects

    def elsewhere(self, _: None) -> list[Effect]:
        self.presses.append(Press(self.now, "elsewhere", self.view, None))
        self.typed_at = self.now
        effects = self.question.type_elsewhere(self.now)
        self.write("".join(one.text for one in effects if isinstance(one, Typed)))
        return effects

    def aside(self, _: None) -> list[Effect]:
        self.set_text("")
        return []

    def again(self, _: None) -> list[Effect]:
        """Another screen was in front."""
        self.view, self.up_at = None, float("inf")
        self.drawn.clear()
        return self.question.come_into_view(self.written)

    def guard(self, _: None) -> list[Effect]:
        self.typed_at = self.now
        self.question.guard(self.now)
        return []

    # What has to be so

    def check(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Answered):
                self.check_answer(effect)
                self.typed_at = self.now

    def check_answer(self, answer: Answered) -> None:
        at = self.deliberate(answer.index)
        press = self.presses[at]
        later = self.presses[at + 1 :]
        assert press.view is not None
        assert answer.seen == press.view.subject
        assert answer.index in press.view.answers
        assert press.at >= max(self.up_at, self.typed_at) + SHOWN_BEFORE_KEYS
        assert "paste" not in [one.key for one in later]
        assert "elsewhere" not in [one.key for one in later]
        if press.key.startswith("click"):
            assert press.at >= self.moved_at + SHOWN_BEFORE_KEYS
        elif not press.key.startswith("line"):
            assert not self.written.strip()
        if not OFFERS[answer.index].allows:
            return
        assert self.view is not None
        assert answer.seen == self.asked == self.view.subject
        assert press.at >= self.painted_at + SHOWN_BEFORE_KEYS
        by_enter = press.key == "enter" or press.key.startswith("line")
        assert not (press.view.is_unread_by_enter if by_enter else press.view.is_unread)
        recent = [one for one in self.changes if self.now - one < CHANGING]
        assert len(recent) < CHANGES

    def deliberate(self, index: int) -> int:
        """The press that gave an answer; a digit is none if a word came of it, and what allows more than
        this once needs two.
        """
        digit = str(index + 1)
        keys = [one.key for one in self.presses]
        last = max(at for at, one in enumerate(self.presses) if self.means(one, index))
        press = self.presses[last]
        while last and press.key == digit and self.repeats(last):
            last -= 1
        for one in self.presses[last + 1 :]:  # until it was decided
            assert one.key != "escape"
            assert not (len(one.key) == 1 and one.key != digit and one.at - press.at < WORD_GAP)
        if index == ALWAYS and press.key in (digit, f"click {index}"):
            before = [one for one in self.presses[:last] if one.key in (digit, f"click {index}")]
            assert any(press.at - one.at >= SHOWN_BEFORE_KEYS for one in before), keys
        return last

    def repeats(self, at: int) -> bool:
        """Whether a key was only held down: what it says was said by the first of its presses."""
        before, press = self.presses[at - 1 : at + 1]
        return before.key == press.key and press.at - before.at < WORD_GAP

    def means(self, press: Press, index: int) -> bool:
        keys = (str(index + 1), f"line {index + 1}", f"click {index}")
        return press.key in keys or (press.key == "enter" and press.marked == index)


def play(events: list[tuple[float, tuple[str, Any]]]) -> Person:
    person = Person()
    for pause, (kind, value) in events:
        person.do(pause, kind, value)
    return person


@settings(max_examples=some_of(1500), deadline=None)
@given(st.lists(st.tuples(PAUSES, EVENTS), max_size=30))
def test_an_answer_is_a_deliberate_press_on_what_was_in_view(
    events: list[tuple[float, tuple[str, Any]]],
) -> None:
    play(events)


PAINT = ("paint", (ALL, False, False, ()))
MOVED = ("paint", (ALL, False, False, (1,)))
DRAW = ("draw", (ALL, False, False, ()))
ARRIVE = ("arrive", None)
SEEN = [(0.0, PAINT), (0.6, ("tick", None))]


@settings(max_examples=some_of(1500), deadline=None)
@given(st.lists(st.tuples(PAUSES, EVENTS), max_size=12))
@example([(0.1, ("press", "1")), (0.1, ("guard", None)), (0.6, ("tick", None))])
@example([(0.1, ("press", "1")), (0.1, ("press", "escape")), (0.6, ("tick", None))])
@example([(0.1, ("press", "1")), (0.1, ("paste", None)), (0.6, ("tick", None))])
@example([(0.1, ("press", "1")), (0.1, ("elsewhere", None)), (0.6, ("tick", None))])
@example([(0.1, ("update", RM)), (0.1, PAINT), (0.1, ("line", "1")), (0.6, ("tick", None))])
@example([(0.1, ("press", "1")), (0.1, ("again", None)), (0.1, PAINT), (0.6, ("tick", None))])
@example([(0.1, ("update", RM)), (0.1, DRAW), (0.6, ("press", "enter"))])
@example([(0.1, ("update", RM)), (0.1, DRAW), (0.6, ARRIVE), (0.1, ("press", "enter"))])
@example([(0.1, MOVED), (0.1, ("click", ONCE))])
@example([(0.1, ("draw", (ALL, False, False, (1,)))), (0.6, ("click", ONCE))])
def test_so_it_is_of_a_question_that_was_seen(
    events: list[tuple[float, tuple[str, Any]]],
) -> None:
    play([*SEEN, *events])


CHANGES_AND_KEYS = st.one_of(
    st.tuples(st.just("update"), st.sampled_from([LS, RM])),
    st.just(PAINT),
    st.tuples(st.just("press"), st.sampled_from(["1", "enter"])),
)


@settings(max_examples=some_of(1000), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.05, SHOWN_BEFORE_KEYS]), CHANGES_AND_KEYS), max_size=20)
)
@example(
    [
        *[(0.05, ("update", one)) for one in (RM, LS, RM, LS)],
        (SHOWN_BEFORE_KEYS, ("press", "enter")),
    ]
)
def test_what_keeps_changing_is_never_allowed(
    events: list[tuple[float, tuple[str, Any]]],
) -> None:
    play([*SEEN, *events])


@given(st.text(alphabet="123 ax", min_size=2, max_size=12), st.sampled_from([0.05, 0.2, 0.29]))
@example("2 spaces", 0.2)
def test_words_are_written_whole_and_answer_nothing(words: str, gap: float) -> None:
    person = play(SEEN)
    effects = []
    for key in words:
        person.do(gap, "press", key)
    effects = person.question.tick(person.now + 10)
    if len({*words}) > 1:
        assert not any(isinstance(one, Answered) for one in effects)
        assert person.written == words
