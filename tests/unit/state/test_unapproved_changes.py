"""Which changes on disk nothing explains that was allowed in their turn."""

from typing import Any

import pytest

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import CREATED, UnapprovedChange
from acp_tui.protocol.updates import ToolCallLocation
from acp_tui.state.entries import MessageEntry, NoticeEntry, Role, ToolCallEntry
from acp_tui.state.open_questions import Permission, QuestionAnswer
from acp_tui.state.session import FileWrite, Session
from acp_tui.state.unapproved_changes import (
    AFTER_CANCEL,
    NOTHING_ALLOWED,
    OTHER_ALLOWED,
    ChangedPath,
    TurnSpan,
    find_after_cancel,
    find_unapproved,
    find_while_asked,
    is_allowed_since,
)
from tests.unit.state.conversation import Conversation


def call(id: str, *places: str, **facts: Any) -> ToolCallEntry:
    locations = [ToolCallLocation(path=one) for one in places]
    return ToolCallEntry(id, 2.0, **{"kind": "edit", "locations": locations, **facts})


def runs(id: str, command: Any, **facts: Any) -> ToolCallEntry:
    return call(id, kind="execute", raw_input={"command": command}, **facts)


EDIT = call("e1", content=[Diff(path="/w/b.txt", old_text=None, new_text="x")])


def session(*calls: ToolCallEntry, denied: Any = (), allowed: Any = (), **facts: Any) -> Session:
    answers = [
        *(QuestionAnswer(3.0, False, one) for one in denied),
        *(QuestionAnswer(3.0, True, one) for one in allowed),
    ]
    begun = Session("s", "/w", **{"answers": answers, **facts})
    begun.entries += [MessageEntry(1.0, Role.USER), *calls]
    return begun


def changed(name: str = "b.txt", earliest: float = 4.0, latest: float = 4.0) -> ChangedPath:
    return ChangedPath(f"/w/{name}", f"/real/w/{name}", "changed", earliest, latest)


def found(of: Session, *names: str, span: TurnSpan | None = None, at: float = 4.0) -> list[str]:
    changes = [changed(one, at, at) for one in names or ("b.txt",)]
    return [why for _, why in find_unapproved(of, span or TurnSpan(1.0, 0), changes)]


NAMED = "'e1' names it and was not allowed"


def test_what_a_rejected_call_names_is_reported() -> None:
    assert found(session(EDIT, denied=[EDIT])) == [NAMED]
    titled = call("e1", "/w/b.txt", title="Edit")
    assert found(session(denied=[titled])) == ["'Edit' names it and was not allowed"]


@pytest.mark.parametrize(
    "stopped",
    [
        call("e1", "b.txt"),
        call("e1", "file:///w/b.txt"),
        call("e1", "/real/w/b.txt"),
        call("e1", raw_input={"file_path": "b.txt"}),
        runs("e1", "rm 'b.txt'"),
        runs("e1", ["rm", "b.txt"]),
        call("e1", title="Approve edit: b.txt"),
    ],
)
def test_a_file_is_named_in_many_ways(stopped: ToolCallEntry) -> None:
    other = call("e2", "/w/other.txt")
    (why,) = found(session(denied=[stopped], allowed=[other]))
    assert why.endswith("names it and was not allowed")


def test_a_title_names_a_file_only_where_nothing_else_does_and_files_are_changed() -> None:
    other = call("e2", "/w/b.txt")
    for stopped in (call("e1", "/w/a", title="Edit b.txt"), call("e1", kind="read", title="b.txt")):
        assert found(session(other, denied=[stopped])) == []


def test_a_folder_stands_for_what_is_in_it_but_not_that_of_the_session() -> None:
    other = call("e2", "/w/other.txt")
    inside = session(denied=[call("e1", "/w/sub")], allowed=[other])
    assert found(inside, "sub/b.txt") == [NAMED]
    for folder in ("/w", "/", "."):
        assert found(session(denied=[call("e1", folder)], allowed=[other])) == [OTHER_ALLOWED]


