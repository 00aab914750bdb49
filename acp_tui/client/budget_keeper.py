"""Enforces the budget: cancels turns over the time, cost or token limit, and refuses turns over the
quota limit. Also warns as the limits of the agent's plan fill up.
"""

import time
from typing import TYPE_CHECKING

import anyio

from acp_tui.client.core import Core
from acp_tui.client.last_seen import may_change_account, quota_key
from acp_tui.client.launch import Budget
from acp_tui.formatting import clock_time, duration, reset_words
from acp_tui.protocol.events import Event, LimitReached
from acp_tui.protocol.updates import SessionNotification, UsageUpdate
from acp_tui.protocol.wire_events import Notified
from acp_tui.state.changes import Change, TurnChanged
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.session import Session, Turn
from acp_tui.text import clean_line

if TYPE_CHECKING:
    from acp_tui.client.connection.replies import Replies
    from acp_tui.protocol.quota import QuotaNotices
    from acp_tui.store.seen_agents import SeenQuota

PERIOD = 0.25
"""Seconds between checks."""


class BudgetKeeper:
    """Checks running turns against the budget, with the usage that the agent reports."""

    def __init__(self, core: Core, replies: "Replies") -> None:
        self._core = core
        self._replies = replies
        self._budget = core.launch.budget
        self._tokens: dict[str, int] = {}
        self._paused: dict[int, float] = {}
        """Seconds for which each turn's clock was paused, by the frame number of its prompt."""
        self._cancelled: set[int] = set()
        self._quota_notices: QuotaNotices | None = None
        self._earlier_quota = self._read_quota()
        core.listen(self._forget_quota)
        core.listen(self._count_tokens)
        core.listen(self._warn_of_quota)

    async def watch(self) -> None:
        """Check the running turns periodically, until canceled."""
        while self._budget._replace(quota=None) != Budget():
            before = self._core.clock()
            await anyio.sleep(PERIOD)
            state = self._core.state
            for session in list(state.sessions.values()):
                turn = session.turn
                if turn is None or turn.request.number in self._cancelled:
                    continue
                if state.holding.frames:  # a frame at a breakpoint delays the turn, not the agent
                    paused = self._paused.get(turn.request.number, 0.0)
                    self._paused[turn.request.number] = paused + self._core.clock() - before
                self._check_limits(session, turn)

    def used_up(self, session: Session | None) -> str | None:
        """Return the reason why the cost or token limit forbids another prompt, or None."""
        if session is None:
            return None
        cost, budget = session.usage.cost, self._budget
        if cost is not None and budget.cost is not None and cost.amount >= budget.cost:
            spent = f"{cost.amount:.10g} {clean_line(cost.currency)}"
            return f"The session has cost {spent}, and --max-cost is {budget.cost:.10g}."
        tokens = max(session.usage.used or 0, self._tokens.get(session.session_id, 0))
        if budget.tokens is not None and tokens >= budget.tokens:
            return f"The session has used {tokens:,} tokens, and --max-tokens is {budget.tokens:,}."
        return None

    def refuses_turn(self, session: Session | None) -> str | None:
        """Return the reason why a limit forbids another turn in a session, or None."""
        return self.used_up(session) or self._quota_used_up()

    def _read_quota(self) -> "SeenQuota | None":
        """Return the quota that the agent reported in an earlier run, or None without
        `--max-quota`.
        """
        launch = self._core.launch
        if self._budget.quota is None or launch.last_seen is None:
            return None
        from acp_tui.store.seen_agents import read_quota

        return read_quota(launch.last_seen, quota_key(launch))

    def _forget_quota(self, event: Event, _: list[Change]) -> None:
        """Forget the quota of an earlier run when another account may have signed in."""
        if may_change_account(event):
            self._earlier_quota = None

    def _quota_used_up(self) -> str | None:
        most, now, seen = self._budget.quota, time.time(), self._earlier_quota
        if most is None or not (self._core.state.quota or seen):
            return None
        from acp_tui.protocol.quota import fullest_window  # few agents report a quota

        reported = self._core.state.quota
        earlier = [one for one in seen.windows if one.id not in reported] if seen else []
        window = fullest_window(
            one
            for one in (*reported.values(), *earlier)
            if one.reaches(most) and not one.is_over(now)
        )
        if window is None:
            return None
        used, resets = clean_line(window.usage_words), reset_words(window.resets_at, now)
        if seen is not None and window in earlier:
            when = clock_time(seen.at, now)
            limit, _, share = used.rpartition(" is ")
            used = f"{limit} was {share} when the agent last reported it ({when})"
        todo = "Send it later" if window.resets_at is None else "Send it again then"
        return f"{used}, and --max-quota is {most:g}. {resets} {todo}, or raise --max-quota."

    def _warn_of_quota(self, event: Event, _: list[Change]) -> None:
        """Warn the user when much of a limit of the plan is used, once per level."""
        if not self._core.state.quota or not isinstance(event, Notified):
            return
        if not isinstance(event.params, SessionNotification):
            return
        if not isinstance(event.params.update, UsageUpdate):
            return
        from acp_tui.protocol.quota import QuotaNotices  # few agents report a quota

        if self._quota_notices is None:
            self._quota_notices = QuotaNotices()
        now = time.time()
        for window in list(self._core.state.quota.values()):
            if self._quota_notices.is_due(window, now):
                title, resets = clean_line(window.usage_words), reset_words(window.resets_at, now)
                self._core.notify(event.params.session_id, "warning", title, resets)

    def _check_limits(self, session: Session, turn: Turn) -> None:
        why = self.used_up(session) or self._time_limit_exceeded(turn)
        if why is not None:
            self._cancelled.add(turn.request.number)
            self._core.emit(LimitReached(self._core.clock(), session.session_id, why))
            self._replies.cancel(session.session_id)

    def _time_limit_exceeded(self, turn: Turn) -> str | None:
        seconds = self._budget.seconds
        worked = turn.worked(self._core.clock()) - self._paused.get(turn.request.number, 0.0)
        if seconds is None or worked < seconds:
            return None
        return f"It took over {duration(seconds)} (--max-time)."

    def _count_tokens(self, _: Event, changes: list[Change]) -> None:
        """Add the tokens of turns that ended to their sessions' totals."""
        for change in changes:
            if isinstance(change, TurnChanged):
                session = self._core.state.sessions.get(change.session_id)
                last = session.entries[-1] if session is not None and session.entries else None
                if isinstance(last, TurnEndEntry) and last.usage is not None:
                    total = last.usage.get("totalTokens")
                    if isinstance(total, int) and total > 0:
                        known = self._tokens.get(change.session_id, 0)
                        self._tokens[change.session_id] = known + total
