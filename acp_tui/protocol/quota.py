"""Usage of a plan's limits, and tokens by model: adapters report them in `_meta`, outside ACP.

claude-agent-acp forwards its SDK's report of the plan in `_claude/rateLimit` of a `usage_update`.
Both it and codex-acp add `quota` to the end of a turn. No schema describes any of it, so each value
is checked, and an implausible one is dropped.
"""

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

from acp_tui.protocol.json_parts import list_at, number_at, object_at, value_at

RATE_LIMIT = "_claude/rateLimit"
QUOTA = "quota"

_NAMES = {
    "five_hour": "5-hour limit",
    "seven_day": "weekly limit",
    "seven_day_opus": "weekly limit for Opus",
    "seven_day_sonnet": "weekly limit for Sonnet",
    "seven_day_overage_included": "weekly limit with extra usage",
    "overage": "limit of extra usage",
}
_MOST_OVER = 10
"""The largest number that is read as a fraction: usage may exceed a limit, but not tenfold."""
_MOST_PERCENT = 1000
_MILLISECONDS = 1e11
"""Times from this number on are in milliseconds: in seconds they would be after the year 5000."""
_EARLIEST, _LATEST = 1e9, 4e9
"""Times before September 2001 or after 2096 are dropped as implausible."""
_SAME_RESET = 60.0
"""Most seconds by which two reports of the same reset may differ."""
_MOST_TOKENS = 10**15
_LONGEST_NAME = 80
QUIET_BELOW = 70
"""Percent of a limit below which its usage isn't shown."""
NOTICE_LEVELS = (80, 95)
"""Percent of a limit at which the user is notified, once each."""
MOST_WINDOWS = 20
"""Most windows of one plan, and models of one turn, that are read: an agent chooses their names."""


class QuotaWindow(NamedTuple):
    """The usage of one limit of a plan, in percent; None if unknown.

    `is_minimum` if the usage is at least `used`. The window `resets_at` a time in seconds since
    1970, if known. `rejected` if the provider refuses requests because of this limit.
    """

    id: str
    used: float | None
    resets_at: float | None = None
    is_minimum: bool = False
    rejected: bool = False

    @property
    def name(self) -> str:
        """The limit's name for people; for an unknown limit, the agent's own."""
        return _NAMES.get(self.id) or (f"limit {self.id!r}" if self.id else "plan's limit")

    @property
    def percent(self) -> str:
        """The usage as text such as `85%`, rounded down."""
        if self.rejected:
            return "used up"
        if self.used is None:
            return "not known"
        return f"over {int(self.used)}%" if self.is_minimum else f"{int(self.used)}%"

    @property
    def usage_words(self) -> str:
        """The usage as a sentence, without the period."""
        if self.rejected:
            return f"The {self.name} is used up"
        percent = self.percent
        return f"{percent[:1].upper()}{percent[1:]} of the {self.name} is used"

    def completed_by(self, other: "QuotaWindow | None") -> "QuotaWindow":
        """Return the window with its missing usage taken from another report about the same period."""
        if self.used is not None or other is None:
            return self
        if self.resets_at is None:
            return self._replace(
                used=other.used, is_minimum=other.is_minimum, resets_at=other.resets_at
            )
        is_same = (
            other.resets_at is not None and abs(self.resets_at - other.resets_at) < _SAME_RESET
        )
        return self._replace(used=other.used, is_minimum=other.is_minimum) if is_same else self

    def is_over(self, now: float) -> bool:
        """Return whether the limit was reset after it was reported, so that its usage is unknown."""
        return self.resets_at is not None and self.resets_at <= now

    def reaches(self, percent: float) -> bool:
        """Return whether the usage is at least this percentage, or the limit is used up."""
        return self.rejected or (self.used is not None and self.used >= percent)


