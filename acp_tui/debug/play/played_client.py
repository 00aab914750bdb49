"""Plays the recorded client to a live agent: gets lines and the time, returns actions. No I/O.

The agent's requests are answered only from the recording and the folder of the play; anything that
was never recorded is refused.
"""

from itertools import count
from typing import Any, Protocol

from acp_tui.debug.compare.values import Counterparts, compare_values
from acp_tui.debug.play.recorded_client import (
    PERMISSION,
    Acts,
    RecordedAnswers,
    RecordedCall,
    RecordedToolCalls,
    rejecting_response,
)
from acp_tui.debug.play.scenes import (
    CANCEL_REQUEST,
    CANCEL_TURN,
    PlayAction,
    ReportProblem,
    SendLine,
    canceled_request,
    comparable_content,
    encode_line,
    with_id,
)
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.json_parts import object_at
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Failure, Id, Notification, Request, Response
from acp_tui.protocol.kinds import OPENING_METHODS

READ, WRITE = "fs/read_text_file", "fs/write_text_file"
_SHOWN_CHARACTERS = 200


class AgentFiles(Protocol):
    """The files in the folder that the agent works in."""

    folder: str

    def read(self, path: str) -> str | None:
        """Read a file; None if it isn't in the folder."""

    def write(self, path: str, text: str) -> bool:
        """Write a file; return False if it isn't in the folder."""


