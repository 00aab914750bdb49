"""Cursors: anchored once, and forked at only while the agent offers it."""

from collections import defaultdict

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.json_parts import text_at, value_at

ANCHOR = ProtocolRule(
    "cursor-anchor",
    Severity.ERROR,
    "The first update for a cursorId MUST include anchor. The anchor is fixed after that, and later "
    "updates change only capabilities.",
)
FORK = ProtocolRule(
    "cursor-fork",
    Severity.WARNING,
    "Permits the Client to fork the session at this cursor with session/fork. Omitted and null are "
    "equivalent and mean unsupported.",
)


class CursorChecker(Checker):
    """Checks the anchors of cursors, and that sessions are forked only where the agent offers it.

    If a log lacks the beginning of a session, its cursors may have been announced there: nothing is reported.
    """

    RULES = (ANCHOR, FORK)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._anchors: defaultdict[str, dict[str, object]] = defaultdict(dict)
        """The anchor of each cursor by its id, by session; None until one is seen."""
        self._forks: defaultdict[str, set[str]] = defaultdict(set)
        """The ids of cursors at which a fork is offered now, by session."""

    def check_record(self, reading: Reading) -> None:
        if reading.kind == "cursor_update":
            self._announced(reading)
        elif reading.method == "session/fork" and reading.is_request:
            cursor = text_at(reading.params, "cursorId")
            session = reading.session_id
            if cursor and self._is_whole(session) and cursor not in self._forks[session]:
                how = f"the agent doesn't offer to fork at {cursor!r}"
                self.report(FORK, reading, how, ("params", "cursorId"))

    def _announced(self, reading: Reading) -> None:
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
