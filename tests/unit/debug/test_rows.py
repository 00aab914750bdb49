"""Rows of a log, and their findings: what is noted comes back, wherever it was noted."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.debug import rows
from acp_tui.debug.rows import FindingStore, RowIds
from acp_tui.protocol.findings import Finding, ProtocolRule, Severity
from acp_tui.protocol.jsonrpc import Id
from tests.unit.debug.scenes import Wire


def test_a_row_that_is_not_there_is_an_index_error() -> None:
    log = Wire().chunk().chunk().log()
    assert log[-1].index == 1
    for index in (2, -3):
        with pytest.raises(IndexError):
            log[index]


def test_the_next_row_of_a_kind_is_found_from_a_row_on() -> None:
    log = Wire().prompted().chunk("a").update("plan", entries=[]).chunk("b").log()
    first = log.next_of_kind("agent_message_chunk", 0)
    assert first is not None
    assert log[first].kind == "agent_message_chunk"
    assert log.next_of_kind("agent_message_chunk", first + 1) == first + 2
    assert log.next_of_kind("agent_message_chunk", first + 3) is None
    assert log.next_of_kind("state_update", 0) is None


def test_the_prompt_before_a_row_is_that_of_its_own_session() -> None:
    wire = Wire().prompted().ended()
    wire.out(id=3, method="session/prompt", params={"sessionId": "other", "prompt": []})
    log = wire.chunk().log()
    assert log.prompt_before(7) == 6
    assert log.prompt_before(7, "s") == 4
    assert log.prompt_before(7, "third") is None
    assert log.prompt_before(3) is None


@pytest.mark.parametrize("id", [0, 7, -7, "7", None, 7.5, 2**62, -(2**70), 2**63 - 1])
def test_an_id_is_what_it_was(id: Id) -> None:
    ids = RowIds()
    ids[2] = 1
    ids[5] = id
    assert (ids.get(2), ids.get(5), type(ids.get(5))) == (1, id, type(id))
    assert [row for row in range(8) if row in ids] == [2, 5]
    assert [ids.get(row) for row in (0, 1, 3, 4, 6)] == [None] * 5
    ids[2] = "late"
    assert ids.get(2) == "late"


RULES = [ProtocolRule(one.value, one, "words") for one in Severity]
findings = st.builds(
    Finding,
    st.sampled_from(RULES),
    st.integers(0, 6),
    st.sampled_from(["this", "that"]),
    st.sampled_from([(), ("params", 0)]),
)


@given(st.lists(findings, max_size=20))
@example([Finding(rule, index, "this") for index in (3, 1) for rule in RULES])
def test_what_is_noted_comes_back_by_its_record(noted: list[Finding]) -> None:
    found = FindingStore()
    for one in noted:
        found.note(one)
    assert list(found) == sorted(noted, key=lambda one: one.index)
    assert len(found) == len(noted)
    for index in range(8):
        assert found.of(index) == [one for one in noted if one.index == index]
    assert list(found.places) == sorted({one.index for one in noted})
    for severity in Severity:
        indexes = [one.index for one in noted if one.severity is severity]
        assert found.severities[severity] == len(indexes)
        assert found.last(severity) == max(indexes, default=None)


def test_of_very_many_different_ones_the_later_are_counted_and_keep_their_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = FindingStore()
    monkeypatch.setattr(rows, "MOST_DETAILED", 3)
    for index in range(6):
        found.note(Finding(RULES[index % 2], index, f"line {index}"))
    assert [one.message for one in found] == ["line 0", "line 1", "line 2"] + [
        "as others before"
    ] * 3
    assert [one.rule for one in found] == [RULES[0], RULES[1]] * 3


def test_equal_findings_are_equal() -> None:
    one, other = FindingStore(), FindingStore()
    one.note(Finding(RULES[0], 1, "this"))
    assert one != other
    other.note(Finding(RULES[0], 1, "this"))
    assert one == other
    assert one != []
