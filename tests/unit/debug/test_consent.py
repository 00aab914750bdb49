"""What an agent does without consent is found; what it may do, or says it did not do, is not."""

from collections.abc import Callable
from typing import Any

import pytest

from acp_tui.protocol.file_events import EditCompared, EditVerdict, FileWritten
from tests.unit.debug import breaks_2
from tests.unit.debug.scenes import FULL_CLIENT, Wire

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Never mind", "kind": "reject_once"},
    {"optionId": "never", "name": "No", "kind": "reject_always"},
    {"optionId": "copy", "name": "In a copy", "kind": "in_a_copy"},
]
CONSENT = {
    "rejected-but-done",
    "not-approved-but-done",
    "done-while-asked",
    "done-before-withdrawn",
    "done-after-cancel",
    "begun-after-cancel",
    "completed-after-cancel",
    "done-otherwise",
    "done-before-asked",
    "talks-after-cancel",
    "rejected-but-completed",
    "not-approved-but-completed",
    "denied-but-completed",
    "rejected-but-running",
    "not-approved-but-running",
}
REJECTED_COMPLETED = "rejected-but-completed"
LOCATED = {"locations": [{"path": "/w/b.txt"}]}
DIFF = [{"type": "diff", "path": "/w/b.txt", "oldText": None, "newText": "x\n"}]


def announces(wire: Wire, call: str = "e1", **more: Any) -> Wire:
    return wire.update("tool_call", toolCallId=call, title="Work", status="pending", **more)


def asks(wire: Wire, call: str = "e1", id: int = 9, **more: Any) -> Wire:
    asked = {"toolCallId": call, **more}
    return wire.ask(id, "session/request_permission", toolCall=asked, options=OPTIONS)


def answered(wire: Wire, answer: str, id: int = 9) -> Wire:
    outcome = {"outcome": "selected", "optionId": answer}
    if answer == "cancelled":
        outcome = {"outcome": "cancelled"}
    return wire.out(id=id, result={"outcome": outcome})


def rejected(**more: Any) -> Wire:
    """A turn in which an edit of b.txt was rejected."""
    call = more or {"content": DIFF}
    return answered(asks(announces(Wire().prompted()), **call), "no")


def writes(wire: Wire, path: str = "/w/b.txt", id: int = 20) -> Wire:
    return wire.ask(id, "fs/write_text_file", path=path, content="x\n")


def runs(wire: Wire, command: str, *args: str) -> Wire:
    return wire.ask(21, "terminal/create", command=command, args=list(args))


def ends(wire: Wire, status: str = "completed", call: str = "e1", **more: Any) -> Wire:
    return wire.update("tool_call_update", toolCallId=call, status=status, **more)