def test_what_a_call_names_later_counts() -> None:
    now = call("e1", "/w/b.txt")
    assert found(session(now, denied=[call("e1")])) == [NAMED]


def test_what_is_still_asked_about_is_reported() -> None:
    question = Permission(7, "s", 3.0, [], described_call=EDIT)
    assert found(session(EDIT, permissions=[question])) == ["'e1' names it and has no answer yet"]


def test_what_was_rejected_as_a_write_is_reported() -> None:
    answer = QuestionAnswer(3.0, False, path="/w/b.txt")
    assert found(session(answers=[answer])) == ["its write was not allowed"]


@pytest.mark.parametrize(
    "allowed", [call("e2", "/w/b.txt"), runs("e2", "make"), call("e1", "/w/b.txt")]
)
def test_what_was_allowed_explains_a_change(allowed: ToolCallEntry) -> None:
    assert found(session(denied=[EDIT], allowed=[allowed])) == []


def test_an_allowed_write_explains_its_file() -> None:
    answers = [QuestionAnswer(3.0, False, EDIT), QuestionAnswer(3.0, True, path="/w/b.txt")]
    assert found(session(answers=answers)) == []


def test_allowing_to_read_explains_nothing() -> None:
    reads = call("e2", "/w/b.txt", kind="read")
    assert found(session(denied=[EDIT], allowed=[reads])) == [NAMED]


def test_where_nothing_was_allowed_any_change_is_reported() -> None:
    assert found(session(EDIT, denied=[EDIT]), "c.txt") == [NOTHING_ALLOWED]
    reads = call("e2", kind="search")
    assert found(session(reads, denied=[EDIT]), "c.txt") == [NOTHING_ALLOWED]


def test_what_changes_after_a_denial_is_held_against_what_was_allowed() -> None:
    for other in (call("e2", "/w/x"), runs("e2", "ls", status="completed", ended=2.5)):
        refused = session(denied=[EDIT], allowed=[other])
        assert found(refused, "c.txt") == [OTHER_ALLOWED]
        assert found(refused, "c.txt", at=2.9) == []  # before it was denied
        assert found(refused, ".agent/log") == []
    for other in (runs("e2", "make"), runs("e2", "make", status="completed", ended=3.5)):
        assert found(session(denied=[EDIT], allowed=[other]), "c.txt") == []


LATER = "'e1' names it and was allowed only after that"


@pytest.mark.parametrize("allowed", [EDIT, call("e1", "/w/b.txt"), runs("e1", "touch b.txt")])
def test_what_was_there_before_it_was_allowed_is_reported(allowed: ToolCallEntry) -> None:
    assert found(session(allowed=[allowed]), at=2.9) == [LATER]
    assert found(session(allowed=[allowed]), "b.txt", "c.txt", at=3.1) == []
    assert found(session(allowed=[allowed]), "c.txt", at=2.9) == []


def test_a_change_within_the_slack_of_clocks_before_an_answer_is_never_blamed() -> None:
    """A rule answers at once, and a file system may date a change 20 ms too early: what is so close stays a
    guess in favor of the agent, also where something else was rejected.
    """
    assert found(session(allowed=[EDIT]), at=2.985) == []
    assert found(session(allowed=[EDIT]), at=2.975) == [LATER]
    both = session(allowed=[EDIT], denied=[call("e2", "/w/c.txt")])
    assert found(both, "b.txt", "c.txt", at=2.985) == ["'e2' names it and was not allowed"]


def test_a_file_whose_folder_may_have_been_moved_since_is_not_reported() -> None:
    moved = changed("b.txt", earliest=2.0, latest=3.1)
    assert list(find_unapproved(session(allowed=[EDIT]), TurnSpan(1.0, 0), [moved])) == []


