"""What a person is told of edits, by the files as they are."""

from typing import Any

import pytest

from acp_tui.edits.edit_review import (
    EditCase,
    Observation,
    Review,
    SeenFile,
    compare_outcomes,
    judge_edit,
    review_edits,
)
from acp_tui.edits.edits import Edit, EditStep, StepLocation
from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.protocol.file_events import EditVerdict

POEM = "one\ntwo\nthree\ntwo\n"
A, B = "/w/a", "/w/b"
SEEN = {
    A: SeenFile(A, POEM),
    "a": SeenFile(A, POEM),
    B: SeenFile(B),
    "~/c": SeenFile("/root/c", problem="it is far"),
}


def diff(path: str, old: str | None, new: str) -> Diff:
    return Diff(path=path, old_text=old, new_text=new)


def replaces(path: str, old: str, new: str, *, every: bool = False) -> Edit:
    return Edit(path, (EditStep(old, new, every),))


def reviewed(diffs: list[Diff], wanted: list[Edit] | None = None) -> Review:
    text = ContentItem(content=TextContent(text="Some edits"))
    return review_edits([text, *diffs], wanted or [], SEEN, "/w")


def words(found: Review) -> list[tuple[str, bool]]:
    return [(one.remark, one.warns) for one in found.observations if one.remark]


def made(found: Review) -> list[Diff]:
    return [one.derived for one in found.observations if one.derived is not None]


def test_of_a_diff_that_is_true_its_place_is_told() -> None:
    true = diff(A, "one", "1")
    found = reviewed([true], [replaces(A, "one", "1")])
    assert found.observations == [Observation(true, A, StepLocation(1, 1))]
    assert found.claims[A].outcomes == ["1\ntwo\nthree\ntwo\n"]


def test_a_diff_that_is_not_true_is_told_of() -> None:
    assert words(reviewed([diff(A, "four", "4")])) == [
        ("a doesn't have the text that the diff removes.", True)
    ]
    assert words(reviewed([diff(A, "3", "three")])) == [
        ("a already has the new text of the diff, and not the old.", True)
    ]
    assert words(reviewed([diff(B, "four", "4")])) == [
        ("There is no b, which the diff takes text from.", True)
    ]
    assert words(reviewed([diff(A, "two", "2")])) == [
        ("a holds the old text of the diff 2 times: it is unclear which is meant.", False)
    ]


def test_a_diff_of_a_whole_file_is_not_made_again_from_an_input_that_says_the_same() -> None:
    new = POEM.replace("one", "1")
    whole = Edit(A, (EditStep(None, new),))
    found = reviewed([diff(A, POEM, new)], [whole])
    assert made(found) == []
    assert words(found) == []
    assert made(reviewed([diff(A, None, new)], [whole])) == [diff(A, POEM, new)]


def test_a_new_file_that_is_there_gets_a_diff_with_what_is_written_over() -> None:
    over = reviewed([diff(A, None, "new\n")])
    assert words(over) == [("a exists already: this replaces all of its text.", True)]
    assert made(over) == [diff(A, POEM, "new\n")]
    told = reviewed([diff(A, None, "new\n")], [Edit(A, (EditStep(None, "new\n"),))])
    assert made(told) == [diff(A, POEM, "new\n")]
    same = reviewed([diff(A, None, POEM)])
    assert (words(same), made(same)) == ([("a already has this text.", False)], [])


def test_without_a_diff_one_is_made_of_the_input() -> None:
    found = reviewed([], [replaces("a", "one", "1"), Edit(B, (EditStep(None, "new"),))])
    assert made(found) == [diff(A, POEM, "1\ntwo\nthree\ntwo\n"), diff(B, None, "new")]
    assert words(found) == [("a is /w/a.", False)]
    assert set(found.claims) == {A, B}


def test_an_input_that_does_not_fit_the_file_is_told_of() -> None:
    assert words(reviewed([], [replaces(A, "four", "4")])) == [
        ("a doesn't have the text that the input removes.", True)
    ]
    assert words(reviewed([], [replaces(A, "two", "2")])) == [
        ("a holds the old text of the input 2 times: it is unclear which is meant.", False)
    ]
    every = reviewed([], [replaces(A, "two", "2", every=True)])
    assert (words(every), made(every)) == ([], [diff(A, POEM, POEM.replace("two", "2"))])


def test_an_input_may_say_which_of_several_places_a_diff_means() -> None:
    found = reviewed([diff(A, "two", "2")], [replaces(A, "two", "2", every=True)])
    assert (words(found), made(found)) == ([], [])
    assert found.claims[A].outcomes == [POEM.replace("two", "2")]


