"""Hosts agents for tests: in this process, where a test acts as the person, or by `acp-tui run`."""

import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio

from acp_tui.client.client import Client
from acp_tui.client.launch import Launch
from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.protocol.events import Event, Record
from acp_tui.protocol.wire_events import Stray, Unreadable
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.recordings import recording
from acp_tui.state.changes import Change
from acp_tui.state.commands import Command, SendPrompt
from acp_tui.state.entries import Entry, MessageEntry, NoticeEntry, Role, TurnEndEntry
from acp_tui.state.fold import replay_events
from acp_tui.state.open_questions import Permission
from acp_tui.state.session import Session
from acp_tui.state.state import State
from tests.in_process import run_program

NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""The environment of a program whose files are cut: Python would cut what it compiles, too, and all
that start later would break.
"""
PATIENCE = 30.0
"""Seconds until what a test waits for is given up."""
LOOK_AGAIN = 0.1
"""Seconds between two checks of a condition while no event arrives."""


class Host:
    """A client with a real agent process, and a person who waits for things and does others."""

    def __init__(self, launch: Launch) -> None:
        self.records: list[Record] = []
        self.events: list[Event] = []
        self.client = Client(launch, tap=self.records.append, make_gatekeeper=Interceptor)
        self.client.listen(self._on_event)
        self._moved = anyio.Event()

    def _on_event(self, event: Event, _: list[Change]) -> None:
        self.events.append(event)
        self._moved.set()

    @property
    def state(self) -> State:
        return self.client.state

    @property
    def problems(self) -> list[Unreadable | Stray]:
        """The lines that were no messages, and the answers to nothing."""
        return [one for one in self.events if isinstance(one, Unreadable | Stray)]

    @property
    def session(self) -> Session:
        """The session that is open."""
        (found,) = [one for one in self.state.sessions.values() if one.opened and not one.lost]
        return found

    @property
    def entries(self) -> list[Entry]:
        return self.session.entries

    @property
    def ends(self) -> list[TurnEndEntry]:
        """How each turn ended."""
        sessions = self.state.sessions.values()
        return [one for s in sessions for one in s.entries if isinstance(one, TurnEndEntry)]

    @property
    def notices(self) -> list[NoticeEntry]:
        sessions = self.state.sessions.values()
        return [one for s in sessions for one in s.entries if isinstance(one, NoticeEntry)]

    @property
    def said(self) -> str:
        """What the agent's messages say."""
        sessions = self.state.sessions.values()
        entries = [one for s in sessions for one in s.entries if isinstance(one, MessageEntry)]
        return "\n".join(one.text for one in entries if one.role is Role.AGENT)

    def do(self, command: Command) -> None:
        self.client.do(command)

    def prompt(self, *blocks: ContentBlock | str) -> None:
        """Send a prompt; strings are text."""
        content = [TextContent(text=one) if isinstance(one, str) else one for one in blocks]
        self.do(SendPrompt(self.session.session_id, tuple(content or [TextContent(text="go")])))

    async def until(self, condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
        """Wait until a condition holds. It may be about a file, which causes no event when it changes."""
        with anyio.fail_after(seconds):
            while not condition():
                with anyio.move_on_after(LOOK_AGAIN):
                    await self._moved.wait()
                self._moved = anyio.Event()

    async def opened(self) -> Session:
        """Wait for the session."""
        await self.until(
            lambda: any(one.opened and not one.lost for one in self.state.sessions.values())
        )
        return self.session

    async def turn(self, *blocks: ContentBlock | str) -> TurnEndEntry:
        """A whole turn, with the wait for the session where it isn't open yet."""
        await self.opened()
        before = len(self.ends)
        self.prompt(*blocks)
        return await self.turn_ended(before)

    async def turn_ended(self, before: int = 0) -> TurnEndEntry:
        """Wait for the end of a turn, with `before` of them behind."""
        await self.until(lambda: len(self.ends) > before)
        return self.ends[-1]

    async def permission(self, count: int = 1) -> list[Permission]:
        """Wait until so many questions wait for a person."""
        await self.until(lambda: len(self.state.waiting_permissions()) >= count)
        return self.state.waiting_permissions()


@asynccontextmanager
async def hosting(argv: list[str], cwd: Path, **launch: Any) -> AsyncIterator[Host]:
    """Host an agent until the block ends; then its process is gone.

    Whatever a test does, a replay of what was recorded must give the state that there was.
    """
    host = Host(Launch(tuple(argv), os.path.realpath(cwd), **launch))
    async with running(host):
        yield host
    assert list(cwd.glob(".acp-tui-*")) == []
    lines = [
        recording.format_header({}),
        *(recording.format_record(record) for record in host.records),
    ]
    assert replay_events(recording.read_events(recording.read_records(lines))) == host.state


@asynccontextmanager
async def running(host: Host) -> AsyncIterator[None]:
    """Have a host's client at work; afterwards nothing waits any more, and no process is left."""
    marker = os.environ["ACP_TUI_TEST"] = f"hosted-{uuid4().hex}"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(host.client.run)
        yield
        tasks.cancel_scope.cancel()
    assert_nothing_waits(host.state)
    wait_until(lambda: living(marker) == [])


def assert_nothing_waits(state: State) -> None:
    """No request is pending, whoever sent it, and no turn is under way."""
    assert not state.calls
    assert not state.waiting_permissions()
    assert not state.elicitations
    assert all(session.turn is None for session in state.sessions.values())
    assert all(one.ended is not None for one in state.terminals.values())


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie that its parent has not reaped yet does not."""
    return process_state(pid) not in ("", "Z")


def process_state(pid: int) -> str:
    """The letter that stands for the state of a process (Z: a zombie), "" once it is gone."""
    if not Path("/proc/self/stat").exists():
        words = ["ps", "-o", "stat=", "-p", str(pid)]
        return subprocess.run(words, capture_output=True, text=True).stdout.strip()[:1]
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
    return ""


def living(marker: str) -> list[int]:
    """The pids of running processes that have `marker` in their environment (Linux only)."""
    found, sought = [], marker.encode()
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - much faster than pathlib
        with suppress(OSError), open(f"/proc/{name}/environ", "rb", 0) as environment:  # noqa: PTH123
            if sought in environment.read() and alive(int(name)):
                found.append(int(name))
    return found


def wait_until(condition: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait for what nothing tells of: files, and processes that are not ours."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} s"
        time.sleep(0.01)


async def eventually(condition: Callable[[], Any]) -> None:
    """Wait, and let others work, for what no event tells of."""
    with anyio.fail_after(PATIENCE):
        while not condition():
            await anyio.sleep(0.005)


@dataclass(frozen=True)
class Ran:
    """What came of `acp-tui run`."""

    code: int
    out: str
    err: str
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def summary(self) -> dict[str, Any]:
        """The last line of the JSON format."""
        assert self.events[-1]["event"] == "summary", self.out
        return self.events[-1]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of a kind."""
        return [event for event in self.events if event["event"] == kind]


def command(*options: str, argv: list[str], prompt: str | None = "go") -> list[str]:
    """The command line of one turn without a UI."""
    words = [] if prompt is None else [prompt]
    return [sys.executable, "-m", "acp_tui", "run", *options, *words, "--", *argv]


def run_turn(
    *options: str,
    argv: list[str],
    prompt: str | None = "go",
    cwd: Path | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    seconds: float = 30.0,
) -> Ran:
    """Run one turn without a UI."""
    words = command(*options, argv=argv, prompt=prompt)[3:]
    ran = run_program(*words, cwd=cwd, env=env, stdin=stdin, seconds=seconds)
    out, err = ran.stdout.decode(), ran.stderr.decode()
    assert "Traceback" not in err, err
    as_json = "json" in options
    events = [json.loads(line) for line in out.splitlines()] if as_json else []
    return Ran(ran.returncode, out, err, events)
