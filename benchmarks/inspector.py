"""The inspector on a million frames: how soon it shows, what it costs, how it scrolls.

In a process of its own. "first screen": from F12 until rows are drawn. "complete": until every
frame is read, checked by all rules and folded. Stalls: how long the event loop was held at most.
A page, and a way to either end, in CPU time. Of a live session the records are in memory, of a
recording in a file.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import sized

if TYPE_CHECKING:
    from acp_tui.protocol.events import Record
    from acp_tui.protocol.frames import Frame

COUNTS = sized([10_000, 100_000, 1_000_000], [1_000])
PAGES = sized(100, 5)
"""How many pages are gone through to tell what one costs."""
ENDS = 10
"""How often it is gone to the first row and to the last."""


def main() -> None:
    """Measure and print."""
    counts = COUNTS[:2] if "--quick" in sys.argv else COUNTS
    print("the inspector at 120x40")
    print(
        f"{'':8}{'frames':>10}{'first screen ms':>17}{'complete s':>12}{'CPU s':>7}{'worst stall ms':>16}"
        f"{'page ms':>9}{'home/end ms':>13}{'filter s':>10}{'records MiB':>13}{'RSS MiB':>9}"
    )
    for where, count in [*(("memory", count) for count in counts), ("file", counts[-1])]:
        argv = [sys.executable, "-m", "benchmarks.inspector", where, str(count)]
        found = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
        print(
            f"{where:8}{count:>10,}{found['first'] * 1e3:>17.0f}{found['complete']:>12.1f}"
            f"{found['cpu']:>7.1f}"
            f"{found['stall'] * 1e3:>16.0f}{found['page'] * 1e3:>9.1f}{found['end'] * 1e3:>13.1f}"
            f"{found['filter']:>10.2f}{found['records']:>13.0f}{found['rss']:>9.0f}",
            flush=True,
        )


def _rss() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _lines(count: int) -> Iterator[tuple[str, bytes]]:
    """A long session: turns of chunks, with a tool call every 50 frames."""
    yield "out", _line(id=0, method="initialize", params={"protocolVersion": 1})
    yield "in", _line(id=0, result={"protocolVersion": 1, "agentCapabilities": {}})
    yield "out", _line(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    yield "in", _line(id=1, result={"sessionId": "s"})
    for number in range(4, count):
        turn, place = divmod(number, 1000)
        if place in (0, 4):
            prompt = [{"type": "text", "text": f"question {turn}"}]
            params = {"sessionId": "s", "prompt": prompt}
            yield "out", _line(id=turn + 2, method="session/prompt", params=params)
        elif place == 999:
            yield "in", _line(id=turn + 2, result={"stopReason": "end_turn"})
        elif place % 50 == 0:
            yield "in", _update("tool_call", toolCallId=f"t{number}", title="Read a file")
        elif place % 50 == 1:
            yield "in", _update("tool_call_update", toolCallId=f"t{number - 1}", status="completed")
        else:
            text = {"type": "text", "text": f"word {number} of an answer "}
            yield "in", _update("agent_message_chunk", content=text, messageId=f"m{number // 50}")


def _line(**body: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}).encode()


def _update(kind: str, **update: object) -> bytes:
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **update}}
    return _line(method="session/update", params=params)


def _in_memory(count: int) -> "Sequence[Record]":
    from acp_tui.recordings.records import PackedLog

    records = PackedLog()
    for frame in _frames(count):
        records.append(frame)
    return records


def _in_file(count: int) -> "Sequence[Record]":
    from acp_tui.log_files import open_log
    from acp_tui.recordings.recording import format_header, format_record

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        with path.open("w") as file:
            file.write(format_header({}) + "\n")
            file.writelines(f"{format_record(frame)}\n" for frame in _frames(count))
        return open_log(path).records


def _frames(count: int) -> "Iterator[Frame]":
    from acp_tui.protocol.frames import Direction, Frame

    for number, (direction, raw) in enumerate(_lines(count)):
        yield Frame(Direction(direction), raw, number / 1000, number + 1, size=len(raw))


async def measure(where: str, count: int) -> dict[str, float]:
    """One measurement."""
    import anyio

    from acp_tui.host.agent import Agent
    from acp_tui.state.state import State
    from acp_tui.ui.app import AcpApp
    from acp_tui.ui.features import Features
    from acp_tui.ui.inspector.screen import InspectorScreen
    from acp_tui.ui.textual_fixes.gc_control import collect_in_small_steps

    collect_in_small_steps()
    before = _rss()
    records = _in_memory(count) if where == "memory" else _in_file(count)
    found = {"records": _rss() - before}
    app = AcpApp([Agent(State(), lambda _: None, records)], Features)
    stalls = [0.0]

    async def heartbeat() -> None:
        while True:
            at = time.perf_counter()
            await anyio.sleep(0.002)
            stalls.append(time.perf_counter() - at - 0.002)

    async def until(condition: Callable[[], bool]) -> float:
        at = time.perf_counter()
        while not condition():
            await anyio.sleep(0.005)
        return time.perf_counter() - at

    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.5)
        at, cpu = time.perf_counter(), time.process_time()
        app.feature.inspector.toggle()
        await until(lambda: isinstance(app.screen, InspectorScreen))
        inspector = app.screen
        assert isinstance(inspector, InspectorScreen)
        source, table = inspector.source, inspector.table
        await until(lambda: len(source.view) > 0 and table.size.height > 0)
        found["first"] = time.perf_counter() - at
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heartbeat)
            await until(lambda: len(source.log) == count)
            found["complete"] = time.perf_counter() - at
            found["cpu"] = time.process_time() - cpu
            await pilot.pause(0.2)
            cpu = time.process_time()
            for _ in range(ENDS):
                table.action_first()
                await anyio.sleep(0.05)
                table.action_last()
                await anyio.sleep(0.05)
            found["end"] = (time.process_time() - cpu) / (2 * ENDS)
            cpu = time.process_time()
            for _ in range(PAGES):
                table.action_pages(-1)
                await anyio.sleep(0.03)
            found["page"] = (time.process_time() - cpu) / PAGES
            source.choose("kind:tool_call and size>10")
            table.renew()
            table.wake(0.001)
            found["filter"] = await until(lambda: source.view.catch_up(0))
            found["stall"] = max(stalls)
            tasks.cancel_scope.cancel()
    found["rss"] = _rss()
    return found


if __name__ == "__main__":
    if sys.argv[-1].isdigit():
        import anyio

        print(json.dumps(anyio.run(measure, sys.argv[-2], int(sys.argv[-1]))))
    else:
        main()
