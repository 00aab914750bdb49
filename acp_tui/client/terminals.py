"""Terminals that the client runs for an agent (ACP: Terminals)."""

import codecs
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.errors import ServiceError
from acp_tui.client.output_log import LogAllowance, OutputLog, terminal_log
from acp_tui.client.place import THIS_MACHINE, Place, PlaceError
from acp_tui.client.process.agent_process import PipeReader, open_pipe
from acp_tui.client.process.group import Exit, ProcessGroup, SpawnError, spawn_process
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.json_decoder import LONGEST_LINE
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Response, encode
from acp_tui.protocol.process_events import TerminalExited
from acp_tui.protocol.requests import (
    CreateTerminalParams,
    CreateTerminalResult,
    TerminalExitStatus,
    TerminalOutputResult,
)

MOST_TERMINALS = 256
"""Most open terminals of an agent."""
DEFAULT_LIMIT = 1024 * 1024
HIGHEST_LIMIT = 16 * 1024 * 1024
"""Most bytes of output that are stored; `DEFAULT_LIMIT` if the agent sets no limit."""
KILL_GRACE = 1.0
"""Seconds between SIGTERM and SIGKILL."""
_TRICKLE, _TRICKLE_PAUSE = 4096, 0.01
"""A shorter read, in bytes, is followed by a pause, in seconds, so that trickling output makes
fewer events.
"""
_QUIET, _LAST_WORDS = 0.2, 2.0
"""Seconds of silence after the exit that end the output, and the most that it may continue."""
_SHELL_SYNTAX = re.compile(r"[\s|&;<>()$`\\\"'*?\[\]#~={}!]")
"""Characters that make a command a shell line; without any of them, it is the name of a program."""
_EXIT_TIMEOUT = 3.0
"""Seconds to wait until an exit is reported: longer than reading the last output can take."""


_SLACK = 64 * 1024
_ROOM = 4096
"""Bytes in a `terminal/output` response besides the output."""
_SHORT = (LONGEST_LINE - _ROOM) // 6
"""Characters of output that always fit into a response: JSON escapes a control character in six
bytes.

An agent might not read a line longer than `LONGEST_LINE`.
"""


