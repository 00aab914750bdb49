"""Findings in columns: what is noted comes back, wherever it was noted."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.debug import rows as found_module
from acp_tui.debug.rows import FindingStore
from acp_tui.protocol.findings import Finding, ProtocolRule, Severity

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
    monkeypatch.setattr(found_module, "MOST_TOLD", 3)
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