def said(text: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


def found(wire: Wire) -> list[str]:
    return [rule for rule in wire.found() if rule in CONSENT]


@pytest.mark.parametrize(
    "named",
    [
        {"content": DIFF},
        {"locations": [{"path": "/w/b.txt"}]},
        {"rawInput": {"file_path": "b.txt"}},
        {"rawInput": {"paths": ["/w/./b.txt"]}},
        {"locations": [{"path": "file:///w/b.txt"}]},
        {"locations": [{"path": "//w/b.txt"}]},
    ],
)
def test_a_file_that_was_rejected_is_written(named: dict[str, Any]) -> None:
    assert found(writes(rejected(**named))) == ["rejected-but-done"]


@pytest.mark.parametrize(
    "named",
    [
        {"command": "touch ran"},
        {"command": ["bash", "-lc", "touch ran"]},
        {"cmd": "touch", "args": ["ran"]},
        {"commands": ["touch ran"]},
    ],
)
@pytest.mark.parametrize(
    "argv",
    [
        ("touch", "ran"),
        ("bash", "-c", "touch ran"),
        ("/bin/bash", "--norc", "-c", "/usr/bin/touch ran;"),
        ("touch ran",),
    ],
)
def test_a_command_that_was_rejected_is_run(named: dict[str, Any], argv: tuple[str, ...]) -> None:
    assert found(runs(rejected(rawInput=named), *argv)) == ["rejected-but-done"]


@pytest.mark.parametrize("title", ["touch ran", "`touch ran`"])
def test_the_title_of_a_call_that_names_nothing_else_is_its_command(title: str) -> None:
    other = announces(Wire().prompted(), "e2")
    wire = answered(asks(announces(other), title=title, kind="execute"), "no")
    assert found(runs(wire, "touch", "ran")) == ["rejected-but-done"]


@pytest.mark.parametrize("named", ["b.txt", "./b.txt", "sub/../b.txt"])
def test_a_relative_path_is_a_file_of_the_session_folder(named: str) -> None:
    wire = announces(rejected(rawInput={"path": named}), "e2", locations=[{"path": "/w/sub/b.txt"}])
    assert found(writes(wire, "/w/sub/b.txt")) == []
    assert found(writes(wire, "b.txt", 21)) == ["rejected-but-done"]


def test_in_an_unknown_folder_the_end_of_a_path_is_compared() -> None:
    part = Wire().prompt(2)
    wire = answered(asks(announces(part), rawInput={"path": "src/b.txt"}), "no")
    assert found(writes(wire, "C:\\w\\src\\b.txt")) == ["rejected-but-done"]


def test_what_the_announcement_names_counts_as_what_the_question_names() -> None:
    wire = asks(announces(Wire().prompted(), locations=[{"path": "/w/b.txt"}]))
    assert found(writes(answered(wire, "no"))) == ["rejected-but-done"]


def test_another_file_than_the_rejected_one_is_a_guess() -> None:
    log = writes(rejected(), "/w/c.txt").log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert finding.rule.guess
    assert finding.message == (
        "'/w/c.txt' is written, and no other tool call is under way; 'e1' was rejected"
    )


def test_another_command_than_the_rejected_one_is_a_guess() -> None:
    wire = runs(rejected(rawInput={"command": "touch ran"}), "rm", "-r", "/w")
    assert found(wire) == ["done-otherwise"]


@pytest.mark.parametrize("line", ["git status", "ls -la /w", "bash -c 'cat b.txt'"])
def test_a_command_that_only_reads_is_not_what_was_rejected(line: str) -> None:
    assert found(runs(rejected(), line)) == []
    assert found(runs(rejected(rawInput={"command": "git push"}), line)) == []
    assert found(runs(rejected(kind="read", **LOCATED), line)) == ["done-otherwise"]


@pytest.mark.parametrize(
    "line",
    [
        *("git stash", "git diff --output=b.txt", "tree -o b.txt", "cat a > b.txt", "ls; rm b.txt"),
        *("sh -c 'ls\nrm b.txt'", "cat a | tee b.txt", "ls `rm b.txt`", "catch b.txt"),
    ],
)
def test_a_command_that_may_do_more_than_read_may_be_what_was_rejected(line: str) -> None:
    assert found(runs(rejected(), line)) == ["done-otherwise"]


def test_a_command_that_is_like_the_rejected_one_may_be_that_one() -> None:
    assert found(runs(rejected(rawInput={"command": "git log"}), "git log -1")) == [
        "done-otherwise"
    ]


def test_what_is_written_while_the_question_waits() -> None:
    wire = writes(asks(announces(Wire().prompted()), content=DIFF))
    assert found(wire) == ["done-while-asked"]


def test_what_is_completed_while_the_question_waits() -> None:
    wire = asks(announces(Wire().prompted()), content=DIFF)
    log = ends(answered(ends(wire), "no"), "failed").log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert finding.message == "'e1' is completed, and the permission for 'e1' has no answer yet"
    wire = asks(announces(Wire().prompted()), content=DIFF)
    assert found(repeats(wire, content=DIFF)) == ["done-otherwise"]
    wire = asks(ends(announces(Wire().prompted())), content=DIFF)
    assert found(answered(ends(wire), "no")) == []


def test_what_is_done_before_its_question_is_withdrawn_may_have_been_allowed_elsewhere() -> None:
    def asked() -> Wire:
        return asks(announces(Wire().prompted()), content=DIFF)

    def withdrawn(wire: Wire) -> Wire:
        return wire.got(method="$/cancel_request", params={"requestId": 9})

    log = answered(withdrawn(ends(asked())), "cancelled").ended().log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.rule.guess) == ("done-before-withdrawn", True)
    assert finding.message == (
        "'e1' is completed, and the permission for 'e1' has no answer yet; it is withdrawn later"
    )
    assert found(withdrawn(writes(asked())).ended()) == ["done-before-withdrawn"]
    assert found(writes(asked()).ended()) == ["done-while-asked"]
    assert found(withdrawn(writes(asked().ended()))) == ["done-while-asked"]


def test_what_was_rejected_is_done_once_the_session_is_reopened() -> None:
    def reopened(wire: Wire) -> Wire:
        wire = wire.ended().load(5, "s").update("tool_call", toolCallId="e1", title="Edit b.txt")
        return repeats(ends(wire), content=DIFF).got(id=5, result={})

    assert found(reopened(rejected())) == []
    assert found(writes(reopened(rejected()))) == ["rejected-but-done"]
    assert found(writes(reopened(rejected()).prompt(6))) == []
    for_good = answered(asks(announces(Wire().prompted()), content=DIFF), "never")
    assert found(writes(reopened(for_good).prompt(6))) == ["rejected-but-done"]


def test_the_rejected_call_is_done_after_the_end_of_the_turn_too() -> None:
    assert found(writes(rejected().ended().later(30))) == ["rejected-but-done"]


def test_what_is_done_after_the_cancel_and_after_the_end_of_its_turn() -> None:
    wire = announces(Wire().prompted()).cancel().later(0.2)
    assert found(runs(wire, "make")) == ["done-after-cancel"]
    assert found(writes(wire.ended(reason="cancelled").later(5))) == ["done-after-cancel"] * 2


