"""Exports what an agent does as spans and metrics, if the caller wants that."""

import os
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
from anyio import to_thread

from acp_tui.client.launch import Launch
from acp_tui.client.trace_ids import TraceIds


@asynccontextmanager
async def exporting(launch: Launch, *, wanted: bool) -> AsyncIterator[Launch]:
    """Export what the agent of a launch does until the block ends, if that is wanted. What could not
    be exported is a warning at the end.
    """
    if not wanted:
        yield launch
        return
    try:
        from acp_tui.telemetry.live import Telemetry, current_span
    except ImportError as error:
        words = f"otel=True needs {error.name}: pip install 'acp-tui[otel]'"
        raise ImportError(words, name=error.name) from None
    trace = TraceIds(current_span() or os.environ)
    telemetry = Telemetry(trace.parent)
    try:
        yield replace(launch, trace=trace, followers=(*launch.followers, telemetry.follower))
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(telemetry.close)
        if telemetry.trouble:
            warnings.warn(f"OpenTelemetry export: {telemetry.trouble}", stacklevel=4)
