"""Loaded and resumed sessions: what is replayed, and when."""

from dataclasses import dataclass, field

from acp_tui.debug.exchanges import Reading, Status
from acp_tui.debug.lint.checker import Checker, Report
from acp_tui.debug.lint.peers import Peers
from acp_tui.protocol.findings import protocol_rule
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.kinds import REPLAY_COMPLETE, USER_MESSAGES

NOTHING = protocol_rule("load-replayed-nothing")
PERHAPS_NOTHING = protocol_rule("load-perhaps-nothing")
USERLESS = protocol_rule("load-without-user")
LATE = protocol_rule("replay-after-load")
RESUME_REPLAYED = protocol_rule("resume-replayed")

_USER = "user_message_chunk"
_HISTORY = (
    _USER,
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "compaction_update",
)
_WHERE = ("params", "update", "sessionUpdate")


@dataclass
class _Load:
    """A session/load: its answer, the kinds of updates before that, and whether some came after."""

    answer: Reading | None = None
    kinds: set[str] = field(default_factory=set)
    late: bool = False


class ReplayChecker(Checker):
    """Checks that session/load replays the history before its response; session/resume must not."""

    VERSIONS = (1,)
    ABOUT = (*_HISTORY, "session/load", "session/prompt")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._loads: dict[str, _Load] = {}
        self._resumed: set[str] = set()

    def check_record(self, reading: Reading) -> None:
        if reading.kind:
            if reading.direction is Direction.IN:
                self._check_update(reading, self.peers.session)
        elif reading.method == "session/load":
            self._note_load(reading)
        elif reading.is_request:
            self._check_whole_load(reading.session_id)

    def reopened(self, session: str) -> None:
        self._resumed.discard(session)
        self._check_whole_load(session)

    def end(self) -> None:
        for session in list(self._loads):
            self._check_whole_load(session)

    def _note_load(self, reading: Reading) -> None:
        if reading.is_request:
            self._loads[reading.session_id] = _Load()
        # A load is no longer watched once its session is prompted, even before the answer.
        elif reading.session_id in self._loads and reading.status is Status.OK:
            self._loads[reading.session_id].answer = reading

    def _check_update(self, reading: Reading, session: str) -> None:
        load = self._loads.get(session)
        if load is not None and load.answer is None:
            load.kinds.add(reading.kind)
        elif load is not None and not self.peers.is_in_order:
            load.late = True
        elif load is not None and reading.kind == _USER and not load.late:
            load.late = True
            self.report(LATE, reading, "a user's message after the answer to session/load", _WHERE)
        idle = not self.peers.running[session] and session not in self._resumed
        if self.peers.is_in_order and idle and self.peers.opens("session/resume", session):
            self._resumed.add(session)
            self.report(RESUME_REPLAYED, reading, f"{reading.kind} before the answer", _WHERE)

    def _check_whole_load(self, session: str) -> None:
        """Check a load once its replay is complete."""
        load = self._loads.pop(session, None)
        if load is None or load.answer is None or load.late:
            return
        if not load.kinds:
            known = session in self.peers.prompted
            rule = NOTHING if known else PERHAPS_NOTHING
            how = "though there were prompts" if known else "which is right if nothing was said yet"
            self.report(rule, load.answer, f"no message came before the answer, {how}", ())
        elif _USER not in load.kinds:
            how = "none of the user's messages came, but the agent's did"
            self.report(USERLESS, load.answer, how, ())


NO_STATE = protocol_rule("resume-without-state")
AFTER_STATE = protocol_rule("replay-after-state")
NOT_ASKED = protocol_rule("replay-not-asked")
NOTHING_IN_2 = protocol_rule("resume-replayed-nothing")
LATE_IN_2 = protocol_rule("replay-after-resume")
NO_END = protocol_rule("replay-without-end")
END_MISPLACED = protocol_rule("replay-end-misplaced")
END_NOT_ASKED = protocol_rule("replay-end-not-asked")