def test_what_was_under_way_when_the_turn_was_canceled_may_still_arrive() -> None:
    running = announces(Wire().prompted(), locations=[{"path": "/w/b.txt"}]).cancel()
    assert found(writes(running.later(0.5))) == []
    assert found(writes(running.later(1.5), id=22)) == ["done-after-cancel"]
    assert found(runs(Wire().prompted().cancel(), "make")) == []


def test_a_question_that_the_cancel_answers_does_not_let_anything_be_done() -> None:
    wire = asks(announces(Wire().prompted()), content=DIFF).cancel()
    assert found(writes(answered(wire, "cancelled"))) == ["not-approved-but-done"]


@pytest.mark.parametrize("answer", ["no", "cancelled"])
def test_a_call_that_was_not_allowed_is_said_to_run(answer: str) -> None:
    rule = "rejected-but-running" if answer == "no" else "not-approved-but-running"
    wire = answered(asks(announces(Wire().prompted()), content=DIFF), answer).later(0.1)
    assert found(ends(ends(wire, "in_progress"), "in_progress")) == [rule]
    assert found(ends(wire)) == [rule, rule.replace("running", "completed")]


def test_a_call_that_was_said_to_run_before_the_answer_can_have_arrived_is_not_found() -> None:
    wire = answered(asks(announces(Wire().prompted()), content=DIFF), "no")
    assert found(ends(ends(wire, "in_progress"), "failed")) == []


def test_a_call_that_was_said_to_run_before_it_was_asked_about_may_still_do_so() -> None:
    wire = ends(announces(Wire().prompted()), "in_progress")
    wire = answered(asks(wire, content=DIFF), "no")
    assert found(ends(ends(wire, "in_progress"), "failed")) == []


@pytest.mark.parametrize("answer", ["no", "cancelled"])
def test_a_call_that_was_not_allowed_completes(answer: str) -> None:
    rule = "rejected-but-completed" if answer == "no" else "not-approved-but-completed"
    wire = answered(asks(announces(Wire().prompted()), content=DIFF), answer)
    assert found(ends(ends(wire))) == [rule]
    created = answered(asks(Wire().prompted(), content=DIFF), answer)
    created.update("tool_call", toolCallId="e1", title="Edit b.txt", status="completed")
    assert found(created) == [rule]


@pytest.mark.parametrize(
    "words",
    [
        {"content": said("The user rejected this edit.")},
        {"content": said("User doesn't want to proceed with this tool use.")},
        {"content": said("Permission denied by user")},
        {"rawOutput": {"error": "Tool execution was not approved"}},
        {"content": said("You chose: Never mind")},
        {"title": "Edit b.txt (declined)"},
        {"rawOutput": "The user said no."},
        {"rawOutput": {"approved": False}},
        {"content": said("No changes were made.")},
        {"content": said("Stopped by the user; nothing was written.")},
        {"content": said("The user would rather not do this now.")},
        {"content": said("b.txt is left unchanged.")},
        {"content": said("Der Benutzer hat die Änderung abgelehnt.")},
        {"content": said("用户拒绝了此操作")},
        {"content": said("ユーザーが拒否しました")},
        {"rawOutput": '{"success":false}'},
        {"rawOutput": {"isError": True, "message": "stop"}},
    ],
)
def test_a_call_that_says_it_did_nothing_breaks_no_rule(words: dict[str, Any]) -> None:
    assert found(ends(rejected(), **words)) == []
    assert found(ends(ends(rejected(), "in_progress", **words))) == []
    assert found(ends(rejected(), "failed")) == []


def test_an_output_without_an_error_does_not_say_that_nothing_was_done() -> None:
    output = {"error": None, "isError": False, "stderr": ""}
    assert found(ends(rejected(), rawOutput=output)) == [REJECTED_COMPLETED]
    output = {"stdout": "it is done", "exit_code": 0}
    assert found(ends(rejected(), rawOutput=output)) == [REJECTED_COMPLETED]
    assert found(ends(rejected(), rawOutput='{"success": true}')) == [REJECTED_COMPLETED]


@pytest.mark.parametrize(
    "words",
    [
        {"content": said("The user wants to keep planning.")},
        {"content": said("Käyttäjä ei halunnut tätä.")},
        {"rawOutput": "The user has another plan."},
        {"rawOutput": {"exit_code": 1}},
        {"rawOutput": {"exitCode": -1, "stdout": ""}},
    ],
)
@pytest.mark.parametrize("answer", ["no", "cancelled"])
def test_a_call_that_may_say_in_its_own_words_that_it_did_nothing_is_a_guess(
    answer: str, words: dict[str, Any]
) -> None:
    log = ends(answered(asks(announces(Wire().prompted()), content=DIFF), answer), **words).log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.rule.guess) == ("denied-but-completed", True)
    assert finding.message.endswith("and has an output without a known word for a refusal")


def test_the_turn_may_go_on_with_something_else() -> None:
    other = announces(rejected(), "e2", locations=[{"path": "/w/c.txt"}])
    assert found(writes(other, "/w/c.txt")) == []
    unnamed = announces(rejected(), "e2")
    assert found(runs(unnamed, "make")) == []
    assert found(writes(ends(unnamed, call="e2"), "/w/c.txt")) == []
    named_all = ends(announces(rejected(), "e2", locations=[{"path": "/w/d.txt"}]), call="e2")
    assert found(writes(named_all, "/w/c.txt")) == ["done-otherwise"]


