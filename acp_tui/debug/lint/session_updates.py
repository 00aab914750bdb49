"""Plans, usage and cursors: how an update may differ from the previous ones."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import number_at, object_at, objects_at, text_at, value_at

OVER = protocol_rule("usage-over-size")
BACKWARDS = protocol_rule("usage-backwards")
CHEAPER = protocol_rule("cost-backwards")


class UsageChecker(Checker):
    """Checks that the numbers in usage_update are plausible."""

    ABOUT = ("usage_update", "compaction_update")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._used: dict[str, float] = {}
        self._costs: dict[tuple[str, str], float] = {}

    def check_record(self, reading: Reading) -> None:
        if reading.kind == "compaction_update":
            self._used.pop(self.peers.session, None)
        elif reading.direction is Direction.IN:
            session = self.peers.session
            self._check_tokens(reading, session)
            self._check_cost(reading, session)

    def reopened(self, session: str) -> None:
        self._used.pop(session, None)
        for key in [one for one in self._costs if one[0] == session]:
            del self._costs[key]

    def _check_tokens(self, reading: Reading, session: str) -> None:
        used, size = (number_at(reading.update, name) for name in ("used", "size"))
        if used is None:
            return
        path = ("params", "update", "used")
        if size is not None and used > size:
            self.report(OVER, reading, f"{used} of {size} tokens are used", path)
        before = self._used.get(session)
        if before is not None and used < before:
            self.report(BACKWARDS, reading, f"{used} after {before}", path)
        self._used[session] = used

    def _check_cost(self, reading: Reading, session: str) -> None:
        cost = object_at(reading.update, "cost")
        amount, currency = number_at(cost, "amount"), text_at(cost, "currency")
        if amount is None:
            return
        before = self._costs.get((session, currency))
        if before is not None and amount < before:
            where = ("params", "update", "cost", "amount")
            self.report(CHEAPER, reading, f"{amount} after {before}", where)
        self._costs[session, currency] = amount


PLAN_SHRINKS = protocol_rule("plan-shrinks")


@dataclass
class _PlanEntries:
    """The unfinished entries of a plan, and those that an update dropped."""

    unfinished: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)


class PlanChecker(Checker):
    """Finds plan entries that vanish and come back."""

    ABOUT = ("plan", "plan_update", "plan_removed", "session/prompt")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._plans: dict[tuple[str, str], _PlanEntries] = {}
        """The plans by session and id; "" is the id of the plan in a `plan` update."""

    def check_record(self, reading: Reading) -> None:
        if not reading.kind:
            if reading.is_request:
                self.reopened(reading.session_id)
        elif reading.direction is Direction.IN and self.peers.running[self.peers.session]:
            self._check_plans(reading, self.peers.session)

    def reopened(self, session: str) -> None:
        for key in [one for one in self._plans if one[0] == session]:
            del self._plans[key]

    def _check_plans(self, reading: Reading, session: str) -> None:
        if reading.kind == "plan":
            where: JsonPath = ("params", "update", "entries")
            self._check_entries((session, ""), reading.update.get("entries"), where, reading)
            return
        if reading.kind == "plan_removed":
            self._plans.pop((session, text_at(reading.update, "planId")), None)
            return
        plan = object_at(reading.update, "plan")
        if plan.get("type") == "items":
            where = ("params", "update", "plan", "entries")
            self._check_entries(
                (session, text_at(plan, "planId")), plan.get("entries"), where, reading
            )

    def _check_entries(
        self, key: tuple[str, str], value: Any, where: JsonPath, reading: Reading
    ) -> None:
        """Report entries that come back: an earlier update was incomplete. They may go for good."""
        plan = self._plans.setdefault(key, _PlanEntries())
        entries = objects_at(value)
        now = {text_at(one, "content") for one in entries}
        if back := plan.dropped & now:
            what = ", ".join(sorted(back))[:100]
            how = f"an update before was without what is here again: {what}"
            self.report(PLAN_SHRINKS, reading, how, where)
        plan.dropped = (plan.dropped | plan.unfinished) - now if now and not back else set()
        plan.unfinished = {
            text_at(one, "content") for one in entries if one.get("status") != "completed"
        }


ANCHOR = protocol_rule("cursor-anchor")
FORK = protocol_rule("cursor-fork")


class CursorChecker(Checker):
    """Checks the anchors of cursors, and that sessions are forked only where the agent offers it.

    If a log lacks the beginning of a session, nothing is reported: its cursors may have been
    announced there.
    """

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._anchors: defaultdict[str, dict[str, object]] = defaultdict(dict)
        """The anchor of each cursor, by session and cursor id; None until one is seen."""
        self._forks: defaultdict[str, set[str]] = defaultdict(set)
        """The ids of cursors at which a fork is offered now, by session."""

    def check_record(self, reading: Reading) -> None:
        if reading.kind == "cursor_update":
            self._check_anchors(reading)
        elif reading.method == "session/fork" and reading.is_request:
            cursor = text_at(reading.params, "cursorId")
            session = reading.session_id
            if cursor and self._is_whole(session) and cursor not in self._forks[session]:
                how = f"the agent doesn't offer to fork at {cursor!r}"
                self.report(FORK, reading, how, ("params", "cursorId"))

    def _check_anchors(self, reading: Reading) -> None:
        session, update = reading.session_id, reading.update
        cursor, anchor = text_at(update, "cursorId"), update.get("anchor")
        known = self._anchors[session]
        before = known.get(cursor)
        path = ("params", "update", "anchor")
        if cursor not in known and anchor is None and self._is_whole(session):
            self.report(ANCHOR, reading, f"{cursor!r} is new and has no anchor", path)
        elif before is not None and anchor not in (None, before):
            self.report(ANCHOR, reading, f"{cursor!r} is anchored elsewhere", path)
        known[cursor] = anchor if before is None else before
        if "capabilities" in update:
            can_fork = isinstance(value_at(update, "capabilities", "fork"), dict)
            (self._forks[session].add if can_fork else self._forks[session].discard)(cursor)

    def _is_whole(self, session: str) -> bool:
        return self.peers.is_whole and session not in self.peers.partly_known
