"""Usage of a session: tokens and costs."""

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import number_at, object_at, text_at

OVER = ProtocolRule(
    "usage-over-size",
    Severity.WARNING,
    "Tokens currently in context. … Total context window size in tokens.",
)
BACKWARDS = ProtocolRule(
    "usage-backwards",
    Severity.INFO,
    "the number of tokens in a context falls only when it is compacted or cleared.",
    guess=True,
)
CHEAPER = ProtocolRule("cost-backwards", Severity.WARNING, "Total cumulative cost for session.")


class UsageChecker(Checker):
    """Checks that the numbers in usage_update are plausible."""

    ABOUT = ("usage_update", "compaction_update")
    RULES = (OVER, BACKWARDS, CHEAPER)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._used: dict[str, float] = {}
        self._costs: dict[tuple[str, str], float] = {}

    def check_record(self, reading: Reading) -> None:
        if reading.kind == "compaction_update":
            self._used.pop(self.peers.session, None)
        elif reading.direction is Direction.IN:
            session = self.peers.session
            self._tokens(reading, session)
            self._cost(reading, session)

    def reopened(self, session: str) -> None:
        self._used.pop(session, None)
        for key in [one for one in self._costs if one[0] == session]:
            del self._costs[key]

    def _tokens(self, reading: Reading, session: str) -> None:
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

    def _cost(self, reading: Reading, session: str) -> None:
        cost = object_at(reading.update, "cost")
        amount, currency = number_at(cost, "amount"), text_at(cost, "currency")
        if amount is None:
            return
        before = self._costs.get((session, currency))
        if before is not None and amount < before:
            where = ("params", "update", "cost", "amount")
            self.report(CHEAPER, reading, f"{amount} after {before}", where)
        self._costs[session, currency] = amount
