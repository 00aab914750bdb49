"""Plans: each update has the whole plan."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import JsonPath, ProtocolRule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, objects_at, text_at

PLAN_SHRINKS = ProtocolRule(
    "plan-shrinks",
    Severity.WARNING,
    "The Agent MUST send a complete list of all plan entries in each update and their current "
    "status.",
).in_2(
    "When updating an item-based plan, the agent must send a complete list of all entries with their "
    "current status. The client replaces that plan with each update."
)


@dataclass
class _PlanEntries:
    """Unfinished entries, and entries that an update left out."""

    left: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)


class PlanChecker(Checker):
    """Finds plan entries that vanish and come back."""

    ABOUT = ("plan", "plan_update", "plan_removed", "session/prompt")
    RULES = (PLAN_SHRINKS,)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._plans: dict[tuple[str, str], _PlanEntries] = {}
        """The plans of a session, by their ids; "" is that of version 1."""

    def check_record(self, reading: Reading) -> None:
        if not reading.kind:
            if reading.is_request:
                self.reopened(reading.session_id)
        elif reading.direction is Direction.IN and self.peers.running[self.peers.session]:
            self._update(reading, self.peers.session)

    def reopened(self, session: str) -> None:
        for key in [one for one in self._plans if one[0] == session]:
            del self._plans[key]

    def _update(self, reading: Reading, session: str) -> None:
        if reading.kind == "plan":
            where: JsonPath = ("params", "update", "entries")
            self._entries((session, ""), reading.update.get("entries"), where, reading)
            return
        if reading.kind == "plan_removed":
            self._plans.pop((session, text_at(reading.update, "planId")), None)
            return
        plan = object_at(reading.update, "plan")
        if plan.get("type") == "items":
            where = ("params", "update", "plan", "entries")
            self._entries((session, text_at(plan, "planId")), plan.get("entries"), where, reading)

    def _entries(self, key: tuple[str, str], value: Any, where: JsonPath, reading: Reading) -> None:
        """Report entries that come back: an update before was incomplete. Entries may go for good."""
        plan = self._plans.setdefault(key, _PlanEntries())
        entries = objects_at(value)
        now = {text_at(one, "content") for one in entries}
        if back := plan.gone & now:
            what = ", ".join(sorted(back))[:100]
            how = f"an update before was without what is here again: {what}"
            self.report(PLAN_SHRINKS, reading, how, where)
        plan.gone = (plan.gone | plan.left) - now if now and not back else set()
        plan.left = {text_at(one, "content") for one in entries if one.get("status") != "completed"}