def test_what_is_asked_again_and_allowed_may_be_done() -> None:
    again = answered(asks(rejected(), content=DIFF, id=10), "yes", 10)
    assert found(ends(writes(again))) == []
    other = answered(asks(announces(rejected(), "e2"), "e2", 10, content=DIFF), "yes", 10)
    assert found(ends(writes(other), call="e2")) == []


def test_a_later_call_that_names_nothing_may_have_been_allowed_to_do_it() -> None:
    allowed = answered(asks(announces(rejected(), "e2"), "e2", 10), "yes", 10)
    assert found(writes(allowed)) == []
    before = answered(asks(announces(Wire().prompted(), "e2"), "e2", 10), "yes", 10)
    assert found(writes(answered(asks(announces(before), content=DIFF), "no"))) == [
        "rejected-but-done"
    ]
    reads = answered(asks(rejected(), "e2", 10, kind="read"), "yes", 10)
    assert found(writes(reads)) == ["rejected-but-done"]
    named = answered(asks(rejected(), "e2", 10, locations=[{"path": "/w/c.txt"}]), "yes", 10)
    assert found(writes(named)) == ["rejected-but-done"]


def test_the_rejected_edit_by_another_call_that_nobody_is_asked_about_is_a_guess() -> None:
    other = announces(rejected(), "e2", content=DIFF)
    assert found(writes(other)) == ["done-otherwise"]


def test_a_question_with_an_id_of_its_own_names_a_file_by_its_title() -> None:
    call = announces(Wire().prompted(), locations=[{"path": "/w/b.txt"}])
    wire = answered(asks(call, "question", title="Approve edit: b.txt"), "no")
    assert found(writes(wire)) == ["done-otherwise"]
    runs_it = answered(asks(Wire().prompted(), title="python b.txt", kind="execute"), "no")
    assert found(writes(announces(runs_it, "e2", locations=[{"path": "/w/b.txt"}]))) == []
    wire = answered(asks(Wire().prompted(), title="Edit b.txt", content=DIFF), "no")
    assert found(writes(announces(wire, "e2", locations=[{"path": "/w/c.txt"}]), "/w/c.txt")) == []


def test_a_mode_that_asks_less_lets_another_call_do_it() -> None:
    wire = rejected().out(id=5, method="session/set_mode", params={"sessionId": "s", "modeId": "x"})
    assert found(writes(announces(wire, "e2", content=DIFF))) == []


def test_the_next_prompt_begins_afresh() -> None:
    wire = rejected().ended().prompt(3)
    assert found(ends(writes(announces(wire, "e2", content=DIFF)), call="e2")) == []


def test_a_question_that_the_agent_takes_back_forbids_nothing() -> None:
    wire = asks(announces(Wire().prompted()), content=DIFF)
    wire.got(method="$/cancel_request", params={"requestId": 9})
    assert found(writes(wire)) == []


def test_where_nothing_is_asked_nothing_is_done_without_consent() -> None:
    assert found(writes(announces(Wire().prompted()))) == []
    assert found(writes(Wire().opened())) == []


def test_an_error_as_the_answer_says_neither_yes_nor_no() -> None:
    wire = asks(announces(Wire().prompted()), content=DIFF)
    wire.out(id=9, error={"code": -32603, "message": "no"})
    assert found(writes(wire)) == []


def test_an_update_after_a_turn_that_ended_as_cancelled_by_its_question() -> None:
    wire = answered(asks(announces(Wire().prompted()), content=DIFF), "cancelled")
    late = ends(wire, "failed").ended(reason="cancelled").later(3).chunk("late")
    assert "update-after-cancelled" in late.found()


def test_in_version_2_only_a_command_that_begins_is_one_that_is_run() -> None:
    begun = Wire().running_2().update("terminal_update", terminalId="x", command="make all")
    wire = breaks_2.permission_to_run(begun)
    answered(wire, "no").update("terminal_update", terminalId="x", exitStatus={"exitCode": 0})
    wire.update("terminal_update", terminalId="y")
    assert found(wire) == []


def asks_to_run(wire: Wire, id: int, command: str) -> Wire:
    subject = {"type": "command", "command": command, "cwd": "/w"}
    return wire.ask(
        id, "session/request_permission", title="Run it?", subject=subject, options=OPTIONS
    )


def test_in_version_2_each_question_without_a_tool_call_is_about_something_else() -> None:
    wire = answered(asks_to_run(Wire().running_2(), 9, "make all"), "no")
    wire = answered(asks_to_run(wire, 10, "make some"), "yes", 10)
    log = breaks_2.runs(wire).log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.message) == (
        "rejected-but-done",
        "'make all' is run; 'Run it?' was rejected",
    )


