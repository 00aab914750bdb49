"""Writes a recording as Python source: as a test of the agent, or as a script of the fake agent."""

import re
from collections.abc import Iterable, Iterator, Sequence
from keyword import iskeyword
from math import isfinite
from typing import Any

from acp_tui.debug.compare.values import without_volatile
from acp_tui.debug.play.recorded_client import PERMISSION, read_acts
from acp_tui.debug.play.scenes import CANCEL_TURN, PROMPT, session_of
from acp_tui.library.recordings import RecordedSession, Recording, replay
from acp_tui.library.turn import Turn
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import ProcessExited, Record, StderrLine
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_decoder import TooDeepError
from acp_tui.protocol.json_parts import objects_at, value_at
from acp_tui.protocol.jsonrpc import Failure, Id, Notification, Request, Response
from acp_tui.recordings.recording import RecordingError
from acp_tui.state.entries import known_kind

WIDTH = 88
"""Columns of a line, roughly; long texts stay whole."""
_INDENT = "    "
_DEEPEST_LITERAL = 100
"""Levels of brackets on lines of their own: Python reads no source with more than 200 in all."""
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
_HEAD = '''\
"""The agent of {name}, as a script: change it, and run it as an agent: python FILE."""

import os
import tempfile
from pathlib import Path

from acp_tui.testing import Script

SCRIPT = (
    Script({session})
'''
_TAIL = """\
)

if __name__ == "__main__":
    argv = SCRIPT.argv(Path(tempfile.mkdtemp()))
    os.execv(argv[0], argv)
"""
_TEXTS = {"agent_message_chunk": "chunk", "agent_thought_chunk": "thought"}
_CALLS = {"tool_call": ("id", "title"), "tool_call_update": ("id",)}
_TAKEN = ("times", "id", "text", "self", "__debug__")


def format_literal(value: Any) -> str:
    """Write a JSON value that holds no other, a text in double quotes unless it has some."""
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    shown = repr(value)
    return f'"{shown[1:-1]}"' if shown.startswith("'") and '"' not in shown else shown


def literal_source(value: Any, indent: str = _INDENT) -> str:
    """Write a JSON value, on several lines where one is too long. Raises TooDeepError."""
    if not isinstance(value, dict | list):
        return format_literal(value)
    line = _on_one_line(value, WIDTH - len(indent))
    if line is not None:
        return line
    inner = f"{indent}{_INDENT}"
    if len(inner) > _DEEPEST_LITERAL * len(_INDENT):
        raise TooDeepError
    if isinstance(value, dict):
        items = [
            f"{inner}{format_literal(key)}: {literal_source(one, inner)},\n"
            for key, one in value.items()
        ]
        return f"{{\n{''.join(items)}{indent}}}" if items else "{}"
    items = [f"{inner}{literal_source(one, inner)},\n" for one in value]
    return f"[\n{''.join(items)}{indent}]" if items else "[]"


def _on_one_line(value: Any, room: int) -> str | None:
    """Write a value in no more columns than there is room for; None where it needs more."""
    if isinstance(value, dict):
        names = (f"{format_literal(key)}: " for key in value)
        inner = _items(zip(names, value.values(), strict=True), room - 2)
        line = None if inner is None else f"{{{inner}}}"
    elif isinstance(value, list):
        inner = _items((("", one) for one in value), room - 2)
        line = None if inner is None else f"[{inner}]"
    else:
        line = format_literal(value)
    return None if line is None or len(line) > room else line


def _items(items: Iterable[tuple[str, Any]], room: int) -> str | None:
    written: list[str] = []
    for name, value in items:
        shown = _on_one_line(value, room - len(name))
        if shown is None:
            return None
        written.append(f"{name}{shown}")
        room -= len(written[-1]) + 2
    return ", ".join(written)


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
    if failures := sorted({one for turn in _turns(sessions) if (one := _failure(turn))}):
        lines += ["import pytest", "", f"from acp_tui import {', '.join(failures)}", ""]
    if answers and _same(answers) is None:
        lines += [f"ANSWERS = {literal_source(answers)}", "", *_AS_RECORDED.splitlines(), ""]
    lines += ["", f"def test_{_identifier(name)}(acp_agent):"]
    lines += [f"    {line}" if line else "" for line in _body(sessions, answers)]
    return "\n".join([*lines, ""])


def left_out(recording: Recording) -> list[str]:
    """List what a test of this recording can't repeat as it was recorded."""
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


def _turns(sessions: Sequence[RecordedSession]) -> Iterator[Turn]:
    return (turn for session in sessions for turn in session.turns)


def _same(answers: dict[str, list[str]]) -> str | None:
    """Return the word for answers that are all the same; None where there is none."""
    given = {one for some in answers.values() for one in some}
    return _SIMPLE.get(given.pop()) if len(given) == 1 else None


