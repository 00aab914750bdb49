"""Writes files as the agent's requests do, without an agent."""

from collections.abc import Sequence
from typing import NamedTuple

from anyio import to_thread

from acp_tui.client.files.planned_write import PlannedWrite, carry_out_write, plan_write
from acp_tui.client.files.safe_paths import TRIES
from acp_tui.client.files.text_file import unavailable_error


class Written(NamedTuple):
    """A write that was done."""

    planned: PlannedWrite
    remarks: tuple[str, ...]


async def write(path: str, content: str, roots: Sequence[str] | None = None) -> Written:
    """Write a file; look again where it is changed at the same time. Raises ServiceError."""
    for _ in range(TRIES):
        planned = await plan_write(path, content, roots)
        if planned.is_same:
            return Written(planned, ())
        remarks = await to_thread.run_sync(carry_out_write, planned)
        if remarks is not None:
            return Written(planned, remarks)
    raise unavailable_error(path, "it is changed all the time")