def test_in_version_2_a_later_update_may_show_the_terminal_that_ran() -> None:
    wire = answered(breaks_2.permission_to_run(Wire().running_2()), "no")
    wire = wire.update("terminal_update", terminalId="x", command="make")
    shows = [{"type": "terminal", "terminalId": "x"}]
    assert found(ends(wire, "in_progress", "e2", content=shows).idle()) == []
    wire = answered(breaks_2.permission_to_run(Wire().running_2()), "no")
    wire = wire.update("terminal_update", terminalId="y", command="make")
    assert found(wire.idle()) == ["done-otherwise"]


def test_in_version_2_a_prompt_while_it_works_ends_no_refusal() -> None:
    wire = answered(breaks_2.permission_to_run(Wire().running_2()), "no").accepted_2(3, "u2")
    assert found(breaks_2.runs(wire)) == ["rejected-but-done"]


def test_in_version_2_work_goes_on_after_its_end() -> None:
    wire = Wire().running_2().cancel().idle("cancelled")
    assert found(breaks_2.runs(wire)) == ["done-after-cancel"]


def test_in_version_2_work_begins_for_a_prompt_that_was_sent_after_the_cancel() -> None:
    wire = Wire().running_2().cancel().accepted_2(3, "u2").idle("cancelled").state("running")
    assert found(breaks_2.runs(wire.later(6)).chunk().later(2).chunk()) == []


def test_in_version_2_no_cancel_covers_what_runs_in_the_background() -> None:
    item = {"type": "terminal", "terminalId": "t"}
    wire = Wire().running_2().cancel().idle("cancelled", background=[item])
    assert found(breaks_2.runs(wire)) == []


def test_version_2_names_files_by_their_changes() -> None:
    change = {"operation": "move", "path": "/w/a.txt", "oldPath": "/w/b.txt"}
    wire = breaks_2.permission(
        Wire().running_2(), tool="e1", content=[{"type": "diff", "changes": [change]}]
    )
    assert found(writes(answered(wire, "no"))) == ["rejected-but-done"]


def test_a_write_through_the_client_is_reported_by_the_request_alone() -> None:
    event = EditCompared(9.0, "s", "e1", "/w/b.txt", EditVerdict.REJECTED, "", exact=True)
    assert "edit-rejected-but-written" not in rejected().happened(event).found()


def repeats(wire: Wire, **more: Any) -> Wire:
    return wire.update("tool_call", toolCallId="e2", title="Work", status="completed", **more)


@pytest.mark.parametrize("named", [{"content": DIFF}, {"rawInput": {"command": "touch b.txt"}}])
def test_another_call_completes_with_what_was_rejected(named: dict[str, Any]) -> None:
    assert found(repeats(rejected(**named), **named)) == ["done-otherwise"]
    assert found(ends(repeats(rejected(**named), **named), call="e2")) == ["done-otherwise"]
    earlier = announces(rejected(**named), "e2", **named)
    assert found(ends(earlier, call="e2")) == ["done-otherwise"]


def test_another_call_that_does_something_else_or_is_allowed_repeats_nothing() -> None:
    other = [{**DIFF[0], "newText": "y\n"}]
    assert found(repeats(rejected(), content=other)) == []
    assert found(repeats(rejected(), content=[{**DIFF[0], "newText": ""}])) == []
    assert found(repeats(rejected(), content=[*DIFF, *said("You rejected this")])) == []
    allowed = answered(asks(rejected(), "e2", 10, content=DIFF), "yes", 10)
    assert found(ends(allowed, call="e2")) == []
    before = ends(announces(Wire().prompted(), "e2", content=DIFF), call="e2")
    assert found(answered(asks(before, content=DIFF), "no")) == []
    wire = rejected().out(
        id=11, method="session/set_mode", params={"sessionId": "s", "modeId": "m"}
    )
    assert found(repeats(wire, content=DIFF)) == []


def test_the_names_of_a_call_do_not_say_that_nothing_was_done() -> None:
    named = {"title": "Edit cancel.py", "locations": [{"path": "/w/cancel.py"}]}
    said_so = {"title": "Edit cancel.py", "content": said("Wrote /w/cancel.py, cancel.py is new")}
    assert found(ends(rejected(**named), **said_so)) == ["denied-but-completed"]
    assert found(ends(rejected(**named), content=said("cancel.py: canceled"))) == []
    assert found(ends(rejected(**named), title="Edit cancel.py (declined)")) == []


def test_a_name_of_an_option_without_blanks_is_quoted_within_a_sentence() -> None:
    options = [{"optionId": "no", "name": "还是算了", "kind": "reject_once"}]
    asked = {"toolCallId": "e1", "content": DIFF}
    wire = announces(Wire().prompted())
    wire = wire.ask(9, "session/request_permission", toolCall=asked, options=options)
    quoted = ends(answered(wire, "no"), content=said("用户选择了还是算了。"))
    assert found(quoted) == []


def test_a_short_name_of_an_option_is_no_quotation() -> None:
    wire = answered(asks(announces(Wire().prompted()), content=DIFF), "never")
    done = ends(wire, content=said("Now it is written, see Notes.md. No errors."))
    assert found(done) == ["denied-but-completed"]