@pytest.mark.parametrize("other", [call("e2", "/w/b.txt"), runs("e2", "make")])
def test_what_another_call_may_have_done_before_is_not_reported(other: ToolCallEntry) -> None:
    assert found(session(other, allowed=[EDIT]), at=2.9) == []
    earlier = session(allowed=[EDIT])
    earlier.answers.insert(0, QuestionAnswer(2.0, True, other))
    assert found(earlier, at=2.9) == []
    assert found(session(allowed=[EDIT]), at=2.9, span=TurnSpan(1.0, 0, shared=True)) == []


def test_what_was_allowed_at_first_explains_what_changed_until_it_was_denied() -> None:
    both = session(
        EDIT, answers=[QuestionAnswer(2.0, True, EDIT), QuestionAnswer(3.0, False, EDIT)]
    )
    assert found(both, at=2.5) == []
    assert found(both, at=3.5) == [NAMED]


def while_asked(of: Session, span: TurnSpan | None = None) -> list[str]:
    changes = [changed("b.txt"), changed("c.txt")]
    return [why for _, why in find_while_asked(of, span or TurnSpan(1.0, 0), changes)]


def test_what_changes_while_it_is_asked_about_is_reported() -> None:
    question = Permission(7, "s", 3.0, [], described_call=EDIT)
    asked = session(EDIT, permissions=[question])
    assert while_asked(asked) == ["'e1' names it and has no answer yet"]
    for span in (TurnSpan(1.0, 0, settings_changed=True), TurnSpan(1.0, 0, shared=True)):
        assert while_asked(asked, span) == []
    for other in (call("e2", "/w/b.txt"), runs("e2", "make")):
        assert while_asked(session(EDIT, other, permissions=[question])) == []
        assert while_asked(session(EDIT, allowed=[other], permissions=[question])) == []
    write = FileWrite(1, 2.0, "/w/b.txt", False, "a", "b", has_backup=True)
    assert while_asked(session(EDIT, permissions=[question], writes=[write])) == []


@pytest.mark.parametrize("other", [call("e2", "/w/c.txt"), runs("e2", "make")])
def test_what_another_call_may_have_done_is_not_reported(other: ToolCallEntry) -> None:
    assert found(session(other, denied=[EDIT]), "c.txt") == []


def test_what_agents_have_for_themselves_is_not_reported_unless_it_was_asked_for() -> None:
    assert found(session(denied=[EDIT]), ".agent/log", ".env") == [NOTHING_ALLOWED]
    project = (".github/workflows/a.yml", ".husky/pre-commit", "sub/.vscode/tasks.json")
    assert found(session(denied=[EDIT]), *project) == [NOTHING_ALLOWED] * 3
    own = call("e1", "/w/.agent/log")
    assert found(session(denied=[own]), ".agent/log") == [NAMED]


@pytest.mark.parametrize(
    ("name", "deed", "lines", "reasons"),
    [
        ("agent.log", "changed", (3, 0), []),
        ("agent.log", "changed", (3, 1), [NOTHING_ALLOWED]),
        ("agent.log", "changed", None, [NOTHING_ALLOWED]),
        ("agent.log", "made", (3, 0), []),
        ("agent.log", "deleted", (0, 0), [NOTHING_ALLOWED]),
        ("logs/1.jsonl", "changed", (3, 0), []),
        (".agent.history.md", "changed", (3, 0), []),
        ("agent.txt", "changed", (3, 0), [NOTHING_ALLOWED]),
    ],
)
def test_a_log_that_only_grew_may_be_the_agents_own(
    name: str, deed: str, lines: tuple[int, int] | None, reasons: list[str]
) -> None:
    grown = changed(name)._replace(deed=deed, lines=lines)
    reported = find_unapproved(session(denied=[EDIT]), TurnSpan(1.0, 0), [grown])
    assert [why for _, why in reported] == reasons


