"""How much of what passes a tap waits in memory."""

import os
import threading
import time

import pytest
from anyio import to_thread

from acp_tui.proxy import tap_streams
from acp_tui.proxy.tap_streams import FORWARD_SIZE, TapStream
from tests.hosting import eventually

pytestmark = pytest.mark.anyio


async def test_behind_a_gate_no_more_is_read_than_a_sink_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tap_streams, "AHEAD", 1)
    monkeypatch.setattr(tap_streams, "LONGEST_GATED_LINE", FORWARD_SIZE)
    said = (b"x" * 999 + b"\n") * 6000
    (source, editor), (agent, sink) = os.pipe(), os.pipe()
    stream = TapStream(source, sink, lambda data, at: None)
    stream.guard(lambda line: stream.put(line + b"\n"), lambda: None)
    stream.start(time.monotonic)
    writing = threading.Thread(target=tap_streams.write_all, args=(editor, said))
    writing.start()
    await eventually(lambda: stream._unwritten > FORWARD_SIZE)
    most, heard = 0, bytearray()
    while len(heard) < len(said):
        most = max(most, stream._unwritten)
        heard += await to_thread.run_sync(os.read, agent, FORWARD_SIZE)
    writing.join()
    assert heard == said
    assert most < 5 * FORWARD_SIZE
    os.close(editor)
    await stream.done.wait()
    os.close(agent)
