"""Edits of a text: where they stand, and what comes of them."""

import pytest

from acp_tui.edits import edits
from acp_tui.edits.edits import (
    Edit,
    EditStep,
    StepLocation,
    Trouble,
    derive_diff,
    edits_of,
    fit_edit,
)
from acp_tui.protocol.content import Diff

POEM = "one\ntwo\nthree\ntwo\n"


def places(text: str | None, *steps: EditStep) -> list[StepLocation]:
    return fit_edit(text, Edit("a", steps)).places


def outcomes(text: str | None, *steps: EditStep) -> list[str | None]:
    return fit_edit(text, Edit("a", steps)).outcomes


def test_a_part_of_a_file_is_found_and_replaced() -> None:
    assert places(POEM, EditStep("three", "3")) == [StepLocation(3, 3)]
    assert outcomes(POEM, EditStep("three", "3")) == ["one\ntwo\n3\ntwo\n"]
    assert places(POEM, EditStep("e\ntwo\nth", "-")) == [StepLocation(1, 1)]


def test_the_whole_of_a_file_is_known_as_that() -> None:
    assert places(POEM, EditStep(POEM, "new")) == [StepLocation(1, 1, whole=True)]
    assert outcomes(POEM, EditStep(POEM, "new")) == ["new"]
    assert outcomes(POEM, EditStep(POEM, "")) == ["", None]
    assert None not in outcomes(POEM, EditStep("one", ""))


def test_later_steps_stand_where_earlier_ones_have_put_them() -> None:
    steps = EditStep("one\n", "0\n1\n"), EditStep("three", "3")
    assert places(POEM, *steps) == [StepLocation(1, 1), StepLocation(3, 4)]
    assert outcomes(POEM, *steps) == ["0\n1\ntwo\n3\ntwo\n"]
    assert places("a\n", EditStep("a", "b"), EditStep("b", "c")) == [
        StepLocation(1, 1),
        StepLocation(1, 1),
    ]


def test_a_new_file_is_its_text() -> None:
    assert fit_edit(None, Edit("a", (EditStep(None, "x"),))) == fit_edit(
        "", Edit("a", (EditStep("", "x"),))
    )
    assert places(None, EditStep(None, "x")) == [StepLocation(1, 1, whole=True)]
    assert outcomes(None, EditStep(None, "x")) == ["x"]


def test_what_is_told_as_new_may_be_there() -> None:
    assert places(POEM, EditStep(None, "x")) == [StepLocation(1, 1, trouble=Trouble.EXISTS)]
    assert outcomes(POEM, EditStep(None, "x")) == ["x"]
    assert outcomes(POEM, EditStep("", "x")) == []  # it may be put in somewhere


def test_a_text_in_several_places_may_become_several_others() -> None:
    assert places(POEM, EditStep("two", "2")) == [StepLocation(times=2, trouble=Trouble.SEVERAL)]
    first, second, both = "one\n2\nthree\ntwo\n", "one\ntwo\nthree\n2\n", "one\n2\nthree\n2\n"
    assert outcomes(POEM, EditStep("two", "2")) == [first, second, both]
    assert outcomes(POEM, EditStep("two", "2", every=True)) == [both]
    assert outcomes(POEM, EditStep("two", "2"), EditStep("three", "3")) == [
        text.replace("three", "3") for text in (first, second, both)
    ]


def test_very_many_places_are_neither_counted_nor_tried_to_the_end() -> None:
    text = "x" * 5000
    (place,) = places(text, EditStep("x", "y"))
    assert place.times == edits.MOST_COUNTED
    assert len(outcomes(text, EditStep("x", "y"))) <= edits.MOST_OUTCOMES
    assert outcomes(text, EditStep("x", "y", every=True)) == ["y" * 5000]


