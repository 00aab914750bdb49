"""Converts activities to OpenTelemetry spans and metrics, with its SDK.

Names are from OpenTelemetry's conventions if these have one, else they begin with `acp.`.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from opentelemetry.metrics import MeterProvider
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
from acp_tui.telemetry.session_activities import Activity, ActivityKind
from acp_tui.version import __version__

Mask = Callable[[str], str]
"""Masks the secrets in a text."""
_OF_KIND: dict[ActivityKind, dict[str, str]] = {
    ActivityKind.TURN: {
        "stop_reason": "acp.stop_reason",
        "inputTokens": "gen_ai.usage.input_tokens",
        "outputTokens": "gen_ai.usage.output_tokens",
        "cachedReadTokens": "gen_ai.usage.cache_read.input_tokens",
        "context_used": "acp.context.used",
        "cost": "acp.cost",
        "currency": "acp.cost.currency",
        "quota_used": "acp.quota.used",
        "quota_window": "acp.quota.window",
        "chunks": "acp.turn.chunks",
        "tool_calls": "acp.turn.tool_calls",
        "first_update": "acp.turn.time_to_first_update",
        "asked_seconds": "acp.turn.person_seconds",
    },
    ActivityKind.SUBAGENT: {
        "parent_session": "acp.parent.conversation.id",
        "stop_reason": "acp.stop_reason",
        "inputTokens": "gen_ai.usage.input_tokens",
        "outputTokens": "gen_ai.usage.output_tokens",
        "cachedReadTokens": "gen_ai.usage.cache_read.input_tokens",
        "context_used": "acp.context.used",
        "cost": "acp.cost",
        "currency": "acp.cost.currency",
        "tool_calls": "acp.turn.tool_calls",
    },
    ActivityKind.TOOL_CALL: {
        "tool_call_id": "gen_ai.tool.call.id",
        "title": "acp.tool.title",
        "kind": "acp.tool.kind",
        "status": "acp.tool.status",
    },
    ActivityKind.PERMISSION: {
        "tool_call_id": "gen_ai.tool.call.id",
        "title": "acp.tool.title",
        "tool_kind": "acp.tool.kind",
        "outcome": "acp.permission.outcome",
        "rule": "acp.permission.rule",
    },
    ActivityKind.FILE: {
        "path": "file.path",
        "operation": "acp.file.operation",
        "created": "acp.file.created",
        "decision": "acp.permission.outcome",
        "asked_seconds": "acp.permission.seconds",
    },
    ActivityKind.TERMINAL: {
        "command": "process.command",
        "exit_code": "process.exit.code",
        "signal": "acp.terminal.signal",
        "decision": "acp.permission.outcome",
        "asked_seconds": "acp.permission.seconds",
    },
}
SCOPE = "acp-tui"
"""The service name in the resource, and the name of the instrumentation scope."""
_NANOSECONDS = 1_000_000_000
DURATIONS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""Upper bounds of the buckets of durations, in seconds, as the conventions advise."""
TOKENS = tuple(4.0**power for power in range(14))
"""Upper bounds of the buckets of token counts, as the conventions advise."""
_TOKENS = {"inputTokens": "input", "outputTokens": "output"}


def span_name(activity: Activity, agent: Mapping[str, str]) -> str:
    """Return the name of an activity's span."""
    if activity.kind is ActivityKind.TURN:
        return f"invoke_agent {agent.get('name', '')}".rstrip()
    if activity.kind is ActivityKind.SUBAGENT:
        return f"invoke_agent {activity.name}"
    if activity.kind is ActivityKind.TOOL_CALL:
        return f"execute_tool {activity.name}"
    return activity.name


def span_attributes(activity: Activity, agent: Mapping[str, str], mask: Mask) -> dict[str, Any]:
    """Return the attributes of an activity's span."""
    found: dict[str, Any] = {"acp.kind": activity.kind.value, "acp.frame": activity.number}
    for key, name in (("name", "gen_ai.agent.name"), ("version", "gen_ai.agent.version")):
        if key in agent:
            found[name] = agent[key]
    if activity.kind is ActivityKind.SUBAGENT:
        found["gen_ai.agent.name"] = activity.name
    if activity.session_id is not None:
        found["gen_ai.conversation.id"] = activity.session_id
    found |= _operation(activity)
    if activity.error is not None:
        found["error.type"] = str(activity.facts.get("error_code", activity.kind.value))
    for key, name in _OF_KIND.get(activity.kind, {}).items():
        value = activity.facts.get(key)
        if value is not None:
            found[name] = mask(value) if isinstance(value, str) else value
    if found.get("acp.stop_reason"):
        found["gen_ai.response.finish_reasons"] = (found["acp.stop_reason"],)
    return found


def _operation(activity: Activity) -> dict[str, Any]:
    """Return the attributes of the operation: a tool call, a subagent's work, or a request."""
    if activity.kind is ActivityKind.TOOL_CALL:
        return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": activity.name}
    if activity.kind is ActivityKind.SUBAGENT:
        return {"gen_ai.operation.name": "invoke_agent"}
    found: dict[str, Any] = {"rpc.system.name": "jsonrpc", "rpc.method": activity.name}
    if activity.kind is ActivityKind.TURN:
        found["gen_ai.operation.name"] = "invoke_agent"
    if "error_code" in activity.facts:
        found["rpc.response.status_code"] = str(activity.facts["error_code"])
    return found