_HISTORY_2 = (
    *USER_MESSAGES,
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "tool_call_update",
)


@dataclass
class _Resume:
    """A session/resume: whether it asks for a replay, and what has arrived since."""

    replays: bool
    has_messages: bool = False
    has_state: bool = False
    answered: bool = False
    reported: bool = False
    ended: set[str] = field(default_factory=set)
    """Sessions whose replay has ended: this one and its subagents."""


class ResumeChecker(Checker):
    """Checks that a resumed session replays what was asked for, and reports its state."""

    VERSIONS = (2,)
    ABOUT = (*_HISTORY_2, REPLAY_COMPLETE, "state_update", "session/resume", "session/prompt")

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._resumes: dict[str, _Resume] = {}

    def check_record(self, reading: Reading) -> None:
        if not self.peers.is_in_order:
            return
        if reading.kind:
            resume = self._resumes.get(self.peers.session)
            if reading.direction is not Direction.IN:
                return
            if reading.kind == REPLAY_COMPLETE:
                self._check_end(reading, self.peers.session)
            elif resume is not None:
                self._check_update(reading, resume)
        elif reading.method == "session/prompt":
            self._resumes.pop(reading.session_id, None)
        elif reading.is_request:
            replays = reading.params.get("replayFrom") is not None
            self._resumes[reading.session_id] = _Resume(replays)
        elif reading.session_id in self._resumes:
            self._check_answer(reading, self._resumes[reading.session_id])

    def _check_update(self, reading: Reading, resume: _Resume) -> None:
        if reading.kind == "state_update":
            resume.has_state = True
            return
        resume.has_messages = True
        if reading.kind not in USER_MESSAGES or resume.reported:
            return
        resume.reported = True
        if resume.answered and resume.replays:
            how = "a user's message after the answer to session/resume"
            self.report(LATE_IN_2, reading, how, _WHERE)
        elif resume.has_state and not resume.answered:
            how = "a user's message after the state of the session"
            self.report(AFTER_STATE, reading, how, _WHERE)
        elif self.peers.session in resume.ended and not resume.answered:
            how = "a user's message after replay_complete"
            self.report(END_MISPLACED, reading, how, _WHERE)
        elif not resume.replays and not resume.answered:
            self.report(NOT_ASKED, reading, f"{reading.kind} before the answer", _WHERE)
        else:
            resume.reported = False

    def _check_end(self, reading: Reading, session: str) -> None:
        """Check a `replay_complete`. It may be about a subagent of the session that is replayed."""
        under_way = (one for one in self._resumes.values() if one.replays and not one.answered)
        resume = self._resumes.get(session) or next(under_way, None)
        if resume is None and session not in self.peers.prompted:
            return  # the log may begin after its session/resume
        if resume is None or not resume.replays:
            how = "no session/resume asks for a replay of this session"
            self.report(END_NOT_ASKED, reading, how, _WHERE)
        elif resume.answered:
            how = "replay_complete after the answer to session/resume"
            self.report(END_MISPLACED, reading, how, _WHERE)
        elif session in resume.ended:
            self.report(END_MISPLACED, reading, "replay_complete a second time", _WHERE)
        else:
            resume.ended.add(session)

    def _check_answer(self, reading: Reading, resume: _Resume) -> None:
        if reading.status is not Status.OK:
            del self._resumes[reading.session_id]
            return
        resume.answered = True
        if not resume.has_state:
            self.report(NO_STATE, reading, "no state_update came before the answer", ())
        if resume.replays and not resume.has_messages and reading.session_id in self.peers.prompted:
            how = "no message came before the answer, though there were prompts"
            self.report(NOTHING_IN_2, reading, how, ())
        if resume.replays and reading.session_id not in resume.ended:
            how = "no replay_complete came before the answer; drafts before 20 Nov 2026 have none"
            self.report(NO_END, reading, how, ())
