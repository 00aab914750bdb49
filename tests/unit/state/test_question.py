"""What keys mean at a question: each rule once; tests/properties/test_question.py tries every order."""

from collections.abc import Callable

import pytest

from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.question import (
    KEEPS_CHANGING,
    SHOWN_BEFORE_KEYS,
    TOO_NEW,
    WORD_GAP,
    Answered,
    Effect,
    Explained,
    InView,
    KeyChosen,
    NotAKey,
    Offer,
    Question,
    QuestionEffect,
    Reply,
    Typed,
    permission_offers,
)
from acp_tui.state.subject_parts import Parts

ONCE, ALWAYS, REJECT = 0, 1, 2
OFFERS = [Offer(allows=True), Offer(allows=True, always=True), Offer(allows=False)]
LS: Parts = (("line", "execute: ls"), ("command", "ls"))
RM: Parts = (("line", "execute: rm"), ("command", "rm"))
ALL = frozenset(range(12))
SEEN = 1.0
"""When all has been in view for long enough."""
DONE = Answered(ONCE, LS)


def asked(offers: list[Offer] = OFFERS, mark: int | None = ONCE) -> Question:
    """A question that has been painted at 0."""
    question = Question(LS)
    question.offer(offers, mark=mark, letters=("a",))
    question.come_into_view("")
    question.paint(InView(LS, ALL), 0.0)
    return question


def after(question: Question, *keys: str, at: float = SEEN) -> list[Effect]:
    """Press keys one after the other, each alone."""
    effects = []
    for key in keys:
        effects += question.press(key, at, printable=len(key) == 1)
        effects += question.tick(at + WORD_GAP)
        at += 1
    return effects


def test_nothing_is_armed_while_something_else_is_asked_than_what_is_shown() -> None:
    question = asked()
    question.update(RM, 2.0)
    assert not question.is_armed(9.0)
    question.paint(InView(RM, ALL), 9.0)
    assert question.is_armed(9.0 + SHOWN_BEFORE_KEYS)


@pytest.mark.parametrize("guard", [Question.guard, Question.guard_allowing])
def test_a_guard_drops_a_number_that_is_held(guard: Callable[[Question, float], None]) -> None:
    question = asked()
    assert question.press("3", SEEN, printable=True) == []
    guard(question, SEEN)
    assert question.tick(SEEN + WORD_GAP) == []


def test_a_number_that_is_held_answers_no_other_answers() -> None:
    question = asked()
    assert question.press("3", SEEN, printable=True) == []
    question.offer(OFFERS, mark=ONCE)
    question.paint(InView(LS, ALL), SEEN)
    assert question.tick(SEEN + WORD_GAP) == []


def test_what_is_asked_again_is_no_change() -> None:
    question = asked()
    question.update(LS, 2.0)
    assert question.is_armed(2.0)


def change(question: Question, at: float, subject: Parts = RM) -> None:
    question.update(subject, at)
    question.paint(InView(subject, ALL), at)


def test_one_number_answers_once_nothing_has_followed_it() -> None:
    question = asked()
    assert question.press("1", SEEN, printable=True) == []
    assert question.next_tick == SEEN + WORD_GAP
    assert question.tick(SEEN + WORD_GAP / 2) == []
    assert question.tick(SEEN + WORD_GAP) == [DONE]
    assert question.next_tick is None
    assert question.shows(InView(LS, ALL))
    assert not question.shows(InView(RM, ALL))


def test_a_letter_does_something_else() -> None:
    assert after(asked(), "a") == [KeyChosen("a")]


@pytest.mark.parametrize("words", ["2 spaces", "12", "1x", "11 times", "a word", "allow"])
def test_words_are_written_whole(words: str) -> None:
    question, written = asked(), ""
    for at, key in enumerate(words):
        for effect in question.press(key, SEEN + at * 0.2, printable=True):
            assert isinstance(effect, Typed | NotAKey)
            written += effect.text if isinstance(effect, Typed) else key
            question.write(written)
    assert written == words
    assert question.reply is Reply.WORDS
    assert question.tick(99) == []
    assert after(question, "enter", at=100) == [NotAKey()]  # the prompt sends it


def test_enter_chooses_what_is_marked_and_arrows_move_the_mark() -> None:
    assert after(asked(), "enter") == [DONE]
    assert after(asked(), "up", "enter") == [Answered(REJECT, LS)]
    question = asked(mark=None)
    assert after(question, "enter", "down", "enter") == [DONE]
    gone = asked([Offer(allows=True, offered=False)], mark=None)
    assert after(gone, "down", "enter", "1") == []


