"""Masks the secrets in a session, as exports are meant to be shared."""

from collections import deque
from collections.abc import Generator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.model import Model
from acp_tui.state.blocks import TextRun
from acp_tui.state.entries import Entry, RawEntry, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State, Terminal
from acp_tui.state.subagents import descendants_of

_JSON = {ToolCallEntry: ("raw_input", "raw_output"), RawEntry: ("raw",)}
_BINARY = ("data", "blob")


def mask_session(
    state: State, session: Session, redactor: Redactor
) -> Generator[str, None, tuple[State, Session]]:
    """Copy a session with secrets masked, including its subagents' sessions and terminals.

    Works in steps, each of which yields an empty piece.
    """
    sessions = dict(state.sessions)
    for one in [session, *descendants_of(state, session.session_id)]:
        sessions[one.session_id] = yield from _session(one, redactor)
    terminals = {}
    for terminal_id, terminal in list(state.terminals.items()):
        terminals[terminal_id] = _terminal(terminal, redactor)
        yield ""
    return replace(state, terminals=terminals, sessions=sessions), sessions[session.session_id]


def _session(session: Session, redactor: Redactor) -> Generator[str, None, Session]:
    entries: list[Entry] = []
    for entry in list(session.entries):
        entries.append(_masked(entry, redactor))
        yield ""
    title = _masked(session.title, redactor)
    permissions = _masked(session.permissions, redactor)
    subagent = _masked(session.subagent, redactor)
    return replace(
        session, entries=entries, title=title, permissions=permissions, subagent=subagent
    )


def masked_at_once(state: State, session: Session, redactor: Redactor) -> tuple[State, Session]:
    """Copy a session with secrets masked, without pauses."""
    steps = mask_session(state, session, redactor)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            copied: tuple[State, Session] = end.value
            return copied


def _terminal(terminal: Terminal, redactor: Redactor) -> Terminal:
    said = terminal.output.decode("utf-8", "surrogateescape")
    said = redactor.text(said, "terminal output")
    command, *args = redactor.argv([terminal.command, *terminal.args])
    parts = deque([said.encode("utf-8", "surrogateescape")])
    return replace(terminal, command=command, args=args, parts=parts)


def _masked(value: Any, redactor: Redactor) -> Any:
    """Return a copy in which all texts are masked; other values are kept."""
    if type(value) is str:
        return redactor.text(value, "text")
    if isinstance(value, TextRun):
        return TextRun([redactor.text(value.text, "text")])
    if isinstance(value, Error):
        message, data = redactor.text(value.message, "error"), redactor.value(value.data, "error")
        result = redactor.value(value.result, "error")
        return value._replace(message=message, data=data, result=result)
    if isinstance(value, list | dict | tuple):
        return _masked_within(value, redactor)
    if isinstance(value, Model):
        update = {
            name: _masked(one, redactor) for name, one in vars(value).items() if name not in _BINARY
        }
        copied = value.model_copy(update=update)
        copied.__pydantic_extra__ = redactor.value(value.model_extra, "text")
        return copied
    if is_dataclass(value) and not isinstance(value, type):
        json = _JSON.get(type(value), ())
        return replace(
            value,
            **{
                one.name: redactor.value(found, "input")
                if one.name in json
                else _masked(found, redactor)
                for one in fields(value)
                if one.init
                for found in [getattr(value, one.name)]
            },
        )
    return value


def _masked_within(value: Any, redactor: Redactor) -> Any:
    """Mask the content of a container; values of JSON are masked by their keys, too."""
    if isinstance(value, tuple):
        parts = [_masked(one, redactor) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if _is_nested_json(value):
        return redactor.value(value, "input")
    if isinstance(value, list):
        return [_masked(one, redactor) for one in value]
    return {_masked(key, redactor): _masked(one, redactor) for key, one in value.items()}


def _is_nested_json(value: Any) -> bool:
    """Return whether a value is pure JSON: an object, or an array of objects or arrays."""
    if isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
        return False
    parts = [value]
    while parts:  # iteratively: it may be nested deeper than Python's stack allows
        part = parts.pop()
        if isinstance(part, dict) and all(isinstance(key, str) for key in part):
            parts += part.values()
        elif isinstance(part, list):
            parts += part
        elif part is not None and type(part) not in (str, int, float, bool):
            return False
    return True
