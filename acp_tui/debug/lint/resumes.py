"""Resumed sessions in version 2: what is replayed, and the state that they are in."""

from dataclasses import dataclass

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import ProtocolRule, Severity
from acp_tui.protocol.frames import Direction

NO_STATE = ProtocolRule(
    "resume-without-state",
    Severity.ERROR,
    "The agent MUST send a current state_update after any requested history replay and before this "
    "response, even without replay.",
    versions=(2,),
)
AFTER_STATE = ProtocolRule(
    "replay-after-state",
    Severity.WARNING,
    "The agent MUST send a current state_update after any requested history replay and before this "
    "response, even without replay.",
    versions=(2,),
)
NOT_ASKED = ProtocolRule(
    "replay-not-asked",
    Severity.WARNING,
    "Omitted and null are equivalent and mean the Agent should resume without replaying previous "
    "conversation history.",
    versions=(2,),
)
NOTHING = ProtocolRule(
    "resume-replayed-nothing",
    Severity.WARNING,
    'Supplying { "type": "start" } means the Agent should replay all retained conversation history '
    "before responding.",
    versions=(2,),
)
LATE = ProtocolRule(
    "replay-after-resume",
    Severity.WARNING,
    'Supplying { "type": "start" } means the Agent should replay all retained conversation history '
    "before responding.",
    versions=(2,),
)

_USERS = ("user_message", "user_message_chunk")
_HISTORY = (
    *_USERS,
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "tool_call_update",
)
_WHERE = ("params", "update", "sessionUpdate")


@dataclass
class _Resume:
    """A session/resume: whether it asks for a replay, and what came since."""

    replays: bool
    said: bool = False
    stated: bool = False
    answered: bool = False
    told: bool = False


class ResumeChecker(Checker):
    """Checks that a resumed session replays what it should, and reports what it does."""

    VERSIONS = (2,)
    ABOUT = (*_HISTORY, "state_update", "session/resume", "session/prompt")
    RULES = (NO_STATE, AFTER_STATE, NOT_ASKED, NOTHING, LATE)

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._resumes: dict[str, _Resume] = {}

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            resume = self._resumes.get(self.peers.session)
            if resume is not None and reading.direction is Direction.IN:
                self._told(reading, resume)
        elif reading.method == "session/prompt":
            self._resumes.pop(reading.session_id, None)
        elif reading.is_request:
            replays = reading.params.get("replayFrom") is not None
            self._resumes[reading.session_id] = _Resume(replays)
        elif reading.session_id in self._resumes:
            self._answered(reading, self._resumes[reading.session_id])

    def _told(self, reading: Reading, resume: _Resume) -> None:
        if reading.kind == "state_update":
            resume.stated = True
            return
        resume.said = True
        if reading.kind not in _USERS or resume.told:
            return
        resume.told = True
        if resume.answered and resume.replays:
            how = "a user's message after the answer to session/resume"
            self.report(LATE, reading, how, _WHERE)
        elif resume.stated and not resume.answered:
            how = "a user's message after the state of the session"
            self.report(AFTER_STATE, reading, how, _WHERE)
        elif not resume.replays and not resume.answered:
            self.report(NOT_ASKED, reading, f"{reading.kind} before the answer", _WHERE)
        else:
            resume.told = False

    def _answered(self, reading: Reading, resume: _Resume) -> None:
        if reading.status is not Status.OK:
            del self._resumes[reading.session_id]
            return
        resume.answered = True
        if not resume.stated:
            self.report(NO_STATE, reading, "no state_update came before the answer", ())
        if resume.replays and not resume.said and reading.session_id in self.peers.spoken:
            how = "no message came before the answer, though there were prompts"
            self.report(NOTHING, reading, how, ())