class QuotaNotices:
    """Decides when to notify the user about a window: once per level, until the window is reset."""

    def __init__(self) -> None:
        self._noted: dict[str, tuple[int, QuotaWindow]] = {}

    def is_due(self, window: QuotaWindow, now: float) -> bool:
        """Return whether a window has reached a level that the user wasn't notified of yet."""
        level = max((one for one in NOTICE_LEVELS if window.reaches(one)), default=0)
        noted, before = self._noted.get(window.id, (0, window))
        if window.is_over(now):
            level = 0
        if _was_reset(before, window):
            noted = 0
        self._noted[window.id] = (max(noted, level), window)
        return level > noted


def _was_reset(before: QuotaWindow, window: QuotaWindow) -> bool:
    """Return whether a window was reset between two reports; a small decrease isn't a reset."""
    if window.used is None or window.rejected:
        return False
    is_less = before.rejected or (before.used is not None and window.used < before.used)
    is_later = (
        window.resets_at is not None
        and before.resets_at is not None
        and window.resets_at > before.resets_at + _SAME_RESET
    )
    return window.used < QUIET_BELOW or (is_less and is_later)


def read_windows(meta: Any) -> list[QuotaWindow]:
    """Read the plan's windows from the `_meta` of a `usage_update`."""
    report = object_at(meta, RATE_LIMIT)
    rows = list(object_at(report, "unifiedWindows").items())[:MOST_WINDOWS]
    windows = [_window(id, object_at(row)) for id, row in rows]
    found = {window.id: window for window in windows}
    kind = report.get("rateLimitType")
    limiting = _window(kind if isinstance(kind, str) else "", report)
    found[limiting.id] = limiting.completed_by(found.get(limiting.id))
    return [one for one in found.values() if one.used is not None or one.rejected or one.resets_at]


def read_model_tokens(meta: Any) -> dict[str, int]:
    """Read the tokens used by each model in a turn, from the `_meta` of the turn's end."""
    rows = list_at(meta, QUOTA, "model_usage")
    found: dict[str, int] = {}
    for row in map(object_at, rows[:MOST_WINDOWS]):
        model, tokens = row.get("model"), value_at(row, "token_count", "totalTokens")
        if not isinstance(tokens, int) or isinstance(tokens, bool):
            continue
        if isinstance(model, str) and model and 0 < tokens <= _MOST_TOKENS:
            found[model[:_LONGEST_NAME]] = found.get(model[:_LONGEST_NAME], 0) + tokens
    return found


def fullest_window(windows: Iterable[QuotaWindow]) -> QuotaWindow | None:
    """Return the window with the highest usage; one that is used up counts as the highest."""
    known = [one for one in windows if one.used is not None or one.rejected]
    return max(known, key=lambda one: (one.rejected, one.used or 0.0), default=None)


def _window(id: str, report: dict[str, Any]) -> QuotaWindow:
    used, threshold = (
        _percent(report.get("utilization")),
        _percent(report.get("surpassedThreshold")),
    )
    return QuotaWindow(
        id[:_LONGEST_NAME],
        threshold if used is None else used,
        _time(report.get("resetsAt")),
        is_minimum=used is None and threshold is not None,
        rejected=report.get("status") == "rejected",
    )


def _percent(share: Any) -> float | None:
    """Read usage in percent: from a fraction, as the SDK reports it, or from a percentage."""
    value = _number(share)
    if value is None or not 0 <= value <= _MOST_PERCENT:
        return None
    return round(value * 100, 4) if value <= _MOST_OVER else value


def _time(value: Any) -> float | None:
    seconds = _number(value)
    if seconds is not None and seconds >= _MILLISECONDS:
        seconds /= 1000
    return seconds if seconds is not None and _EARLIEST <= seconds <= _LATEST else None


def _number(value: Any) -> float | None:
    """Return a finite number as a float; None for anything else."""
    number = number_at(value)
    try:
        return None if number is None or not isfinite(number) else float(number)
    except OverflowError:
        return None
