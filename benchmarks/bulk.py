"""Bulk through real agents: what is kept of it, what it costs, and whether keys show meanwhile.

Run `python -m benchmarks.bulk`, or with a case's name (and `client` or `ui`) for that one. Each case
runs in a process of its own, with an agent process, a recording, and either the client alone or the
whole app at 80x24. Memory: what the process holds after the turn, beside what it held before, and
the most that it ever held. "late": how late a timer came at worst; "held": how much of that time the
loop itself was at work. The recording is measured when all of it is written.
"""

import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import sized
from benchmarks.measuring import KIB, Heartbeat, memory

if TYPE_CHECKING:
    from acp_tui.client.client import Client

SCREEN = (80, 24)
MIB = 2**20
SHARE = sized(1, 1_000)
"""What all sizes are divided by."""
REST = sized(3.0, 0.1)
"""Seconds after the turn, so that all of the recording is written."""
CASES = {
    "random": "150 MB of random terminal output",
    "yes": "1 GB of `yes` in a terminal",
    "reads": "100,000 requests for a file",
    "burst": "100,000 requests for a file at once",
    "line": "one line of 200 MB",
}
AGENT = """
import json, sys

def send(**body):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **body}) + "\\n")
    sys.stdout.flush()

share = int(sys.argv[3])

def hear(*, id=None, method=None):
    while line := sys.stdin.readline():
        message = json.loads(line)
        if method is not None and message.get("method") == method:
            return message
        if id is not None and "method" not in message and message.get("id") == id:
            return message["result"]
    sys.exit(0)

def ask(id, method, **params):
    send(id=id, method=method, params={"sessionId": "s", **params})
    return hear(id=id)

def run(command):
    terminal = ask("create", "terminal/create", command=command)["terminalId"]
    ask("wait", "terminal/wait_for_exit", terminalId=terminal)
    ask("release", "terminal/release", terminalId=terminal)

def random():
    run(f"head -c {150_000_000 // share} /dev/urandom")

def yes():
    run(f"yes | head -c {1_000_000_000 // share}")

def reads():
    for number in range(100_000 // share):
        ask(number, "fs/read_text_file", path=sys.argv[2])

def burst():
    for number in range(100_000 // share):
        send(id=number, method="fs/read_text_file", params={"sessionId": "s", "path": sys.argv[2]})
    for _ in range(100_000 // share):
        sys.stdin.readline()

def line():
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "RAW"}}
    body = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}
    begin, _, end = json.dumps(body).partition("RAW")
    sys.stdout.write(begin)
    for _ in range(20_000 // share):
        sys.stdout.write("word " * 2000)
    sys.stdout.write(end + "\\n")

send(id=hear(method="initialize")["id"], result={"protocolVersion": 1})
send(id=hear(method="session/new")["id"], result={"sessionId": "s"})
prompt = hear(method="session/prompt")["id"]
globals()[sys.argv[1]]()
send(id=prompt, result={"stopReason": "end_turn"})
hear(method="never")
"""


class Late(Heartbeat):
    """Notes how late a timer comes at worst, whoever had the processor or the interpreter."""

    def __init__(self) -> None:
        self.worst = 0.0
        super().__init__()

    def _beat(self, due: float | None = None, worked: float = 0.0) -> None:
        if due is not None:
            self.worst = max(self.worst, time.perf_counter() - due)
        super()._beat(due, worked)


def most() -> float:
    """The most memory that this process ever held, in MiB."""
    unit = KIB * KIB if sys.platform == "darwin" else KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