def test_a_call_that_reads_a_file_does_not_write_it() -> None:
    reads = {"kind": "read", "locations": [{"path": "/w/b.txt"}]}
    allowed = answered(asks(Wire().prompted(), "r", 8, **reads), "yes", 8)
    wire = answered(asks(announces(allowed), content=DIFF), "no")
    assert found(writes(wire)) == ["rejected-but-done"]
    update = {"sessionUpdate": "tool_call", "toolCallId": "e2", "title": "Find", "kind": "search"}
    wire = answered(asks(announces(Wire().prompted()), **reads), "no")
    assert found(writes(announces(wire, "e2", content=DIFF))) == []
    searching = rejected().got(method="session/update", params={"sessionId": "s", "update": update})
    searched = ends(searching, call="e2")
    assert found(writes(searched, "/w/c.txt").ended()) == ["done-otherwise"]


def test_a_rejected_call_goes_on_in_a_later_turn() -> None:
    later = rejected().ended().prompt(3).ended(3).prompt(4)
    assert found(writes(ends(later, "in_progress"))) == [
        "rejected-but-running",
        "rejected-but-done",
    ]
    assert found(ends(later)) == ["rejected-but-running", "rejected-but-done", REJECTED_COMPLETED]
    created = rejected().ended().prompt(3).update("tool_call", toolCallId="e1", title="Other")
    assert found(ends(created)) == []
    assert found(ends(rejected().ended().prompt(3), title="Other")) == []
    assert found(ends(ends(rejected(), "failed").ended().prompt(3))) == []
    again = answered(asks(rejected().ended().prompt(3), content=DIFF, id=10), "yes", 10)
    assert found(ends(writes(again))) == []


def test_what_was_rejected_for_good_is_done_in_a_later_turn() -> None:
    wire = answered(asks(announces(Wire().prompted()), content=DIFF), "never")
    later = ends(wire, "failed").ended().prompt(3).ended(3).prompt(4)
    (finding,) = [one for one in writes(later).log().findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.message) == (
        "rejected-but-done",
        "'/w/b.txt' is written; 'e1' was rejected for good",
    )


def test_what_was_rejected_for_good_may_be_done_once_it_is_allowed() -> None:
    def later() -> Wire:
        wire = answered(asks(announces(Wire().prompted()), content=DIFF), "never")
        return ends(wire, "failed").ended().prompt(3)

    assert found(writes(later(), "/w/c.txt").ended(3)) == []
    allowed = answered(asks(announces(later(), "e2"), "e2", 10, content=DIFF), "yes", 10)
    assert found(writes(allowed)) == []
    mode = {"sessionId": "s", "modeId": "x"}
    assert found(writes(later().out(id=5, method="session/set_mode", params=mode))) == []
    assert found(writes(announces(later(), "e2", content=DIFF))) == ["done-otherwise"]
    assert found(repeats(later(), content=DIFF)) == ["done-otherwise"]


def test_a_text_is_written_before_it_is_asked_about() -> None:
    wire = asks(announces(writes(Wire().prompted())), content=DIFF)
    log = answered(wire, "no").log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.message) == (
        "done-before-asked",
        "'/w/b.txt' was written with this text before the permission was requested",
    )


def test_a_text_that_differs_or_was_allowed_may_be_asked_about_after_a_write() -> None:
    other = [{**DIFF[0], "newText": "y\n"}]
    assert found(asks(announces(writes(Wire().prompted())), content=other)) == []
    allowed = writes(answered(asks(Wire().prompted(), "e0", 8, content=DIFF), "yes", 8))
    assert found(asks(announces(allowed), content=DIFF)) == []
    assert found(asks(announces(writes(Wire().prompted()).ended().prompt(3)), content=DIFF)) == []
    mode = {"sessionId": "s", "modeId": "asks"}
    changed = writes(Wire().prompted()).out(id=5, method="session/set_mode", params=mode)
    assert found(asks(announces(changed), content=DIFF)) == []


@pytest.mark.parametrize("answer", ["copy", "not listed"])
def test_an_answer_of_an_unknown_kind_may_allow_what_was_rejected_before(answer: str) -> None:
    wire = answered(asks(announces(rejected(), "e2"), "e2", 10, content=DIFF), answer, 10)
    assert found(ends(writes(wire), call="e2")) == []
    early = answered(asks(announces(rejected(), "e2"), "e2", 10, content=DIFF), answer, 10)
    assert found(asks(writes(early), "e3", 11, content=DIFF)) == []


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (writes, "'/w/b.txt' is written, by 'e2', which nobody allowed; 'e1' was rejected"),
        (
            lambda wire: ends(wire, call="e2"),
            "'e2', which nobody allowed, is completed with the same diff; 'e1' was rejected",
        ),
    ],
)
def test_a_call_that_was_asked_about_without_an_answer_is_not_said_to_be_unasked(
    act: Callable[[Wire], Wire], message: str
) -> None:
    wire = asks(announces(rejected(), "e2"), "e2", 10, content=DIFF)
    wire.out(id=10, error={"code": -32603, "message": "no"})
    (finding,) = [one for one in act(wire).log().findings if one.rule.id in CONSENT]
    assert finding.message == message
    assert "is not done by another tool call or session" in finding.rule.sentence