def test_what_is_not_there_may_be_done_already() -> None:
    assert places(POEM, EditStep("four", "4")) == [StepLocation(trouble=Trouble.MISSING)]
    assert places(POEM, EditStep("four", "")) == [StepLocation(trouble=Trouble.MISSING)]
    assert places(None, EditStep("four", "4")) == [StepLocation(trouble=Trouble.MISSING)]
    assert places(POEM, EditStep("3", "three")) == [StepLocation(3, 3, trouble=Trouble.DONE)]
    assert places(POEM, EditStep("2", "two")) == [StepLocation(trouble=Trouble.DONE)]
    assert places(POEM, EditStep("x", POEM)) == [
        StepLocation(1, 1, whole=True, trouble=Trouble.DONE)
    ]
    assert outcomes(POEM, EditStep("four", "4"), EditStep("one", "1")) == []


@pytest.mark.parametrize(
    ("text", "after", "made"),
    [
        ("a\nb\n", 0, "x\na\nb\n"),
        ("a\nb\n", 1, "a\nx\nb\n"),
        ("a\nb\n", 2, "a\nb\nx\n"),
        ("a\nb", 2, "a\nb\nx"),
        ("", 0, "x\n"),
    ],
)
def test_lines_are_inserted_after_a_line(text: str, after: int, made: str) -> None:
    step = EditStep("", "x", after=after)
    assert outcomes(text, step) == [made]
    assert places(text, step) == [StepLocation(after + 1, after + 1)]
    also = outcomes(text, step._replace(new="x\n"))
    assert (also[0], len(also)) == (made, 2)  # some tools take the newline for a line
    found = derive_diff("/a", text, Edit("/a", (step._replace(new="x\n"),)))
    assert found is not None
    assert found.new_text == made


@pytest.mark.parametrize(("text", "after"), [("a\n", 2), ("a\n", -1), ("", 1), (None, 0)])
def test_where_there_is_no_such_line_nothing_is_inserted(text: str | None, after: int) -> None:
    step = EditStep("", "x", after=after)
    assert outcomes(text, step) == []
    assert places(text, step)[0].trouble is Trouble.SHORT
    assert derive_diff("/a", text, Edit("/a", (step,))) is None


def test_line_ends_make_no_difference() -> None:
    assert outcomes("one\r\ntwo\r\n", EditStep("one\ntwo", "1\r\n2")) == ["1\n2\n"]


@pytest.mark.parametrize(
    ("text", "edit", "old", "new"),
    [
        ("a\r\nb\r\n", EditStep("a", "A"), "a\r\nb\r\n", "A\r\nb\r\n"),
        ("a\r\nb\n", EditStep("a", "A"), "a\nb\n", "A\nb\n"),
        ("a\nb\n", EditStep("a", "A"), "a\nb\n", "A\nb\n"),
        (None, EditStep(None, "A\n"), None, "A\n"),
        ("a a", EditStep("a", "A", every=True), "a a", "A A"),
        ("a", EditStep(None, "A"), "a", "A"),
    ],
)
def test_a_diff_is_made_of_an_edit_and_the_file(
    text: str | None, edit: EditStep, old: str | None, new: str
) -> None:
    assert derive_diff("/w/a", text, Edit("a", (edit,))) == Diff(
        path="/w/a", old_text=old, new_text=new
    )


@pytest.mark.parametrize(("text", "edit"), [("a a", EditStep("a", "A")), ("b", EditStep("a", "A"))])
def test_no_diff_is_made_where_it_is_not_known_what_comes_of_an_edit(
    text: str, edit: EditStep
) -> None:
    assert derive_diff("/w/a", text, Edit("a", (edit,))) is None


def test_diffs_are_edits_file_by_file() -> None:
    diffs = [
        Diff(path="a", old_text="1", new_text="2"),
        Diff(path="b", new_text="new"),
        Diff(path="a", old_text="3", new_text="4"),
    ]
    assert edits_of(diffs) == [
        Edit("a", (EditStep("1", "2"), EditStep("3", "4"))),
        Edit("b", (EditStep(None, "new"),)),
    ]
