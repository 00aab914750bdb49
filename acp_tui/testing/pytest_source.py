"""Writes a recording as a test of the agent, for the fixture `acp_agent`."""

import re
from collections.abc import Iterator, Sequence

from acp_tui.debug.compare.values import without_volatile
from acp_tui.debug.play.recorded_client import PERMISSION, acts, object_in, params_of
from acp_tui.debug.play.scenes import CANCEL_TURN, PROMPT, session_of
from acp_tui.library.recordings import RecordedSession, Recording, replay
from acp_tui.library.turn import Turn
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Notification, Request, Response
from acp_tui.recordings.recording import RecordingError
from acp_tui.state.entries import known_kind
from acp_tui.testing.literals import literal, literal_source

_SHORT = 80
"""Characters of a text that a test compares; for a longer one it only asks whether there is any."""
_AS_RECORDED = """
def as_recorded():
    left = {kind: list(answers) for kind, answers in ANSWERS.items()}

    def answer(request):
        kind = request.tool_call.kind if request.tool_call else "other"
        wanted = left[kind].pop(0) if left.get(kind) else "reject_once"
        if wanted == "cancelled":
            return None
        known = (one for one in request.options if wanted in (one.kind, one.option_id))
        return next(known, request.reject)

    return answer
"""
_CANCELLED = "cancelled"
_SIMPLE = {"allow_once": "allow", "reject_once": "reject"}
"""Answers that are the same each time, and the word of the fixture for them."""
_NOT_SENT = (
    "session/load",
    "session/resume",
    "session/fork",
    "session/close",
    "session/set_mode",
    "session/set_config_option",
    "session/set_model",
)
"""Requests of a client that a test doesn't make by itself."""


def pytest_source(recording: Recording, name: str) -> str:
    """Write a test that sends to the agent what was sent, and expects what came.

    Raises RecordingError if there is no turn that has ended.
    """
    sessions = [one for one in replay(recording).sessions if one.turns]
    if not sessions:
        raise RecordingError("there is no turn that has ended: nothing can be tested")
    answers = _answers(recording.records)
    lines = [f'"""What an agent did in {_comment(name)}.', ""]
    if left := left_out(recording):
        lines += ["Not as it was recorded:", *(f"- {_comment(one)}" for one in left), ""]
    lines += ['Run it: pytest --acp-agent "my-agent --acp" FILE', '"""', ""]
    if any(map(_canceled_after, _turns(sessions))):
        lines += ["from threading import Timer", ""]
    if answers and _same(answers) is None:
        lines += [f"ANSWERS = {literal_source(answers)}", "", *_AS_RECORDED.splitlines()]
    lines += ["", f"def test_{_identifier(name)}(acp_agent):"]
    lines += [f"    {line}" for line in _body(sessions, answers)]
    return "\n".join([*lines, ""])


def left_out(recording: Recording) -> list[str]:
    """Return what a test of this recording can't do as it was recorded, one line each."""
    found: list[str] = []
    read = acts(recording.records)
    for one in read.acts:
        if one.message.method in _NOT_SENT:
            found.append(f"{one.message.method} (frame {one.number}) is not sent")
        elif one.message.method == PROMPT and isinstance(one.message, Request):
            blocks = params_of(one.message).get("prompt")
            kinds = {
                str(block.get("type"))
                for block in (blocks if isinstance(blocks, list) else ())
                if isinstance(block, dict) and block.get("type") != "text"
            }
            if kinds:
                parts = ", ".join(sorted(kinds))
                found.append(f"the prompt (frame {one.number}) is sent without its {parts}")
    for exchange in read.exchanges:
        method, answer = exchange.request.method, exchange.answer
        if method == "elicitation/create" and isinstance(answer, Response):
            found.append(f"{method} is not answered as it was")
        elif method == PERMISSION and not isinstance(answer, Response):
            found.append("a permission was answered with an error, and is rejected")
    return list(dict.fromkeys(found))


def _turns(sessions: Sequence[RecordedSession]) -> Iterator[Turn]:
    return (turn for session in sessions for turn in session.turns)


def _same(answers: dict[str, list[str]]) -> str | None:
    """Return the word for answers that are all the same; None where there is none."""
    given = {one for some in answers.values() for one in some}
    return _SIMPLE.get(given.pop()) if len(given) == 1 else None


