"""A file after an edit, compared with what was shown of it."""

from typing import Any

import pytest

from acp_tui.edits.edit_review import EditCase, compare, judge
from acp_tui.edits.edits import Edit, EditStep
from acp_tui.protocol.events import EditVerdict

OLD = "one\ntwo\n"
NEW = "1\ntwo\n"
EVIL = "1\ntwo\nrm -rf\n"
EDIT = Edit("a", (EditStep("one", "1"),))


@pytest.mark.parametrize(
    ("now", "verdict", "difference"),
    [
        (NEW, EditVerdict.AS_SHOWN, ""),
        (NEW.replace("\n", "\r\n"), EditVerdict.AS_SHOWN, ""),
        (OLD, EditVerdict.UNWRITTEN, "it is still what it was before"),
        (EVIL, EditVerdict.DIFFERS, "it has +1 −0 lines besides what was shown, from line 3 on"),
        ("1", EditVerdict.DIFFERS, "it has +0 −2 lines besides what was shown, from line 2 on"),
        ("1\n  two\n", EditVerdict.DIFFERS, "only white space differs, from line 2 on"),
        ("two\n1\n", EditVerdict.DIFFERS, "its lines are in another order, from line 1 on"),
        (None, EditVerdict.DIFFERS, "the file is gone"),
        (
            "1  \ntwo",
            EditVerdict.FORMATTED,
            "only blanks at the ends of lines, or the last newline, differ",
        ),
    ],
)
def test_how_a_file_differs(now: str | None, verdict: EditVerdict, difference: str) -> None:
    compared = compare(OLD, now, [NEW])
    assert (compared.verdict, compared.difference, compared.nearest) == (
        verdict,
        difference,
        NEW,
    )


def test_the_nearest_of_several_outcomes_is_told_of() -> None:
    assert compare(OLD, EVIL, ["something\nelse\n", None, NEW]).nearest == NEW


def test_a_file_that_should_be_gone() -> None:
    compared = compare(OLD, "new", [None])
    assert (compared.verdict, compared.difference) == (
        EditVerdict.DIFFERS,
        "the file is still there",
    )


def judged(now: str | None, **facts: Any) -> EditVerdict | None:
    case = {"outcomes": [NEW], "shown": [EDIT], "before": OLD, "asked": True, "allowed": True}
    found = judge(EditCase(now=now, **{**case, **facts}))
    return found.verdict if found is not None else None


def test_what_was_allowed_and_done_is_as_shown() -> None:
    assert judged(NEW) is EditVerdict.AS_SHOWN
    assert judged(EVIL) is EditVerdict.DIFFERS
    assert judged(EVIL, asked=False) is EditVerdict.DIFFERS


def test_what_is_not_written_is_told_of_when_the_turn_is_over_and_the_call_done() -> None:
    assert judged(OLD) is None
    assert judged(OLD, over=True) is EditVerdict.UNWRITTEN
    assert judged(OLD, over=True, done=False) is None
    assert judged(OLD, over=True, asked=False) is None


def test_what_is_not_done_is_only_told_of_when_it_was_allowed_and_the_turn_is_over() -> None:
    assert judged(EVIL, done=False) is None
    assert judged(EVIL, done=False, over=True) is EditVerdict.DIFFERS
    assert judged(EVIL, done=False, over=True, asked=False) is None


def test_what_was_rejected_is_told_of_if_it_stands_there_at_the_end() -> None:
    assert judged(NEW, allowed=False) is None
    assert judged(NEW, allowed=False, over=True) is EditVerdict.REJECTED
    assert judged(NEW, allowed=False, over=True, before=NEW) is None
    assert judged(OLD, allowed=False, over=True) is None
    assert judged(EVIL, allowed=False, over=True) is None


def test_other_edits_that_were_shown_explain_a_file() -> None:
    other = Edit("a", (EditStep("two", "2"),))
    assert judged("1\n2\n", shown=[EDIT, other]) is EditVerdict.AS_SHOWN
    assert judged("1\n2\nevil\n", shown=[EDIT, other]) is EditVerdict.DIFFERS


def test_a_file_that_was_another_in_between_is_not_the_calls_doing() -> None:
    assert judged("1\ntwo\nmine\n", between=["one\ntwo\nmine\n"]) is EditVerdict.AS_SHOWN
    assert judged("1\ntwo\nmore\n", between=["one\ntwo\nmine\n"]) is EditVerdict.UNCLEAR
    assert judged("one\ntwo\nmine\n", between=["one\ntwo\nmine\n"]) is EditVerdict.UNCLEAR


def test_where_others_were_at_work_nobody_is_blamed() -> None:
    assert judged(EVIL, others=True) is EditVerdict.UNCLEAR
    assert judged(EVIL, others=True, asked=False) is None