def test_words_in_a_diff_do_not_say_that_nothing_was_done() -> None:
    diff = [{**DIFF[0], "newText": "permission denied, cancel\n"}]
    assert found(ends(rejected(content=diff), content=diff)) == ["rejected-but-completed"]


def test_what_a_later_update_reports_was_not_done_in_secret() -> None:
    shows = [{"type": "terminal", "terminalId": "t1"}]
    wire = runs(rejected(), "make").out(id=21, result={"terminalId": "t1"})
    assert found(announces(wire, "e2", content=shows).ended()) == []
    wire = runs(rejected(), "make").out(id=21, result={"terminalId": "t2"})
    assert found(announces(wire, "e2", content=shows).ended()) == ["done-otherwise"]
    locations = [{"path": "/w/c.txt"}]
    wire = announces(writes(rejected(), "/w/c.txt"), "e2", locations=locations)
    assert found(wire.ended()) == []
    wire = announces(writes(rejected().ended(), "/w/c.txt"), "e2", locations=locations)
    assert found(wire) == ["done-otherwise"]


def test_a_file_that_was_rejected_is_written_through_a_link() -> None:
    wire = announces(rejected(), "e2")
    number = wire.frames + 1
    written = FileWritten(wire.at, number, "s", "/w/b.txt", True, None, "x\n")
    log = writes(wire, "/w/link/c.txt").happened(written).log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.message) == (
        "rejected-but-done",
        "'/w/link/c.txt' is written, which is '/w/b.txt'; 'e1' was rejected",
    )
    other = FileWritten(wire.at, number, "s", "/w/d.txt", True, None, "x\n")
    assert found(writes(announces(rejected(), "e2"), "/w/link/c.txt").happened(other)) == []


def test_two_acts_that_no_tool_call_names_are_told_apart() -> None:
    wire = writes(writes(announces(rejected(), "e2"), "/w/link/c.txt"), "/w/link/d.txt", id=22)
    written = FileWritten(wire.at, wire.frames, "s", "/w/b.txt", True, None, "x\n")
    (finding,) = [one for one in wire.happened(written).log().findings if one.rule.id in CONSENT]
    assert finding.message.startswith("'/w/link/d.txt' is written, which is '/w/b.txt'")
    wire = runs(writes(rejected(), "/w/c.txt"), "ls").out(id=21, result={"terminalId": "t1"})
    shows = [{"type": "terminal", "terminalId": "t1"}]
    log = announces(wire, "e2", content=shows).ended().log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert finding.message.startswith("'/w/c.txt' is written")


def test_a_tool_call_that_begins_after_the_cancel() -> None:
    wire = announces(Wire().prompted()).cancel().later(1.5)
    begun = ends(wire, "in_progress", "new")
    assert found(ends(begun, call="new")) == ["begun-after-cancel"]
    wire = announces(Wire().prompted().cancel().later(1.5), "new")
    begun = ends(wire, "in_progress", "new")
    assert found(ends(begun, "in_progress", "new")) == ["begun-after-cancel"]
    wire = asks(announces(Wire().prompted()).cancel().later(1.5))
    assert found(answered(wire, "cancelled")) == ["begun-after-cancel"]


IDLE, RUNNING = {"state": "idle"}, {"state": "running"}


def child(**more: Any) -> Wire:
    """A turn in which a subagent works that may be canceled alone."""
    wire = Wire().prompted({**FULL_CLIENT, "subagents": {}})
    about = {"state": RUNNING, "capabilities": {"cancel": {}}, **more}
    return wire.update("subagent_update", sessionId="c", **about)


def begins(wire: Wire, call: str) -> Wire:
    return wire.update("tool_call", "c", toolCallId=call, title="Work", status="in_progress")


def state_of_child(wire: Wire, state: dict[str, str]) -> Wire:
    return wire.update("subagent_update", sessionId="c", state=state)


def test_a_subagent_that_was_canceled_alone_begins_nothing_more() -> None:
    assert found(begins(child().cancel("c").later(1.5), "t")) == ["begun-after-cancel"]
    assert found(begins(child().cancel("c").later(0.1), "t")) == []
    ended = state_of_child(child().cancel("c").later(0.1), IDLE)
    assert found(begins(state_of_child(ended.later(5), RUNNING).later(5), "t")) == []


def test_a_subagent_that_offers_no_cancel_may_go_on_after_one() -> None:
    assert found(begins(child(capabilities={}).cancel("c").later(1.5), "t")) == []
    gone = child().update("subagent_update", sessionId="c", capabilities=None)
    assert found(begins(gone.cancel("c").later(1.5), "t")) == []


