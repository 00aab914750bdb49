"""Converts a recording to a pytest test of the agent, as Python source."""

import re
from collections.abc import Iterator, Sequence

from acp_tui.debug.compare.values import without_volatile
from acp_tui.debug.play.recorded_client import PERMISSION, read_acts
from acp_tui.debug.play.scenes import CANCEL_TURN, PROMPT, session_of
from acp_tui.library.recordings import RecordedSession, Recording, replay
from acp_tui.library.turn import Turn
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import objects_at, value_at
from acp_tui.protocol.jsonrpc import Notification, Request, Response
from acp_tui.recordings.recording import RecordingError
from acp_tui.state.entries import known_kind
from acp_tui.testing.recorded_script import comment_words, format_literal, literal_source

_SHORT = 80
"""Longest text that the test compares, in characters; of a longer one it only checks that it isn't
empty.
"""
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
"""Option kinds with the word for always choosing that kind, as in `acp_agent.permissions`."""
_NOT_SENT = (
    "session/load",
    "session/resume",
    "session/fork",
    "session/close",
    "session/set_mode",
    "session/set_config_option",
    "session/set_model",
)
"""Client requests that the test doesn't send."""


def pytest_source(recording: Recording, name: str) -> str:
    """Return the source of a test that sends the recorded prompts, and expects the recorded turns.

    Raises RecordingError if no turn has ended.
    """
    sessions = [one for one in replay(recording).sessions if one.turns]
    if not sessions:
        raise RecordingError("there is no turn that has ended: nothing can be tested")
    answers = _recorded_answers(recording.records)
    lines = [f'"""What an agent did in {comment_words(name)}.', ""]
    if left := unrepeatable(recording):
        lines += ["Not as it was recorded:", *(f"- {comment_words(one)}" for one in left), ""]
    lines += ['Run it: pytest --acp-agent "my-agent --acp" FILE', '"""', ""]
    if any(_canceled_after(turn) is not None for turn in _all_turns(sessions)):
        lines += ["from threading import Timer", ""]
    if failures := sorted({one for turn in _all_turns(sessions) if (one := _failure_name(turn))}):
        lines += ["import pytest", "", f"from acp_tui import {', '.join(failures)}", ""]
    if answers and _same_answer(answers) is None:
        lines += [f"ANSWERS = {literal_source(answers)}", "", *_AS_RECORDED.splitlines(), ""]
    lines += ["", f"def test_{_identifier(name)}(acp_agent):"]
    lines += [f"    {line}" if line else "" for line in _test_body(sessions, answers)]
    return "\n".join([*lines, ""])