def test_enter_after_a_number_answers_at_once() -> None:
    question = asked()
    assert question.press("1", SEEN, printable=True) == []
    assert question.press("enter", SEEN + 0.1) == [DONE]


def test_a_click_answers() -> None:
    assert asked().click(REJECT, SEEN) == [Answered(REJECT, LS)]
    question = asked()
    assert question.click(ONCE, SHOWN_BEFORE_KEYS / 2) == []
    assert question.click(ONCE, 0.7) == []  # who clicks early has to wait again
    assert question.click(ONCE, SEEN + 1) == [DONE]


def test_more_than_once_is_confirmed() -> None:
    (again,) = after(asked(), "2")
    assert again == Explained("2 again, or Enter: this allows more than this once")
    for confirms in ("2", "enter"):
        question = asked()
        assert after(question, "2", confirms)[1:] == [Answered(ALWAYS, LS)]
    question = asked()
    question.click(ALWAYS, SEEN)
    assert question.click(ALWAYS, SEEN + 0.1) == []
    assert question.click(ALWAYS, SEEN + 1) == [Answered(ALWAYS, LS)]


def test_what_comes_in_between_confirms_nothing() -> None:
    question = asked()
    after(question, "2")
    assert question.marked == ALWAYS
    change(question, 2.0)
    assert question.marked is None
    assert [type(one) for one in after(question, "enter", "2", at=3)] == [Explained]
    words = asked()
    assert after(words, "2", "x")[1:] == [Typed("2"), NotAKey()]
    held_down = asked()
    pressed = [held_down.press("2", SEEN + n * 0.1, printable=True) for n in range(30)]
    assert [one for effects in pressed for one in effects] == []


def test_what_was_not_in_view_is_not_allowed() -> None:
    question = asked()
    question.press("1", SEEN, printable=True)
    question.update(RM, SEEN + 0.1)
    refused = "not allowed, because it has changed: command (was “ls”)"
    assert question.tick(SEEN + WORD_GAP) == [Explained(refused)]
    assert after(question, "enter", at=2) == [Explained(refused)]
    question.paint(InView(RM, ALL), 3.0)
    assert not question.is_armed(3.1)
    new = Explained("not allowed yet: this is new on the screen")
    assert after(question, "enter", at=3.1) == [new]
    assert after(question, "3", at=3.1) == [Answered(REJECT, RM)]
    assert after(question, "1", at=5) == [Answered(ONCE, RM)]


def test_what_only_reads_otherwise_is_named_by_its_line() -> None:
    question = asked()
    question.update((("line", "execute: ls again"), ("command", "ls")), SEEN)
    refused = "not allowed, because it has changed: execute: ls again"
    assert after(question, "enter") == [Explained(refused)]


def test_what_keeps_changing_is_never_allowed() -> None:
    question = asked()
    for at, subject in ((1.0, RM), (1.1, LS), (1.2, RM)):
        change(question, at, subject)
    assert question.not_ready_reason(1.8) == "the agent keeps changing this"
    assert after(question, "1", at=1.8) == [Explained(KEEPS_CHANGING)]
    assert after(question, "1", at=4) == [Answered(ONCE, RM)]


def test_what_the_client_finds_is_new_and_no_change_of_the_agents() -> None:
    question = asked()
    for at in range(4):
        change(question, 1 + at / 10, (*LS, ("warning", f"found {at}")))
    assert question.not_ready_reason(1.4) == "one moment …"
    assert question.not_ready_reason(2.0) == ""


def test_what_is_out_of_view_is_shown_first() -> None:
    question = asked()
    question.paint(InView(LS, frozenset({REJECT})), 0.1)
    assert after(question, "1") == [QuestionEffect.REVEAL]
    question = asked()
    question.paint(InView(LS, ALL, is_unread=False, is_unread_by_enter=True), 0.1)
    assert after(question, "enter", "1") == [QuestionEffect.READ_ON, DONE]
    question.paint(InView(LS, ALL, is_unread=True, is_unread_by_enter=True), 9.0)
    assert after(question, "1", "3", at=10) == [QuestionEffect.READ_ON, Answered(REJECT, LS)]


def test_a_key_that_is_held_down_reads_on_and_never_allows() -> None:
    question = asked()
    question.paint(InView(LS, ALL, is_unread=True, is_unread_by_enter=True), 0.1)
    assert question.press("enter", 2.0, printable=False) == [QuestionEffect.READ_ON]
    question.paint(InView(LS, ALL), 2.0)
    for at in (2.1, 2.5, 2.9, 3.3):
        assert question.press("enter", at, printable=False) == [Explained(TOO_NEW)]
    assert question.press("enter", 3.9, printable=False) == [Answered(ONCE, LS)]


