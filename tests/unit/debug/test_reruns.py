"""The same prompt sent again: the two turns are found, and only theirs is compared."""

from acp_tui.debug.compare.comparison import compare_recordings, find_rerun, read_turn
from acp_tui.debug.compare.report import comparison_text
from acp_tui.debug.compare.steps import RecordingPart
from acp_tui.edits.steps import Steps, finish_steps
from tests.unit.debug.scenes import Wire


def asked(wire: Wire, id: int, text: str, said: str, session: str = "s") -> Wire:
    """A turn of one message."""
    prompt = [{"type": "text", "text": text}]
    wire.out(id=id, method="session/prompt", params={"sessionId": session, "prompt": prompt})
    return wire.chunk(said, session=session).got(id=id, result={"stopReason": "end_turn"})


def turns(wire: Wire, session: str = "s") -> list[RecordingPart] | None:
    found = finish_steps(find_rerun(wire.records, session))
    return found and [finish_steps(read_turn(wire.records, one)) for one in found]


def told(parts: list[RecordingPart]) -> list[str]:
    before, after = parts
    return [line.strip() for line in comparison_text(compare_recordings([before], [after]))]


def test_the_turn_before_and_after_a_restart_are_compared_without_the_restart() -> None:
    wire = asked(Wire().initialized(), 2, "hi", "One")
    wire.quitted().started().initialized()
    wire.out(id=4, method="session/resume", params={"sessionId": "s"}).got(id=4, result={})
    found = turns(asked(wire, 5, "hi", "Two"))
    assert found is not None
    assert told(found)[1:3] == [
        "changed ← agent_message_chunk Two  (#4 → #11)",
        'content.text: "One" → "Two"',
    ]
    assert told(found)[-1] == "1 changed, 1 the same"


def test_what_lies_between_and_other_sessions_are_left_out() -> None:
    wire = asked(Wire(), 1, "hi", "One", "old")
    asked(wire, 2, "other", "Else", "old")
    wire.out(id=7, result={"note": "session/prompt"})
    asked(wire, 3, "hi", "One")
    asked(wire, 4, "hi", "in another tab", "tab")
    found = turns(wire)
    assert found is not None
    assert told(found)[-1] == "2 the same"


def test_a_prompt_that_was_sent_once_has_no_turn_before() -> None:
    assert turns(asked(asked(Wire(), 1, "a", "One"), 2, "b", "Two")) is None
    assert turns(Wire().initialized()) is None


def test_a_long_log_is_read_with_pauses() -> None:
    wire = asked(Wire(), 1, "hi", "One")
    for _ in range(300):
        wire.chunk("more")
    asked(wire, 2, "hi", "One")
    steps: Steps[object] = find_rerun(wire.records, "s")
    assert sum(1 for _ in steps) >= 4
    found = finish_steps(find_rerun(wire.records, "s"))
    assert found is not None
    assert sum(1 for _ in read_turn(wire.records, found[0])) >= 4


def test_a_prompt_without_params_is_none() -> None:
    wire = asked(asked(Wire(), 1, "hi", "a"), 2, "hi", "b")
    wire.out(id=3, method="session/prompt", params=["hi"])
    assert turns(wire) is not None
