"""Implements the fixture `acp_agent`: configures, hosts and records an agent, and reports on it if
the test fails.
"""

import shlex
import sys
import tomllib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, TypeVarTuple, cast, get_args

from anyio import to_thread
from anyio.from_thread import BlockingPortal, start_blocking_portal

from acp_tui.config.limits import Limits
from acp_tui.library.agent import Agent, Session
from acp_tui.library.agent_start import open_agent
from acp_tui.library.questions import PermissionRequest, permission_callback
from acp_tui.library.turn import Findings, Turn, finding_line
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.requests import PermissionOption
from acp_tui.text import clean_line

_KINDS: dict[str, type | tuple[type, ...]] = {
    "command": (str, list),
    "env": dict,
    "permissions": str,
    "auth": str,
    "timeout": (int, float),
}
Policy = Literal["allow", "allow-reads", "reject"]
_POLICIES = get_args(Policy)


class BadConfigError(Exception):
    """The agent's configuration is invalid; the message says where and why."""


@dataclass(frozen=True)
class AgentConfig:
    """How to start the agent. `timeout` limits its start, and opening each session, in seconds."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    permissions: Policy = "reject"
    auth: str | None = None
    timeout: float = 60.0


def agent_config(root: Path, command: str | None) -> AgentConfig:
    """Read `[tool.acp]` in the pyproject.toml of `root`; `command` replaces its command.

    A first word `python` stands for the Python that runs the tests. Raises BadConfigError.
    """
    table = _table(root / "pyproject.toml")
    for name, value in table.items():
        if name not in _KINDS or not isinstance(value, _KINDS[name]):
            known = ", ".join(_KINDS)
            raise BadConfigError(f"[tool.acp] {name} = {value!r}: the keys are {known}")
    if table.get("permissions", "reject") not in _POLICIES:
        raise BadConfigError(f"[tool.acp] permissions is one of {', '.join(_POLICIES)}")
    named = table.pop("command", "")
    command_line = command or named
    words = (
        shlex.split(command_line)
        if isinstance(command_line, str)
        else [str(word) for word in command_line]
    )
    if not words:
        raise BadConfigError(
            "no agent to test: name its command with --acp-agent, or in pyproject.toml with\n"
            '[tool.acp]\ncommand = ["my-agent", "--acp"]'
        )
    if words[0] == "python":
        words[0] = sys.executable
    return AgentConfig(tuple(words), **table)


def _table(file: Path) -> dict[str, Any]:
    try:
        whole = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadConfigError(f"{file}: {error}") from error
    return cast("dict[str, Any]", dict(whole.get("tool", {}).get("acp", {})))


MOST_FRAMES = 40
"""Most frames in a report; from more, the middle is left out."""
LONGEST_REPORTED_FRAME = 300
"""Longest part of a frame in a report, in characters."""
Permissions = Policy | Callable[[PermissionRequest], PermissionOption | None]
Arguments = TypeVarTuple("Arguments")
T = TypeVar("T")


class HostedAgent:
    """An agent in a test; its first session is opened with the first prompt.

    The agent runs in an event loop in a thread of its own; `call` calls async methods there.
    `permissions` answers its permission requests, and may be changed at any time: "reject",
    "allow", "allow-reads", or a function that gets a `PermissionRequest` and returns one of its
    options.
    """

    permissions: Permissions
    folder: Path
    """The agent's folder, empty at first."""
    recording: Path
    """The recording's file, for `acp-tui log` and `acp-tui replay`."""

    def __init__(self, folder: Path, recording: Path, permissions: Permissions) -> None:
        self.permissions = permissions
        self.folder = folder
        self.recording = recording
        self._agent: Agent | None = None
        self._portal: BlockingPortal | None = None

    @property
    def agent(self) -> Agent:
        """The agent, as the library has it."""
        assert self._agent is not None
        return self._agent

    @property
    def _loop(self) -> BlockingPortal:
        assert self._portal is not None
        return self._portal

    @property
    def sessions(self) -> Sequence[Session]:
        """The sessions, oldest first."""
        return self.agent.sessions

    @property
    def session(self) -> Session:
        """The newest session; opens one if there is none."""
        return self.sessions[-1] if self.sessions else self.new_session()

    @property
    def findings(self) -> Findings:
        """The agent's findings so far."""
        # in the loop's thread, where the log grows
        return self._loop.call(lambda: self.agent.findings)

    def new_session(self) -> Session:
        """Open a session; prompts go to the newest one."""
        return self.call(self.agent.new_session)

    def prompt(self, prompt: str | Sequence[ContentBlock]) -> Turn:
        """Send a prompt to the newest session, and wait for the end of its turn."""
        return self.call(self.session.prompt, prompt)

    def call(self, method: Callable[[*Arguments], Awaitable[T]], *args: *Arguments) -> T:
        """Call an async method of the library in the event loop; return its result."""
        return self._loop.call(method, *args)

    async def answer(self, request: PermissionRequest) -> PermissionOption | None:
        """Answer a permission request by `permissions`, in a thread, so that a function may use
        `call`.
        """
        return await to_thread.run_sync(self._answer_permission, request)

    def _answer_permission(self, request: PermissionRequest) -> PermissionOption | None:
        if callable(self.permissions):
            return self.permissions(request)
        answer = permission_callback(self.permissions)(request)
        assert answer is None or isinstance(answer, PermissionOption)
        return answer

    def report(self) -> Iterator[tuple[str, str]]:
        """Yield the sections of the report on a failed test, as titles and texts."""
        if self._agent is None:
            return
        turns = [turn for session in self.sessions for turn in session.turns]
        records = turns[-1].records if turns else self._agent.records
        title = "frames of the last turn" if turns else "frames"
        yield f"ACP: {title}", "\n".join(_frames(records))
        found = [finding_line(one) for one in self.findings]
        if found:
            yield "ACP: findings", "\n".join(found)
        if self._agent.stderr:
            yield "ACP: the agent's stderr", "\n".join(self._agent.stderr)
        yield "ACP: recording", f"{self.recording}\nacp-tui replay {self.recording}"

    @contextmanager
    def running(self, config: AgentConfig) -> Iterator[None]:
        """Host the agent until the block ends."""
        opening = open_agent(
            config.command,
            self.folder,
            env=config.env,
            record=self.recording,
            permissions=self.answer,
            auth=config.auth,
            limits=Limits().to_start(config.timeout),
        )
        with (
            start_blocking_portal() as self._portal,
            self._portal.wrap_async_context_manager(opening) as self._agent,
        ):
            yield


def _frames(records: Sequence[Record]) -> Iterator[str]:
    """Format frames as lines: time in seconds, direction, and content."""
    frames = [one for one in records if isinstance(one, Frame)]
    omitted = range(MOST_FRAMES // 2, len(frames) - MOST_FRAMES // 2)
    for index, frame in enumerate(frames):
        if index in omitted:
            if index == omitted.start:
                yield f"... {len(omitted):,} frames"
            continue
        arrow = "<-" if frame.direction is Direction.IN else "->"
        text = clean_line(frame.raw[: 4 * LONGEST_REPORTED_FRAME].decode("utf-8", "replace"))
        cut = f"{text[:LONGEST_REPORTED_FRAME]}..." if len(text) > LONGEST_REPORTED_FRAME else text
        yield f"{frame.at - frames[0].at:8.3f} {arrow} {cut}"
