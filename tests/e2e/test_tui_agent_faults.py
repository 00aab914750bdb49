"""One window, and one fault of its agent after the other.

After each: the state is said in words, no process is left but that of an agent that works, memory
is bounded, and the next prompt works: at once, or after one key. At the end the terminal is as it
was, no temporary file is left, and by the recording nothing waited any more when an agent had gone.
"""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from acp_tui.protocol.process_events import ProcessStarted
from acp_tui.recordings.recording import read_events, read_records
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State
from tests.e2e.terminal import ESCAPE, Terminal, terminal
from tests.fake_agent.script import Played, Script
from tests.hosting import assert_nothing_waits

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

RESTART = "\x1ba"
LOADS = {"agentCapabilities": {"loadSession": True}}
DONE = {"stopReason": "end_turn"}
SLEEP = {"sessionId": "s1", "command": "sh", "args": ["-c", "echo asleep; sleep 60"]}
SHOWN = [{"type": "terminal", "terminalId": "${create.result.terminalId}"}]


class Fault(NamedTuple):
    """What an agent does in a turn, what is said then, and how many errors more are counted, at least.

    Once the words `at` are on the screen, it is killed, or these `keys` are typed. Where the fault
    comes at the next start, the turn ends it, and `start` is what it does then.
    """

    turn: Script
    said: str
    start: Script | None = None
    at: str | None = None
    keys: str = ""
    errors: int = 0
    goes_on: bool = False


def half() -> Script:
    """The first half of a turn."""
    return Script().chunk("half")


def odd() -> Script:
    """Tool calls with pieces of JSON in them that are none, or too much."""
    script, values = Script(), ["NaN", "-Infinity", "1e999999", "9" * 5000, '{"a":1,"a":2}']
    values += ['"\\ud800"', '"\ud800"', '"\\u0000"', "[" * 100_000 + "]" * 100_000]
    for number, value in enumerate(values):
        update = {"sessionUpdate": "tool_call", "toolCallId": f"t{number}", "title": "Odd"}
        params = {"sessionId": "s1", "update": {**update, "rawInput": "RAW"}}
        line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
        script.raw(line.replace('"RAW"', value).encode("utf-8", "surrogatepass") + b"\n")
    return script


FAULTS = {
    "exit 0": Fault(half().exit(0), "exited with code 0"),
    "exit 3": Fault(half().stderr("no key\n").exit(3), "exited with code 3\n▌ │ no key"),
    "SIGKILL in mid-line": Fault(
        half().raw(b'{"jsonrpc": "2.0", "met').kill(), "by SIGKILL", errors=1
    ),
    "SIGKILL at start": Fault(Script().exit(0), "by SIGKILL", start=Script().kill()),
    "SIGKILL during a load": Fault(
        Script().exit(0),
        "by SIGKILL",
        start=Script().initialize(LOADS).expect("session/load").expect("no more"),
        at="session/load",
    ),
    "SIGKILL during a permission": Fault(
        Script().ask_permission({"title": "Burn it"}),
        "by SIGKILL",
        at="asks for permission",
    ),
    "SIGKILL in mid-terminal": Fault(
        Script()
        .request("terminal/create", SLEEP)
        .expect_answer("create")
        .tool_call(status="in_progress", content=SHOWN),
        "by SIGKILL",
        at="    asleep",
    ),
    "stdout closed": Fault(half().close_stdout(), "closed its output but still runs"),
    "stdin not read": Fault(
        Script()
        .stop_reading()
        .request("fs/read_text_file", {"sessionId": "s1", "path": "${new.params.cwd}/big.txt"})
        .ignore_eof(),
        "agent isn't reading",
    ),
    "no answer to initialize": Fault(
        Script().exit(0),
        "initialize within 5 s",
        start=Script().expect("initialize").expect("more"),
    ),
    "no answer to a new session": Fault(
        Script().exit(0),
        "session/new within 5 s",
        start=Script().initialize().expect("session/new").expect("more"),
    ),
    "no answer to a prompt, nor to its cancel": Fault(
        Script().chunk("silent from here").expect("session/cancel").expect("more"),
        "Alt+A restart the agent",
        at="silent from here",
        keys=ESCAPE,
    ),
    "odd answers": Fault(
        Script()
        .send({"id": "${prompt}", "result": DONE, "error": {"code": 1, "message": "both"}})
        .send({"id": "nobody asked", "result": DONE})
        .send({"id": "${prompt}", "result": DONE}, times=2),
        "s ──",
        errors=3,
        goes_on=True,
    ),
    "null": Fault(Script().send({"id": "${prompt}", "result": None}), "unreadable", goes_on=True),
    "odd JSON": Fault(odd().chunk("and on").end_turn(), "and on", errors=2, goes_on=True),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agent")
    (folder / "big.txt").write_text("x" * 10_000_000)
    (folder / "tmp").mkdir()
    return folder


@pytest.fixture(scope="module")
def window(folder: Path) -> Iterator[Terminal]:
    recorded = folder / "recording.jsonl"
    options = ("--record", str(recorded), "--cwd", str(folder), "--timeout", "5")
    env = {"TMPDIR": str(folder / "tmp")}
    argv = serving().argv(folder)
    with terminal(*options, "--", *argv, size=(100, 40), env=env) as it:
        it.wait_for("○ ready")
        yield it
        it.leave()
        assert it.wait_for_exit() == 0
        it.assert_as_it_came()
    assert list((folder / "tmp").iterdir()) == []
    with recorded.open(encoding="utf-8") as lines:
        state = State()
        for event in read_events(read_records(lines)):
            if isinstance(event, ProcessStarted):
                assert_nothing_waits(state)
            apply_event(state, event)
        assert_nothing_waits(state)


def serving() -> Script:
    """An agent that does what the prompt says, and all others well."""
    turns = {name: fault.turn for name, fault in FAULTS.items()}
    return (
        Script()
        .handshake()
        .serve({**turns, "session/prompt": Script().chunk("all well").end_turn()})
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_it_is_said_and_the_next_prompt_works(window: Terminal, folder: Path, name: str) -> None:
    fault = FAULTS[name]
    it, started, errors = window, len(list(folder.glob("run-*"))), counted(window)
    if fault.start is not None:
        serving().argv(folder, *[serving()] * (started - 1), fault.start, serving())
    it.type_line(name)
    if fault.start is not None:
        it.wait_for("r restart")
        it.send(RESTART)
        started += 1
    if fault.at is not None:
        it.wait_for(fault.at)
        if fault.keys:
            it.send(fault.keys)
        else:
            os.kill(Played(folder, run=started).pid, signal.SIGKILL)
    it.wait_until(lambda: fault.said in below(it, name), fault.said)
    if not fault.goes_on:
        it.send(RESTART)
    it.wait_for("○ ready")
    it.type_line(f"after {name}")
    it.wait_until(lambda: "all well" in below(it, f"after {name}"), "answer")
    it.wait_for("○ ready")
    assert len(it.processes) == 3
    assert it.resident < 150
    it.wait_until(lambda: counted(it) >= errors + fault.errors, f"{fault.errors} errors more")


def counted(it: Terminal) -> int:
    """The errors in what went over the wire that are told of."""
    told = re.search(r"\bprotocol: (\d+) errors?\b", it.text)
    return int(told[1]) if told else 0


def below(it: Terminal, prompt: str) -> str:
    """What stands on the screen below the prompt, if that is there."""
    beside_scrollbar = rf"▌ {re.escape(prompt)}[ ▁-█]*\n"
    *_, text = re.split(beside_scrollbar, it.text)
    return text if re.search(beside_scrollbar, it.text) else ""
