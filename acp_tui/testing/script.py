"""Builds scripts for the fake agent, an agent process that does exactly what a test specifies.

    script = Script().handshake().expect("session/prompt").chunk("hi").end_turn()
    argv = script.argv(tmp_path)          # what to spawn
    ...                                   # drive the client
    played = Played(tmp_path)             # what was received
    played.check()                        # every expectation was met, to the last step
    assert played.calls("session/cancel") == []

A step waits for the client (`expect…`), sends something, or does what processes do (`sleep`,
`stderr`, `exit`, `kill`, …). After the last step the agent waits for the end of its stdin and
exits with 0.

`expect` takes the first call of its method that no step has taken yet, even if other messages
arrived before it; it compares only the given params. The call is saved under the method's last word
(or `save`), and later steps refer to it: "${prompt}" is the request's id, with its own type, and
"${prompt.params.sessionId}" a field. After `expect_answer("ask")`, "${ask.result.outcome}" works,
too. To send the text "${x}", write "$${x}".

A wrong value is recorded and the script continues; a call that never comes ends the agent with exit
code 70. `Played.check` reports both.

A script speaks both versions of the protocol. If the client sends version 2's `initialize`, the
steps under "Shortcuts for ACP" are translated (a diff becomes a patch, `end_turn` an idle state), an
expected prompt is accepted, echoed and started, and `expect("session/load")` takes version 2's
equivalent. Steps like `send` and `reply`, and updates that only version 2 has, are sent as written.

`argv(tmp_path, second, third)` gives each later start of the same command its own script.
"""

import base64
import json
import signal
import sys
from pathlib import Path
from typing import Any, Self

