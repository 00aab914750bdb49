"""The quota of a plan, as adapters report it in `_meta`; what can't be right is left out."""

from typing import Any

import pytest

from acp_tui.protocol.quota import (
    MOST_WINDOWS,
    QuotaNotices,
    QuotaWindow,
    fullest_window,
    read_model_tokens,
    read_windows,
)

NOW = 1.79e9
LATER = NOW + 3600


def report(**fields: Any) -> dict[str, Any]:
    return {"_claude/rateLimit": {"status": "allowed", "rateLimitType": "five_hour", **fields}}


def window(**fields: Any) -> QuotaWindow:
    (found,) = read_windows(report(**fields))
    return found


def test_the_windows_of_a_plan_are_read_with_their_resets() -> None:
    week = {"utilization": 0.29, "resetsAt": LATER + 1, "status": "allowed"}
    five_hours = {"utilization": 0.84, "resetsAt": LATER}
    windows = {"five_hour": five_hours, "seven_day": week}
    found = read_windows(report(utilization=0.85, resetsAt=LATER, unifiedWindows=windows))
    assert found == [
        QuotaWindow("five_hour", 85.0, LATER),
        QuotaWindow("seven_day", 29.0, LATER + 1),
    ]
    assert [one.usage_words for one in found] == [
        "85% of the 5-hour limit is used",
        "29% of the weekly limit is used",
    ]


@pytest.mark.parametrize(
    ("share", "used"),
    [
        (0, 0.0),
        (0.57, 57.0),
        (1, 100.0),
        (1.2, 120.0),
        (85, 85.0),
        (1001, None),
        (-0.1, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        ("0.9", None),
        (True, None),
        (None, None),
        ([0.9], None),
    ],
)
def test_a_share_is_a_fraction_or_a_percentage_and_nothing_else(
    share: Any, used: float | None
) -> None:
    assert window(utilization=share, resetsAt=LATER).used == used


@pytest.mark.parametrize(
    ("given", "resets_at"),
    [
        (NOW, NOW),
        (NOW * 1000, NOW),
        (0, None),
        (-NOW, None),
        (5e9, None),
        (float("nan"), None),
        ("2026-11-28T16:40:00Z", None),
        (None, None),
    ],
)
def test_a_reset_is_in_seconds_or_milliseconds(given: Any, resets_at: float | None) -> None:
    assert window(utilization=0.5, resetsAt=given).resets_at == resets_at


def test_a_threshold_is_the_least_that_is_used() -> None:
    known = window(surpassedThreshold=0.9)
    assert (known.used, known.is_minimum, known.reaches(90)) == (90.0, True, True)
    assert known.usage_words == "Over 90% of the 5-hour limit is used"
    assert not window(utilization=0.5, surpassedThreshold=0.9).is_minimum


def test_a_limit_that_rejects_is_used_up_whatever_its_share() -> None:
    used_up = window(status="rejected")
    assert used_up.reaches(100)
    assert used_up.usage_words == "The 5-hour limit is used up"
    assert used_up.percent == "used up"
    assert window(status="rejected", utilization=0.2).percent == "used up"


def test_a_limit_of_an_unknown_name_has_the_agents_own() -> None:
    (found,) = read_windows(report(rateLimitType="lunar", utilization=0.5))
    assert found.name == "limit 'lunar'"
    (found,) = read_windows(report(rateLimitType=7, utilization=0.5))
    assert found.usage_words == "50% of the plan's limit is used"


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        [],
        {"_claude/rateLimit": None},
        {"_claude/rateLimit": []},
        {"_claude/rateLimit": {}},
        {"_claude/rateLimit": {"unifiedWindows": [1]}},
        {"_claude/rateLimit": {"unifiedWindows": {"five_hour": None}}},
        {"_claude/rateLimit": {"status": ["rejected"], "utilization": {}}},
    ],
)
def test_what_says_nothing_is_no_window(meta: Any) -> None:
    assert read_windows(meta) == []


def test_an_agent_cannot_name_any_number_of_windows() -> None:
    windows = {f"w{number}": {"utilization": 0.5} for number in range(1000)}
    assert len(read_windows(report(unifiedWindows=windows, utilization=0.5))) == MOST_WINDOWS + 1
    assert len(window(rateLimitType="x" * 1000, utilization=0.5).id) == 80


