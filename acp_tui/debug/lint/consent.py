"""Consent: work that was rejected, still awaits permission, or was canceled."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from acp_tui.debug.exchanges import Reading
from acp_tui.debug.lint.checker import IN_FLIGHT, Checker, Report
from acp_tui.debug.lint.peers import Peers, asked_call
from acp_tui.debug.lint.tool_calls import REJECTED_WRITTEN, UNAPPROVED_CHANGE
from acp_tui.debug.lint.turn_consent import (
    CallConsent,
    TurnConsent,
    UnnamedWork,
    edits_in,
    has_output,
    is_read_only_command,
    is_same_path,
    plain_command,
    plain_path,
    program_of,
    reports_refusal,
    texts_in,
)
from acp_tui.edits.tool_input import files_in_title
from acp_tui.protocol.file_events import FileWritten
from acp_tui.protocol.findings import JsonPath, protocol_rule
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_parts import object_at, objects_at, text_at, value_at
from acp_tui.protocol.jsonrpc import Id
from acp_tui.protocol.kinds import AGENT_CHUNKS, AT_WORK, TOOL_CALL_UPDATES

REJECTED_DONE = protocol_rule("rejected-but-done")
NOT_APPROVED_DONE = protocol_rule("not-approved-but-done")
DONE_WHILE_ASKED = protocol_rule("done-while-asked")
DONE_BEFORE_WITHDRAWN = protocol_rule("done-before-withdrawn")
DONE_AFTER_CANCEL = protocol_rule("done-after-cancel")
BEGUN_AFTER_CANCEL = protocol_rule("begun-after-cancel")
COMPLETED_AFTER_CANCEL = protocol_rule("completed-after-cancel")
DONE_BEFORE_ASKED = protocol_rule("done-before-asked")
TALKS_AFTER_CANCEL = protocol_rule("talks-after-cancel")
DONE_OTHERWISE = protocol_rule("done-otherwise")
REJECTED_COMPLETED = protocol_rule("rejected-but-completed")
NOT_APPROVED_COMPLETED = protocol_rule("not-approved-but-completed")
DENIED_COMPLETED = protocol_rule("denied-but-completed")
REJECTED_RUNNING = protocol_rule("rejected-but-running")
NOT_APPROVED_RUNNING = protocol_rule("not-approved-but-running")
FIRST = frozenset(
    rule.id
    for rule in (
        REJECTED_DONE,
        NOT_APPROVED_DONE,
        DONE_WHILE_ASKED,
        DONE_BEFORE_WITHDRAWN,
        DONE_AFTER_CANCEL,
        BEGUN_AFTER_CANCEL,
        COMPLETED_AFTER_CANCEL,
        DONE_BEFORE_ASKED,
        TALKS_AFTER_CANCEL,
        DONE_OTHERWISE,
        REJECTED_COMPLETED,
        NOT_APPROVED_COMPLETED,
        DENIED_COMPLETED,
        REJECTED_RUNNING,
        NOT_APPROVED_RUNNING,
        REJECTED_WRITTEN,
        UNAPPROVED_CHANGE,
    )
)
"""The ids of rules that are listed before all others: the agent did what wasn't allowed."""

ABORTING = 1.0
"""Seconds after session/cancel in which messages that were sent before it may still arrive."""
STOPPING = 3.0
"""Seconds after session/cancel in which a stopped tool call may still be reported as completed."""
TALKING = 5.0
"""Seconds after session/cancel in which the agent may still say that it has stopped."""
STILL_TALKING = 1.0
"""Seconds for which text must continue after `TALKING` to be reported: a last word may come late."""
_STATUS = ("params", "update", "status")


