"""What the cells of a table of frames say."""

from acp_tui.debug import columns
from acp_tui.debug.log import Log
from acp_tui.debug.view import Group, LogView
from acp_tui.protocol.events import TimedOut
from acp_tui.protocol.findings import Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import AgentLogLine, StderrLine
from tests.unit.debug.scenes import Wire


def groups(log: Log) -> list[Group]:
    view = LogView(log)
    view.catch_up()
    return [view[position] for position in range(len(view))]


def test_what_a_row_is() -> None:
    wire = Wire().prompted().chunk("a").chunk("b").got(id=77, result={})
    wire.raw(Direction.IN, b"noise").happened(StderrLine(wire.at, "x")).ended()
    assert [columns.summarize_group(group) for group in groups(wire.log())][4:] == [
        "session/prompt",
        "agent_message_chunk x2",
        "response to nothing",
        "unreadable",
        "stderr_line",
        "response to session/prompt",
    ]


def test_of_a_long_message_the_beginning_is_told() -> None:
    wire = Wire().prompted()
    for _ in range(9):
        wire.chunk("x" * 100)
    assert columns.excerpt_group(groups(wire.log())[5]) == "x" * 500


def test_lines_of_a_log_stand_apart_and_chunks_do_not() -> None:
    wire = Wire().happened(StderrLine(1.0, "Tokens:")).happened(StderrLine(1.0, "08:00 more"))
    wire.happened(AgentLogLine(2.0, "one")).happened(AgentLogLine(2.0, "two"))
    wire.prompted().chunk("Good ").chunk("morning")
    told = [columns.excerpt_group(group) for group in groups(wire.log())]
    assert told[:2] == ["Tokens: 08:00 more", "one two"]
    assert told[-1] == "Good morning"


def test_what_is_too_big_is_not_parsed_for_some_words() -> None:
    wire = Wire().prompted().chunk("x" * columns.TOO_BIG)
    assert columns.excerpt_group(groups(wire.log())[5]) == "…"


def test_findings_of_all_rows_of_a_group_are_counted() -> None:
    wire = Wire().prompted()
    for number in range(5):
        wire.chunk("a", **({"note": 1} if number < 3 else {}))
    group = groups(wire.log())[5]
    assert columns.finding_counts(group) == {Severity.WARNING: 3}
    assert columns.finding_marks(group) == "W3"
    wire.raw(Direction.IN, b"noise")
    assert columns.finding_marks(groups(wire.log())[5]) == "W3"


def test_numbers_and_ids() -> None:
    wire = Wire().prompted().chunk().happened(StderrLine(0.0, "x"))
    log = wire.log()
    assert [columns.format_number(log[index]) for index in (4, 6)] == ["5", ""]
    assert [columns.id_of(log[index]) for index in (4, 5)] == ["2", ""]


def test_of_findings_the_gravest_is_told_with_the_field_that_broke_the_rule() -> None:
    wire = Wire().opened().update("tool_call_update", mood=1).raw(Direction.IN, b"npm warn")
    wire.update("usage_update", used="many", size=2).update("usage_update", used=9, size=9)
    wire.update("usage_update", used=2, size=9)
    found = [columns.worst_finding(group) for group in groups(wire.log())]
    told = [columns.finding_words(one) for one in found if one is not None]
    assert [one.severity for one in found if one is not None][-2:] == ["error", "info"]
    assert told[-4:] == [
        "toolCallId is missing",
        "not JSON: npm warn",
        'used must be an integer, but is a string: "many"',
        "used: 2 after 9",
    ]
    assert found[0] is None


def test_the_row_of_a_time_out_names_the_request_and_leads_to_it() -> None:
    wire = Wire().prompted().happened(TimedOut(101.0, 2, 60.0))
    log = wire.log()
    late = log[len(log) - 1]
    assert late.partner is not None
    assert log[late.partner].method == "session/prompt"
    assert log[late.partner].partner == late.index
    assert columns.summarize_group(groups(log)[-1]) == "timed_out session/prompt"
    answered = wire.ended().log()
    assert answered[late.partner].partner == late.index + 1
