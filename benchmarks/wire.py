"""What reading a frame costs: Framer, Connection.receive and the fold, beside json.loads alone.

Run `python -m benchmarks.wire`. CPU seconds; the ways alternate, and the median run counts.
"""

import json
import statistics
from collections.abc import Callable
from time import process_time

from acp_tui.protocol.connection import WireConnection
from acp_tui.protocol.frames import Direction, Frame, Framer
from acp_tui.recordings.recording import format_record
from acp_tui.state.fold import apply_event
from acp_tui.state.state import State
from benchmarks import sized

FRAMES, RUNS = sized((20_000, 5), (200, 1))
READ = 64 * 1024
WORDS = "The function reads one frame at a time. "  # 40 characters


def stream() -> bytes:
    """A turn as agents send it: mostly chunks, now and then a tool call and its updates."""
    lines = [_line(number) for number in range(FRAMES)]
    return b"".join(lines)


def _line(number: int) -> bytes:
    call = {"toolCallId": f"call-{number // 20}"}
    text = {"type": "text", "text": WORDS}
    match number % 20:
        case 0:
            update: dict[str, object] = {
                "sessionUpdate": "tool_call",
                **call,
                "title": "Edit",
                "kind": "edit",
            }
        case 1:
            content = [{"type": "diff", "path": "/a.py", "oldText": WORDS, "newText": WORDS * 2}]
            update = {"sessionUpdate": "tool_call_update", **call, "content": content}
        case 2:
            update = {"sessionUpdate": "tool_call_update", **call, "status": "completed"}
        case _:
            update = {"sessionUpdate": "agent_message_chunk", "content": text}
    params = {"sessionId": "session-1", "update": update}
    body = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(body).encode() + b"\n"


def parse_only(data: bytes) -> None:
    """The floor: no less can be done."""
    for line in data.split(b"\n")[:-1]:
        json.loads(line)


def fold(data: bytes) -> None:
    """The whole way from bytes to state."""
    _fold(data, lambda _: None)


def fold_and_record(data: bytes) -> None:
    """The same, and every frame written as a line of a recording, in memory."""
    lines: list[str] = []
    _fold(data, lambda frame: lines.append(format_record(frame)))
    assert len(lines) == FRAMES


def _fold(data: bytes, tap: Callable[[Frame], None]) -> None:
    framer, connection, state = Framer(), WireConnection(), State()
    number = 0
    for start in range(0, len(data), READ):
        for line in framer.feed(data[start : start + READ]):
            number += 1
            frame = Frame(Direction.IN, line.raw, 0.0, number, line.flaw, line.size)
            tap(frame)
            apply_event(state, connection.receive(frame))
    assert number == FRAMES


WAYS = {
    "json.loads alone": parse_only,
    "bytes to state": fold,
    "bytes to state, recorded": fold_and_record,
}


def seconds(way: Callable[[bytes], None], data: bytes) -> float:
    """CPU seconds for one run."""
    start = process_time()
    way(data)
    return process_time() - start


def main() -> None:
    """Print the table."""
    data = stream()
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(RUNS):
        for name, way in WAYS.items():
            taken[name].append(seconds(way, data))
    floor = statistics.median(taken["json.loads alone"])
    print(f"{FRAMES:,} frames, {len(data) / 1e6:.1f} MB, median of {RUNS} alternating runs\n")
    print(f"{'':26} {'CPU s':>7} {'frames/s':>10} {'µs/frame':>9} {'ratio':>6}")
    for name, runs in taken.items():
        cpu = statistics.median(runs)
        each = cpu / FRAMES * 1e6
        print(f"{name:26} {cpu:7.3f} {FRAMES / cpu:10,.0f} {each:9.1f} {cpu / floor:6.1f}")


if __name__ == "__main__":
    main()
