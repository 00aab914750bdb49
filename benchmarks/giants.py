"""Giants through the whole app: how long the event loop is held, CPU and memory.

Run `python -m benchmarks.giants`, or with a case's name for that one. Each case runs in a process
of its own, from the bytes on the wire to the drawn screen of 80x24. Making the giant and starting
the app are left out; the prompt is still answered while the giant is shown. Memory: what the
process holds at the end, the giant's bytes as they wait to be sent included, and what came with
showing it.
"""

import gc
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from benchmarks import sized
from benchmarks.measuring import measured
from benchmarks.text import PARAGRAPH

if TYPE_CHECKING:
    from acp_tui.recordings.records import PackedLog
    from acp_tui.ui.transcript.transcript import Transcript

SCREEN = (80, 24)
READ = 64 * 1024
STEPS = 40
"""How often a long session is scrolled."""


class Running:
    """The app with an agent's session, and the wire into it."""

    def __init__(self, records: "PackedLog | None" = None) -> None:
        """Make the app; frames are kept in `records`, for the inspector."""
        from acp_tui.host.agent import Agent
        from acp_tui.protocol.connection import WireConnection
        from acp_tui.protocol.frames import Framer
        from acp_tui.state.state import State
        from acp_tui.ui.app import AcpApp
        from acp_tui.ui.features import Features

        self.state = State()
        self._records = records
        self.agent = Agent(self.state, lambda _: None, () if records is None else records)
        self.app = AcpApp([self.agent], Features)
        self._connection = WireConnection()
        self._framer = Framer()
        self._calls = 0

    def begin(self) -> None:
        """An agent that is connected, with one session."""
        from acp_tui.protocol.process_events import ProcessStarted
        from acp_tui.state.fold import apply_event

        apply_event(self.state, ProcessStarted(time.monotonic(), ("agent",), "/", 1))
        self.call("initialize", {"protocolVersion": 1}, {"protocolVersion": 1})
        self.call("session/new", {"cwd": "/", "mcpServers": []}, {"sessionId": "s"})

    def call(self, method: str, params: object, result: object) -> None:
        """A request of ours and its answer."""
        self.ask(method, params)
        self.answer(result)

    def ask(self, method: str, params: object) -> None:
        """A request of ours."""
        from acp_tui.protocol.frames import Direction

        self._take(Direction.OUT, _line(id=self._calls, method=method, params=params))

    def answer(self, result: object) -> None:
        """The agent's answer to the last request."""
        self.feed(_line(id=self._calls, result=result))
        self._calls += 1

    def prompt(self) -> None:
        """A turn begins."""
        prompt = [{"type": "text", "text": f"prompt {self._calls}"}]
        self.ask("session/prompt", {"sessionId": "s", "prompt": prompt})

    def feed(self, data: bytes) -> None:
        """Bytes from the agent."""
        from acp_tui.protocol.frames import Direction

        self._take(Direction.IN, data)

    def send(self, data: bytes) -> None:
        """Bytes for the agent."""
        from acp_tui.protocol.frames import Direction

        self._take(Direction.OUT, data)

    def _take(self, direction: Any, data: bytes) -> None:
        from acp_tui.protocol.frames import Frame
        from acp_tui.state.fold import apply_event

        for line in self._framer.feed(data):
            frame = Frame(direction, line.raw, time.monotonic(), size=len(line.raw))
            if self._records is not None:
                self._records.append(frame)
            event = self._connection.receive(frame)
            self.app.changed(self.agent, apply_event(self.state, event))

    async def turn(self, updates: bytes) -> None:
        """One turn with these updates, read as from a pipe, until all is drawn."""
        import anyio

        self.prompt()
        for at in range(0, len(updates), READ):
            self.feed(updates[at : at + READ])
            await anyio.sleep(0)
        self.answer({"stopReason": "end_turn"})
        await self.drawn()

    async def drawn(self) -> None:
        """Wait until nothing is left to be laid out."""
        import anyio

        await anyio.sleep(0.05)
        while self.transcript.is_busy:
            await anyio.sleep(0.01)

    async def open_last(self) -> None:
        """Open the last entry but the turn's end all the way."""
        from acp_tui.state.entries import TurnEndEntry
        from acp_tui.ui.transcript.entries.context import Fold

        entries = self.state.sessions["s"].entries
        index = len(entries) - 1 - isinstance(entries[-1], TurnEndEntry)
        self.transcript.document.view(index).choose(Fold.FULL)
        self.transcript.pin_entry(index)
        await self.drawn()

    @property
    def transcript(self) -> "Transcript":
        """The transcript that is shown."""
        transcript = self.app.conversation.transcript
        assert transcript is not None
        return transcript


