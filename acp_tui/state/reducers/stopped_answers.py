"""Permission answers that were stopped at a breakpoint or by a fault: what the agent got instead.

Only frames decide: the agent has what was passed on, and until then nothing.
"""

from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.events import Aside, Responded
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure, Response
from acp_tui.protocol.model import Model
from acp_tui.protocol.payloads import read_result
from acp_tui.protocol.requests import RequestPermissionResult
from acp_tui.state.changes import Change, EntryChanged
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.interception import StoppedAnswer
from acp_tui.state.state import Permission, Session, State

NOT_GOT = "the agent didn't get this"
AN_ERROR = "an error"
NO_ANSWER = "what is no answer"


def note(state: State, event: Responded, permission: Permission, entry: ToolCallEntry) -> None:
    """Record that the newest answer to a question was stopped, and mark it at the tool call."""
    said = entry.rulings if permission.ruled else entry.decisions
    stopped = StoppedAnswer(
        event.request.id,
        permission.session_id,
        entry.key,
        permission.options,
        said[-1],
        len(said) - 1,
        _meant(event.result) if event.error is None else AN_ERROR,
        permission.rule if permission.ruled else "",
    )
    state.holding.answers[event.number] = stopped
    said[-1] = _with(stopped, NOT_GOT)


def on_aside(state: State, event: Aside) -> list[Change]:
    """Apply what the agent got in place of an answer."""
    stopped, message = state.holding.answers.get(event.of), event.message
    if stopped is None or not isinstance(message, Response | Failure) or message.id != stopped.id:
        return []
    del state.holding.answers[event.of]
    session = state.sessions.get(stopped.session_id)
    index = None if session is None else session.call_index(stopped.call)
    if session is None or index is None:
        return []  # a load has cleared its tool call
    _say(session, index, stopped, _got(message))
    return [EntryChanged(session.session_id, index)]


def _say(session: Session, index: int, stopped: StoppedAnswer, got: str) -> None:
    entry = session.entries[index]
    assert isinstance(entry, ToolCallEntry)
    said = entry.rulings if stopped.rule else entry.decisions
    if stopped.at < len(said) and said[stopped.at] == _with(stopped, NOT_GOT):
        names = [one.name for one in stopped.options if one.option_id == got]
        words = f"the agent got: {' or '.join(names) or got}"
        said[stopped.at] = stopped.words if got == stopped.meant else _with(stopped, words)


def _got(message: Response | Failure) -> str:
    if isinstance(message, Failure):
        return AN_ERROR
    result, _ = read_result(Direction.IN, "session/request_permission", message.result)
    return _meant(result)


def _meant(result: Model | None) -> str:
    """Return the id of the option that a result selects, or its outcome."""
    if not isinstance(result, RequestPermissionResult):
        return NO_ANSWER
    outcome = result.outcome
    return (outcome.option_id if outcome.outcome == "selected" else None) or outcome.outcome


def _with(stopped: StoppedAnswer, note: str) -> str:
    """Append a note to an answer, before the rule that gave it."""
    by = ruling_words("", stopped.rule) if stopped.rule else ""
    return f"{stopped.words.removesuffix(by)} ({note}){by}"
