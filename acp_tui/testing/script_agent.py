"""Plays a script as an ACP agent: `python script_agent.py FOLDER`.

FOLDER has `script-1.json`, `script-2.json`, …: each start plays the next one, and the last one is
repeated. `script.py` writes them and documents the steps. This module uses only the standard
library, so that it starts as fast as Python does.

Start N writes into FOLDER/run-N:

- `transcript.jsonl`: every line from stdin, with the seconds since the start
- `report.json`: failed expectations, and whether the script was finished
"""

import base64
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_tui.testing.version_2 import AgentVersion2

Step = dict[str, Any]

EXPECTATION_TIMEOUT = 30.0
"""Default timeout of an expectation, in seconds."""

LIFETIME = 120.0
"""Seconds after which a process that ignores everything exits by itself."""

GAVE_UP = 70
"""The exit code after an expectation that was never met."""

_NAME = re.compile(r"(\$?)\$\{([^}]+)\}")


def method_of(message: Any) -> str | None:
    """Return the method of a request or notification, else None."""
    return message.get("method") if isinstance(message, dict) else None


def is_answer(message: Any, id: Any) -> bool:
    """Return whether a message is the response to a request; the id must have the same type."""
    if not isinstance(message, dict) or "method" in message or "id" not in message:
        return False
    return message["id"] == id and type(message["id"]) is type(id)


def describe_lack(expected: Any, got: Any, where: str) -> str | None:
    """Describe how `got` differs from what is expected, or return None; objects may have further
    fields.
    """
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{where} is {got!r}, not an object"
        for name, value in expected.items():
            if name not in got:
                return f"{where} has no {name}"
            if difference := describe_lack(value, got[name], f"{where}.{name}"):
                return difference
        return None
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        found = (describe_lack(one, other, f"{where}[{at}]") for at, (one, other) in pairs)
        return next((difference for difference in found if difference), None)
    if type(expected) is type(got) and expected == got:
        return None
    return f"{where} is {got!r}, expected {expected!r}"


class Inbox:
    """Reads stdin in a thread, and stores the messages until a step takes them."""

    def __init__(self, transcript: Path) -> None:
        self.changed = threading.Condition()
        self.messages: list[Any] = []
        self.ended = False
        self.reading = True
        self._started = time.monotonic()
        self._transcript = transcript.open("a", encoding="utf-8")
        threading.Thread(target=self._read_messages, daemon=True).start()

    def _read_messages(self) -> None:
        buffer = bytearray()
        while self.reading and (data := os.read(0, 65536)):
            buffer += data
            if b"\n" in data:
                *lines, buffer = buffer.split(b"\n")
                for line in lines:
                    self._store_line(bytes(line))
        while not self.reading:
            time.sleep(LIFETIME)
        if buffer:
            self._store_line(bytes(buffer))
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _store_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace")
        entry = {"at": round(time.monotonic() - self._started, 4), "line": text}
        self._transcript.write(json.dumps(entry) + "\n")
        self._transcript.flush()
        try:
            message = json.loads(line)
        except ValueError:
            message = {"not JSON": text}
        with self.changed:
            self.messages.append(message)
            self.changed.notify_all()

    def pop_message(self, matches: Callable[[Any], bool], seconds: float) -> Any:
        """Remove and return the first stored message that matches; return None after a timeout."""
        found: list[Any] = []

        def find_message() -> bool:
            found[:] = [message for message in self.messages if matches(message)][:1]
            return bool(found) or self.ended

        with self.changed:
            self.changed.wait_for(find_message, seconds)
            if not found:
                return None
            self.messages.remove(found[0])
            return found[0]