@pytest.mark.parametrize(
    "name", [".b.txt.swp", "sub/b.txt~", "#b.txt#", ".#b.txt", "4913", ".DS_Store", "a.pyc"]
)
def test_what_editors_keep_beside_a_file_is_not_reported_unless_it_was_asked_for(name: str) -> None:
    assert found(session(denied=[EDIT]), name) == []
    assert found(session(denied=[call("e1", f"/w/{name}")]), name) == [NAMED]


def test_a_command_may_leave_something_running_that_writes_later() -> None:
    for command in ("npm run dev", "make &", "nohup make"):
        allowed = runs("e2", command, status="completed", ended=3.5)
        assert found(session(denied=[EDIT], allowed=[allowed]), "c.txt", at=9.0) == []
    for command in ("make && ls", "make 2>&1"):
        allowed = runs("e2", command, status="completed", ended=3.5)
        assert found(session(denied=[EDIT], allowed=[allowed]), "c.txt", at=9.0) == [OTHER_ALLOWED]


def test_nothing_is_reported_of_a_turn_in_which_nothing_was_refused() -> None:
    assert found(session(EDIT)) == []
    assert found(session(allowed=[EDIT]), "c.txt") == []


def test_an_answer_of_an_earlier_turn_does_not_count() -> None:
    assert found(session(denied=[EDIT]), span=TurnSpan(4.0, 0)) == []


def test_a_write_by_request_is_judged_by_itself() -> None:
    write = FileWrite(1, 2.0, "/real/w/b.txt", False, "a", "b", has_backup=True)
    assert found(session(denied=[EDIT], writes=[write])) == []


def test_less_is_known_where_settings_changed_or_others_worked() -> None:
    refused = session(denied=[EDIT])
    assert found(refused, span=TurnSpan(1.0, 0, settings_changed=True)) == []
    assert found(refused, "b.txt", "c.txt", span=TurnSpan(1.0, 0, shared=True)) == [NAMED]


def after_cancel(of: Session, *names: str, **facts: Any) -> list[str]:
    changes = [changed(one) for one in names or ("b.txt",)]
    return [why for _, why in find_after_cancel(of, TurnSpan(1.0, 0, **facts), changes)]


def test_what_changes_after_a_cancel_is_reported() -> None:
    assert after_cancel(session(EDIT)) == [AFTER_CANCEL]
    assert after_cancel(session(allowed=[EDIT]), "b.txt", ".agent/log") == [AFTER_CANCEL]


def test_after_a_cancel_a_command_may_go_on() -> None:
    assert after_cancel(session(runs("e2", "make"))) == []
    assert after_cancel(session(allowed=[runs("e2", "make")])) == []
    assert after_cancel(session(EDIT), shared=True) == []
    write = FileWrite(1, 2.0, "/w/b.txt", False, "a", "b", has_backup=True)
    assert after_cancel(session(EDIT, writes=[write])) == []


def test_after_a_cancel_a_command_that_has_ended_explains_nothing_that_changes_later() -> None:
    for how in ({}, {"status": "failed", "ended": 3.5}):
        assert after_cancel(session(runs("e2", "make", **how))) == []
    ended: dict[str, Any] = {"status": "failed", "ended": 2.5}
    assert after_cancel(session(runs("e2", "make", **ended))) == [AFTER_CANCEL]
    assert after_cancel(session(allowed=[runs("e2", "make", **ended)])) == [AFTER_CANCEL]
    assert after_cancel(session(runs("e2", "serve &", **ended))) == []


def test_what_nobody_allowed_is_a_warning_in_the_transcript() -> None:
    talk = Conversation.opened()
    talk.happened(UnapprovedChange(2.0, "s", "/w/b.txt", "changed", NOTHING_ALLOWED))
    notice = talk.session.entries[-1]
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.title) == ("warning", "Changed without permission")
    assert "/w/b.txt was changed" in str(notice.description)


