"""What was asked and reported about files, held against what the disk says."""

import math
from typing import Any

import pytest

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.file_events import EditCompared, EditVerdict
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import EditFacts, MessageEntry, Role, ToolCallEntry
from acp_tui.state.file_claims import (
    DiskVerdict,
    FileClaims,
    claims_in,
    judge_change,
    judge_unchanged,
)
from acp_tui.state.open_questions import QuestionAnswer
from acp_tui.state.session import FileWrite, Session

OLD, NEW, OTHER = "one\ntwo\n", "one\nTWO\n", "one\nthree\n"


def diff(path: str = "/w/a", old: str | None = OLD, new: str = NEW) -> Diff:
    return Diff(path=path, old_text=old, new_text=new)


def call(id_: str = "c", *content: Any, **facts: Any) -> ToolCallEntry:
    known = {"kind": "edit", "status": "completed", "announced": True, **facts}
    return ToolCallEntry(id_, 1.0, content=list(content), **known)


def claims_of(
    *calls: ToolCallEntry,
    answers: list[QuestionAnswer] | None = None,
    writes: list[FileWrite] | None = None,
) -> FileClaims | None:
    """Return what is known of /w/a."""
    session = Session("s", "/w", answers=answers or [], writes=writes or [])
    session.entries.extend(calls)
    return claims_in(session, session.entries, 0.0, math.inf).get("/w/a")


def answered(one: ToolCallEntry, *, allowed: bool = True) -> QuestionAnswer:
    return QuestionAnswer(1.0, allowed, one)


def write(text: str | None = NEW, **facts: Any) -> FileWrite:
    return FileWrite(1, 1.0, "/w/a", False, OLD, text, has_backup=True, **facts)


def test_what_nobody_named_changed_during_the_turn() -> None:
    assert judge_change(None, OLD, NEW) is DiskVerdict.UNNAMED
    reads = call(kind="read", locations=[ToolCallLocation(path="/w/a")])
    assert claims_of(reads) is None


@pytest.mark.parametrize(
    "named",
    [
        call("c", diff()),
        call("c", status="failed", locations=[ToolCallLocation(path="a")]),
        call("c", raw_input={"file_path": "/w/x/../a", "content": NEW}),
        call("c", FileChange(operation="modify", path="/w/a")),
    ],
)
def test_what_a_tool_call_names_was_never_asked_about(named: ToolCallEntry) -> None:
    assert judge_change(claims_of(named), OLD, NEW) is DiskVerdict.NEVER_ASKED


def test_a_write_through_us_names_its_file() -> None:
    assert judge_change(claims_of(writes=[write()]), OLD, NEW) is DiskVerdict.NEVER_ASKED


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (NEW, DiskVerdict.AS_ALLOWED),
        (NEW.replace("\n", "\r\n"), DiskVerdict.AS_ALLOWED),
        (NEW.removesuffix("\n"), DiskVerdict.AS_ALLOWED),
        (OTHER, DiskVerdict.OTHER),
        (None, DiskVerdict.OTHER),
    ],
)
def test_what_was_allowed_is_compared_with_the_file(
    after: str | None, verdict: DiskVerdict
) -> None:
    asked = call("c", diff())
    assert judge_change(claims_of(asked, answers=[answered(asked)]), OLD, after) is verdict


def test_parts_that_were_allowed_one_after_the_other_make_the_file() -> None:
    calls = [call("1", diff(old="one", new="1")), call("2", diff(old="two", new="2"))]
    claims = claims_of(*calls, answers=list(map(answered, calls)))
    assert judge_change(claims, OLD, "1\n2\n") is DiskVerdict.AS_ALLOWED
    assert judge_change(claims, OLD, "1\n3\n") is DiskVerdict.OTHER
    assert judge_change(claims, "1\n", "1\n3\n") is DiskVerdict.AS_ALLOWED, "it can't be told"


def test_an_agent_isnt_blamed_where_it_cant_be_told() -> None:
    """Texts may not be known; and who allows all edits isn't asked about each of them."""
    asked, more = call("1", diff()), call("2", diff(old="one", new="1"))
    assert judge_change(claims_of(asked, answers=[answered(asked)])) is DiskVerdict.AS_ALLOWED
    unasked = claims_of(asked, more, answers=[answered(asked)])
    assert judge_change(unasked, OLD, OTHER) is DiskVerdict.AS_ALLOWED
    writes = claims_of(asked, answers=[answered(asked)], writes=[write(), write(OTHER)])
    assert judge_change(writes, OLD, OTHER) is DiskVerdict.AS_ALLOWED
    path = claims_of(answers=[QuestionAnswer(1.0, allowed=True, path="/w/a")])
    assert judge_change(path, OLD, OTHER) is DiskVerdict.AS_ALLOWED


def test_a_question_with_an_id_of_its_own_is_about_the_call_beside_it() -> None:
    plain = call("h", status="pending", locations=[ToolCallLocation(path="/w/a")])
    asked = call("approval", diff(), status="pending", announced=False)
    claims = claims_of(plain, asked, answers=[answered(asked)])
    assert judge_change(claims, OLD, NEW) is DiskVerdict.AS_ALLOWED
    assert judge_change(claims, OLD, OTHER) is DiskVerdict.OTHER