def _body(sessions: Sequence[RecordedSession], answers: dict[str, list[str]]) -> Iterator[str]:
    if answers:
        word = _same(answers)
        policy = "as_recorded()" if word is None else literal(word)
        yield f"acp_agent.permissions = {policy}"
    for number, session in enumerate(sessions):
        if number:
            yield ""
            yield "acp_agent.new_session()"
        for at, turn in enumerate(session.turns):
            if at:
                yield ""
            yield from _turn(session, turn)


def _turn(session: RecordedSession, turn: Turn) -> Iterator[str]:
    seconds = _canceled_after(turn)
    if seconds is not None:
        after = f"{max(seconds, 0.05):.2f}"
        yield f"cancel = Timer({after}, acp_agent.call, [acp_agent.session.cancel])"
        yield "cancel.start()"
    yield f"turn = acp_agent.prompt({_prompt(turn.prompt, session.cwd)})"
    if turn.error is not None:
        yield f"assert turn.error is not None and turn.error.code == {literal(turn.error.code)}"
    else:
        yield f"assert turn.stop_reason == {literal(turn.stop_reason)}"
    if seconds is not None:
        yield "cancel.cancel()"
        return  # how much came by then depends on the moment
    if turn.text:
        same = len(turn.text) <= _SHORT and without_volatile(turn.text) == turn.text
        yield f"assert turn.text == {literal(turn.text)}" if same else "assert turn.text"
    if turn.tool_calls:
        yield "assert [(call.kind, call.status) for call in turn.tool_calls] == ["
        yield from (f"    ({literal(one.kind)}, {literal(one.status)})," for one in turn.tool_calls)
        yield "]"
    else:
        yield "assert not turn.tool_calls"
    if turn.findings:
        known = _set_source({one.rule.id for one in turn.findings})
        yield f"assert {{one.rule.id for one in turn.findings}} <= {known}"
    else:
        yield "assert not turn.findings"


def _set_source(values: set[str]) -> str:
    """Write a set of texts."""
    return f"{{{', '.join(map(literal, sorted(values)))}}}"


def _canceled_after(turn: Turn) -> float | None:
    """Return how many seconds after its prompt a turn was canceled; None if it wasn't."""
    began: float | None = None
    for frame in turn.frames:
        if frame.direction is not Direction.OUT:
            continue
        message = jsonrpc.parse(frame.raw)
        if isinstance(message, Request) and message.method == PROMPT and began is None:
            began = frame.at
        is_cancel = isinstance(message, Notification) and message.method == CANCEL_TURN
        if is_cancel and session_of(message) == turn.session_id:
            return frame.at - (frame.at if began is None else began)
    return None


def _answers(records: Sequence[Record]) -> dict[str, list[str]]:
    """Return what permissions were answered with, in their order, by the kind of the tool call."""
    found: dict[str, list[str]] = {}
    for one in acts(records).exchanges:
        if one.request.method != PERMISSION or not isinstance(one.answer, Response):
            continue
        kind = known_kind(str(one.call.get("kind", "")))
        found.setdefault(kind, []).append(_answer(one.request, one.answer))
    return found


def _answer(request: Request, answer: Response) -> str:
    """Return the kind of the chosen option, its id where others are of that kind, or "cancelled"."""
    chosen = object_in(answer.result, "outcome").get("optionId")
    listed = params_of(request).get("options")
    options = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    kinds = [str(one.get("kind")) for one in options]
    for option, kind in zip(options, kinds, strict=True):
        if option.get("optionId") == chosen:
            return kind if kinds.count(kind) == 1 else str(chosen)
    return _CANCELLED


def _prompt(text: str, cwd: str) -> str:
    """The prompt; the folder of the session is that of the test."""
    whole = rf"(?<![\w-]){re.escape(cwd)}(?![\w-])"
    pieces = re.split(whole, text) if len(cwd) > 1 else [text]
    if len(pieces) == 1:
        return literal(text)
    return f'f"{"{acp_agent.folder}".join(map(_in_f_string, pieces))}"'


def _in_f_string(text: str) -> str:
    """A text as it is written between the double quotes of an f-string."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    # With both quotes in it a text is written in single ones: the end that brings them is cut off.
    return repr(f"{doubled}'\"")[1:-4].replace('"', '\\"')


def _comment(name: str) -> str:
    return re.sub(r"[^\w .-]", "_", name)


def _identifier(name: str) -> str:
    found = re.sub(r"\W+", "_", name.rpartition(".")[0] or name).strip("_").lower()
    return found if found and f"test_{found}".isidentifier() else "recording"
