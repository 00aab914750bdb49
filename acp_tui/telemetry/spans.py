"""Activities as OpenTelemetry spans, by its SDK."""

import hashlib
from collections.abc import Mapping

from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import (
    INVALID_SPAN_ID,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from acp_tui.protocol.trace_context import SAMPLED, TraceParent, read_traceparent
from acp_tui.telemetry.activities import Activity, ActivityKind
from acp_tui.telemetry.attributes import Mask, span_attributes, span_name
from acp_tui.version import __version__

SCOPE = "acp-tui"
"""The name of the program in the resource, and of the instrumentation."""
_NANOSECONDS = 1_000_000_000


def resource() -> Resource:
    """Describe what the spans come from. The OTEL_* variables have the last word."""
    ours = Resource({"service.name": SCOPE, "service.version": __version__})
    return Resource.create().merge(ours).merge(OTELResourceDetector().detect())


def nanoseconds(seconds: float) -> int:
    """Convert a time of the wall clock to OpenTelemetry's."""
    return round(seconds * _NANOSECONDS)


class Spans:
    """Makes a span of each activity, and gives it to a processor.

    `seed` names the connection, so that what is exported twice gives the same spans. `is_own`: the
    `traceparent` of a request is that of its own span, within a trace that `parent` may have begun;
    else it is that of its parent. `epoch` is the wall clock's time, in seconds, when the
    connection's clock was at 0.
    """

    def __init__(
        self,
        processor: SpanProcessor,
        seed: str,
        mask: Mask,
        *,
        epoch: float,
        is_own: bool,
        parent: TraceParent | None = None,
    ) -> None:
        self._ids = _GivenIds()
        self.provider = TracerProvider(
            resource=resource(), id_generator=self._ids, shutdown_on_exit=False
        )
        self.provider.add_span_processor(processor)
        self._tracer = self.provider.get_tracer(SCOPE, __version__)
        self._seed = seed
        self._mask = mask
        self._epoch = epoch
        self._is_own = is_own
        self._parent = parent

    def add_activity(self, activity: Activity, agent: Mapping[str, str]) -> None:
        """Make the span of an activity that has ended."""
        own, parent = self._place(activity), self._parent_of(activity)
        self._ids.next = own
        context = (
            None if parent is None else set_span_in_context(NonRecordingSpan(_context(parent)))
        )
        span = self._tracer.start_span(
            span_name(activity, agent),
            context,
            SpanKind.SERVER if _is_served(activity) else SpanKind.CLIENT,
            span_attributes(activity, agent, self._mask),
            start_time=nanoseconds(self._epoch + activity.start),
        )
        if activity.error is not None:
            span.set_status(Status(StatusCode.ERROR, self._mask(activity.error)))
        span.end(nanoseconds(self._epoch + activity.start + activity.seconds))

    def _place(self, activity: Activity) -> TraceParent:
        """Return the ids of an activity's span."""
        given = read_traceparent(activity.traceparent or "")
        if self._is_own and given is not None and not activity.by_agent:
            return given
        span_id = self._hash(f"span {activity.number}", 8)
        if activity.parent is not None:
            return self._place(activity.parent)._replace(span_id=span_id)
        parent = self._parent_of(activity)
        if parent is not None:
            return parent._replace(span_id=span_id)
        return TraceParent(self._hash(f"trace {activity.number}", 16), span_id)

    def _parent_of(self, activity: Activity) -> TraceParent | None:
        if activity.parent is not None:
            parent = self._place(activity.parent)
            return parent._replace(flags=self._flags(activity.parent, parent))
        if self._is_own:
            return self._parent
        return None if activity.by_agent else read_traceparent(activity.traceparent or "")

    def _flags(self, activity: Activity, place: TraceParent) -> int:
        """Return the flags of a span: the root of the trace decides whether all of its spans are
        sampled.
        """
        while activity.parent is not None:
            activity = activity.parent
        above = self._parent_of(activity)
        if above is not None:
            return above.flags
        decided = self.provider.sampler.should_sample(None, place.trace_id, "")
        return SAMPLED if decided.decision.is_sampled() else 0

    def _hash(self, what: str, size: int) -> int:
        found = hashlib.sha256(f"{self._seed} {what}".encode("utf-8", "replace")).digest()[:size]
        return int.from_bytes(found, "big") or 1


class _GivenIds(IdGenerator):
    """Gives a span the ids that were chosen for it."""

    next = TraceParent(0, INVALID_SPAN_ID)

    def generate_span_id(self) -> int:
        return self.next.span_id

    def generate_trace_id(self) -> int:
        return self.next.trace_id


def _is_served(activity: Activity) -> bool:
    """Return whether the client served the activity; the agent's own work is tool calls and subagents."""
    own = (ActivityKind.TOOL_CALL, ActivityKind.SUBAGENT)
    return activity.by_agent and activity.kind not in own


def _context(parent: TraceParent) -> SpanContext:
    flags = TraceFlags(parent.flags)
    return SpanContext(parent.trace_id, parent.span_id, is_remote=True, trace_flags=flags)
