"""Tool calls, and the permissions that are asked for them."""

from dataclasses import dataclass, field

from acp_tui.protocol.findings import Rule, Severity
from acp_tui.protocol.frames import Direction
from acp_tui.wire.exchanges import Reading, Status, text
from acp_tui.wire.lint.checker import Checker, Report, entry, items
from acp_tui.wire.lint.peers import Peers

NOT_CREATED = Rule(
    "update-before-create",
    Severity.WARNING,
    "When the language model requests a tool invocation, the Agent SHOULD report it to the Client "
    "with a tool_call; updates follow.",
)
CREATED_TWICE = Rule(
    "tool-call-id-reuse",
    Severity.WARNING,
    "toolCallId: a unique identifier for this tool call within the session.",
)
UNFINISHED = Rule(
    "tool-call-unfinished",
    Severity.WARNING,
    "The Agent updates a tool call until it is completed or failed.",
)
WENT_BACK = Rule(
    "tool-call-reopened", Severity.WARNING, "A tool call that is completed or failed stays so."
)
UNANNOUNCED = Rule(
    "permission-unannounced",
    Severity.INFO,
    "A permission may be asked for a tool call that was not reported before; a client then has "
    "only the request to show.",
)
NO_OPTIONS = Rule(
    "permission-without-options",
    Severity.ERROR,
    "The Client offers the permission's options to the person: there must be some, each with an "
    "id of its own.",
)
NOT_OFFERED = Rule(
    "permission-answer",
    Severity.ERROR,
    "The outcome selected names the optionId of one of the options that were offered.",
)
REJECTED_RAN = Rule(
    "rejected-but-completed",
    Severity.WARNING,
    "A tool call whose permission was rejected is not carried out.",
)

_FINAL = ("completed", "failed")


@dataclass
class _Session:
    """A session's tool calls by id: their last status, what made those still open, the rejected."""

    statuses: dict[str, str] = field(default_factory=dict)
    open: dict[str, Reading] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)


class ToolCalls(Checker):
    """Whether tool calls are reported, once each, and brought to their end."""

    RULES = (
        NOT_CREATED,
        CREATED_TWICE,
        UNFINISHED,
        WENT_BACK,
        UNANNOUNCED,
        NO_OPTIONS,
        NOT_OFFERED,
        REJECTED_RAN,
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._sessions: dict[str, _Session] = {}

    def look(self, reading: Reading) -> None:
        if not reading.session_id:
            return
        session = self._sessions.setdefault(reading.session_id, _Session())
        if reading.direction is Direction.IN and reading.kind in ("tool_call", "tool_call_update"):
            self._update(reading, session)
        elif reading.method == "session/request_permission":
            if reading.is_request:
                self._asked(reading, session)
            else:
                self._answered(reading, session)
        elif reading.method == "session/prompt" and reading.status is Status.OK:
            self._turn_ended(reading, session)

    def _update(self, reading: Reading, session: _Session) -> None:
        update = reading.update
        id, status = text(update.get("toolCallId")), text(update.get("status"))
        path = ("params", "update", "toolCallId")
        before = session.statuses.get(id)
        if reading.kind == "tool_call":
            if id in session.created:
                self.report(CREATED_TWICE, reading, f"{id!r} was created before", path)
            session.created.add(id)
        elif id not in session.created:
            self.report(NOT_CREATED, reading, f"no tool_call has the id {id!r}", path)
            session.created.add(id)
        if before in _FINAL and status and status not in _FINAL and reading.kind != "tool_call":
            how = f"{id!r} was {before}, is now {status}"
            self.report(WENT_BACK, reading, how, ("params", "update", "status"))
        if status == "completed" and id in session.rejected:
            how = f"{id!r} was rejected, is now completed"
            self.report(REJECTED_RAN, reading, how, ("params", "update", "status"))
        session.statuses[id] = status or before or "pending"
        if session.statuses[id] in _FINAL:
            session.open.pop(id, None)
        else:
            session.open.setdefault(id, reading)

    def _asked(self, reading: Reading, session: _Session) -> None:
        options = items(reading.params.get("options"))
        ids = [text(option.get("optionId")) for option in options]
        path = ("params", "options")
        if not options:
            self.report(NO_OPTIONS, reading, "there are no options", path)
        elif len(set(ids)) < len(ids):
            self.report(NO_OPTIONS, reading, f"two options have one id: {', '.join(ids)}", path)
        id = text(entry(reading.params, "toolCall").get("toolCallId"))
        if id not in session.created:
            where = ("params", "toolCall", "toolCallId")
            self.report(UNANNOUNCED, reading, f"no tool_call has the id {id!r}", where)
            # From here on the client knows the call: later updates are in order.
            session.created.add(id)

    def _answered(self, reading: Reading, session: _Session) -> None:
        if reading.asked is None:
            return
        asked = reading.asked.params
        outcome = entry(reading.result, "outcome")
        chosen = outcome.get("optionId")
        kinds = {one.get("optionId"): text(one.get("kind")) for one in items(asked.get("options"))}
        if outcome.get("outcome") == "selected" and chosen not in kinds:
            path = ("result", "outcome", "optionId")
            self.report(NOT_OFFERED, reading, f"{chosen!r} was not offered", path)
        if kinds.get(chosen, "").startswith("reject"):
            session.rejected.add(text(entry(asked, "toolCall").get("toolCallId")))

    def _turn_ended(self, reading: Reading, session: _Session) -> None:
        if reading.result.get("stopReason") != "end_turn":
            return
        for id, made in session.open.items():
            how = f"the turn ended while {id!r} is {session.statuses[id]}"
            self.report(UNFINISHED, made, how, ("params", "update", "status"))
        session.open.clear()
