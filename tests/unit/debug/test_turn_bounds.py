"""Where the turns in a log begin."""

from acp_tui.debug.turn_bounds import find_prompt
from tests.unit.debug.scenes import Wire


def test_a_record_counts_for_the_turn_of_its_session_or_of_the_parents_of_that() -> None:
    wire = Wire().prompted().update("subagent_update", sessionId="c")
    prompt = len(wire.records) - 2
    wire.update("subagent_update", "c", sessionId="d").chunk()
    wire.chunk(session="d").chunk(session="elsewhere")
    log, last = wire.log(), len(wire.records) - 1
    assert [find_prompt(log, at) for at in range(last - 2, last + 1)] == [prompt, prompt, None]


def test_sessions_that_claim_each_other_have_no_prompt() -> None:
    wire = Wire().opened().update("subagent_update", "c", sessionId="d")
    wire.update("subagent_update", "d", sessionId="c").chunk(session="d")
    assert find_prompt(wire.log(), len(wire.records) - 1) is None
