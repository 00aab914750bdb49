"""A recording as a run of one agent: which agent it was, and what it did."""

import shlex
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from acp_tui.log_files import OpenedLog, open_log
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.events import ProcessExited
from acp_tui.protocol.json_parts import number_at, value_at
from acp_tui.protocol.trace_context import TraceParent, read_traceparent
from acp_tui.recordings.recording import read_events
from acp_tui.telemetry.activities import Activities
from acp_tui.telemetry.session_activities import Activity


class RecordedRun:
    """One recording. `activities` reads it; `agent` and `exit` are known after that.

    Raises OSError and RecordingError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened: OpenedLog = open_log(path)
        self.redactor = Redactor()
        self._activities = Activities(self.mask)
        self.exit: ProcessExited | None = None
        records, facts = self.opened.records, self.opened.facts
        self.start = records[0].at if len(records) else 0.0
        self.end = records[len(records) - 1].at if len(records) else 0.0
        started, clock = number_at(facts, "started"), number_at(facts, "monotonic")
        if started is None or clock is None:  # another program's log
            modified = path.stat().st_mtime if path.exists() else 0.0
            self.epoch, self.seed = modified - self.end, f"{path.name} {self.start} {self.end}"
        else:
            self.epoch, self.seed = started - clock, f"{started} {clock} {facts.get('argv')}"
        self.id = sha256(self.seed.encode("utf-8", "replace")).hexdigest()[:16]
        """An id that stays the same when the file is moved."""
        self.traced = isinstance(facts.get("trace"), dict)
        """Whether the agent got a `traceparent` of its own with each request."""
        parent = value_at(facts, "trace", "parent")
        self.traced_parent: TraceParent | None = read_traceparent(str(parent))

    @property
    def agent(self) -> dict[str, str]:
        """The agent's `name` and `version`."""
        return self._activities.agent

    @property
    def command(self) -> str:
        """The agent's command line, without its secrets."""
        argv = self.opened.facts.get("argv")
        if not isinstance(argv, list):
            return ""
        return shlex.join(self.redactor.argv([str(one) for one in argv]))

    def mask(self, text: str) -> str:
        """Mask the secrets in a text."""
        return self.redactor.text(text, "export")

    def activities(self) -> Iterator[Activity]:
        """Read the recording; yield each activity when it ends."""
        for event in read_events(self.opened.records):
            if isinstance(event, ProcessExited):
                self.exit = event
            yield from self._activities.follow(event)
        yield from self._activities.close(self.end, "not finished when the recording ended")

    def close(self) -> None:
        """Close the file."""
        if self.opened.growing is not None:
            self.opened.growing.close()