def _body(sessions: Sequence[RecordedSession], answers: dict[str, list[str]]) -> Iterator[str]:
    if answers:
        word = _same(answers)
        policy = "as_recorded()" if word is None else format_literal(word)
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
    prompt = f"acp_agent.prompt({_prompt(turn.prompt, session.cwd)})"
    if failure := _failure(turn):
        yield f"with pytest.raises({failure}) as raised:"
        yield f"    {prompt}"
        if turn.error is not None:
            yield f"assert raised.value.code == {format_literal(turn.error.code)}"
    else:
        yield f"turn = {prompt}"
        yield f"assert turn.stop_reason == {format_literal(turn.stop_reason)}"
    if seconds is not None:
        yield "cancel.cancel()"
        return  # how much arrived before depends on timing
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


def _failure(turn: Turn) -> str:
    """Return the name of the exception that ends a turn; empty if it ended as it should."""
    if turn.error is not None:
        return "RequestError"
    return "AgentExitedError" if turn.stop_reason is None else ""


def _canceled_after(turn: Turn) -> float | None:
    """Return the seconds from its prompt to its cancellation; None if the turn wasn't canceled."""
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
    """Return the answers to permission requests in order, by the kind of the tool call."""
    found: dict[str, list[str]] = {}
    for one in read_acts(records).exchanges:
        if one.request.method != PERMISSION or not isinstance(one.answer, Response):
            continue
        kind = known_kind(str(one.call.get("kind", "")))
        found.setdefault(kind, []).append(_answer(one.request, one.answer))
    return found


def _answer(request: Request, answer: Response) -> str:
    """Return the kind of the chosen option, its id where others are of that kind, or "cancelled"."""
    chosen = value_at(answer.result, "outcome", "optionId")
    options = objects_at(request.params, "options")
    kinds = [str(one.get("kind")) for one in options]
    for option, kind in zip(options, kinds, strict=True):
        if option.get("optionId") == chosen:
            return kind if kinds.count(kind) == 1 else str(chosen)
    return _CANCELLED


def _prompt(text: str, cwd: str) -> str:
    """Write the prompt; the session's folder is replaced by the test's."""
    whole = rf"(?<![\w-]){re.escape(cwd)}(?![\w-])"
    pieces = re.split(whole, text) if len(cwd) > 1 else [text]
    if len(pieces) == 1:
        return format_literal(text)
    return f'f"{"{acp_agent.folder}".join(map(_in_f_string, pieces))}"'