def test_what_is_drawn_but_not_shown_yet_is_not_allowed() -> None:
    question = asked()
    question.draw(InView(LS, ALL, is_unread=True), SEEN)
    assert after(question, "1") == [QuestionEffect.READ_ON]
    question.draw(InView(LS, ALL), 3.0)
    assert after(question, "1", at=4.0) == [QuestionEffect.READ_ON]
    question.paint(InView(LS, ALL), 5.0)
    assert after(question, "1", at=5.1) == [Explained(TOO_NEW)]
    assert after(question, "1", at=6.0) == [DONE]


def test_what_is_drawn_of_another_subject_changes_nothing_in_view() -> None:
    question = asked()
    question.draw(InView(RM, frozenset()), SEEN)
    assert after(question, "3") == [Answered(REJECT, LS)]


def test_answers_that_have_moved_take_no_click_for_a_moment() -> None:
    question = asked()
    question.draw(InView(LS, ALL, place=(1,)), SEEN)
    assert question.click(ONCE, SEEN + 0.1) == []
    question.paint(InView(LS, ALL, place=(1,)), 3.0)
    assert question.click(ONCE, 3.1) == []
    assert question.click(ONCE, 4.0) == [DONE]


def test_what_is_typed_ahead_is_text_and_defers_all() -> None:
    question = Question(LS)
    question.offer(OFFERS, mark=ONCE)
    question.come_into_view("")
    early = Explained("1 came too early to answer: it is in the prompt; Esc saves it for later")
    assert question.press("1", 5.0, printable=True) == [early, NotAKey()]
    assert question.press("enter", 5.0) == []
    question.paint(InView(LS, ALL), 6.0)
    assert question.not_ready_reason(6.4) == "one moment …"
    assert question.press("enter", 6.4) == []
    assert question.press("enter", 6.8) == []
    assert question.press("x", 7.2, printable=True) == [NotAKey()]
    assert question.reply is Reply.NONE
    assert question.press("enter", 7.8) == [DONE]


def test_a_key_that_was_pressed_just_before_the_screen_came_back_answers_nothing() -> None:
    question = asked()
    assert question.press("1", SEEN, printable=True) == []
    early = Explained("1 came too early to answer: press it again")
    assert question.come_into_view("") == [early]
    question.paint(InView(LS, ALL), SEEN)
    assert question.tick(9) == []
    assert after(question, "1", at=10) == [DONE]


def test_a_key_too_many_after_an_answer_is_dropped() -> None:
    question = asked()
    assert question.press("enter", SEEN) == [DONE]
    assert question.press("1", SEEN + 0.1, printable=True) == []
    assert after(question, "1", at=SEEN + 1) == [DONE]


def test_a_key_meant_for_something_else_makes_a_text_of_a_number() -> None:
    question = asked()
    question.press("1", SEEN, printable=True)
    assert question.type_elsewhere(SEEN + 0.1) == [Typed("1")]
    assert question.tick(9) == []
    question = asked()
    question.press("1", SEEN, printable=True)
    assert question.paste(SEEN + 0.1) == [Typed("1")]
    assert question.reply is Reply.WORDS


def test_a_number_that_backspace_takes_back_answers_nothing() -> None:
    question = asked()
    question.press("1", SEEN, printable=True)
    assert question.press("backspace", SEEN + 0.1) == [Typed("1"), NotAKey()]
    question.write("1")
    question.write("")
    assert question.tick(9) == []
    assert after(question, "1", at=10) == [DONE]


def test_esc_cancels_or_takes_a_number_back() -> None:
    assert after(asked(), "escape") == [QuestionEffect.CANCEL]
    assert after(asked(), "escape", at=0.1) == []
    question = asked()
    question.press("1", SEEN, printable=True)
    assert question.press("escape", SEEN + 0.1) == []
    assert question.tick(9) == []


def test_other_keys_are_the_prompts() -> None:
    assert after(asked(), "backspace", "7", "0") == [NotAKey()] * 3


def test_a_draft_is_no_answer_before_that_was_said() -> None:
    question = asked()
    question.come_into_view("then test")
    question.paint(InView(LS, ALL), 0.0)
    assert (question.reply, question.marked) == (Reply.DRAFT, None)
    assert question.press("enter", SEEN) == []
    assert question.reply is Reply.WARNED
    assert question.press("enter", SEEN + 0.1) == []  # too soon to have been read
    assert question.press("enter", SEEN + 1) == [NotAKey()]
    assert question.press("x", SEEN + 2, printable=True) == [NotAKey()]
    question.write("then test x")
    assert question.reply is Reply.DRAFT
    assert question.press("escape", SEEN + 3) == [QuestionEffect.PUT_ASIDE]
    question.write("")
    assert question.reply is Reply.NONE


