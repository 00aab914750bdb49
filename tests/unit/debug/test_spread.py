"""A message on several lines, as it is shown and judged: as one."""

import json
from typing import Any

import pytest

from acp_tui.debug import columns
from acp_tui.debug.exchanges import Status
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.log import Log
from acp_tui.debug.view import Group, LogView
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.process_events import ProcessExited, StderrLine
from tests.unit.debug.scenes import Wire

CHUNK = {
    "sessionUpdate": "agent_message_chunk",
    "content": {"type": "text", "text": "Hello"},
}


def pretty(wire: Wire, **message: Any) -> Wire:
    """Write a message as a pretty printer does."""
    for line in json.dumps({"jsonrpc": "2.0", **message}, indent=2).splitlines():
        wire.raw(Direction.IN, line.encode())
    return wire


def update(wire: Wire, body: dict[str, Any]) -> Wire:
    return pretty(wire, method="session/update", params={"sessionId": "s", "update": body})


def groups(log: Log, expression: str = "") -> list[Group]:
    view = LogView(log, compile_filter(expression))
    view.catch_up()
    return [view[position] for position in range(len(view))]


def told(wire: Wire) -> list[tuple[str, int, str]]:
    return [(one.rule.id, one.index, one.message) for one in wire.log().findings]


def test_it_is_one_row_that_tells_what_it_would_be() -> None:
    log = update(Wire().prompted(), CHUNK).log()
    *_, group = groups(log)
    assert columns.summarize_group(group) == "agent_message_chunk on 14 lines"
    assert columns.excerpt_group(group) == "Hello"
    assert (group.first.session, group.first.status) == ("s", Status.UNREADABLE)
    whole = group.first.whole
    assert isinstance(whole, Frame)
    assert json.loads(whole.raw)["params"]["update"] == CHUNK
    assert whole.size == len(whole.raw)
    assert group.first.whole_size == whole.size - 13  # without the newlines
    assert [row.is_part for row in group] == [False] + [True] * 13
    assert log.counts["agent_message_chunk", "session/update", "in"] == 1
    assert log.counts["", "", "in"] == 0
    assert len(groups(log, "kind:agent_message_chunk")) == 1


def test_it_is_one_finding_and_its_form_is_looked_at() -> None:
    assert told(update(Wire().prompted(), CHUNK).ended()) == [
        ("embedded-newlines", 5, "one message on 14 lines: agent_message_chunk")
    ]
    broken = {**CHUNK, "content": {"type": "text", "text": 7}}
    assert [rule for rule, _, _ in told(update(Wire().prompted(), broken).ended())] == [
        "embedded-newlines",
        "schema",
    ]


def test_what_stderr_says_in_between_does_not_part_it() -> None:
    wire = Wire().prompted().raw(Direction.IN, b"{").happened(StderrLine(100.05, "log"))
    wire.raw(Direction.IN, b'"method": "_x", "params": {}').out(id=9, method="logout")
    wire.raw(Direction.IN, b"}")
    log = wire.log()
    assert [one.message for one in log.findings if one.index == 5] == [
        "one message on 3 lines: _x",
        "is missing",
        "_x is an extension",
    ]
    whole = log[5].whole
    assert isinstance(whole, Frame)
    assert whole.raw == b'{\n"method": "_x", "params": {}\n}'


@pytest.mark.parametrize(
    ("message", "what", "words", "is_answer"),
    [
        (
            {"id": 2, "result": {"stopReason": "end_turn"}},
            "response to session/prompt on 7 lines",
            "one message on 7 lines: the answer to session/prompt",
            True,
        ),
        (
            {"id": 99, "result": {}},
            "response to nothing on 5 lines",
            "one message on 5 lines: an answer",
            True,
        ),
        (
            {"id": 5, "method": "_x/y", "params": {}},
            "_x/y on 6 lines",
            "one message on 6 lines: _x/y",
            False,
        ),
    ],
)
def test_requests_and_answers_take_part_in_no_exchange(
    message: dict[str, Any], what: str, words: str, is_answer: bool
) -> None:
    log = pretty(Wire().prompted(), **message).log()
    assert columns.summarize_group(groups(log)[-1]) == what
    assert words in [one.message for one in log.findings]
    assert (log[5].is_answer, log[5].id) == (is_answer, message["id"])
    assert (log.unanswered, log.orphans, log[5].partner) == (1, 0, None)


def test_an_object_that_is_no_message_is_told_of_once() -> None:
    wire = Wire().prompted()
    for line in (b"{", b'"level": "info"', b"}"):
        wire.raw(Direction.IN, line)
    ((rule, words),) = [(rule, words) for rule, index, words in told(wire) if index == 5]
    assert rule == "not-a-message"
    assert words.endswith("a JSON object on 3 lines")
    assert columns.summarize_group(groups(wire.log())[-1]) == "unreadable on 3 lines"


@pytest.mark.parametrize("end", [b"npm warn", b'{"jsonrpc":"2.0","method":"_x"}', b"{"])
def test_lines_that_make_nothing_are_noise_each(end: bytes) -> None:
    wire = Wire().prompted().raw(Direction.IN, b"{").raw(Direction.IN, b'"a": 1,')
    wire.raw(Direction.IN, end)
    noise = [index for rule, index, _ in told(wire) if rule == "stdout-noise"]
    assert noise == ([5, 6] if end.startswith(b'{"') else [5, 6, 7])


def test_what_never_ends_is_told_of_when_the_agent_is_gone() -> None:
    wire = Wire().prompted().raw(Direction.IN, b"{")
    log = Log(wire.records)
    log.catch_up()
    wire.happened(ProcessExited(101.0, 0))
    assert ("stdout-noise", 5, "not JSON from character 2 on: {") in told(wire)


def test_a_line_that_is_too_long_ends_what_was_begun() -> None:
    wire = Wire().prompted().raw(Direction.IN, b"{")
    wire.records.append(Frame(Direction.IN, b"xx", 101.0, 9, Flaw.OVERSIZED, 9_000_000))
    wire.raw(Direction.IN, b"}")
    found = [(rule, index) for rule, index, _ in told(wire)]
    assert ("stdout-noise", 5) in found
    assert ("stdout-noise", 7) in found


def test_the_whole_of_an_ordinary_record_is_itself() -> None:
    log = Wire().prompted().chunk("a").log()
    assert log[5].whole is log[5].record
