"""Streaming Markdown into the whole app, beside textual's own Markdown stream.

Chunks of 40 characters of mixed Markdown, each measurement in a process of its own. "paced": a
chunk every 10 ms, as a fast model sends them. "one by one": the next as soon as the program has
taken the one before. "flood": by reads of 64 KiB, as a pipe gives them. CPU is the whole process's
from the first chunk until all is drawn. What is loaded only once, with the first words, is left out
on both sides. Memory is what the process holds at the end, and what of it came with the text: what
the session and the transcript have of it, and with "frames" also each frame, for the inspector. The
chunks that are sent are made one by one. `--quick` leaves out what takes textual minutes.
"""

import gc
import json
import subprocess
import sys
import time
from itertools import islice

from benchmarks import sized
from benchmarks.measuring import measured
from benchmarks.text import CHUNK, chunks

PACE = 0.01
BATCH = 400
"""Chunks in 64 KiB of the wire: what one read takes in."""
FEW, MANY = sized((500, 2000), (20, 40))
FLOODS = sized([2000, 20_000, 100_000], [40, 80])
FIRST_WORDS = 20
"""Chunks with a bit of everything, before anything is measured."""


def main() -> None:
    """Measure and print."""
    print(f"streaming {CHUNK}-character chunks of Markdown at 80x24, CPU ms per chunk")
    print(
        f"{'':26}{'chunks':>8}{'ms/chunk':>10}{'worst stall ms':>16}{'p99 ms':>8}{'RSS MiB':>9}"
        f"{'grown by':>10}{'x text':>8}"
    )
    slow = [] if "--quick" in sys.argv else ["textual"]
    rows = {
        (feed, count, who): _row(who, feed, count)
        for feed, count, who in (
            *(("paced", FEW, who) for who in ("textual", "acp-tui")),
            *(("paced", MANY, who) for who in (*slow, "acp-tui")),
            *(("one-by-one", FEW, who) for who in ("textual", "acp-tui")),
            *(("one-by-one", MANY, who) for who in (*slow, "acp-tui")),
        )
    }
    flood = {count: _row("acp-tui", "flood", count) for count in FLOODS}
    _row("acp-tui", "frames", FLOODS[-1])
    for (feed, count, who), figure in rows.items():
        if who == "textual":
            ratio = figure / rows[feed, count, "acp-tui"]
            print(f"textual / acp-tui, {feed}, {count:,}: {ratio:.0f}")
    least, *more = FLOODS
    for count in more:
        print(f"{count:,} / {least:,}, flood: {flood[count] / flood[least]:.2f}")


def _row(who: str, feed: str, count: int) -> float:
    argv = [sys.executable, "-m", "benchmarks.stream", who, feed, str(count)]
    found = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    per_chunk: float = found["cpu"] / count * 1000
    print(
        f"{who + ' ' + feed:26}{count:8}{per_chunk:10.3f}{found['worst'] * 1000:16.0f}"
        f"{found['p99'] * 1000:8.0f}{found['rss']:9.0f}{found['grown']:10.1f}"
        f"{found['grown'] * 2**20 / (count * CHUNK):8.1f}",
        flush=True,
    )
    return per_chunk


async def textual_stream(feed: str, count: int) -> dict[str, float]:
    """Textual's own widget, in the way its documentation shows."""
    import anyio
    from textual.app import App, ComposeResult
    from textual.containers import VerticalScroll
    from textual.widgets import Markdown

    class MarkdownApp(App[None]):
        def compose(self) -> ComposeResult:
            with VerticalScroll():
                yield Markdown()

    app = MarkdownApp()
    async with app.run_test(size=(80, 24)) as pilot:
        markdown = app.query_one(Markdown)
        app.query_one(VerticalScroll).anchor()
        await markdown.append("".join(chunks(FIRST_WORDS)))
        await markdown.update("")
        await pilot.pause()

        async def work() -> None:
            if feed == "paced":
                stream = Markdown.get_stream(markdown)
                for chunk in chunks(count):
                    await stream.write(chunk)
                    await anyio.sleep(PACE)
                await stream.stop()
            else:
                for chunk in chunks(count):
                    await markdown.append(chunk)
            await pilot.pause()

        return await measured(work)


async def our_stream(feed: str, count: int) -> dict[str, float]:
    """The whole way: bytes, frames, events, fold, app."""
    import anyio

    from acp_tui.host.agent import Agent
    from acp_tui.protocol.connection import WireConnection
    from acp_tui.protocol.frames import Direction, Frame, Framer
    from acp_tui.protocol.process_events import ProcessStarted
    from acp_tui.recordings.records import PackedLog
    from acp_tui.state.fold import apply_event
    from acp_tui.state.state import State
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.features import Features
    from acp_tui.ui.transcript import transcript  # noqa: F401 - loaded before anyone can prompt

    gc.set_threshold(5_000, 5, 200)  # as the program does
    gc.freeze()
    state, connection, framer = State(), WireConnection(), Framer()
    frames = PackedLog()
    agent = Agent(state, lambda _: None, records=frames)
    app = AcpApp([agent], Features)

    def take(direction: Direction, data: bytes) -> None:
        for line in framer.feed(data):
            frame = Frame(direction, line.raw, time.monotonic())
            if feed == "frames":
                frames.append(frame)
            event = connection.receive(frame)
            app.changed(agent, apply_event(state, event))

    apply_event(state, ProcessStarted(time.monotonic(), ("agent",), "/", 1))
    take(Direction.OUT, _line(id=0, method="initialize", params={"protocolVersion": 1}))
    take(Direction.IN, _line(id=0, result={"protocolVersion": 1}))
    take(Direction.OUT, _line(id=1, method="session/new", params={"cwd": "/", "mcpServers": []}))
    take(Direction.IN, _line(id=1, result={"sessionId": "s"}))

    async def turn(number: int, count: int, step: int, pace: float) -> None:
        prompt = [{"type": "text", "text": "go"}]
        params = {"sessionId": "s", "prompt": prompt}
        take(Direction.OUT, _line(id=number, method="session/prompt", params=params))
        lines = (_chunk(chunk, number) for chunk in chunks(count))
        while data := b"".join(islice(lines, step)):
            take(Direction.IN, data)
            await anyio.sleep(pace)
        take(Direction.IN, _line(id=number, result={"stopReason": "end_turn"}))
        await pilot.pause()
        shown = app.conversation.transcript
        assert shown is not None
        while shown.is_busy:
            await anyio.sleep(0.01)
        await pilot.pause()

    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await turn(2, FIRST_WORDS, 1, 0)
        step = 1 if feed in ("paced", "one-by-one") else BATCH
        return await measured(lambda: turn(3, count, step, PACE if feed == "paced" else 0))


def _line(**body: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n"


def _chunk(text: str, message: int) -> bytes:
    content = {"type": "text", "text": text}
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": content,
        "messageId": f"m{message}",
    }
    return _line(method="session/update", params={"sessionId": "s", "update": update})


def run_one(who: str, feed: str, count: int) -> None:
    """One measurement, as JSON on stdout; in a process of its own."""
    import anyio

    stream = textual_stream if who == "textual" else our_stream
    found = anyio.run(stream, feed, count)
    print(json.dumps(found))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        run_one(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
