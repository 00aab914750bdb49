"""Converts a recording to a script of the fake agent, as Python source."""

import re
from collections.abc import Iterable
from keyword import iskeyword
from math import isfinite
from typing import Any

from acp_tui.debug.play.scenes import session_of
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_decoder import TooDeepError
from acp_tui.protocol.jsonrpc import Failure, Id, Notification, Request, Response
from acp_tui.protocol.process_events import ProcessExited, StderrLine

WIDTH = 88
"""Approximate width of a source line; long strings aren't broken."""
_INDENT = "    "
_DEEPEST_LITERAL = 100
"""Most nested brackets that are broken into lines: Python parses no source with more than 200
levels in all.
"""


def format_literal(value: Any) -> str:
    """Format a JSON value other than an object or array as Python source, a string in double quotes
    unless it contains some.
    """
    if isinstance(value, float) and not isfinite(value):
        return f'float("{value}")'
    shown = repr(value)
    return f'"{shown[1:-1]}"' if shown.startswith("'") and '"' not in shown else shown


def literal_source(value: Any, indent: str = _INDENT) -> str:
    """Format a JSON value as Python source, on several lines if it is long. Raises TooDeepError."""
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


def comment_words(text: str) -> str:
    """Replace the characters in a text that could end a comment or docstring."""
    return re.sub(r"[^\w .-]", "_", text)


def _on_one_line(value: Any, room: int) -> str | None:
    """Format a value in at most `room` columns; return None if it needs more."""
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
_RESERVED = ("times", "id", "text", "self", "__debug__")


def script_source(records: Iterable[Record], name: str) -> str:
    """Return the Python source of a script that repeats one run of an agent."""
    run_records = list(records)
    writer = _ScriptWriter(run_records)
    for record in run_records:
        writer.write_record(record)
    head = _HEAD.format(name=comment_words(name), session=format_literal(writer.session))
    return "".join([head, *(f"    {step}\n" for step in writer.steps), _TAIL])