def _line(**body: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n"


def _update(**update: object) -> bytes:
    return _line(method="session/update", params={"sessionId": "s", "update": update})


def _said(text: str, size: int, name: str = "giant") -> bytes:
    """A message of the agent's, in chunks of a size in characters."""
    parts = (text[at : at + size] for at in range(0, len(text), size))
    return b"".join(
        _update(
            sessionUpdate="agent_message_chunk",
            content={"type": "text", "text": part},
            messageId=name,
        )
        for part in parts
    )


def _call(**fields: object) -> bytes:
    return _update(sessionUpdate="tool_call", toolCallId="c", title="Work", kind="edit", **fields)


def paragraph() -> bytes:
    return _said("one unbroken *paragraph* of words " * sized(30_000, 300), 40)


def fence() -> bytes:
    lines = (f"value_{n} = compute({n}, 'text')  # note\n" for n in range(50_000))
    return _said(f"```python\n{''.join(lines)}```\n", 400)


def table() -> bytes:
    rows = (f"| row {n} | {n * n} | `code {n}` |\n" for n in range(5_000))
    return _said(f"| a | b | c |\n|---|--:|:-:|\n{''.join(rows)}", 40)


def growing() -> bytes:
    return b"".join([_call(status="in_progress"), *_grown(10_000), _done()])


def _grown(times: int) -> Iterator[bytes]:
    text = ""
    for number in range(times):
        text += f"step {number}\n"
        content = [{"type": "content", "content": {"type": "text", "text": text[-20_000:]}}]
        yield _update(sessionUpdate="tool_call_update", toolCallId="c", content=content)


def _done() -> bytes:
    return _update(sessionUpdate="tool_call_update", toolCallId="c", status="completed")


def diff() -> bytes:
    old = "".join(f"    value_{n} = compute(value_{n - 1})\n" for n in range(50_000))
    content = [{"type": "diff", "path": "/a.py", "oldText": old, "newText": old.replace("co", "x")}]
    return _call(content=content, status="completed")


def line() -> bytes:
    return _said("x" * 12_000_000, 12_000_000)


CASES: dict[str, Callable[[], bytes]] = {
    "paragraph of 1 MB": paragraph,
    "fence of 50,000 lines": fence,
    "table of 5,000 rows": table,
    "tool call, 10,000 updates": growing,
    "diff of 50,000 lines": diff,
    "line of 12 MB": line,
}
SESSION = (
    "1,000 turns: take in",
    "1,000 turns: scroll",
    "1,000 turns: resize",
    "1,000 turns: search",
)


@asynccontextmanager
async def _started() -> AsyncIterator[tuple[Running, Any]]:
    running = Running()
    running.begin()
    async with running.app.run_test(size=SCREEN) as pilot:
        await running.turn(_said("*hello*", READ, "first"))
        gc.freeze()  # as the program does when it has started
        yield running, pilot


async def one(name: str) -> list[dict[str, Any]]:
    """Measure one giant."""
    updates = CASES[name]()
    async with _started() as (running, _):

        async def work() -> None:
            await running.turn(updates)
            await running.open_last()

        return [{**await _measured(name, work), "lines": running.transcript.virtual_size.height}]


async def long_session() -> list[dict[str, Any]]:
    """Measure what a reader does with a thousand turns."""
    import anyio

    updates = [_said(PARAGRAPH.format(n=n), 40, f"m{n}") for n in range(1_000)]
    async with _started() as (running, pilot):

        async def take_in() -> None:
            for each in updates:
                running.prompt()
                running.feed(each)
                running.answer({"stopReason": "end_turn"})
                await anyio.sleep(0)
            await running.drawn()

        async def scroll() -> None:
            last = running.transcript.max_scroll_y
            for step in range(STEPS):
                running.transcript.scroll_to_line(last * (step * 7 % STEPS) // STEPS)
                await pilot.pause()

        async def resize() -> None:
            for width in (120, 60, 100):
                await pilot.resize_terminal(width, 40)
                await running.drawn()

        async def search() -> None:
            for length in range(1, len("answer_999") + 1):
                running.transcript.search("answer_999"[:length])
                await running.drawn()

        works = (take_in, scroll, resize, search)
        return [
            {**await _measured(name, work), "lines": running.transcript.virtual_size.height}
            for name, work in zip(SESSION, works, strict=True)
        ]


async def _measured(name: str, work: Callable[[], Awaitable[None]]) -> dict[str, Any]:
    """What `work` costs, with its name."""
    return {"name": name, **await measured(work)}


def _print(found: dict[str, Any]) -> None:
    print(
        f"{found['name']:28}{found['worst'] * 1000:14.0f}{found['p99'] * 1000:8.0f}"
        f"{found['cpu']:8.2f}{found['wall']:8.2f}{found['rss']:9.0f}{found['grown']:10.1f}"
        f"{found['lines']:12,}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    print(
        f"{'':28}{'worst stall ms':>14}{'p99 ms':>8}{'CPU s':>8}{'wall s':>8}{'RSS MiB':>9}{'grown by':>10}"
        f"{'lines shown':>12}"
    )
    for name in sized([*CASES, "session"], [*CASES][:1]):
        argv = [sys.executable, "-m", "benchmarks.giants", name]
        for found in json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout):
            _print(found)


def run_one(name: str) -> None:
    """One case, as JSON on stdout; in a process of its own."""
    import anyio

    gc.set_threshold(5_000, 5, 200)  # as the program does
    found = anyio.run(long_session) if name == "session" else anyio.run(one, name)
    print(json.dumps(found))


if __name__ == "__main__":
    if len(sys.argv) == 2:
        run_one(sys.argv[1])
    else:
        main()