class ConsentChecker(Checker):
    """Checks that nothing is done that was rejected, still awaits permission, or was canceled."""

    ABOUT = (
        *TOOL_CALL_UPDATES,
        *AGENT_CHUNKS,
        "state_update",
        "subagent_update",
        "terminal_update",
        "session/prompt",
        "session/cancel",
        "session/set_mode",
        "session/set_config_option",
        "session/request_permission",
        "$/cancel_request",
        "fs/write_text_file",
        "terminal/create",
        "",
    )

    def __init__(self, peers: Peers, report: Report) -> None:
        super().__init__(peers, report)
        self._turns: defaultdict[str, TurnConsent] = defaultdict(TurnConsent)
        self._questions: dict[int, tuple[Id, CallConsent]] = {}
        """The id of each open question and its tool call, by the index of the request."""
        self._background: dict[str, bool] = {}
        """Whether each session has background work (version 2), which session/cancel doesn't cover."""
        self._terminals: set[tuple[str, str]] = set()
        """The terminals of the agent that were announced, by session and id."""
        self._at_work: set[str] = set()
        """The subagent sessions that their parents report as working."""
        self._cancelable: set[str] = set()
        """The subagent sessions that offer to be canceled on their own."""

    def check_record(self, reading: Reading) -> None:
        if reading.direction is Direction.IN:
            self._check_agent_record(reading)
        elif reading.method in ("session/set_mode", "session/set_config_option"):
            self._turns[reading.session_id].change_settings()
        elif reading.method == "session/prompt" and reading.is_request:
            self._begin_turn(reading.session_id, reading.record.at)
        elif reading.method == "session/cancel" and self._is_canceled(reading.session_id):
            self._turns[reading.session_id].cancelled_at = reading.record.at
        elif reading.method == "session/request_permission":
            self._note_answer(reading)
        elif reading.method == "terminal/create":
            self._note_terminal(reading)
        elif isinstance(reading.record, FileWritten):
            self._judge_linked_write(reading.record)

    def _check_agent_record(self, reading: Reading) -> None:
        match reading.kind or reading.method:
            case "tool_call" | "tool_call_update":
                self._judge_update(reading)
            case "agent_message_chunk" | "agent_thought_chunk":
                self._judge_talk(reading)
            case "terminal_update":
                self._judge_own_command(reading)
            case "state_update" | "subagent_update":
                self._follow_state(reading)
            case "session/prompt" if self._is_last_prompt(reading):
                self._end_turn(reading.session_id)
            case "session/request_permission":
                self._note_question(reading)
            case "$/cancel_request":
                self._drop_question(reading)
            case "fs/write_text_file" if reading.is_request:
                self._judge_write(reading)
            case "terminal/create" if reading.is_request:
                self._judge_command_request(reading)

    @property
    def follows_cancel(self) -> bool:
        """Whether a canceled turn hasn't ended: until then, the time of each chunk matters."""
        turns = self._turns.values()
        return any(turn.cancelled_at is not None and not turn.ended for turn in turns)

    def reopened(self, session: str) -> None:
        self._judge_deferred(session)
        self._turns[session] = self._turns[session].reopened()

    def end(self) -> None:
        for session in self._turns:
            self._judge_deferred(session)

    # Questions, answers and cancels

    def _begin_turn(self, session: str, at: float) -> None:
        """Begin a turn, unless one is running: then the prompt is refused, queued, or joins it.

        Updates after a cancel and a new prompt may belong to that prompt.
        """
        if not self.peers.running[session] or (
            self.peers.version == 1 and self._turns[session].cancelled_at is not None
        ):
            self._replace_turn(session, at)
        else:
            self._turns[session].followed = self._turns[session].cancelled_at is not None

    def _replace_turn(self, session: str, at: float) -> None:
        self._judge_deferred(session)
        self._turns[session] = self._turns[session].next_turn(at)

    def _follow_state(self, reading: Reading) -> None:
        if reading.kind == "subagent_update":
            self._follow_subagent(reading)
            return
        session, at = self.peers.session, reading.record.at
        self._background[session] = bool(objects_at(reading.update, "background"))
        is_subagent = session in self.peers.children
        self._apply_state(session, reading.update.get("state"), at, is_subagent=is_subagent)

    def _follow_subagent(self, reading: Reading) -> None:
        """Record whether a subagent works, and whether it can be canceled on its own."""
        child = text_at(reading.update, "sessionId")
        if child in self.peers.own:
            return
        if "capabilities" in reading.update:
            offered = object_at(reading.update, "capabilities")
            may = isinstance(offered.get("cancel"), dict)
            (self._cancelable.add if may else self._cancelable.discard)(child)
        state = value_at(reading.update, "state", "state")
        self._apply_state(child, state, reading.record.at, is_subagent=True)

    def _apply_state(self, session: str, state: object, at: float, *, is_subagent: bool) -> None:
        """Apply a session's new state. Idle ends its turn; a subagent's turn begins here, as it
        gets no prompt.
        """
        if state == "idle":
            self._at_work.discard(session)
            self._end_turn(session)
            if self._turns[session].followed:
                self._replace_turn(session, at)
        elif state in AT_WORK and is_subagent and session not in self._at_work:
            self._at_work.add(session)
            self._replace_turn(session, at)

    def _is_canceled(self, session: str) -> bool:
        """Return whether session/cancel stops any work; a subagent's only if it offers `cancel`."""
        if session in self.peers.children:
            return session in self._at_work & self._cancelable
        return bool(self.peers.running[session])

    def _is_last_prompt(self, reading: Reading) -> bool:
        """Return whether a response to session/prompt ends the turn: no other prompt is pending."""
        return self.peers.version == 1 and self.peers.running[reading.session_id] <= 1

    def _end_turn(self, session: str) -> None:
        turn = self._turns[session]
        turn.ended = turn.ended or turn.cancelled_at is not None
        self._judge_deferred(session)

    def _note_question(self, reading: Reading) -> None:
        if reading.request is None:
            return
        asked = asked_call(reading)
        turn = self._turns[self.peers.session]
        turn.questioned = True
        id = text_at(asked, "toolCallId")
        call = turn.call(id) if id else turn.call_without_id(reading)
        status = call.status
        call.learn(asked)
        call.status = status  # the call that it asks about hasn't happened
        subject = object_at(reading.params, "subject")
        call.commands |= {plain_command(one) for one in texts_in(subject.get("command"))} - {""}
        if not (call.paths or call.commands or call.only_reads or call.kind == "execute"):
            call.paths |= set(map(plain_path, files_in_title(text_at(asked, "title"))))
        call.asked.add(reading.index)
        call.denied = ""
        self._judge_late_start(
            reading, turn, f"permission for {call.id!r} is requested", ("method",)
        )
        self._judge_early_write(reading, turn, asked)
        self._questions[reading.index] = reading.request.id, call

    def _note_answer(self, reading: Reading) -> None:
        if (
            reading.answered_request is None
            or reading.answered_request.index not in self._questions
        ):
            return
        _, call = self._questions.pop(reading.answered_request.index)
        call.asked.discard(reading.answered_request.index)
        self._report_early(call)
        outcome = object_at(reading.result, "outcome")
        outcome_name, chosen = text_at(outcome, "outcome"), text_at(outcome, "optionId")
        options = objects_at(reading.answered_request.params, "options")
        option = next((one for one in options if text_at(one, "optionId") == chosen), {})
        kind = text_at(option, "kind") if outcome_name == "selected" else ""
        call.option = text_at(option, "name")
        call.rejected = kind.startswith("reject")
        call.for_good = kind == "reject_always"
        call.answered_at = reading.record.at
        call.reported = False
        if call.rejected:
            call.denied = "rejected for good" if call.for_good else "rejected"
        elif outcome_name == "selected" and not option and self.peers.version == 2:
            call.denied = f"answered with {chosen!r}, which is no option"
        elif outcome_name == "cancelled" or (
            self.peers.version == 2 and outcome_name not in ("", "selected")
        ):
            call.denied = f"answered with {outcome_name!r}"
        # an option of another kind may allow the call, too
        call.allowed = outcome_name == "selected" and not call.denied

    def _drop_question(self, reading: Reading) -> None:
        """Forget a question that the agent withdraws: its answer no longer counts."""
        for index, (id, call) in list(self._questions.items()):
            if id == reading.params.get("requestId"):
                del self._questions[index]
                call.asked.discard(index)
                self._report_early(call, withdrawn=True)

    # Work

    def _judge_update(self, reading: Reading) -> None:
        if self.peers.reopens(self.peers.session):
            return  # history
        update = reading.update
        turn = self._turns[self.peers.session]
        is_new = text_at(update, "toolCallId") not in turn.calls
        call = turn.updated_call(update)
        before, known = call.status, call.names if call.denied else set[str]()
        call.learn(update)
        if is_new:
            call.announced_late = self._begins_late(reading, turn)
        if call.announced_late and call.status in ("in_progress", "completed"):
            call.announced_late = False
            self._judge_late_start(reading, turn, f"{call.id!r} is new and {call.status}", _STATUS)
        if before != "completed" and call.status == "completed":
            self._judge_repetition(reading, turn, call)
            self._judge_completed(reading, turn, call)
        if not call.denied or call.reported:
            return
        if reports_refusal(update, call.option, known):
            call.reported = True
        elif update.get("status") == "completed":
            call.reported = True
            self._report_completed(reading, call)
        elif update.get("status") == "in_progress" != before:
            if reading.record.at - call.answered_at < IN_FLIGHT:
                return  # the answer and this update may have crossed
            rule = REJECTED_RUNNING if call.rejected else NOT_APPROVED_RUNNING
            self.report(
                rule, reading, f"{call.id!r} was {call.denied}, is now in_progress", _STATUS
            )

    def _report_completed(self, reading: Reading, call: CallConsent) -> None:
        """Report a denied call that is completed; only as a guess if its text may be a refusal."""
        rule = REJECTED_COMPLETED if call.rejected else NOT_APPROVED_COMPLETED
        how = f"{call.id!r} was {call.denied}, is now completed"
        if has_output(reading.update):
            rule = DENIED_COMPLETED
            how += ", and has an output without a known word for a refusal"
        self.report(rule, reading, how, _STATUS)

    def _judge_late_start(
        self, reading: Reading, turn: TurnConsent, how: str, where: JsonPath
    ) -> None:
        """Report a call that begins, or requests permission, after session/cancel."""
        if self._begins_late(reading, turn):
            how = f"{how}, more than a second after session/cancel"
            self.report(BEGUN_AFTER_CANCEL, reading, how, where)

    def _begins_late(self, reading: Reading, turn: TurnConsent) -> bool:
        return not turn.ended and self._is_late(reading, turn, patience=ABORTING)

    def _judge_completed(self, reading: Reading, turn: TurnConsent, call: CallConsent) -> None:
        """Report a call that is completed while its question is open, or long after session/cancel.

        Other rules cover a denied call.
        """
        if call.denied or reports_refusal(reading.update, call.option):
            return
        if call.asked:
            self._report_stopped(reading, call, f"{call.id!r} is completed", _STATUS)
        elif not turn.ended and self._is_late(reading, turn, patience=STOPPING):
            how = f"{call.id!r} is completed more than {STOPPING:g} s after session/cancel"
            self.report(COMPLETED_AFTER_CANCEL, reading, how, _STATUS)

    def _judge_repetition(self, reading: Reading, turn: TurnConsent, call: CallConsent) -> None:
        """Report a completed call with the same diff or command as one that wasn't allowed."""
        if call.allowed or not call.may_run or turn.settings_changed:
            return
        for_good = [one for one in turn.forbidden if one.for_good]
        for other in (*for_good, *turn.calls.values()):
            if other.may_run or other.id == call.id:
                continue
            is_same = call.edits & other.edits or call.commands & other.commands
            if is_same and not reports_refusal(reading.update, other.option, other.names):
                what = "diff" if call.edits & other.edits else "command"
                how = f"{call.id!r}, which nobody allowed, is completed with the same {what}"
                self._report_done_otherwise(reading, other, how, _STATUS)
                return

    def _judge_talk(self, reading: Reading) -> None:
        """Report text that continues long after session/cancel; a last word may come late."""
        turn = self._turns[self.peers.session]
        if turn.ended or turn.talk_reported or not self._is_late(reading, turn, patience=TALKING):
            return
        if turn.talked_at is None:
            turn.talked_at = reading.record.at
        elif reading.record.at - turn.talked_at >= STILL_TALKING:
            turn.talk_reported = True
            how = f"{reading.kind} more than {TALKING:g} s after session/cancel, and not the first"
            self.report(TALKS_AFTER_CANCEL, reading, how, ("params", "update", "sessionUpdate"))

    def _judge_early_write(
        self, reading: Reading, turn: TurnConsent, asked: dict[str, Any]
    ) -> None:
        """Report a permission request for a text that was already written without permission."""
        if turn.settings_changed:
            return
        for path, text in edits_in(asked):
            allowed = any(call.allowed and path in call.paths for call in turn.calls.values())
            if turn.written.get(path) == hash(text) and not allowed:
                how = f"{path!r} was written with this text before the permission was requested"
                self.report(DONE_BEFORE_ASKED, reading, how, ("params",))

    def _judge_write(self, reading: Reading) -> None:
        path = text_at(reading.params, "path")
        turn = self._turns[self.peers.session]
        turn.written[plain_path(path)] = hash(text_at(reading.params, "content"))
        names = _names_file(path, self.peers.folder_of(self.peers.session))
        self._judge_work(reading, f"{path!r} is written", names, ("params", "path"))

    def _judge_linked_write(self, written: FileWritten) -> None:
        """Judge a write that no call names, by its real path: a link may lead to a rejected file."""
        turn = self._turns[written.session_id]
        names = _names_file(written.path, self.peers.folder_of(written.session_id))
        named = [call for call in turn.calls.values() if names(call)]
        if not named or any(call.may_run for call in named):
            return
        for one in list(turn.unnamed):
            frame = one.reading.record
            if isinstance(frame, Frame) and frame.number == written.request:
                turn.unnamed.remove(one)
                done = f"{one.done}, which is {written.path!r}"
                self._report_stopped(one.reading, named[-1], done, one.where)

    def _judge_command_request(self, reading: Reading) -> None:
        params = reading.params
        words = [text_at(params, "command"), *texts_in(params.get("args"))]
        self._judge_command(reading, " ".join(words), ("params", "command"))

    def _note_terminal(self, reading: Reading) -> None:
        """Record the terminal of a command that no call names yet: a later call may show it."""
        for one in self._turns[reading.session_id].unnamed:
            if (
                reading.answered_request is not None
                and one.reading.index == reading.answered_request.index
            ):
                one.terminal = text_at(reading.result, "terminalId")

    def _judge_own_command(self, reading: Reading) -> None:
        """Judge the command of an agent-owned terminal, once: at the terminal's first update."""
        key = self.peers.session, text_at(reading.update, "terminalId")
        command = text_at(reading.update, "command")
        if key not in self._terminals and command:
            self._judge_command(reading, command, ("params", "update", "command"))
        self._terminals.add(key)

    def _judge_command(self, reading: Reading, command: str, where: JsonPath) -> None:
        plain = plain_command(command)

        def names(call: CallConsent) -> bool:
            return plain in call.named_commands

        is_read_only = is_read_only_command(command)

        def may_be(call: CallConsent) -> bool:
            """Return whether it may be what the call was to do: one that only reads is no change."""
            alike = any(program_of(one) == program_of(plain) for one in call.named_commands)
            return alike or call.only_reads or not is_read_only

        self._judge_work(reading, f"{command!r} is run", names, where, may_be)

    def _judge_work(
        self,
        reading: Reading,
        done: str,
        names: Callable[[CallConsent], bool],
        where: JsonPath,
        may_be: Callable[[CallConsent], bool] = lambda _: True,
    ) -> None:
        """Judge a write or a command by the answers about the calls that name it.

        If none does, it is held against those that it may be.
        """
        turn = self._turns[self.peers.session]
        related = self._related_calls()
        if not (turn.questioned or turn.cancelled_at or turn.forbidden or related):
            return
        named = [call for call in (*turn.forbidden, *turn.calls.values()) if names(call)]
        stopped = [call for call in named if not call.may_run]
        others = [call for call in named if call.may_run]
        elsewhere = [call for call in related if names(call)]
        denied = stopped or ([] if any(call.may_run for call in elsewhere) else elsewhere)
        if stopped and not others:
            if not turn.allowed_vaguely_since(stopped[-1].answered_at):
                self._report_stopped(reading, stopped[-1], done, where)
        elif self._is_late(reading, turn, patience=ABORTING if named else IN_FLIGHT):
            since = "the canceled turn has ended" if turn.ended else "session/cancel"
            self.report(DONE_AFTER_CANCEL, reading, f"{done} after {since}", where)
        elif denied and not (turn.settings_changed or any(call.allowed for call in others)):
            doer = f"{others[-1].id!r}, which nobody allowed" if others else "another session"
            self._report_done_otherwise(reading, denied[-1], f"{done}, by {doer}", where)
        elif not (named or elsewhere) and any(
            may_be(call) for call in turn.calls.values() if not call.may_run
        ):
            self._defer_unnamed(reading, turn, done, names, where)

    def _related_calls(self) -> list[CallConsent]:
        """Return the calls of the session's parent and of other subagents since the last prompt."""
        if not self.peers.children:
            return []
        root = self.peers.root_of(self.peers.session)
        began_at = self._turns[root].began_at
        return [
            call
            for session, turn in self._turns.items()
            if session != self.peers.session and self.peers.root_of(session) == root
            if not turn.settings_changed
            for call in turn.calls.values()
            if not call.denied or call.answered_at >= began_at
        ]

    def _report_stopped(
        self, reading: Reading, call: CallConsent, done: str, where: JsonPath
    ) -> None:
        if call.asked:
            how = f"{done}, and the permission for {call.id!r} has no answer yet"
            call.early.append((reading, how, where))
            if not self._is_at_work(self.peers.session):
                self._report_early(call)
        else:
            rule = REJECTED_DONE if call.rejected else NOT_APPROVED_DONE
            self.report(rule, reading, f"{done}; {call.answer_words}", where)

    def _report_early(self, call: CallConsent, *, withdrawn: bool = False) -> None:
        """Report work done while a call's permission was pending, once it no longer is.

        Until then the agent may withdraw the question, as the call may have been allowed elsewhere.
        """
        rule = DONE_BEFORE_WITHDRAWN if withdrawn else DONE_WHILE_ASKED
        later = "; it is withdrawn later" if withdrawn else ""
        for reading, how, where in call.early:
            self.report(rule, reading, f"{how}{later}", where)
        call.early.clear()

    def _is_at_work(self, session: str) -> bool:
        return bool(self.peers.running[session]) or session in self._at_work

    def _defer_unnamed(
        self,
        reading: Reading,
        turn: TurnConsent,
        done: str,
        names: Callable[[CallConsent], bool],
        where: JsonPath,
    ) -> None:
        """Defer judging work that no tool call names until the turn ends: a later call may name it."""
        calls = turn.calls.values()
        stopped = [call for call in calls if not call.may_run]
        is_alone = all(call.names_all for call in calls if call.may_run)
        how = f"{done}, and no other tool call is under way; {stopped[-1].answer_words}"
        terminal = text_at(reading.update, "terminalId")
        guess = how if is_alone else ""
        turn.unnamed.append(UnnamedWork(reading, done, where, names, guess, terminal))
        if not self._is_at_work(self.peers.session):
            self._judge_deferred(self.peers.session)

    def _judge_deferred(self, session: str) -> None:
        """Report, at a turn's end, work that no call has named, or whose permission is pending."""
        turn = self._turns[session]
        for call in turn.calls.values():
            self._report_early(call)
        for one in turn.unnamed:
            if one.guess and not any(map(one.is_of, turn.calls.values())):
                self.report(DONE_OTHERWISE, one.reading, one.guess, one.where)
        turn.unnamed.clear()

    def _report_done_otherwise(
        self, reading: Reading, call: CallConsent, how: str, where: JsonPath
    ) -> None:
        self.report(DONE_OTHERWISE, reading, f"{how}; {call.answer_words}", where)

    def _is_late(self, reading: Reading, turn: TurnConsent, *, patience: float) -> bool:
        """Return whether the turn was canceled, and has ended or continues longer than `patience`."""
        if turn.cancelled_at is None or self._background.get(self.peers.session, False):
            return False
        return turn.ended or reading.record.at - turn.cancelled_at >= patience


def _names_file(path: str, folder: str) -> Callable[[CallConsent], bool]:
    """Return a check for calls that name this file and may write it.

    A call that only reads doesn't count, unless it was denied and shows an edit.
    """
    plain, folder = plain_path(path), plain_path(folder)

    def names(call: CallConsent) -> bool:
        if call.only_reads and (call.may_run or not call.edits):
            return False
        return any(is_same_path(plain, one, folder) for one in filter(None, call.paths))

    return names