class _ScriptWriter:
    def __init__(self, records: Iterable[Record]) -> None:
        self.steps: list[str] = []
        self.session = _first_session(records)
        self._names: dict[str, int] = {}
        self._pending: dict[Id, list[tuple[str, Request]]] = {}
        """The client's pending requests by id, each with the name that the script saves it under."""
        self._asking: dict[Id, list[tuple[str, Request]]] = {}
        self._references: dict[str, str] = {}
        """Paths and ids that the client chose, with their references in the script."""

    def write_record(self, record: Record) -> None:
        match record:
            case Frame(direction=Direction.IN):
                self._write_agent_frame(record)
            case Frame():
                self._write_client_message(jsonrpc.parse(record.raw))
            case StderrLine(text=text):
                self._add_step("stderr", format_literal(f"{text}\n"))
            case ProcessExited(code=code, signal=signal, asked=False):
                self._add_step("kill") if signal else self._add_step(
                    "exit", format_literal(code or 0)
                )
            case _:
                pass

    def _write_client_message(self, message: jsonrpc.Message) -> None:
        match message:
            case Request(method=method, params=params):
                name = self._name(method)
                self._pending.setdefault(message.id, []).append((name, message))
                if method == "session/prompt" and session_of(message) == self.session:
                    self._add_step("prompt", **self._save_argument(name, method))
                else:
                    self._add_step(
                        "expect", format_literal(method), **self._save_argument(name, method)
                    )
                cwd = params.get("cwd") if isinstance(params, dict) else None
                if isinstance(cwd, str) and len(cwd) > 1:
                    self._references.setdefault(cwd, f"${{{name}.params.cwd}}")
            case Notification(method=method):
                self._add_step(
                    "expect",
                    format_literal(method),
                    **self._save_argument(self._name(method), method),
                )
            case Response() | Failure() if self._asking.get(message.id):
                name, request = self._asking[message.id].pop(0)
                self._write_expected_answer(name, request, message)
            case _:
                pass

    def _write_expected_answer(
        self, name: str, request: Request, answer: Response | Failure
    ) -> None:
        result: Any = answer.result if isinstance(answer, Response) else None
        if request.method == "session/request_permission" and result is not None:
            self._add_step("expect_answer", format_literal(name), result=self._value(result))
        else:
            self._add_step("expect_answer", format_literal(name))
        terminal = result.get("terminalId") if isinstance(result, dict) else None
        if isinstance(terminal, str):
            self._references.setdefault(terminal, f"${{{name}.result.terminalId}}")

    def _write_agent_frame(self, frame: Frame) -> None:
        message = jsonrpc.parse(frame.raw)
        match message:
            case Response() | Failure() if self._pending.get(message.id):
                name, request = self._pending[message.id].pop(0)
                self._reply(name, request, message)
            case Request(method=method, params=dict(params)):
                name = self._name(method)
                self._asking.setdefault(message.id, []).append((name, message))
                self._request(method, params, name)
            case Notification() if isinstance(message.params, dict):
                self._add_notification(message)
            case _:
                self._add_step("raw", repr(frame.raw + b"\n"))

    def _reply(self, name: str, request: Request, answer: Response | Failure) -> None:
        if isinstance(answer, Failure):
            code, message, data, _ = answer.error
            error = {
                "code": int(code),
                "message": message,
                **({} if data is None else {"data": data}),
            }
            self._add_step("reply", format_literal(name), error=self._value(error))
        elif request.method == "session/prompt" and [*answer.result] == ["stopReason"]:
            reason = self._value(answer.result["stopReason"])
            self._add_step(
                "end_turn", reason, **({} if name == "prompt" else {"to": format_literal(name)})
            )
        else:
            self._add_step("reply", format_literal(name), self._value(answer.result))

    def _request(self, method: str, params: dict[str, Any], name: str) -> None:
        permission = method == "session/request_permission"
        if permission and params.keys() == {"sessionId", "toolCall", "options"}:
            call, options = self._value(params["toolCall"]), self._value(params["options"])
            self._add_step("ask_permission", call, options, save=format_literal(name))
        else:
            self._add_step(
                "request",
                format_literal(method),
                self._value(params),
                **self._save_argument(name, method),
            )

    def _add_notification(self, message: Notification) -> None:
        params = message.params
        update = params.get("update")
        known = message.method == "session/update" and params.keys() == {"sessionId", "update"}
        if not known or session_of(message) != self.session or not isinstance(update, dict):
            self._add_step("notify", format_literal(message.method), self._value(params))
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
            self._add_step(
                step, *first, **{name: self._value(value) for name, value in fields.items()}
            )
        else:
            self._add_step(step, *first, f"**{self._value(fields)}")

    def _add_step(self, step: str, *values: str, **named: str) -> None:
        arguments = [*values, *(f"{name}={value}" for name, value in named.items())]
        line = f".{step}({', '.join(arguments)})"
        if len(line) > WIDTH or "\n" in line:
            inner = "".join(f"    {one},\n" for one in arguments)
            line = f".{step}(\n{inner})"
        self.steps.append(line.replace("\n", "\n    "))

    def _name(self, method: str) -> str:
        """Return a unique name for a request: its method's last word, numbered from the second on."""
        word = re.sub(r"\W", "_", method.rpartition("/")[2])
        self._names[word] = self._names.get(word, 0) + 1
        return word if self._names[word] == 1 else f"{word}_{self._names[word]}"

    def _save_argument(self, name: str, method: str) -> dict[str, str]:
        return {} if name == method.rpartition("/")[2] else {"save": format_literal(name)}

    def _value(self, value: Any) -> str:
        """Format a value as Python source, with references to the client's messages in place of
        values from these.
        """
        return literal_source(self._with_references(value))

    def _with_references(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._with_references(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._with_references(one) for one in value]
        if not isinstance(value, str):
            return value
        text = value.replace("${", "$${")
        for one, place in self._references.items():
            if "/" in one and one in text:
                text = place.join(re.split(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text))
            elif text == one:
                text = place
        return text


def _is_name(key: str) -> bool:
    """Return whether a field's name can be a keyword argument."""
    return key.isascii() and key.isidentifier() and not iskeyword(key) and key not in _RESERVED


def _first_session(records: Iterable[Record]) -> str:
    for record in records:
        if isinstance(record, Frame):
            session = session_of(jsonrpc.parse(record.raw))
            if session:
                return session
    return "s1"