def unrepeatable(recording: Recording) -> list[str]:
    """Return what the test can't repeat as it was recorded, in words."""
    found: list[str] = []
    read = read_acts(recording.records)
    for one in read.acts:
        if one.message.method in _NOT_SENT:
            found.append(f"{one.message.method} (frame {one.number}) is not sent")
        elif one.message.method == PROMPT and isinstance(one.message, Request):
            kinds = {
                str(block.get("type"))
                for block in objects_at(one.message.params, "prompt")
                if block.get("type") != "text"
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


def _all_turns(sessions: Sequence[RecordedSession]) -> Iterator[Turn]:
    return (turn for session in sessions for turn in session.turns)


def _same_answer(answers: dict[str, list[str]]) -> str | None:
    """Return the word in `_SIMPLE` for answers of one kind; None if they differ, or there is no
    word.
    """
    given = {one for some in answers.values() for one in some}
    return _SIMPLE.get(given.pop()) if len(given) == 1 else None


def _test_body(sessions: Sequence[RecordedSession], answers: dict[str, list[str]]) -> Iterator[str]:
    if answers:
        word = _same_answer(answers)
        policy = "as_recorded()" if word is None else format_literal(word)
        yield f"acp_agent.permissions = {policy}"
    for number, session in enumerate(sessions):
        if number:
            yield ""
            yield "acp_agent.new_session()"
        for at, turn in enumerate(session.turns):
            if at:
                yield ""
            yield from _turn_lines(session, turn)


def _turn_lines(session: RecordedSession, turn: Turn) -> Iterator[str]:
    seconds = _canceled_after(turn)
    if seconds is not None:
        after = f"{max(seconds, 0.05):.2f}"
        yield f"cancel = Timer({after}, acp_agent.call, [acp_agent.session.cancel])"
        yield "cancel.start()"
    prompt = f"acp_agent.prompt({_prompt_source(turn.prompt, session.cwd)})"
    if failure := _failure_name(turn):
        yield f"with pytest.raises({failure}) as raised:"
        yield f"    {prompt}"
        if turn.error is not None:
            yield f"assert raised.value.code == {format_literal(turn.error.code)}"
    else:
        yield f"turn = {prompt}"
        yield f"assert turn.stop_reason == {format_literal(turn.stop_reason)}"
    if seconds is not None:
        yield "cancel.cancel()"
        return  # how much arrived before the cancellation depends on timing
    if failure:
        return
    if turn.text:
        same = len(turn.text) <= _SHORT and without_volatile(turn.text) == turn.text
        yield f"assert turn.text == {format_literal(turn.text)}" if same else "assert turn.text"
    if turn.tool_calls:
        yield "assert [(call.kind, call.status) for call in turn.tool_calls] == ["
        yield from (
            f"    ({format_literal(one.kind)}, {format_literal(one.status)}),"
            for one in turn.tool_calls
        )
        yield "]"
    else:
        yield "assert not turn.tool_calls"
    if turn.findings:
        ids = sorted({one.rule.id for one in turn.findings})
        known = f"{{{', '.join(map(format_literal, ids))}}}"
        yield f"assert {{one.rule.id for one in turn.findings}} <= {known}"
    else:
        yield "assert not turn.findings"


def _failure_name(turn: Turn) -> str:
    """Return the name of the exception that ends a turn; "" if the turn ended normally."""
    if turn.error is not None:
        return "RequestError"
    return "AgentExitedError" if turn.stop_reason is None else ""


def _canceled_after(turn: Turn) -> float | None:
    """Return the seconds from a turn's prompt to its cancellation; None if it wasn't canceled."""
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


def _recorded_answers(records: Sequence[Record]) -> dict[str, list[str]]:
    """Return the answers to permission requests in order, by kind of tool call."""
    found: dict[str, list[str]] = {}
    for one in read_acts(records).exchanges:
        if one.request.method != PERMISSION or not isinstance(one.answer, Response):
            continue
        kind = known_kind(str(one.call.get("kind", "")))
        found.setdefault(kind, []).append(_recorded_answer(one.request, one.answer))
    return found


def _recorded_answer(request: Request, answer: Response) -> str:
    """Return the kind of the chosen option, its id if other options have that kind, or "cancelled"."""
    chosen = value_at(answer.result, "outcome", "optionId")
    options = objects_at(request.params, "options")
    kinds = [str(one.get("kind")) for one in options]
    for option, kind in zip(options, kinds, strict=True):
        if option.get("optionId") == chosen:
            return kind if kinds.count(kind) == 1 else str(chosen)
    return _CANCELLED


def _prompt_source(text: str, cwd: str) -> str:
    """Format the prompt as Python source, with the session's folder replaced by the test's."""
    whole = rf"(?<![\w-]){re.escape(cwd)}(?![\w-])"
    pieces = re.split(whole, text) if len(cwd) > 1 else [text]
    if len(pieces) == 1:
        return format_literal(text)
    return f'f"{"{acp_agent.folder}".join(map(_in_f_string, pieces))}"'


def _in_f_string(text: str) -> str:
    """Escape a text for a double-quoted f-string."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    # repr() picks the quotes by the text. Appending both kinds makes it pick single ones; they
    # are cut off again.
    return repr(f"{doubled}'\"")[1:-4].replace('"', '\\"')


def _identifier(name: str) -> str:
    found = re.sub(r"\W+", "_", name.rpartition(".")[0] or name).strip("_").lower()
    return found if found and f"test_{found}".isidentifier() else "recording"
