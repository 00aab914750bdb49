"""Two recordings compared: the same turn is the same, and what differs is told where it is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.debug.compare.comparison import (
    Comparison,
    compare_frames,
    compare_recordings,
    pair_by_keys,
)
from acp_tui.debug.compare.report import (
    MOST_LISTED,
    comparison_html,
    comparison_json,
    comparison_text,
)
from acp_tui.debug.compare.steps import split_at_turns
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import ProcessExited, StderrLine
from tests.unit.debug.scenes import Wire

PERMISSION = "session/request_permission"


def turn(session: str = "s", cwd: str = "/tmp/a-1", text: str = "Hello there", **call: Any) -> Wire:
    """A turn whose ids and folders are those of one run."""
    wire = Wire().initialized()
    wire.out(id=1, method="session/new", params={"cwd": cwd}).got(
        id=1, result={"sessionId": session}
    )
    wire.out(
        id=2, method="session/prompt", params={"sessionId": session, "prompt": [{"text": "hi"}]}
    )
    for piece in (text[:3], text[3:]):
        wire.chunk(piece, session=session)
    wire.update("tool_call", session, toolCallId=f"t-{session}", **{"title": "edit", **call})
    wire.ask(3, PERMISSION, sessionId=session, toolCall={"toolCallId": f"t-{session}"})
    wire.out(id=3, result={"outcome": {"outcome": "cancelled"}})
    return wire.update("usage_update", session, used=7).ended()


def compared(before: Wire, after: Wire, **how: Any) -> Comparison:
    return compare_recordings(
        *(split_at_turns(one.records, stderr=True) for one in (before, after)), **how
    )


def told(before: Wire, after: Wire) -> list[str]:
    """The differences as lines, without the summary."""
    lines = [line.strip() for line in comparison_text(compared(before, after))]
    return [line for line in lines[:-1] if line]


def test_two_runs_of_one_turn_are_the_same_however_the_text_was_cut() -> None:
    found = compared(turn(), turn("other", "/tmp/b-2"))
    assert (found.differs, found.differences, found.same) == (False, [], 7)


def test_what_is_new_gone_and_changed_is_told_with_its_frames() -> None:
    after = turn("x", text="Hello you", title="read").got(method="_new").prompt(9)
    assert told(turn().got(id=77, result={}), after) == [
        "turn 1",
        "changed ← agent_message_chunk Hello you  (#6 → #6)",
        'content.text: "Hello there" → "Hello you"',
        "changed ← tool_call read  (#8 → #8)",
        'title: "edit" → "read"',
        "new     ← _new  (#13)",
        "gone    ← stray answer  (#13)",
        "turn 2",
        "new     → session/prompt hi  (#14)",
    ]


def test_an_answer_that_fails_or_never_comes_differs() -> None:
    asked = Wire().prompted()
    failed = Wire().prompted().got(id=2, error={"code": -1, "message": "no"})
    assert told(asked, failed)[-1] == (
        'answer: nothing → {"error": {"code": -1, "message": "no", "data": null}}'
    )
    assert 'result: {"stopReason": "end_turn"} → nothing' in told(Wire().prompted().ended(), failed)


def test_a_slower_answer_is_told_and_is_no_difference() -> None:
    slow = Wire().prompted().later(3).ended()
    found = compared(Wire().prompted().ended(), slow)
    assert not found.differs
    assert list(comparison_text(found))[1:] == [
        "  slower  → session/prompt hi  (#5 → #5)  10.0ms → 3.01s",
        "",
        "1 slower, 3 the same",
    ]
    assert compared(Wire().prompted().ended(), slow, slower=1000).differences == []
    asked = [Wire().prompted().ask(3, "fs/x").later(after).out(id=3, result={}) for after in (0, 9)]
    assert compared(*asked).differences == []


def test_updates_of_the_state_and_stderr_may_come_on_either_side_of_a_prompt() -> None:
    early = Wire().opened().update("available_commands_update", availableCommands=[])
    early.happened(StderrLine(early.at, "starting in 5ms")).prompt(2)
    late = Wire().opened().prompt(2).update("available_commands_update", availableCommands=[])
    late.happened(StderrLine(late.at, "starting in 7ms"))
    assert not compared(early, late).differs
    assert split_at_turns(early.records)[0].steps[-1].what == "available_commands_update"


def test_turns_are_paired_by_their_prompts_and_sessions_have_their_own() -> None:
    def said(*turns: tuple[str, str, str]) -> Wire:
        wire = Wire().opened()
        for id, (session, text, answer) in enumerate(turns, 5):
            prompt = [{"type": "text", "text": text}]
            wire.out(
                id=id, method="session/prompt", params={"sessionId": session, "prompt": prompt}
            )
            wire.chunk(answer, session=session).ended(id)
        return wire

    both = said(("s", "one", "1"), ("t", "two", "2"))
    assert told(both, said(("s", "zero", "0"), ("s", "one", "1"), ("t", "two", "2"))) == [
        "turn 1",
        "new     → session/prompt zero  (#5)",
        "new     ← agent_message_chunk 0  (#6)",
    ]
    ((_, second),) = (split_at_turns(both.records)[1:],)
    assert [step.number for step in second.steps] == [8, 9]
    alone = compare_recordings([second], [second])
    assert (alone.differs, compare_recordings([second], []).differences[0].turn) == (False, 1)


def test_what_is_no_message_and_the_end_of_the_process_are_compared() -> None:
    wire = Wire().opened().raw(Direction.IN, b"noise \xff").out(method="session/update", params=[])
    wire.got(method="session/update", params={"update": 1}).got(method="session/prompt", params=[])
    wire.out(id=8, method="session/prompt", params=None).happened(ProcessExited(wire.at, 3))
    quiet = Wire().opened().happened(ProcessExited(wire.at, 0, asked=True))
    assert told(quiet, wire) == [
        "before the first turn",
        "new     → session/update  (#6)",
        "new     → session/prompt  (#9)",
        "new     ← session/update  (#7)",
        "new     ← session/prompt  (#8)",
        "new     ← no message noise �  (#5)",
        "new     ← exit",
    ]


def test_chunks_of_other_messages_and_other_content_stay_apart() -> None:
    wire = (
        Wire()
        .prompted()
        .chunk("a", messageId="1")
        .chunk("b", messageId="2")
        .chunk("c", messageId="2")
    )
    wire.update("agent_message_chunk", content={"type": "image", "data": ""})
    wire.update("agent_message_chunk", content="?").update("agent_message_chunk")
    texts = [one.value.get("content") for one in split_at_turns(wire.records)[1].steps[1:]]
    assert [one.get("text") if isinstance(one, dict) else one for one in texts] == [
        "a",
        "bc",
        None,
        "?",
        None,
    ]


def test_programs_get_json_and_people_a_page() -> None:
    found = compared(turn(), turn(text="<b>").got(method="_x", params={"n": 1}))
    body = json.loads(comparison_json(found))
    assert (body["differs"], body["same"]) == (True, 6)
    assert body["differences"][0] == {
        "kind": "changed",
        "turn": 1,
        "what": "agent_message_chunk",
        "by": "agent",
        "before": {"frame": 6, "seconds": None},
        "after": {"frame": 6, "seconds": None},
        "changes": [{"path": "content.text", "before": "Hello there", "after": "<b>"}],
    }
    page = comparison_html(found, "a & b", "c")
    assert "a &amp; b and c" in page
    assert "&lt;b&gt;" in page
    assert "<b>new</b>" in page
    assert '<b>"' not in page


def test_two_frames_are_compared_without_their_ids() -> None:
    def lines(wire: Wire) -> list[str]:
        before, after = wire.records
        assert isinstance(before, Frame)
        assert isinstance(after, Frame)
        return list(comparison_text(compare_frames(before, after)))

    assert lines(Wire().got(id=1, result={"a": 1}).got(id=2, result={"a": 1})) == ["1 the same"]
    assert lines(Wire().got(id=1, result={"a": 1}).out(id=2, method="_x", params={}))[1:5] == [
        "  changed → _x  (#1 → #2)",
        '            result: {"a": 1} → nothing',
        '            method: nothing → "_x"',
        "            params: nothing → {}",
    ]
    noise = lines(Wire().raw(Direction.IN, b"one").raw(Direction.IN, b"two"))
    assert 'all of it: "one" → "two"' in noise[2]


@pytest.mark.parametrize("value", [None, 3, ["x"]])
def test_prompts_of_any_form_are_read(value: Any) -> None:
    wire = (
        Wire()
        .opened()
        .out(id=2, method="session/prompt", params={"sessionId": "s", "prompt": value})
    )
    assert split_at_turns(wire.records)[1].words == ""


def test_of_many_differences_the_first_are_listed() -> None:
    many = Wire()
    for _ in range(MOST_LISTED + 5):
        many.got(method="_x")
    *_, more, last = comparison_text(compared(Wire(), many))
    assert more == "and 5 more: acp-tui diff --json lists all"
    assert last == "1005 new, 0 the same"


def test_of_many_changes_the_first_are_listed() -> None:
    many = [
        Wire().opened().got(method="_x", params={str(at): value for at in range(12)})
        for value in (1, 2)
    ]
    assert told(*many)[-1] == "and 4 more"
    short = Wire().opened().got(method="_x", params={"title": "y" * 99})
    assert any(f"_x {'y' * 59}…" in line for line in told(Wire().opened(), short))


WORDS = st.lists(st.sampled_from("abcAB"), max_size=12)


@given(WORDS, WORDS)
def test_each_one_is_paired_once_and_in_order_and_all_that_can_be(
    before: list[str], after: list[str]
) -> None:
    pairs = list(pair_by_keys(before, after, [str, str.lower]))
    assert [one for one, _ in pairs if one is not None] == before
    assert [one for _, one in pairs if one is not None] == after
    assert all(one.lower() == other.lower() for one, other in pairs if one and other)
    assert list(pair_by_keys(before, before, [str])) == [(one, one) for one in before]


def test_thousands_that_look_alike_are_paired_by_their_order() -> None:
    before = [f"{number} of all" for number in range(8000)]
    after = [f"{number} of others" for number in range(7999)]
    alone = [pair for pair in pair_by_keys(before, after, [str, lambda _: "all"]) if None in pair]
    assert alone == [(before[-1], None)]
    mixed = [("all", "both")[number % 2] for number in range(7000)]
    found = list(pair_by_keys(["first", *mixed, "last"], ["other", *mixed[1:], "end"], [str]))
    assert sum(one is not None and one == other for one, other in found) > 6990


def test_of_thousands_what_is_rare_is_paired_wherever_it_stands() -> None:
    before = ["rare", *["all"] * 7000, "end"]
    after = ["begin", *["all"] * 100, "rare", *["all"] * 4000, "more"]
    assert ("rare", "rare") in pair_by_keys(before, after, [str])
