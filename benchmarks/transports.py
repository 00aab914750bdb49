"""What each transport adds beside stdio, on loopback: CPU, bytes and time.

An agent streams 20,000 chunks; the client, without a UI, is a process of its own, and its CPU counts
from the prompt to the end of the turn. Bytes are what the agent's side sent around each message. A round
trip is a prompt that is answered by one chunk and its end. The server of the network's transports is that
of the tests; `http` is HTTP/1.1 without TLS, `h2` is HTTP/2 with TLS, which Node puts before that. Median
of five rounds, in turns.
"""

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import sized
from benchmarks.measuring import measured
from tests.remote.front import IS_HERE, fronted

CHUNKS = sized(20_000, 100)
TRIPS = sized(200, 5)
ROUNDS = sized(5, 1)
WAYS = ("stdio", "ws", "http", *(["h2"] if IS_HERE else []))
AGENT = [sys.executable, "-m", "benchmarks.streaming_agent"]
ME = [sys.executable, "-m", "benchmarks.transports"]


def main() -> None:
    """Measure and print."""
    rounds = 1 if "--quick" in sys.argv else ROUNDS
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    for _ in range(rounds):
        for way in WAYS:
            found[way].append(_measure(way))
    print(f"{'':8}{'µs of CPU/chunk':>17}{'x stdio':>9}{'bytes/message':>15}{'round trip ms':>15}")
    for way in WAYS:
        cpu, base = (median(one["cpu"] for one in found[who]) for who in (way, "stdio"))
        around = median(one["bytes"] for one in found[way])
        trip = median(one["trip"] for one in found[way])
        print(
            f"{way:8}{cpu / CHUNKS * 1e6:>17.0f}{cpu / base:>9.2f}{around:>15.1f}{trip * 1e3:>15.1f}"
        )


def _measure(way: str) -> dict[str, float]:
    if way == "stdio":
        ran = subprocess.run([*ME, "client", way], capture_output=True, check=True)
        return {**json.loads(ran.stdout), "bytes": 1.0}
    with _serving() as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        if way == "h2":
            with TemporaryDirectory() as folder, fronted(port, Path(folder)) as (front, trusted):
                ran = _ran(f"https://localhost:{front}/acp", SSL_CERT_FILE=trusted)
        else:
            ran = _ran(f"{way}://127.0.0.1:{port}/acp")
        out, _ = server.communicate()
    sent = json.loads(out)
    return {**json.loads(ran.stdout), "bytes": (sent["sent"] - sent["said"]) / sent["messages"]}


def _ran(url: str, **env: str) -> "subprocess.CompletedProcess[bytes]":
    argv = [*ME, "client", url]
    return subprocess.run(argv, capture_output=True, check=True, env={**os.environ, **env})


@contextmanager
def _serving() -> Iterator["subprocess.Popen[bytes]"]:
    pipe = subprocess.PIPE
    with subprocess.Popen([*ME, "server"], stdin=pipe, stdout=pipe) as server:
        yield server


async def _client(where: str) -> None:
    """Take the turns; print what they cost."""
    import anyio

    from acp_tui.client.client import Client
    from acp_tui.client.launch import Launch
    from acp_tui.config.remote import Remote
    from acp_tui.protocol.content import TextContent
    from acp_tui.proxy.interceptor import Interceptor
    from acp_tui.state.commands import SendPrompt

    remote = None if where == "stdio" else Remote(where)
    client = Client(
        Launch(tuple(AGENT) if remote is None else (), ".", remote=remote),
        tap=lambda _: None,
        make_gatekeeper=Interceptor,
    )
    moved = anyio.Event()

    def follow(*_: Any) -> None:
        nonlocal moved
        moved.set()
        moved = anyio.Event()

    async def turn(words: str) -> None:
        session = next(iter(client.state.sessions.values()))
        client.do(SendPrompt(session.session_id, (TextContent(text=words),)))
        while session.turn is not None:
            await moved.wait()

    client.listen(follow)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.run)
        while not client.state.open_sessions():
            await moved.wait()
        await turn("stream 20 0")  # what is loaded with the first words
        began, times = time.perf_counter(), []
        for _ in range(TRIPS):
            await turn("stream 1 0")
            times.append(time.perf_counter() - began)
            began = time.perf_counter()
        cost = await measured(lambda: turn(f"stream {CHUNKS} 0"))
        print(json.dumps({"cpu": cost["cpu"], "trip": median(times)}), flush=True)
        tasks.cancel_scope.cancel()


async def _server() -> None:
    """Serve the agent until the client has left; print what was sent, and how much of it was said."""
    import anyio
    from anyio.abc import SocketStream

    from tests.remote.bridge import Agent, bridged

    counts = {"sent": 0, "said": 0, "messages": 0}

    def counted(kind: type[SocketStream]) -> None:
        send = kind.send

        async def count(self: SocketStream, data: bytes) -> None:
            counts["sent"] += len(data)
            await send(self, data)

        kind.send = count  # type: ignore[method-assign, assignment]

    take = Agent._take

    def taken(self: Agent, line: bytes) -> None:
        counts["said"] += len(line)
        counts["messages"] += 1
        take(self, line)

    Agent._take = taken  # type: ignore[method-assign]
    async with bridged(AGENT, ".") as bridge:
        print(bridge.port, flush=True)
        from anyio._backends._asyncio import SocketStream as Stream

        counted(Stream)
        await anyio.to_thread.run_sync(sys.stdin.read)
        print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    import anyio

    if sys.argv[1:2] == ["client"]:
        anyio.run(_client, sys.argv[2])
    elif sys.argv[1:2] == ["server"]:
        anyio.run(_server)
    else:
        main()