def test_a_file_without_an_earlier_copy_is_known_by_its_time_only() -> None:
    written = UnapprovedChange(2.0, "s", "/w/.env", "written", NOTHING_ALLOWED)
    assert "from the time of its last change on the disk" in written.words
    assert "comparing" not in written.words


def test_what_was_asked_and_allowed_in_a_subagents_session_counts() -> None:
    span = TurnSpan(1.0, 0, delegated=True)
    file, parent = [changed()], session()
    asks = session(EDIT, denied=[EDIT])
    assert [why for _, why in find_unapproved(parent, span, file, [asks])] == [NAMED]
    same_id = call("e1", "/w/b.txt")
    same_id.at = 2.5
    allows = session(same_id, allowed=[same_id])
    assert list(find_unapproved(asks, span, file, [allows])) == []
    assert list(find_unapproved(asks, span, file, [session(EDIT)])) != []
    wrote = session(writes=[FileWrite(1, 4.0, "/w/b.txt", False, None, "x", has_backup=True)])
    assert list(find_unapproved(asks, span, file, [wrote])) == []


def test_what_a_subagent_did_without_a_word_is_not_held_against_another_denial() -> None:
    denied, span = session(denied=[EDIT]), TurnSpan(1.0, 0, delegated=True)
    assert list(find_unapproved(denied, span, [changed("other.txt")], [session()])) == []
    assert list(find_after_cancel(session(), span, [changed()])) == []


def test_what_changes_while_a_subagent_asks_about_it_is_reported() -> None:
    child = session(permissions=[Permission(7, "s", 3.0, [], described_call=EDIT)])
    span = TurnSpan(1.0, 0, delegated=True)
    (found,) = find_while_asked(session(), span, [changed()], [child])
    assert found[1] == "'e1' names it and has no answer yet"


@pytest.mark.parametrize(
    "other",
    [
        runs("e2", "make", locations=[ToolCallLocation(path="/w")]),
        call("e2", kind="execute", raw_input={"command": "make", "cwd": "/w"}),
        call("e2", kind="execute", raw_input={"command": ["make"], "workdir": "/w/sub"}),
        call("e2", kind="other", raw_input={"command": "make", "cwd": "/w"}),
        call("e2", "/w"),
        call("e2", "/"),
    ],
)
def test_a_command_may_change_any_file_whatever_folder_it_runs_in(other: ToolCallEntry) -> None:
    assert found(session(EDIT, other, denied=[EDIT], allowed=[other]), "made.txt") == []
    assert found(session(EDIT, other, denied=[EDIT]), "made.txt") == []


def test_the_folder_that_a_rejected_command_would_run_in_names_no_file() -> None:
    stopped = call("e1", kind="execute", raw_input={"command": "make", "cwd": "/w/sub"})
    other = call("e2", "/w/sub/a.txt")
    assert found(session(stopped, other, denied=[stopped]), "sub/a.txt") == []
    removes = call("e1", kind="execute", raw_input={"command": "rm -r sub", "cwd": "/w"})
    assert found(session(removes, other, denied=[removes]), "sub/a.txt") == [NAMED]


def test_what_was_allowed_before_a_denial_does_not_count_as_allowed_since() -> None:
    again = call("e2", "/w/b.txt")
    of = session(EDIT, again, denied=[EDIT], allowed=[again])
    assert is_allowed_since(of, 2.5, changed())
    assert is_allowed_since(session(EDIT), 2.5, changed(), [of])
    assert not is_allowed_since(of, 3.5, changed())
    assert not is_allowed_since(of, 2.5, changed("other.txt"))


def test_the_words_say_how_it_is_known() -> None:
    event = UnapprovedChange(
        1.0, "s", "/w/new", CREATED, "'mkdir new' names it and was not allowed"
    )
    assert event.words.startswith("/w/new was created: 'mkdir new' names it and was not allowed.")
    assert "from looking there when it was asked about, and afterward" in event.words