class AgentPlayer:
    """Plays the steps of a script, one after the other."""

    def __init__(self, steps: list[Step], run: Path) -> None:
        self.steps = steps
        self.run = run
        self.inbox = Inbox(run / "transcript.jsonl")
        self.saved: dict[str, Any] = {}
        self.failures: list[dict[str, Any]] = []
        self.facts: dict[str, Any] = {}
        """Further fields of the report."""
        self.version_2: AgentVersion2 | None = None
        """Translates the script to version 2, once a client has sent version 2's `initialize`."""
        self.speaks_2 = True
        self.at = 0
        self.next_id = 1000
        self.finished = False

    def play(self) -> int:
        """Play all steps, then wait for the end of stdin; return the exit code."""
        self.report()
        for at, step in enumerate(self.steps):
            self.at = at
            self.play_step(step)
            if self.failures and self.failures[-1].get("gave_up"):
                return GAVE_UP
        self.finished = True
        self.report()
        self.sleep_until_eof(LIFETIME)
        return 0

    def play_step(self, step: Step) -> None:
        """Play one step. The steps nested in a `serve` are filled in later, as they may refer to
        names that aren't saved yet.
        """
        getattr(self, f"do_{step['do']}")(step if step["do"] == "serve" else self.fill_in(step))

    def report(self) -> None:
        """Write the report so far, atomically."""
        state = {
            "pid": os.getpid(),
            "step": self.at,
            "finished": self.finished,
            "failures": self.failures,
            **self.facts,
        }
        new = self.run / "report.json.new"
        new.write_text(json.dumps(state), "utf-8")
        new.replace(self.run / "report.json")

    def fail(self, reason: str, gave_up: bool = False, **more: Any) -> None:
        """Record a failed expectation. The script continues unless it `gave_up` waiting."""
        failure = {"step": self.at, "did": self.steps[self.at], "reason": reason, **more}
        self.failures.append({**failure, "gave_up": gave_up})
        sys.stderr.write(f"fake agent: step {self.at}: {reason}\n")
        sys.stderr.flush()
        self.report()

    def sleep_until_eof(self, seconds: float) -> None:
        """Sleep; the end of stdin ends the sleep."""
        with self.inbox.changed:
            self.inbox.changed.wait_for(lambda: self.inbox.ended, seconds)

    def fill_in(self, value: Any) -> Any:
        """Replace `${name}` and `${name.path.to.field}` with saved values."""
        if isinstance(value, dict):
            return {name: self.fill_in(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.fill_in(one) for one in value]
        if not isinstance(value, str):
            return value
        whole = _NAME.fullmatch(value)
        if whole and not whole[1]:
            return self.saved_value(whole[2])
        return _NAME.sub(self._replace_name, value)

    def _replace_name(self, match: re.Match[str]) -> str:
        """Return the value of a name inside a text; `$${name}` stands for the text `${name}`."""
        return match[0][1:] if match[1] else str(self.saved_value(match[2]))

    def saved_value(self, name: str) -> Any:
        """Return a saved message's id or, for a dotted name, one of its fields."""
        first, *path = name.split(".")
        value = self.saved[first]
        for part in path or ["id"]:
            value = value[int(part)] if isinstance(value, list) else value[part]
        return value

    def write(self, data: bytes) -> None:
        """Write bytes to stdout; exit if the client has closed it."""
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(1, view) :]
            except BrokenPipeError:
                self.fail("the client closed our stdout")
                os._exit(0)

    def send(self, message: dict[str, Any], times: int = 1) -> None:
        """Send a message; `jsonrpc` is added if it is missing."""
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"
        self.write(line * times)

    def is_call(self, message: Any, method: str) -> bool:
        """Return whether a message calls a method, by its name in the version that is spoken."""
        name = method_of(message)
        renamed = self.version_2 is not None and self.version_2.is_call(name, method)
        return name == method or renamed

    def note_call(self, message: dict[str, Any], acknowledged: bool = True) -> None:
        """Detect the version from the shape of `initialize`; acknowledge a prompt of version 2."""
        params = message.get("params")
        if not isinstance(params, dict):
            return
        if message["method"] == "initialize":
            in_2 = params.get("protocolVersion") != 1 and bool(
                {"info", "capabilities"} & params.keys()
            )
            self.version_2 = new_version_2() if self.speaks_2 and in_2 else None
        elif message["method"] == "session/prompt" and self.version_2 and acknowledged:
            for one in self.version_2.accept_prompt(message):
                self.send(one)

    def do_only_version_1(self, _step: Step) -> None:
        self.speaks_2 = False

    def do_say(self, step: Step) -> None:
        """Send a message that is written in version 1's form, translated to the version that is
        spoken.
        """
        message = step["message"]
        if self.version_2 is not None:
            message = self.version_2.translate(message)
        if message is not None:
            self.send(message, step.get("times", 1))

    def do_answer(self, step: Step) -> None:
        """Respond to a request with a result in version 1's form, translated to the version that is
        spoken.
        """
        request, result = self.saved[step["to"]], step["result"]
        answer = {"id": request["id"], "result": result}
        self.send(self.version_2.answer(request, result) if self.version_2 else answer)

    def do_expect(self, step: Step) -> None:
        """Wait for a call of a method, and compare its params."""
        method = step["method"]
        message = self.inbox.pop_message(
            lambda one: self.is_call(one, method), step.get("timeout", EXPECTATION_TIMEOUT)
        )
        if message is None:
            others = [method_of(one) or "an answer" for one in self.inbox.messages]
            why = "stdin ended" if self.inbox.ended else "nothing came"
            self.fail(f"expected {method}, but {why}", gave_up=True, waiting=others)
            return
        self.saved[step["save"]] = message
        self.note_call(message, step.get("acknowledged", True))
        if difference := describe_lack(step.get("params", {}), message.get("params"), "params"):
            self.fail(f"{method}: {difference}", got=message)

    def do_serve(self, step: Step) -> None:
        """Play the steps given for each call, until stdin ends."""
        while (
            message := self.inbox.pop_message(lambda one: bool(method_of(one)), LIFETIME)
        ) is not None:
            method = message["method"]
            self.saved[method.rpartition("/")[2]] = message
            self.note_call(message)
            prompt = message.get("params", {}).get("prompt") or [{}]
            steps = step["on"].get(prompt[0].get("text"), step["on"].get(method, []))
            for one in steps:
                self.play_step(one)

    def do_expect_answer(self, step: Step) -> None:
        """Wait for the response to a request of the agent's, and compare it."""
        id = self.saved[step["to"]]["id"]
        message = self.inbox.pop_message(
            lambda one: is_answer(one, id), step.get("timeout", EXPECTATION_TIMEOUT)
        )
        if message is None:
            self.fail(f"no answer came to request {id!r}", gave_up=True)
            return
        self.saved[step["to"]] = {**self.saved[step["to"]], **message}
        for part in ("result", "error"):
            if part in step and (difference := describe_lack(step[part], message.get(part), part)):
                self.fail(f"the answer to {id!r}: {difference}", got=message)

    def do_expect_silence(self, step: Step) -> None:
        """Check that no message is left over, and none arrives for some seconds."""
        message = self.inbox.pop_message(lambda _: True, step["seconds"])
        if message is not None:
            self.fail("expected silence", got=message)

    def do_expect_eof(self, step: Step) -> None:
        """Wait for the end of stdin."""
        with self.inbox.changed:
            if not self.inbox.changed.wait_for(
                lambda: self.inbox.ended, step.get("timeout", EXPECTATION_TIMEOUT)
            ):
                self.fail("stdin was not closed", gave_up=True)

    def do_send(self, step: Step) -> None:
        self.send(step["message"], step.get("times", 1))

    def do_request(self, step: Step) -> None:
        """Send a request; its id is `id`, or the next number."""
        self.next_id += 1
        message = {"id": step.get("id", self.next_id), "method": step["method"]}
        message["params"] = step["params"]
        self.saved[step["save"]] = message
        self.send(message)

    def do_ask(self, step: Step) -> None:
        """Send a request that is written in version 1's form, translated to the version that is
        spoken.
        """
        self.do_request((self.version_2.translate(step) if self.version_2 else None) or step)

    def do_raw(self, step: Step) -> None:
        self.write(base64.b64decode(step["base64"]) * step.get("times", 1))

    def do_stderr(self, step: Step) -> None:
        data = memoryview(step["text"].encode() * step.get("times", 1))
        while data:
            data = data[os.write(2, data) :]

    def do_sleep(self, step: Step) -> None:
        self.sleep_until_eof(step["seconds"])

    def do_until(self, step: Step) -> None:
        gate = Path(step["path"])
        while not (gate.exists() or self.is_over()):
            self.sleep_until_eof(0.01)

    def is_over(self) -> bool:
        """Return whether the client has closed stdin."""
        return self.inbox.ended

    def do_write_file(self, step: Step) -> None:
        Path(step["path"]).write_text(step["text"], "utf-8", newline="")

    def do_exit(self, step: Step) -> None:
        self.finished = True
        self.report()
        os._exit(step["code"])

    def do_kill(self, step: Step) -> None:
        self.finished = True
        self.report()
        os.kill(os.getpid(), step["signal"])
        time.sleep(LIFETIME)


def new_version_2() -> "AgentVersion2":
    """Import the translation to version 2, only on demand: its models take a while to import."""
    if not __package__:
        sys.path.append(str(Path(__file__).parents[2]))
    name = "acp_tui.testing.version_2" if __package__ else "version_2"
    made: AgentVersion2 = import_module(name).AgentVersion2()
    return made


def new_run(folder: Path) -> int:
    """Create the first free run folder; return its number."""
    number = 1
    while True:
        try:
            (folder / f"run-{number}").mkdir()
        except FileExistsError:
            number += 1
        else:
            return number


def main(player: type[AgentPlayer] = AgentPlayer) -> int:
    """Play the script for this start."""
    folder = Path(sys.argv[1])
    scripts = len(list(folder.glob("script-*.json")))
    number = new_run(folder)
    script = folder / f"script-{min(number, scripts)}.json"
    steps = json.loads(script.read_text("utf-8"))
    return player(steps, folder / f"run-{number}").play()


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)