def test_what_cant_be_sent_is_only_written() -> None:
    question = asked()
    question.can_send = False
    question.write("x")
    assert after(question, "enter", "left") == [NotAKey()] * 2


def test_which_keys_are_no_text() -> None:
    question = asked()
    assert all(map(question.handles_key, ["1", "3", "a", "up", "enter", "escape"]))
    assert not any(map(question.handles_key, ["4", "0", "x", "left"]))
    question.write("x")
    assert [question.handles_key(one) for one in ("1", "a", "enter")] == [False, False, True]


def test_of_more_than_nine_a_number_marks_and_enter_chooses() -> None:
    many = [Offer(allows=True)] * 11 + [Offer(allows=True, offered=False)]
    question = asked(many, mark=None)
    assert after(question, "1") == [QuestionEffect.REVEAL]
    assert question.marked == 0
    assert after(question, "1", "enter", at=3) == [QuestionEffect.REVEAL, Answered(10, LS)]
    quick = asked(many, mark=None)
    quick.press("1", SEEN, printable=True)
    quick.press("0", SEEN + 0.1, printable=True)
    assert quick.tick(SEEN + 1) == [QuestionEffect.REVEAL]
    assert quick.marked == 9
    quick.press("1", SEEN + 2, printable=True)
    assert quick.press("x", SEEN + 2.1, printable=True) == [Typed("1"), NotAKey()]
    gone = asked(many, mark=None)
    gone.press("1", SEEN, printable=True)
    gone.press("2", SEEN + 0.1, printable=True)
    assert gone.tick(SEEN + 1) == [QuestionEffect.REVEAL]
    assert gone.marked is None


def test_other_answers_are_guarded_and_drop_early_numbers() -> None:
    question = asked()
    question.offer([Offer(allows=False)], drops_early=True)
    assert question.press("1", SEEN, printable=True) == []
    question.paint(InView(LS, ALL), SEEN)
    assert question.press("1", SEEN + 0.1, printable=True) == []
    assert after(question, "1", at=SEEN + 2) == [Answered(0, LS)]


def test_a_text_that_was_begun_at_other_answers_is_a_draft() -> None:
    question = asked()
    after(question, "x")
    question.offer(OFFERS)
    assert question.reply is Reply.DRAFT


def test_a_line_answers_by_nothing_but_a_number() -> None:
    for text in ("", "0", "4", "1 more", "²", "no"):
        assert asked().enter_line(text, SEEN) == [NotAKey()]
    assert asked().enter_line("1", 0.1) == [NotAKey()]
    question = asked()
    assert question.enter_line("2", SEEN) == []
    explained = Explained("2 again: this allows more than this once")
    assert question.tick(SEEN + WORD_GAP) == [explained]
    question.enter_line("2", SEEN + 2)
    assert question.tick(SEEN + 2 + WORD_GAP) == [Answered(ALWAYS, LS)]
    question = asked()
    for at, line in ((SEEN, "2"), (SEEN + 2, "no"), (SEEN + 3, "2")):
        question.enter_line(line, at)
        effects = question.tick(at + WORD_GAP)
    assert effects == [explained]
    question = asked()
    question.paint(InView(LS, ALL, is_unread_by_enter=True), SEEN)
    question.enter_line("2", SEEN)
    assert question.tick(SEEN + WORD_GAP) == [QuestionEffect.READ_ON]
    question = asked()
    question.enter_line("1", SEEN)
    question.update(RM, SEEN + 0.1)
    assert [type(one) for one in question.tick(SEEN + WORD_GAP)] == [Explained]


def test_after_a_refused_line_only_a_rejection_counts_at_once() -> None:
    question = asked()
    question.guard_allowing(SEEN)
    question.enter_line("1", SEEN + 0.1)
    refused = Explained("not allowed yet: this is new on the screen")
    assert question.tick(SEEN + 0.1 + WORD_GAP) == [refused]
    question.guard_allowing(SEEN + 1)
    question.enter_line("3", SEEN + 1.1)
    assert question.tick(SEEN + 1.1 + WORD_GAP) == [Answered(REJECT, LS)]


def test_only_an_option_of_a_kind_that_rejects_is_known_to_allow_nothing() -> None:
    kinds = ("allow_once", "allow_always", "reject_once", "reject_always", "approve", "")
    options = [PermissionOption(option_id=kind, name="Yes", kind=kind) for kind in kinds]
    once, rejects, always = Offer(True), Offer(False), Offer(True, always=True)
    assert permission_offers(options) == [once, always, rejects, rejects, always, always]