def _in_f_string(text: str) -> str:
    """Write a text for between the double quotes of an f-string."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    # With both quotes in it a text is written in single ones: the end that brings them is cut off.
    return repr(f"{doubled}'\"")[1:-4].replace('"', '\\"')


def _comment(name: str) -> str:
    return re.sub(r"[^\w .-]", "_", name)


def _identifier(name: str) -> str:
    found = re.sub(r"\W+", "_", name.rpartition(".")[0] or name).strip("_").lower()
    return found if found and f"test_{found}".isidentifier() else "recording"


def script_source(records: Iterable[Record], name: str) -> str:
    """Write the script of one run of an agent."""
    kept = list(records)
    writer = _ScriptWriter(kept)
    for record in kept:
        writer.write_record(record)
    head = _HEAD.format(name=re.sub(r"[^\w .-]", "_", name), session=format_literal(writer.session))
    return "".join([head, *(f"    {step}\n" for step in writer.steps), _TAIL])


class _ScriptWriter:
    def __init__(self, records: Iterable[Record]) -> None:
        self.steps: list[str] = []
        self.session = _first_session(records)
        self._names: dict[str, int] = {}
        self._asked: dict[Id, list[tuple[str, Request]]] = {}
        """The client's requests without an answer, with the names that the script saves them by."""
        self._asking: dict[Id, list[tuple[str, Request]]] = {}
        self._places: dict[str, str] = {}
        """Values that the client gave, and the references to them in the script."""

    def write_record(self, record: Record) -> None:
        match record:
            case Frame(direction=Direction.IN):
                self._said(record)
            case Frame():
                self._heard(jsonrpc.parse(record.raw))
            case StderrLine(text=text):
                self._step("stderr", format_literal(f"{text}\n"))
            case ProcessExited(code=code, signal=signal, asked=False):
                self._step("kill") if signal else self._step("exit", format_literal(code or 0))
            case _:
                pass

    def _heard(self, message: jsonrpc.Message) -> None:
        match message:
            case Request(method=method, params=params):
                name = self._name(method)
                self._asked.setdefault(message.id, []).append((name, message))
                if method == "session/prompt" and session_of(message) == self.session:
                    self._step("prompt", **self._save(name, method))
                else:
                    self._step("expect", format_literal(method), **self._save(name, method))
                cwd = params.get("cwd") if isinstance(params, dict) else None
                if isinstance(cwd, str) and len(cwd) > 1:
                    self._places.setdefault(cwd, f"${{{name}.params.cwd}}")
            case Notification(method=method):
                self._step(
                    "expect", format_literal(method), **self._save(self._name(method), method)
                )
            case Response() | Failure() if self._asking.get(message.id):
                name, request = self._asking[message.id].pop(0)
                self._answered(name, request, message)
            case _:
                pass

    def _answered(self, name: str, request: Request, answer: Response | Failure) -> None:
        result: Any = answer.result if isinstance(answer, Response) else None
        if request.method == "session/request_permission" and result is not None:
            self._step("expect_answer", format_literal(name), result=self._value(result))
        else:
            self._step("expect_answer", format_literal(name))
        terminal = result.get("terminalId") if isinstance(result, dict) else None
        if isinstance(terminal, str):
            self._places.setdefault(terminal, f"${{{name}.result.terminalId}}")

    def _said(self, frame: Frame) -> None:
        message = jsonrpc.parse(frame.raw)
        match message:
            case Response() | Failure() if self._asked.get(message.id):
                name, request = self._asked[message.id].pop(0)
                self._reply(name, request, message)
            case Request(method=method, params=dict(params)):
                name = self._name(method)
                self._asking.setdefault(message.id, []).append((name, message))
                self._request(method, params, name)
            case Notification() if isinstance(message.params, dict):
                self._notify(message)
            case _:
                self._step("raw", repr(frame.raw + b"\n"))

    def _reply(self, name: str, request: Request, answer: Response | Failure) -> None:
        if isinstance(answer, Failure):
            code, message, data, _ = answer.error
            error = {
                "code": int(code),
                "message": message,
                **({} if data is None else {"data": data}),
            }
            self._step("reply", format_literal(name), error=self._value(error))
        elif request.method == "session/prompt" and [*answer.result] == ["stopReason"]:
            reason = self._value(answer.result["stopReason"])
            self._step(
                "end_turn", reason, **({} if name == "prompt" else {"to": format_literal(name)})
            )
        else:
            self._step("reply", format_literal(name), self._value(answer.result))

    def _request(self, method: str, params: dict[str, Any], name: str) -> None:
        permission = method == "session/request_permission"
        if permission and params.keys() == {"sessionId", "toolCall", "options"}:
            call, options = self._value(params["toolCall"]), self._value(params["options"])
            self._step("ask_permission", call, options, save=format_literal(name))
        else:
            self._step(
                "request", format_literal(method), self._value(params), **self._save(name, method)
            )

    def _notify(self, message: Notification) -> None:
        params = message.params
        update = params.get("update")
        known = message.method == "session/update" and params.keys() == {"sessionId", "update"}
        if not known or session_of(message) != self.session or not isinstance(update, dict):
            self._step("notify", format_literal(message.method), self._value(params))
            return
        fields = {**update}
        kind = str(fields.pop("sessionUpdate", ""))
        content = fields.get("content")
        if kind in _TEXTS and isinstance(content, dict) and content.keys() == {"type", "text"}:
            first = [self._value(fields.pop("content")["text"])]
            self._fields(_TEXTS[kind], first, fields)
        elif kind in _CALLS and all(one in fields for one in ("toolCallId", *_CALLS[kind][1:])):
            names = ("toolCallId", *_CALLS[kind][1:])
            self._fields(kind, [self._value(fields.pop(one)) for one in names], fields)
        else:
            self._fields("update", [format_literal(kind)], fields)

    def _fields(self, step: str, first: list[str], fields: dict[str, Any]) -> None:
        if all(map(_is_name, fields)):
            self._step(step, *first, **{name: self._value(value) for name, value in fields.items()})
        else:
            self._step(step, *first, f"**{self._value(fields)}")

    def _step(self, step: str, *values: str, **named: str) -> None:
        given = [*values, *(f"{name}={value}" for name, value in named.items())]
        line = f".{step}({', '.join(given)})"
        if len(line) > WIDTH or "\n" in line:
            inner = "".join(f"    {one},\n" for one in given)
            line = f".{step}(\n{inner})"
        self.steps.append(line.replace("\n", "\n    "))

    def _name(self, method: str) -> str:
        """Return a name for a request: the last word of its method, with a number from the second on."""
        word = re.sub(r"\W", "_", method.rpartition("/")[2])
        self._names[word] = self._names.get(word, 0) + 1
        return word if self._names[word] == 1 else f"{word}_{self._names[word]}"

    def _save(self, name: str, method: str) -> dict[str, str]:
        return {} if name == method.rpartition("/")[2] else {"save": format_literal(name)}

    def _value(self, value: Any) -> str:
        """Write a value as source; values that the client gave are replaced by references to its messages."""
        return literal_source(self._placed(value))

    def _placed(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._placed(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._placed(one) for one in value]
        if not isinstance(value, str):
            return value
        text = value.replace("${", "$${")
        for one, place in self._places.items():
            if "/" in one and one in text:
                text = place.join(re.split(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text))
            elif text == one:
                text = place
        return text


def _is_name(key: str) -> bool:
    """Return whether a field can be the name of an argument."""
    return key.isascii() and key.isidentifier() and not iskeyword(key) and key not in _TAKEN


def _first_session(records: Iterable[Record]) -> str:
    for record in records:
        if isinstance(record, Frame):
            session = session_of(jsonrpc.parse(record.raw))
            if session:
                return session
    return "s1"