def make_resource() -> Resource:
    """Return the resource that describes this program. The OTEL_* variables take precedence."""
    ours = Resource({"service.name": SCOPE, "service.version": __version__})
    return Resource.create().merge(ours).merge(OTELResourceDetector().detect())


def to_nanoseconds(seconds: float) -> int:
    """Convert seconds of the wall clock to nanoseconds, OpenTelemetry's unit."""
    return round(seconds * _NANOSECONDS)


class Spans:
    """Makes a span from each activity, and passes it to a processor.

    `seed` identifies the connection, so that exporting it twice makes the same spans. If `is_own`,
    the `traceparent` of a request names its own span, in a trace that `parent` may have begun;
    otherwise it names the parent of that span. `epoch` is the wall clock's time, in seconds, when
    the connection's clock was at 0.
    """

    def __init__(
        self,
        processor: SpanProcessor,
        seed: str,
        mask: Mask,
        *,
        epoch: float,
        is_own: bool,
        parent: TraceParent | None,
    ) -> None:
        self._ids = _PresetIds()
        self.provider = TracerProvider(
            resource=make_resource(), id_generator=self._ids, shutdown_on_exit=False
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
        own, parent = self._span_ids(activity), self._parent_of(activity)
        self._ids.next = own
        context = None
        if parent is not None:
            given = SpanContext(
                parent.trace_id,
                parent.span_id,
                is_remote=True,
                trace_flags=TraceFlags(parent.flags),
            )
            context = set_span_in_context(NonRecordingSpan(given))
        own_work = (ActivityKind.TOOL_CALL, ActivityKind.SUBAGENT)
        is_served = activity.by_agent and activity.kind not in own_work
        span = self._tracer.start_span(
            span_name(activity, agent),
            context,
            SpanKind.SERVER if is_served else SpanKind.CLIENT,  # served: the agent calls the client
            span_attributes(activity, agent, self._mask),
            start_time=to_nanoseconds(self._epoch + activity.start),
        )
        if activity.error is not None:
            span.set_status(Status(StatusCode.ERROR, self._mask(activity.error)))
        span.end(to_nanoseconds(self._epoch + activity.start + activity.seconds))

    def _span_ids(self, activity: Activity) -> TraceParent:
        """Return the ids of an activity's span."""
        given = read_traceparent(activity.traceparent or "")
        if self._is_own and given is not None and not activity.by_agent:
            return given
        span_id = self._hash(f"span {activity.number}", 8)
        if activity.parent is not None:
            return self._span_ids(activity.parent)._replace(span_id=span_id)
        parent = self._parent_of(activity)
        if parent is not None:
            return parent._replace(span_id=span_id)
        return TraceParent(self._hash(f"trace {activity.number}", 16), span_id)

    def _parent_of(self, activity: Activity) -> TraceParent | None:
        if activity.parent is not None:
            parent = self._span_ids(activity.parent)
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


class _PresetIds(IdGenerator):
    """Gives each span the ids that were chosen for it, in `next`."""

    next = TraceParent(0, INVALID_SPAN_ID)

    def generate_span_id(self) -> int:
        return self.next.span_id

    def generate_trace_id(self) -> int:
        return self.next.trace_id


class Metrics:
    """Records activities as metrics, with OpenTelemetry's names for GenAI and RPC, or `acp.` ones."""

    def __init__(self, provider: MeterProvider) -> None:
        meter = provider.get_meter("acp-tui", __version__)

        def seconds(name: str, what: str) -> Any:
            return meter.create_histogram(
                name, "s", what, explicit_bucket_boundaries_advisory=DURATIONS
            )

        self._operations = seconds(
            "gen_ai.client.operation.duration", "How long turns and tools take"
        )
        self._requests = seconds("rpc.client.call.duration", "How long the agent takes to answer")
        self._served = seconds(
            "rpc.server.call.duration", "How long the agent waits for the client"
        )
        self._first = seconds("acp.turn.time_to_first_update", "Until the agent says anything")
        self._permissions = seconds("acp.permission.duration", "How long a permission waits")
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens of a turn",
            explicit_bucket_boundaries_advisory=TOKENS,
        )

    def add_activity(self, activity: Activity, agent: Mapping[str, str]) -> None:
        """Record an activity that has ended."""
        about: dict[str, Any] = {}
        if "name" in agent:
            about["gen_ai.agent.name"] = agent["name"]
        if activity.error is not None:
            about["error.type"] = str(activity.facts.get("error_code", activity.kind.value))
        match activity.kind:
            case ActivityKind.TURN:
                self._turn(activity, about | {"gen_ai.operation.name": "invoke_agent"})
            case ActivityKind.SUBAGENT:
                self._operations.record(
                    activity.seconds, about | {"gen_ai.operation.name": "invoke_agent"}
                )
            case ActivityKind.TOOL_CALL:
                about |= {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": activity.name,
                }
                self._operations.record(activity.seconds, about)
            case ActivityKind.PERMISSION:
                outcome = {"acp.permission.outcome": activity.facts.get("outcome") or "none"}
                self._permissions.record(activity.seconds, about | outcome)
            case _:
                requests = self._served if activity.by_agent else self._requests
                requests.record(activity.seconds, about | {"rpc.method": activity.name})

    def _turn(self, turn: Activity, about: dict[str, Any]) -> None:
        self._operations.record(turn.seconds, about)
        if "first_update" in turn.facts:
            self._first.record(turn.facts["first_update"], about)
        for fact, kind in _TOKENS.items():
            if fact in turn.facts:
                self._tokens.record(turn.facts[fact], about | {"gen_ai.token.type": kind})
