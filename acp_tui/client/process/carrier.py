"""Runs the agent as a process: starts it, watches it, and ends it with everything it started."""

import subprocess
from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.transport import CarriedWire, Carrier, LineTransport
from acp_tui.client.core import Core
from acp_tui.client.output_log import LineLog
from acp_tui.client.place import ContainerPlace, PlaceError
from acp_tui.client.process.agent_process import AgentProcess
from acp_tui.client.process.group import Exit, SpawnError
from acp_tui.client.process.watchdog import watchdog
from acp_tui.protocol.process_events import (
    LineUnfinished,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    Stalled,
    StdoutClosed,
)

EXIT_TIMEOUT = 1.0
"""Seconds for the agent to exit after its stdin is closed, and again after SIGTERM."""
_SHOWN_BYTES = 400
"""Most bytes of an unfinished line that are reported."""
STALL = 2.0
"""Seconds after which an agent that doesn't read a line is reported as stalled."""
_ANSWER = 5.0
"""Seconds that each call of docker or podman may take."""
LAST_FRAMES = 0.5
"""Seconds in which the output of an exited agent may still arrive."""


class ProcessCarrier:
    """Runs one process of the agent, and emits events about it."""

    process: AgentProcess
    transport: LineTransport

    def __init__(self, core: Core) -> None:
        self._core = core
        self._stderr = LineLog(core.clock, core.emit)

    async def start(self) -> bool:
        """Start the process; return False if the command can't be started."""
        core, launch = self._core, self._core.launch
        try:
            argv = core.place.wrap(launch.argv, launch.cwd, launch.env)
            if core.place.container is not None:
                watchdog.add_container(*core.place.container)
            self.process = await AgentProcess.spawn(argv, launch.cwd, launch.env)
        except (SpawnError, PlaceError) as error:
            core.emit(ProcessFailed(core.clock(), launch.argv, str(error)))
            return False
        self.transport = LineTransport(self.process, launch.line_limit)
        core.requests.begin(core.version)
        core.emit(self._started())
        return True

    def _started(self) -> ProcessStarted:
        core, place = self._core, self._core.place
        return ProcessStarted(
            at=core.clock(),
            argv=core.launch.argv,
            cwd=core.folder,
            pid=self.process.pid,
            place=place.name,
            served=place.served,
            elsewhere=place.elsewhere,
            folders=place.folders,
        )

    def watch(self, tasks: TaskGroup, wire: CarriedWire, over: anyio.Event) -> None:
        """Start the tasks that read, write and watch; `over` is set when the process exits by
        itself.
        """
        self._wire, self._over = wire, over
        tasks.start_soon(self._read_output)
        tasks.start_soon(wire.write)
        tasks.start_soon(self._read_stderr)
        tasks.start_soon(self._watch_agent)

    async def stop(self) -> None:
        """Stop the process and its children; completes under cancellation."""
        core = self._core
        gone = await self.process.stop(EXIT_TIMEOUT)
        if core.place.container is not None:
            await self._end_container(core.place.container, gone)
        if core.state.peer.process.exit is None:
            core.emit(ProcessExited(core.clock(), gone.code, gone.signal, asked=True))

    async def _end_container(self, container: ContainerPlace, gone: Exit) -> None:
        """Kill the container if the program that started it was killed before it could end it."""
        if gone.code is None:
            await kill_container(container)
        watchdog.remove_container(*container)

    def kill_now(self) -> None:
        """Kill the process group without waiting."""
        self.process.kill_now()

    async def _read_output(self) -> None:
        """Read until EOF; then report that the output is closed, unless the process has exited."""
        async with anyio.create_task_group() as tasks:
            finished = anyio.Event()
            tasks.start_soon(self._await_exit, finished)
            await self._wire.read()
            finished.set()
            await anyio.sleep(LAST_FRAMES)
            if self._core.state.peer.process.exit is None:
                self._core.emit(StdoutClosed(self._core.clock()))

    async def _await_exit(self, finished: anyio.Event) -> None:
        gone = await self.process.wait()
        with anyio.move_on_after(LAST_FRAMES):
            await finished.wait()
        await anyio.sleep(0.05)  # for stderr's last lines
        self._stderr.finish()
        asked = self.process.stdin_closed
        self._core.emit(ProcessExited(self._core.clock(), gone.code, gone.signal, asked=asked))
        self._over.set()

    async def _read_stderr(self) -> None:
        lines = self.process.stderr_lines()
        try:
            while True:
                with anyio.move_on_after(self._stderr.seconds_until_due) as patience:
                    line = await anext(lines, None)
                if patience.cancelled_caught:
                    self._stderr.flush()
                elif line is None:
                    break
                else:
                    self._stderr.add_line(line)
        finally:
            self._stderr.finish()

    async def _watch_agent(self) -> None:
        """Watch whether the agent reads its input, and report an unfinished line before its first
        response.
        """
        begun = reported = b""
        while True:
            await anyio.sleep(STALL / 4)
            now = self._core.clock()
            since = self._wire.writing_since
            waiting = self._wire.waiting if since is not None and now - since > STALL else 0
            if waiting != self._core.state.peer.waiting:
                self._core.emit(Stalled(now, waiting))
            before, begun = begun, self.transport.unfinished_line(_SHOWN_BYTES)
            starts = self._core.state.peer.initialized is None
            if starts and begun == before and begun.strip() and begun != reported:
                reported = begun
                self._core.emit(LineUnfinished(now, begun.decode("utf-8", "replace")))


async def kill_container(container: ContainerPlace) -> None:
    """Kill and remove what is left of a container. Docker's containers belong to its server, and
    may outlive the program that started them. It's fine if there is no container, or no server
    anymore.
    """
    which = ("--filter", f"label={container.label}")
    ids = await _command_words(container.program, "ps", "--all", "--quiet", *which)
    if ids:
        await _command_words(container.program, "kill", *ids)
        await _command_words(container.program, "rm", "--force", *ids)


async def _command_words(*argv: str) -> list[str]:
    """Run a command; return the words that it prints, or [] if it fails to run in time."""
    try:
        with anyio.fail_after(_ANSWER):
            done = await anyio.run_process(
                argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
    except (OSError, TimeoutError):
        return []
    return done.stdout.decode("ascii", "replace").split()


def carriers_of(core: Core) -> Callable[[], Carrier]:
    """Return a function that creates a carrier for each connection of the launch."""
    remote = core.launch.remote
    if remote is None:
        return lambda: ProcessCarrier(core)
    from http.cookiejar import CookieJar

    from acp_tui.client.remote.carrier import RemoteCarrier

    # Shared by all connections, so that a load balancer routes a reconnect to the same server.
    cookies = CookieJar()
    return lambda: RemoteCarrier(core, remote, cookies)