class PlayedClient:
    """Sends the recorded client's messages, each after the responses that preceded it.

    `speed` divides the recorded pauses while the agent worked; 0 skips them. `counterparts` are
    those of earlier runs of the agent, whose sessions may be loaded.
    """

    def __init__(
        self,
        acts: Acts,
        files: AgentFiles,
        now: float,
        *,
        speed: float = 1.0,
        counterparts: Counterparts | None = None,
    ) -> None:
        self._acts = acts.acts
        self._files = files
        self._speed = speed
        self._counterparts = counterparts or Counterparts()
        self._answers = RecordedAnswers(acts.exchanges, self._counterparts, self._report_problem)
        self._calls = RecordedToolCalls()
        self._at = 0
        self._open: dict[Id, int] = {}
        """The indexes of pending calls, by their current ids."""
        self._done: set[int] = set()
        self._ids: dict[Id, Id] = {}
        self._numbers = count()
        self._last = now
        self._actions: list[PlayAction] = []

    @property
    def waiting(self) -> str:
        """The method of the pending request, or ""."""
        at = next(iter(self._open.values()), None)
        return "" if at is None else self._acts[at].message.method

    @property
    def is_over(self) -> bool:
        """Return whether everything was sent and answered."""
        return self._at == len(self._acts) and not self._open

    @property
    def next(self) -> float | None:
        """Return when the next line is due; None while an answer is pending."""
        if self._at == len(self._acts):
            return None
        act = self._acts[self._at]
        if not act.after <= self._done:
            return None
        return self._last + (act.pause / self._speed if act.overlaps and self._speed else 0.0)

    def advance(self, now: float) -> list[PlayAction]:
        """Return the lines that are due."""
        while (due := self.next) is not None and due <= now:
            self._send_call(self._acts[self._at], now)
        actions, self._actions = self._actions, []
        return actions

    def receive(self, raw: bytes, now: float) -> None:
        """Receive a line from the agent."""
        match jsonrpc.parse(raw):
            case Request() as request:
                self._serve_request(request)
            case Notification() as update:
                self._calls.note(update)
            case Response() | Failure() as answer if answer.id in self._open:
                at = self._open.pop(answer.id)
                self._done.add(at)
                self._last = now
                recorded = self._acts[at].answer
                assert recorded is not None  # else it wouldn't be in `_open`
                compare_values(
                    comparable_content(recorded), comparable_content(raw), self._counterparts
                )
            case _:
                pass  # the comparison reports it

    def _send_call(self, act: RecordedCall, now: float) -> None:
        at, self._at = self._at, self._at + 1
        self._last = now
        message = act.message
        if isinstance(message, Notification):
            self._send_notification(act, message)
            return
        id = next(self._numbers)  # the recorded client may have used one id for several requests
        self._ids[message.id] = id
        self._open[id] = at
        if act.answer is None:
            del self._open[id]  # it was never answered, so don't wait
        self._send_line(with_id(self._prepare_line(act, message), id))

    def _send_notification(self, act: RecordedCall, message: Notification) -> None:
        if message.method in (CANCEL_TURN, CANCEL_REQUEST) and not self._open:
            self._report_problem(
                f"{message.method} (frame {act.number}) came too late: all was answered"
            )
            return
        raw = self._counterparts.translate_line(act.raw)
        named = canceled_request(message)
        if named in self._ids:
            value = jsonrpc.decode(raw)
            value["params"]["requestId"] = self._ids[named]
            raw = encode_line(value)
        self._send_line(raw)

    def _prepare_line(self, act: RecordedCall, message: Request) -> bytes:
        """Return the line with the play's folder, and without programs that the agent would start."""
        params = object_at(message.params)
        if message.method not in OPENING_METHODS or not isinstance(message.params, dict):
            return self._counterparts.translate_line(act.raw)
        cwd = params.get("cwd")
        if isinstance(cwd, str) and cwd.strip("/"):
            self._counterparts.learn(cwd, self._files.folder)
        value = jsonrpc.decode(self._counterparts.translate_line(act.raw))
        value["params"]["cwd"] = self._files.folder
        value["params"].pop("additionalDirectories", None)
        if params.get("mcpServers"):
            value["params"]["mcpServers"] = []
            self._report_problem(
                f"{message.method} (frame {act.number}): its MCP servers are left out"
            )
        return encode_line(value)

    # Requests from the agent

    def _serve_request(self, request: Request) -> None:
        params = object_at(request.params)
        if request.method == READ and (text := self._read_file(params)) is not None:
            self._send_answer(Response(request.id, {"content": text}))
            return
        call = self._calls.of(request) if request.method == PERMISSION else {}
        found = self._answers.to(request, call)
        if request.method == WRITE and not isinstance(found, Failure):
            self._send_answer(self._write_file(request, params))
        elif found is not None:
            self._send_answer(found)
        elif request.method == PERMISSION:
            self._report_problem(
                f"a permission was rejected: the recording has none for {_describe_call(call)}"
            )
            self._send_answer(rejecting_response(request))
        else:
            words = f"the recording has no answer to this {request.method}"
            self._report_problem(words)
            self._send_answer(Failure(request.id, Error(_refusal(request), words)))

    def _read_file(self, params: dict[str, Any]) -> str | None:
        path = params.get("path")
        text = self._files.read(path) if isinstance(path, str) else None
        if text is None:
            return None
        line, limit = params.get("line"), params.get("limit")
        lines = text.splitlines(keepends=True)
        start = max(0, line - 1) if isinstance(line, int) else 0
        stop = start + limit if isinstance(limit, int) else len(lines)
        return "".join(lines[start:stop])

    def _write_file(self, request: Request, params: dict[str, Any]) -> Response | Failure:
        path, text = params.get("path"), params.get("content")
        if isinstance(path, str) and isinstance(text, str) and self._files.write(path, text):
            return Response(request.id, {})
        words = f"only files in {self._files.folder} are written"
        self._report_problem(f"{words}: not {path!r}")
        return Failure(request.id, Error(ErrorCode.INVALID_PARAMS, words))

    def _send_answer(self, message: Response | Failure) -> None:
        self._send_line(self._counterparts.translate_line(jsonrpc.encode(message)))

    def _send_line(self, raw: bytes) -> None:
        self._actions.append(SendLine(raw))

    def _report_problem(self, words: str) -> None:
        self._actions.append(ReportProblem(words))


def _describe_call(call: dict[str, Any]) -> str:
    """Describe a tool call in a few words."""
    words = [call[name] for name in ("kind", "title") if isinstance(call.get(name), str)]
    return " ".join(words)[:_SHOWN_CHARACTERS] or "a call without details"


def _refusal(request: Request) -> ErrorCode:
    return ErrorCode.RESOURCE_NOT_FOUND if request.method == READ else ErrorCode.METHOD_NOT_FOUND