def test_what_was_rejected_and_changed_all_the_same_is_named() -> None:
    asked = call("c", diff())
    no = answered(asked, allowed=False)
    assert judge_change(claims_of(asked, answers=[no]), OLD, NEW) is DiskVerdict.REJECTED
    later = claims_of(asked, answers=[no, answered(asked)])
    assert judge_change(later, OLD, NEW) is DiskVerdict.AS_ALLOWED
    before = QuestionAnswer(-1.0, False, asked)
    assert judge_change(claims_of(asked, answers=[before]), OLD, NEW) is DiskVerdict.NEVER_ASKED


def compared(verdict: EditVerdict, path: str = "/w/a") -> EditFacts:
    return EditFacts(compared=[EditCompared(2.0, "s", "c", path, verdict, "")])


def test_a_change_that_is_reported_is_searched_for() -> None:
    claims = claims_of(call("c", diff(old="two", new="TWO")))
    assert claims is not None
    for text in (OLD, None):
        assert judge_unchanged(claims, text) is DiskVerdict.NOT_THERE_AFTERWARD
    assert judge_unchanged(claims, NEW) is None, "it has had that before"


def test_only_what_was_missing_at_once_was_never_there() -> None:
    """Later anyone may have taken a change back: a person, too."""
    seen = compared(EditVerdict.UNWRITTEN)
    others = [compared(EditVerdict.UNWRITTEN, "/w/b"), compared(EditVerdict.DIFFERS)]
    for edits, verdict in (
        (seen, DiskVerdict.NOT_THERE),
        *((one, DiskVerdict.NOT_THERE_AFTERWARD) for one in others),
    ):
        claims = claims_of(call("c", diff(), edits=edits))
        assert claims is not None
        assert judge_unchanged(claims, OLD) is verdict
    twice = claims_of(call("c", diff(), edits=seen), call("d", diff()))
    assert twice is not None
    assert judge_unchanged(twice, OLD) is DiskVerdict.NOT_THERE


@pytest.mark.parametrize(
    "said",
    [
        call("c", diff(), status="failed"),
        call("c", diff(new=OLD)),
        call("c", locations=[ToolCallLocation(path="/w/a")]),
    ],
)
def test_what_is_no_report_of_a_change_is_missed_nowhere(said: ToolCallEntry) -> None:
    for claims in (claims_of(said), claims_of(writes=[write(OLD)])):
        assert claims is not None
        assert judge_unchanged(claims, OLD) is None


def test_a_deleted_file_is_there_or_not() -> None:
    for said in (call("c", FileChange(operation="delete", path="/w/a")), call("c", diff(new=""))):
        claims = claims_of(said)
        assert claims is not None
        assert judge_unchanged(claims, OLD) is DiskVerdict.NOT_THERE_AFTERWARD
        assert judge_unchanged(claims, None) is None


def test_a_write_that_the_person_took_back_is_missed_nowhere() -> None:
    for back in (write(undone=True), write(by_person=True)):
        claims = claims_of(writes=[write(), back])
        assert claims is not None
        assert judge_unchanged(claims, OLD) is None


def test_a_write_through_us_was_there_and_was_put_back() -> None:
    for text in (NEW, None):
        claims = claims_of(writes=[write(text)])
        assert claims is not None
        assert judge_unchanged(claims, OLD) is DiskVerdict.AS_ALLOWED


def test_what_is_worse_ranks_higher() -> None:
    ranked = sorted(DiskVerdict, key=lambda one: one.rank)
    assert [one.value for one in ranked if one.is_missing] == [
        "not there afterward",
        "claimed, not there",
    ]
    assert [one.value for one in ranked if one.is_warning] == [
        "not there afterward",
        "claimed, not there",
        "other than allowed",
        "changed, though rejected",
    ]


@pytest.mark.parametrize(
    ("begin", "end", "is_named"),
    [(0.0, 9.0, True), (3.0, 9.0, True), (6.0, 9.0, False), (0.0, 1.0, False)],
)
def test_a_subagents_calls_name_files_in_each_turn_that_they_overlap(
    begin: float, end: float, is_named: bool
) -> None:
    session, child = Session("s", "/w"), Session("c", "/w")
    child.entries.append(call("c", diff(), ended=5.0))
    assert ("/w/a" in claims_in(session, [], begin, end, [child])) is is_named


def test_a_running_call_of_a_subagent_names_its_file_and_an_answer_there_allows_it() -> None:
    session, child = Session("s", "/w"), Session("c", "/w")
    running = call("c", diff(), status="in_progress")
    child.entries += [running, MessageEntry(Role.AGENT, 1.0)]
    child.answers.append(answered(running))
    claims = claims_in(session, [], 0.0, 9.0, [child])["/w/a"]
    assert judge_change(claims, OLD, NEW) is DiskVerdict.AS_ALLOWED
    assert judge_change(claims, OLD, OTHER) is DiskVerdict.OTHER