async def one(case: str, way: str, folder: Path) -> dict[str, Any]:
    """Measure one case."""
    import anyio

    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import recorder_at
    from acp_tui.host.hosts import host_agents
    from acp_tui.protocol.content import TextContent
    from acp_tui.state.commands import SendPrompt

    (folder / "agent.py").write_text(AGENT)
    (folder / "read.txt").write_text("a line of a file that is read again and again\n" * 20)
    argv = (sys.executable, str(folder / "agent.py"), case, str(folder / "read.txt"), str(SHARE))
    launch = Launch(argv, str(folder))
    recorder = recorder_at(folder / "recording.jsonl", launch)
    async with host_agents() as (hosts, _), _shown(way, hosts, launch, recorder) as shown:
        client, drawn = shown
        ended = anyio.Event()
        client.listen(lambda _, __: ended.set() if _ends(client) else None)
        while not client.state.open_sessions():
            await anyio.sleep(0.05)
        await anyio.sleep(1)
        gc.collect()
        gc.freeze()
        before, heartbeat = memory(), Late()
        cpu, wall = time.process_time(), time.perf_counter()
        client.do(SendPrompt("s", (TextContent(text="go"),)))
        await ended.wait()
        await anyio.sleep(REST)
        await drawn()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall - REST
        heartbeat.stop()
        after = memory()
    return {
        "case": case,
        "way": way,
        "grown": after - before,
        "most": most() - before,
        "cpu": cpu,
        "wall": wall,
        "late": heartbeat.worst,
        "held": max(heartbeat.stalls),
        "recording": (folder / "recording.jsonl").stat().st_size / MIB,
    }


def _ends(client: "Client") -> bool:
    from acp_tui.state.entries import TurnEndEntry

    session = client.state.sessions.get("s")
    return session is not None and any(isinstance(e, TurnEndEntry) for e in session.entries[-3:])


@asynccontextmanager
async def _shown(
    way: str, hosts: Any, launch: Any, recorder: Any
) -> "AsyncIterator[tuple[Client, Callable[[], Awaitable[None]]]]":
    """A client, with the app or without, and what waits until nothing is left to be laid out."""
    import anyio

    async def drawn() -> None:
        while way == "ui" and app.conversation.transcript.is_busy:  # type: ignore[union-attr]
            await anyio.sleep(0.05)

    if way == "client":
        yield hosts.start(launch, recorder), drawn
        return
    from acp_tui.config.settings import AgentSettings
    from acp_tui.host.hosts import AgentStart, AppHosts
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.features import Features

    app_hosts = AppHosts(hosts, launch, {}, None)
    settings = AgentSettings(command=list(launch.argv))
    agent = app_hosts.start(AgentStart("agent", settings, launch, recorder))
    app = app_hosts.app = AcpApp([agent], partial(Features, hosts=app_hosts))
    async with app.run_test(size=SCREEN):
        yield app_hosts._clients[agent], drawn


def _print(found: dict[str, Any]) -> None:
    print(
        f"{CASES[found['case']]:36}{found['way']:8}{found['grown']:9.0f}{found['most']:9.0f}"
        f"{found['recording']:11.0f}{found['cpu']:8.1f}{found['wall']:8.1f}"
        f"{found['late'] * 1000:9.0f}{found['held'] * 1000:9.0f}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    print(
        f"{'':44}{'grown':>9}{'at most':>9}{'recording':>11}{'CPU s':>8}{'wall s':>8}{'late':>9}{'held':>9}\n"
        f"{'':44}{'MiB':>9}{'MiB':>9}{'MiB':>11}{'':16}{'ms':>9}{'ms':>9}"
    )
    named = [case for case in CASES if case in sys.argv] or sized([*CASES], [*CASES][:1])
    for case in named:
        for way in [way for way in ("client", "ui") if way in sys.argv] or ("client", "ui"):
            argv = [sys.executable, "-m", "benchmarks.bulk", "one", case, way]
            _print(json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout))


def run_one(case: str, way: str) -> None:
    """One case, as JSON on stdout; in a process of its own."""
    import anyio

    gc.set_threshold(5_000, 5, 200)  # as the program does
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        found = anyio.run(one, case, way, Path(os.path.realpath(folder)))
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        run_one(*sys.argv[2:])
    else:
        main()