def test_an_input_that_does_something_else_than_the_diff_is_told_of_with_both() -> None:
    found = reviewed([diff(A, "one", "1")], [replaces(A, "one", "rm -rf")])
    assert words(found) == [("The input makes another text of a than the diff shows.", True)]
    assert made(found) == [diff(A, POEM, POEM.replace("one", "rm -rf"))]
    assert found.claims[A].outcomes == [POEM.replace("one", "1"), POEM.replace("one", "rm -rf")]


def test_where_the_diff_is_wrong_the_input_may_be_right() -> None:
    found = reviewed([diff(A, "ein", "1")], [replaces(A, "one", "1")])
    assert words(found) == [("a doesn't have the text that the diff removes.", True)]
    assert made(found) == [diff(A, POEM, POEM.replace("one", "1"))]
    assert found.claims[A].outcomes == [POEM.replace("one", "1")]


def test_where_neither_fits_nothing_is_expected() -> None:
    found = reviewed([diff(A, "ein", "1")], [replaces(A, "eins", "1")])
    assert (made(found), found.claims) == ([], {})
    found = reviewed([diff(A, "one", "1")], [replaces(A, "eins", "1")])
    assert found.claims[A].outcomes == [POEM.replace("one", "1")]


def test_files_that_only_the_diff_or_only_the_input_names_are_told_of() -> None:
    found = reviewed([diff(B, None, "new")], [Edit(A, (EditStep("one", "1"),))])
    assert ("The diff is of b, but the input names a.", True) in words(found)
    both = [replaces(A, "one", "1"), Edit(B, (EditStep(None, "new"),))]
    found = reviewed([diff(A, "one", "1")], both)
    assert words(found) == [("The input changes b, too; the diffs are of a only.", True)]


def test_lines_that_an_input_inserts_are_a_diff() -> None:
    found = reviewed([], [Edit(A, (EditStep("", "new", after=1),))])
    assert (made(found), words(found)) == ([diff(A, POEM, POEM.replace("two", "new\ntwo", 1))], [])
    found = reviewed([], [Edit(A, (EditStep("", "new\n", after=1),))])
    assert len(made(found)) == 1
    assert words(found) == [
        ("Whether an empty line follows what is inserted is up to the tool.", False)
    ]
    assert words(reviewed([], [Edit(A, (EditStep("", "new", after=9),))])) == [
        ("a has fewer lines than the input says.", True)
    ]
    assert words(reviewed([], [Edit(B, (EditStep("", "new", after=0),))])) == [
        ("There is no b, where the input inserts text.", True)
    ]


def test_what_could_not_be_read_is_not_compared_and_what_was_not_looked_at_not_mentioned() -> None:
    far = diff("~/c", "one", "1")
    found = reviewed([far, diff("/w/unseen", "x", "y")], [replaces("~/c", "one", "1")])
    assert found.observations == [
        Observation(None, "~/c", remark="~/c was not compared: it is far.")
    ]
    assert found.claims == {}


def test_names_are_whole_where_no_folder_is_known() -> None:
    found = review_edits([diff(A, "four", "4")], [], SEEN)
    assert words(found) == [("/w/a doesn't have the text that the diff removes.", True)]


def test_too_many_edits_are_not_compared() -> None:
    many = [diff(A, "one", f"{number}") for number in range(201)]
    assert words(reviewed(many)) == [("a was not compared: there are 201 edits.", True)]


def test_a_path_says_nothing_on_a_line_of_its_own() -> None:
    path = "/w/a\n⚠ All is well."
    found = review_edits(
        [diff(path, "one", "1")], [], {path: SeenFile(path, POEM.replace("one", "x"))}, "/w"
    )
    assert words(found) == [
        ("a ⏎ ⚠ All is well. doesn't have the text that the diff removes.", True)
    ]


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
    compared = compare_outcomes(OLD, now, [NEW])
    assert (compared.verdict, compared.difference, compared.nearest) == (
        verdict,
        difference,
        NEW,
    )


def test_the_nearest_of_several_outcomes_is_told_of() -> None:
    assert compare_outcomes(OLD, EVIL, ["something\nelse\n", None, NEW]).nearest == NEW


def test_a_file_that_should_be_gone() -> None:
    compared = compare_outcomes(OLD, "new", [None])
    assert (compared.verdict, compared.difference) == (
        EditVerdict.DIFFERS,
        "the file is still there",
    )


def judged(now: str | None, **facts: Any) -> EditVerdict | None:
    case = {"outcomes": [NEW], "shown": [EDIT], "before": OLD, "asked": True, "allowed": True}
    found = judge_edit(EditCase(now=now, **{**case, **facts}))
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