class OutputTail:
    """Stores the end of an output, cut at the start of a UTF-8 character."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._cut = False

    def add(self, data: bytes) -> None:
        """Append output. What exceeds the limit is dropped only now and then, since dropping it
        each time would be slow.
        """
        self._data += data
        if len(self._data) > self._limit + self._limit // 4 + _SLACK:
            self._drop_front()

    def text(self, *, final: bool) -> tuple[str, bool]:
        """Return the output as text, within the limit when encoded in UTF-8, and whether its start
        is missing.

        Bytes that are not UTF-8 become U+FFFD. An incomplete character at the end is left out until
        the rest of it arrives, unless this is `final`.
        """
        self._drop_front()
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._data), final)
        encoded = text.encode()
        if len(encoded) <= self._limit:
            return text, self._cut
        return encoded[_character_start(encoded, self._limit) :].decode(), True

    def _drop_front(self) -> None:
        if len(self._data) > self._limit:
            del self._data[: _character_start(self._data, self._limit)]
            self._cut = True


def _character_start(data: bytes | bytearray, limit: int) -> int:
    """Return the index of the first whole character in the last `limit` bytes."""
    start = len(data) - limit
    for _ in range(3):
        if start < len(data) and data[start] & 0xC0 == 0x80:
            start += 1
    return start


class ClientTerminal:
    """A terminal: one command and its output, until released."""

    def __init__(self, group: ProcessGroup, reader: PipeReader, limit: int) -> None:
        self.group = group
        self.reader = reader
        self.tail = OutputTail(limit)
        self.received = 0
        self.drained = anyio.Event()
        self.done = anyio.Event()
        self.exit: Exit | None = None

    async def pump(self, log: OutputLog) -> None:
        """Read the output until EOF. Trickling output is collected for a moment; a flood yields to
        other tasks.
        """
        while True:
            with anyio.move_on_after(log.seconds_until_due) as patience:
                data = await self.reader.receive()
            if patience.cancelled_caught:
                log.flush()
                continue
            if not data:
                break
            self.received += len(data)
            self.tail.add(data)
            log.add_output(data)
            if len(data) < _TRICKLE:
                await anyio.sleep(_TRICKLE_PAUSE)
        self.drained.set()

    async def complete(self) -> None:
        """Wait for the exit, then for the rest of the output.

        A background process may keep the pipe open, so a moment of silence counts as the end.
        """
        await self.group.wait()
        with anyio.move_on_after(_LAST_WORDS):
            received = -1
            while not self.drained.is_set() and received != self.received:
                received = self.received
                with anyio.move_on_after(_QUIET):
                    await self.drained.wait()

    async def kill(self) -> None:
        """Kill the command and its process group, and wait until its exit is reported; completes
        under cancellation.
        """
        with anyio.CancelScope(shield=True):
            await self.group.end(KILL_GRACE)
            with anyio.move_on_after(_EXIT_TIMEOUT):
                await self.done.wait()

    async def end(self) -> None:
        """Kill the command and close its output."""
        await self.kill()
        self.reader.close()

    def output(self) -> TerminalOutputResult:
        text, truncated = self.tail.text(final=self.exit is not None)
        if len(text) > _SHORT and len(encode(Response(0, text))) > LONGEST_LINE - _ROOM:
            text, truncated = text[-_SHORT:], True
        return TerminalOutputResult(
            output=text,
            truncated=truncated,
            exit_status=None if self.exit is None else _status(self.exit),
        )


class Terminals:
    """The terminals of one agent.

    `emit` gets TerminalOutput, OutputOmitted and TerminalExited events with the time of `clock()`,
    also for terminals that are being released. Errors are raised as ServiceError. `place` is where
    the agent's commands run. Call `close_all` before `tasks` ends.
    """

    def __init__(
        self,
        tasks: TaskGroup,
        clock: Callable[[], float],
        emit: Callable[[LocalEvent], None],
        place: Place = THIS_MACHINE,
    ) -> None:
        self._place = place
        self._tasks = tasks
        self._clock = clock
        self._emit = emit
        self._allowance = LogAllowance(clock)
        self._terminals: dict[str, ClientTerminal] = {}
        self._closed = False

    async def create(self, params: CreateTerminalParams, default_cwd: str) -> CreateTerminalResult:
        """Start a command and return at once (terminal/create)."""
        if self._closed:
            raise _failed("The client is closing; no more terminals are started")
        if len(self._terminals) >= MOST_TERMINALS:
            raise _failed(
                f"{MOST_TERMINALS} terminals are open, which is the limit; release some first"
            )
        terminal = _start_command(params, default_cwd, self._place)
        terminal_id = f"term-{uuid4().hex[:12]}"
        self._terminals[terminal_id] = terminal
        self._tasks.start_soon(self._run_command, terminal_id, terminal, name=terminal_id)
        return CreateTerminalResult(terminal_id=terminal_id)

    def output(self, terminal_id: str) -> TerminalOutputResult:
        """Return the stored output (terminal/output)."""
        return self._find_terminal(terminal_id).output()

    async def wait_for_exit(self, terminal_id: str) -> TerminalExitStatus:
        """Wait until the command has exited and its output is complete."""
        terminal = self._find_terminal(terminal_id)
        await terminal.done.wait()
        assert terminal.exit is not None
        return _status(terminal.exit)

    async def kill(self, terminal_id: str) -> None:
        """Kill the command and its process group; the id stays valid (terminal/kill)."""
        await self._find_terminal(terminal_id).kill()

    async def release(self, terminal_id: str) -> None:
        """Kill the command if it still runs, and forget the terminal (terminal/release)."""
        terminal = self._find_terminal(terminal_id)
        del self._terminals[terminal_id]
        await terminal.end()

    async def close_all(self) -> None:
        """Kill and release all terminals; completes under cancellation."""
        self._closed = True
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as ends:
                for terminal in self._terminals.values():
                    ends.start_soon(terminal.end)
                self._terminals.clear()

    def kill_now(self) -> None:
        """SIGKILL every command without waiting, as a last resort."""
        for terminal in self._terminals.values():
            terminal.group.kill_now()

    async def _run_command(self, terminal_id: str, terminal: ClientTerminal) -> None:
        log = terminal_log(terminal_id, self._allowance, self._clock, self._emit)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(terminal.pump, log)
            try:
                await terminal.complete()
            except anyio.get_cancelled_exc_class():
                await terminal.group.end(KILL_GRACE)
                raise
            finally:
                terminal.exit = ended = terminal.group.exit or Exit(None)
                terminal.done.set()
                log.finish()
                self._emit(TerminalExited(self._clock(), terminal_id, ended.code, ended.signal))

    def _find_terminal(self, terminal_id: str) -> ClientTerminal:
        try:
            return self._terminals[terminal_id]
        except KeyError:
            raise _bad(f"No terminal {terminal_id!r}: never created here, or released") from None


def _start_command(params: CreateTerminalParams, default_cwd: str, place: Place) -> ClientTerminal:
    cwd = params.cwd or default_cwd
    if not Path(cwd).is_absolute():
        raise _bad(f"cwd must be an absolute path, not {cwd!r}")
    if not place.is_sandbox and not Path(cwd).is_dir():
        raise _bad(f"cwd is not a folder: {cwd!r}")
    start = "/" if place.is_sandbox else cwd  # bubblewrap reports a missing folder
    env: Mapping[str, str] = {variable.name: variable.value for variable in params.env}
    limit = DEFAULT_LIMIT if params.output_byte_limit is None else params.output_byte_limit
    argv = _argv(params.command, params.args, cwd, env.get("PATH"))
    try:
        argv, env = place.wrap_for_agent(argv, cwd, env)
        with open_pipe() as (ours, theirs):
            group = spawn_process(
                argv, start, env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
            )
    except (SpawnError, PlaceError) as error:
        raise _bad(str(error)) from error
    except OSError as error:
        raise _failed(f"Can't start {params.command!r}: {error.strerror}") from error
    os.close(theirs)
    return ClientTerminal(group, PipeReader(ours), min(limit, HIGHEST_LIMIT))


def _argv(command: str, args: list[str], cwd: str, path: str | None) -> list[str]:
    """Return the argv to run: as given, or by a shell if `command` can only be a command line.

    Many agents send a whole line ("git status && make") as `command`, without args.
    """
    if args or not _SHELL_SYNTAX.search(command) or _is_program(command, cwd, path):
        return [command, *args]
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c", command]
    return ["/bin/sh", "-c", command]


def _is_program(command: str, cwd: str, path: str | None) -> bool:
    if Path(command).name != command:
        command = str(Path(cwd, command))
    return shutil.which(command, path=path) is not None


def _status(ended: Exit) -> TerminalExitStatus:
    return TerminalExitStatus(exit_code=ended.code, signal=ended.signal)


def _bad(message: str) -> ServiceError:
    return ServiceError(Error(ErrorCode.INVALID_PARAMS, message))


def _failed(message: str) -> ServiceError:
    return ServiceError(Error(ErrorCode.INTERNAL_ERROR, message))