OPTIONS = [
    {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Always reject", "kind": "reject_always"},
]
"""Permission options of all four kinds."""


class Script:
    """A script for the fake agent: a list of steps, built by chained method calls."""

    player = Path(__file__).with_name("script_agent.py")
    """The program that plays the script."""

    def __init__(self, session_id: str = "s1") -> None:
        self.steps: list[dict[str, Any]] = []
        self.session_id = session_id

    def do(self, step: str, **fields: Any) -> Self:
        """Add a step; fields that are None are omitted."""
        given = {name: value for name, value in fields.items() if value is not None}
        self.steps.append({"do": step, **given})
        return self

    def argv(self, folder: Path, *later: "Script") -> list[str]:
        """Write this script, and the `later` ones for later starts, into `folder`; return the
        agent's command.
        """
        for number, script in enumerate([self, *later], 1):
            path = folder / f"script-{number}.json"
            path.write_text(json.dumps(script.steps), "utf-8")
        # without site-packages, the agent starts in half the time
        return [sys.executable, "-S", "-E", str(self.player), str(folder)]

    # What the client must do

    def expect(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        save: str | None = None,
        timeout: float | None = None,
        acknowledged: bool | None = None,
    ) -> Self:
        """Wait for a request or notification with at least these params.

        In version 2 a prompt is accepted automatically, unless `acknowledged` is False.
        """
        name = save or method.rpartition("/")[2]
        return self.do(
            "expect",
            method=method,
            params=params,
            save=name,
            timeout=timeout,
            acknowledged=acknowledged,
        )

    def expect_answer(
        self,
        to: str,
        *,
        result: Any = None,
        error: dict[str, Any] | None = None,
        timeout: float | None = None,
    ) -> Self:
        """Wait for the response to the request saved as `to`, with at least these fields."""
        return self.do("expect_answer", to=to, result=result, error=error, timeout=timeout)

    def expect_silence(self, seconds: float) -> Self:
        """Expect that no message is left over, and none arrives for some seconds."""
        return self.do("expect_silence", seconds=seconds)

    def expect_eof(self, timeout: float | None = None) -> Self:
        """Wait until the client closes the agent's stdin."""
        return self.do("expect_eof", timeout=timeout)

    # What the agent sends

    def send(self, message: dict[str, Any], *, times: int | None = None) -> Self:
        """Send any JSON object; `jsonrpc` is added if it is missing."""
        return self.do("send", message=message, times=times)

    def raw(self, data: bytes, *, times: int | None = None) -> Self:
        """Write bytes to stdout unchanged; no newline is added."""
        return self.do("raw", base64=base64.b64encode(data).decode(), times=times)

    def garbage(self, *lines: str) -> Self:
        """Write lines that aren't messages to stdout."""
        return self.raw("".join(f"{line}\n" for line in lines).encode())

    def reply(self, to: str, result: Any = None, *, error: dict[str, Any] | None = None) -> Self:
        """Respond to the request saved as `to`; without a result, it is `{}`."""
        answer = {"error": error} if error else {"result": {} if result is None else result}
        return self.send({"id": f"${{{to}}}", **answer})

    def request(
        self, method: str, params: dict[str, Any], *, save: str | None = None, id: Any = None
    ) -> Self:
        """Send a request to the client; `expect_answer` waits for its response."""
        name = save or method.rpartition("/")[2]
        return self.do("request", method=method, params=params, save=name, id=id)

    def notify(self, method: str, params: dict[str, Any], *, times: int | None = None) -> Self:
        """Send a notification."""
        return self.send({"method": method, "params": params}, times=times)

    def serve(self, on: dict[str, "Script"]) -> Self:
        """For each further call, play the script given for its prompt's text or its method, until
        stdin ends.
        """
        return self.do("serve", on={called: script.steps for called, script in on.items()})

    # Shortcuts for ACP

    def only_version_1(self) -> Self:
        """Speak version 1 to every client, as most agents do."""
        return self.do("only_version_1")

    def answer(self, to: str, result: dict[str, Any]) -> Self:
        """Respond to the request saved as `to` with a result in version 1's form."""
        return self.do("answer", to=to, result=result)

    def initialize(self, result: dict[str, Any] | None = None) -> Self:
        """Wait for `initialize` and respond; fields in `result` override the defaults."""
        usual = {
            "protocolVersion": 1,
            "agentInfo": {"name": "fake-agent", "title": "Fake agent", "version": "1"},
            "agentCapabilities": {},
            "authMethods": [],
        }
        return self.expect("initialize").answer("initialize", {**usual, **(result or {})})

    def new_session(self, result: dict[str, Any] | None = None) -> Self:
        """Wait for `session/new` and respond; fields in `result` override the defaults."""
        return self.expect("session/new").answer(
            "new", {"sessionId": self.session_id, **(result or {})}
        )

    def handshake(
        self, initialize: dict[str, Any] | None = None, new: dict[str, Any] | None = None
    ) -> Self:
        """Add `initialize`, then `new_session`."""
        return self.initialize(initialize).new_session(new)

    def prompt(self, save: str | None = None) -> Self:
        """Wait for a prompt."""
        return self.expect("session/prompt", {"sessionId": self.session_id}, save=save)

    def end_turn(self, stop_reason: str = "end_turn", *, to: str = "prompt") -> Self:
        """End the turn: respond to the prompt or, in version 2, become idle."""
        return self.answer(to, {"stopReason": stop_reason})

    def update(self, kind: str, /, *, times: int | None = None, **fields: Any) -> Self:
        """Send a `session/update`; fields have their names on the wire."""
        params = {"sessionId": self.session_id, "update": {"sessionUpdate": kind, **fields}}
        return self.do("say", message={"method": "session/update", "params": params}, times=times)

    def chunk(self, text: str, *, times: int | None = None, **fields: Any) -> Self:
        """Send a chunk of an agent message."""
        content = {"type": "text", "text": text}
        return self.update("agent_message_chunk", times=times, content=content, **fields)

    def thought(self, text: str, **fields: Any) -> Self:
        """Send a chunk of a thought."""
        return self.update("agent_thought_chunk", content={"type": "text", "text": text}, **fields)

    def tool_call(self, id: str = "t1", title: str = "Work", **fields: Any) -> Self:
        """Send a `tool_call` update, which begins a tool call."""
        return self.update("tool_call", toolCallId=id, title=title, **fields)

    def tool_call_update(self, id: str = "t1", **fields: Any) -> Self:
        """Send a `tool_call_update`, which changes a tool call."""
        return self.update("tool_call_update", toolCallId=id, **fields)

    def quota(
        self, percent: float, *, limit: str = "five_hour", resets_at: float | None = None
    ) -> Self:
        """Report how much of a plan limit is used, as claude's adapter does."""
        share = {"status": "allowed", "rateLimitType": limit, "utilization": percent / 100}
        resets = {} if resets_at is None else {"resetsAt": int(resets_at)}
        meta = {"_claude/rateLimit": {**share, **resets}}
        return self.update("usage_update", used=10, size=100, _meta=meta)

    def ask_permission(
        self,
        tool_call: dict[str, Any] | None = None,
        options: list[dict[str, Any]] | None = None,
        *,
        save: str = "ask",
    ) -> Self:
        """Request permission; `expect_answer("ask", result={"outcome": …})` waits for the response."""
        params = {
            "sessionId": self.session_id,
            "toolCall": {"toolCallId": "t1", **(tool_call or {})},
            "options": OPTIONS if options is None else options,
        }
        return self.do("ask", method="session/request_permission", params=params, save=save)

    # Process behavior

    def sleep(self, seconds: float) -> Self:
        """Sleep; the end of stdin ends the sleep."""
        return self.do("sleep", seconds=seconds)

    def until(self, gate: Path) -> Self:
        """Wait until the test creates this file, or stdin ends."""
        return self.do("until", path=str(gate))

    def stderr(self, text: str, *, times: int | None = None) -> Self:
        """Write a text to stderr, `times` times."""
        return self.do("stderr", text=text, times=times)

    def write_file(self, path: Path, text: str) -> Self:
        """Write a file directly, not through the client."""
        return self.do("write_file", path=str(path), text=text)

    def exit(self, code: int = 0) -> Self:
        """Exit immediately."""
        return self.do("exit", code=code)

    def kill(self, number: int | None = None) -> Self:
        """Kill the agent's own process with a signal, SIGKILL by default."""
        return self.do("kill", signal=int(signal.SIGKILL if number is None else number))


class Played:
    """What happened in one start of the fake agent; `run` counts starts from 1."""

    def __init__(self, folder: Path, run: int = 1) -> None:
        self.folder = folder / f"run-{run}"
        self.report: dict[str, Any] = json.loads((self.folder / "report.json").read_text("utf-8"))
        self.pid: int = self.report["pid"]
        self.finished: bool = self.report["finished"]
        self.failures: list[dict[str, Any]] = self.report["failures"]

    @property
    def lines(self) -> list[str]:
        """Every line that the client sent, without its newline."""
        return [entry["line"] for entry in self._transcript()]

    @property
    def messages(self) -> list[Any]:
        """Every line that the client sent, parsed; raises ValueError for a line that isn't JSON."""
        return [json.loads(line) for line in self.lines]

    def calls(self, method: str) -> list[dict[str, Any]]:
        """Return the client's requests and notifications with this method."""
        return [message for message in self.messages if message.get("method") == method]

    def answers(self, id: Any) -> list[dict[str, Any]]:
        """Return the client's responses to a request of the agent's."""
        return [
            message for message in self.messages if "method" not in message and message["id"] == id
        ]

    def check(self) -> None:
        """Assert that every expectation was met, and the script was played to its end."""
        failures = [f"step {one['step']}: {one['reason']}\n  {one}" for one in self.failures]
        assert not failures, "\n".join(failures)
        assert self.finished, f"the script stopped at step {self.report['step']}"

    def _transcript(self) -> list[dict[str, Any]]:
        text = (self.folder / "transcript.jsonl").read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]