def test_a_report_without_a_usage_keeps_that_of_the_same_window() -> None:
    known = QuotaWindow("five_hour", 85.0, LATER)
    said = QuotaWindow("five_hour", None, LATER + 1)
    assert said.completed_by(known).used == 85.0
    assert QuotaWindow("five_hour", None).completed_by(known) == known
    assert said.completed_by(None) == said
    next_window = QuotaWindow("five_hour", None, LATER + 18000)
    assert next_window.completed_by(known) == next_window
    assert next_window.completed_by(QuotaWindow("five_hour", 85.0)) == next_window
    assert next_window.percent == "not known"
    assert QuotaWindow("five_hour", 9.0).completed_by(known).used == 9.0


def test_a_window_is_over_once_its_reset_has_passed() -> None:
    assert QuotaWindow("five_hour", 99.0, NOW).is_over(NOW)
    assert not QuotaWindow("five_hour", 99.0, LATER).is_over(NOW)
    assert not QuotaWindow("five_hour", 99.0).is_over(NOW)


def test_the_fullest_window_is_one_that_is_used_up_or_has_the_largest_share() -> None:
    week, five_hours = QuotaWindow("seven_day", 99.0), QuotaWindow("five_hour", 80.0)
    unknown = QuotaWindow("overage", None)
    assert fullest_window([unknown, five_hours, week]) == week
    used_up = five_hours._replace(used=None, rejected=True)
    assert fullest_window([used_up, week]) == used_up
    assert fullest_window([unknown]) is None


def due(*windows: QuotaWindow) -> list[bool]:
    notices = QuotaNotices()
    return [notices.is_due(one, NOW) for one in windows]


def used(percent: float | None, resets_at: float | None = LATER, **more: Any) -> QuotaWindow:
    return QuotaWindow("five_hour", percent, resets_at, **more)


def test_a_notice_is_due_once_at_each_level() -> None:
    reports = [used(79.9), used(80), used(79.9), used(81), used(95), used(96)]
    assert due(*reports) == [False, True, False, False, True, False]


def test_a_window_that_begins_at_a_high_level_has_one_notice() -> None:
    assert due(used(97), used(98)) == [True, False]


def test_each_window_has_its_own_notices() -> None:
    assert due(used(85), QuotaWindow("seven_day", 85.0, LATER)) == [True, True]


def test_after_a_reset_notices_are_due_again() -> None:
    assert due(used(96), used(3, LATER + 18000), used(85, LATER + 18000)) == [True, False, True]
    assert due(used(96), used(85, LATER + 18000)) == [True, True]
    assert due(used(None, rejected=True), used(85, LATER + 18000)) == [True, True]
    assert due(used(96, None), used(85, None)) == [True, False]


def test_a_later_reset_alone_is_no_new_window() -> None:
    rolling = [used(85, LATER + 100 * number) for number in range(3)]
    assert due(*rolling) == [True, False, False]


def test_no_notice_is_due_for_what_was_reset_or_has_no_usage() -> None:
    assert due(used(99, NOW - 1), used(None)) == [False, False]


def test_the_tokens_of_a_turn_are_read_by_model() -> None:
    rows = [
        {"model": "large", "token_count": {"totalTokens": 40, "inputTokens": 30}},
        {"model": "small", "token_count": {"totalTokens": 2}},
        {"model": "large", "token_count": {"totalTokens": 1}},
    ]
    assert read_model_tokens({"quota": {"model_usage": rows}}) == {"large": 41, "small": 2}


@pytest.mark.parametrize(
    "row",
    [
        None,
        {},
        {"model": "m"},
        {"model": "m", "token_count": None},
        {"model": "m", "token_count": {"totalTokens": "9"}},
        {"model": "m", "token_count": {"totalTokens": True}},
        {"model": "m", "token_count": {"totalTokens": -1}},
        {"model": "m", "token_count": {"totalTokens": 10**16}},
        {"model": 7, "token_count": {"totalTokens": 9}},
        {"model": "", "token_count": {"totalTokens": 9}},
    ],
)
def test_tokens_that_cannot_be_right_are_left_out(row: Any) -> None:
    assert read_model_tokens({"quota": {"model_usage": [row]}}) == {}
    assert read_model_tokens({"quota": {"model_usage": row}}) == {}