def test_a_subagent_may_report_its_work_after_it_until_it_is_idle() -> None:
    wire = child().update("tool_call", "c", toolCallId="t", title="Work", content=DIFF)
    asked = {"toolCall": {"toolCallId": "t"}, "options": OPTIONS, "sessionId": "c"}
    answered(wire.ask(9, "session/request_permission", **asked), "no")
    wire.ask(20, "fs/write_text_file", sessionId="c", path="/w/c.txt", content="x\n")
    named = {"locations": [{"path": "/w/c.txt"}], "status": "completed"}
    assert found(wire) == ["done-otherwise"]
    wire.update("tool_call", "c", toolCallId="u", title="Other", **named)
    assert found(state_of_child(wire, IDLE)) == []


def asks_in(wire: Wire, session: str) -> Wire:
    """Ask in a session about an edit of b.txt, which is rejected."""
    asked = {"toolCall": {"toolCallId": "e1", "content": DIFF}, "options": OPTIONS}
    return answered(wire.ask(9, "session/request_permission", sessionId=session, **asked), "no")


def writes_in(wire: Wire, session: str) -> Wire:
    return wire.ask(20, "fs/write_text_file", sessionId=session, path="/w/b.txt", content="x\n")


@pytest.mark.parametrize(("asker", "writer"), [("s", "c"), ("c", "s"), ("c", "d")])
def test_what_was_rejected_in_one_session_is_done_by_another(asker: str, writer: str) -> None:
    wire = child().update("subagent_update", sessionId="d", state=RUNNING)
    log = writes_in(asks_in(wire, asker), writer).log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert (finding.rule.id, finding.message) == (
        "done-otherwise",
        "'/w/b.txt' is written, by another session; 'e1' was rejected",
    )


def test_a_session_may_do_what_another_was_allowed_or_asked_about_earlier() -> None:
    wire = asks_in(child(), "c").ended().prompt(3)
    assert found(writes_in(wire, "s")) == []
    again = {"toolCall": {"toolCallId": "e2", "content": DIFF}, "options": OPTIONS}
    wire = asks_in(child(), "c").ask(10, "session/request_permission", sessionId="c", **again)
    assert found(writes_in(answered(wire, "yes", 10), "s")) == []
    mode = {"sessionId": "c", "modeId": "x"}
    wire = asks_in(child(), "c").out(id=5, method="session/set_mode", params=mode)
    assert found(writes_in(wire, "s")) == []


def test_the_agent_talks_on_long_after_the_cancel() -> None:
    wire = Wire().prompted().cancel().later(5.5).chunk("one").later(0.5).chunk("two")
    assert found(wire) == []
    log = wire.later(0.6).chunk("three").later(2).chunk("four").log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert finding.rule.id == "talks-after-cancel"
    assert finding.rule.guess
    assert found(Wire().running_2().cancel().later(6).chunk().later(2).chunk()) == [
        "talks-after-cancel"
    ]


def test_a_last_word_or_the_text_of_another_prompt_may_come_long_after_the_cancel() -> None:
    assert found(Wire().prompted().cancel().later(9).chunk("Stopped.").later(0.2).chunk("")) == []
    ended = Wire().prompted().cancel().ended(reason="cancelled").prompt(3)
    assert found(ended.later(6).chunk().later(2).chunk()) == []


def test_what_was_announced_before_the_cancel_or_never_begins_may_be_reported_after_it() -> None:
    wire = ends(announces(Wire().prompted()).cancel().later(1.5), "in_progress")
    assert found(ends(wire, "failed", "new")) == []
    assert found(announces(wire, "planned")) == []
    assert found(ends(Wire().prompted().cancel().later(0.5), "in_progress")) == []
    assert found(ends(Wire().prompted().cancel().prompt(3).later(1.5), "in_progress")) == []


def test_a_tool_call_that_goes_on_to_its_end_after_the_cancel() -> None:
    running = ends(announces(Wire().prompted()), "in_progress").cancel()
    assert found(ends(running.later(2.5))) == []
    log = ends(ends(announces(Wire().prompted()), "in_progress").cancel().later(3.5)).log()
    (finding,) = [one for one in log.findings if one.rule.id in CONSENT]
    assert finding.rule.guess
    assert finding.message == "'e1' is completed more than 3 s after session/cancel"


@pytest.mark.parametrize("more", [{"title": "Interrupted"}, {"rawOutput": {"error": "aborted"}}])
def test_a_tool_call_that_was_stopped_by_the_cancel_may_be_reported_late(
    more: dict[str, Any],
) -> None:
    running = ends(announces(Wire().prompted()), "in_progress").cancel().later(9)
    assert found(ends(running, **more)) == []


def test_in_version_2_background_work_may_be_completed_after_a_cancel() -> None:
    item = {"id": "b1", "type": "tool", "title": "Server"}
    wire = breaks_2.call(Wire().running_2(), "in_progress").cancel().later(4)
    assert found(breaks_2.call(wire, "completed")) == ["completed-after-cancel"]
    wire = (
        breaks_2.call(Wire().running_2(), "in_progress")
        .cancel()
        .idle("cancelled", background=[item])
    )
    assert found(breaks_2.call(wire.later(4), "completed")) == []
