"""The outcome of a turn without a UI: exit code, findings and summary."""

from enum import IntEnum
from typing import Any, NamedTuple

import anyio

from acp_tui.state.entries import Entry, MessageEntry, Role, ToolCallEntry, TurnEndEntry
from acp_tui.state.session import Session
from acp_tui.text import one_line


class ExitCode(IntEnum):
    """The exit codes of `acp-tui run`."""

    END_TURN = 0
    ERROR = 1
    USAGE = 2
    TIMEOUT = 3
    REFUSED = 4
    NOBODY_TO_ASK = 5
    FINDINGS = 6
    INTERRUPTED = 130


REFUSALS = {
    "refusal": "the agent refused; the prompt was dropped from the conversation",
    "max_tokens": "the agent reached its limit of tokens",
    "max_turn_requests": "the agent reached its limit of model requests in one turn",
}


class Ended(Exception):  # noqa: N818  not an error: it ends the run
    """Ends the run, with an exit code and a reason."""

    def __init__(self, code: ExitCode, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.why = why


def judge_end(end: TurnEndEntry) -> Ended:
    """Return the exit code and the reason for a turn's end; the reason is "" if all is well."""
    if end.over_limit is not None:
        return Ended(ExitCode.TIMEOUT, f"canceled: {end.over_limit}")
    if end.lost is not None:
        return Ended(ExitCode.ERROR, f"the turn was lost: {end.lost}")
    if end.error is not None and end.unsent:
        return Ended(ExitCode.ERROR, f"the turn was lost: {end.error.message}")
    if end.error is not None:
        canceled = "the turn was canceled, and " if end.canceled else ""
        return Ended(
            ExitCode.ERROR, f"{canceled}the agent answered with an error: {end.error.words}"
        )
    if end.canceled:
        return Ended(ExitCode.ERROR, "the turn was canceled")
    if end.failure is not None:
        return Ended(ExitCode.ERROR, f"the turn failed: {one_line(end.failure)}")
    if end.stop_reason == "end_turn":
        silent = "the agent ended the turn without saying anything"
        return Ended(ExitCode.END_TURN, silent if end.silent else "")
    if end.stop_reason in REFUSALS:
        return Ended(ExitCode.REFUSED, REFUSALS[end.stop_reason])
    if end.stop_reason == "cancelled":
        return Ended(ExitCode.ERROR, "the agent canceled the turn")
    return Ended(ExitCode.ERROR, f"the turn ended for an unknown reason: {end.stop_reason}")


WARNING = "warning"


class RunFindings(NamedTuple):
    """The findings of a turn, as lines of text and as JSON objects."""

    lines: list[str]
    objects: list[dict[str, Any]]
    errors: int
    warnings: int

    def judge(self, ended: Ended, least: str) -> Ended:
        """Fail a run that ended well if there is a finding of severity `least` or worse."""
        found = self.errors or (least == WARNING and self.warnings)
        well = ended.code is ExitCode.END_TURN
        return Ended(ExitCode.FINDINGS, self.words) if well and found else ended

    @property
    def words(self) -> str:
        """The number of findings by severity. They aren't called violations, as a warning may be a
        guess.
        """
        counts = (("error", self.errors), ("warning", self.warnings))
        parts = [f"{count} {name}{'s' * (count != 1)}" for name, count in counts if count]
        return f"findings: {' and '.join(parts)}"


def summarize_turn(
    session: Session | None, prompt: MessageEntry | None, ended: Ended, seconds: float
) -> dict[str, Any]:
    """Return the outcome of a turn that took `seconds`, as the fields of its JSON summary.

    `session` is None if none was opened, `prompt` if no turn began.
    """
    facts: dict[str, Any] = {
        "exitCode": int(ended.code),
        "why": ended.why,
        "seconds": round(seconds, 3),
    }
    if session is None:
        return facts
    entries: list[Entry] = []
    if prompt is not None:  # earlier entries are the history of an earlier run
        first = next(at for at, entry in enumerate(session.entries) if entry is prompt)
        entries = session.entries[first:]
    ends = [entry for entry in entries if isinstance(entry, TurnEndEntry)]
    messages = [one for one in entries if isinstance(one, MessageEntry)]
    calls = [one for one in entries if isinstance(one, ToolCallEntry)]
    return facts | {
        "sessionId": session.session_id,
        "stopReason": ends[-1].stop_reason if ends else None,
        "text": "\n".join(one.text for one in messages if one.role is Role.AGENT),
        "toolCalls": [
            {"title": one.title, "kind": one.kind, "status": one.status} for one in calls
        ],
        "usage": ends[-1].usage if ends else None,
    }


class Watch:
    """Wakes waiting tasks after a change; `interrupted` is whether the turn has to stop.

    A change before `wait` ends it at once: a task may do other things between its check and the
    wait.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._moved = anyio.Event()

    def wake(self) -> None:
        """Wake the waiting tasks after a change."""
        self._moved.set()

    def interrupt(self) -> None:
        """Stop the turn: because of a signal, or because the output can't be written."""
        self.interrupted = True
        self._moved.set()

    async def wait(self) -> None:
        """Wait until something changes."""
        moved = self._moved
        await moved.wait()
        if self._moved is moved:  # otherwise another waiting task has replaced it already
            self._moved = anyio.Event()
