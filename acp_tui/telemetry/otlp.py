"""Exports live agents or recordings over OTLP/HTTP.

The OTEL_* variables name the receiver.
"""

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from secrets import token_hex
from typing import Any, NamedTuple

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    InMemoryMetricReader,
    MetricExportResult,
    MetricsData,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import get_current_span

from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.events import Event
from acp_tui.protocol.trace_context import TraceParent
from acp_tui.telemetry.activities import Activities, RecordedRun
from acp_tui.telemetry.session_activities import Activity
from acp_tui.telemetry.signals import Metrics, Spans, make_resource, to_nanoseconds

_LOGGER = "opentelemetry"
_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_LOGIN = re.compile(r"://[^\s/@]+@")
_QUERY = re.compile(r"\?\S+")
SPANS_PER_REQUEST = 512
"""Most spans that are sent in one request."""
LAST = 5.0
"""Seconds for the receiver to accept the remaining data at the end."""
Notify = Callable[[str, str], None]
"""Reports a problem: its title, and a description."""


@contextmanager
def report_failures(report: Callable[[str], None]) -> Iterator[None]:
    """Report export failures within the block; they are still logged, if logging is set up."""
    logger, handler = logging.getLogger(_LOGGER), _FailureHandler(report)
    logger.addHandler(handler)  # without a handler they would go to stderr
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _FailureHandler(logging.Handler):
    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        endpoint = os.environ.get(_ENDPOINT)
        where = _masked(endpoint) if endpoint else "not set, so http://localhost:4318"
        words = _masked(record.getMessage().rstrip("."))
        self._report(f"{words} ({_ENDPOINT} is {where})")


def _masked(text: str) -> str:
    """Mask the parts of addresses that may be secret: names, passwords and queries."""
    return _QUERY.sub("?…", _LOGIN.sub("://…@", text))


class ExportError(Exception):
    """The receiver didn't accept the data; the message is from the receiver, or about the network."""


class OtlpExport:
    """Sends recordings, one after the other; `sent` counts their spans."""

    def __init__(self) -> None:
        self.sent = 0
        self._troubles: list[str] = []
        with report_failures(self._troubles.append):
            self._spans = OTLPSpanExporter()
            self._metrics = OTLPMetricExporter()

    def send(self, run: RecordedRun) -> None:
        """Send the spans and metrics of a recording. Raises ExportError."""
        kept = _EndedSpans()
        spans = Spans(
            kept, run.seed, run.mask, epoch=run.epoch, is_own=run.traced, parent=run.traced_parent
        )
        reader = InMemoryMetricReader({Histogram: AggregationTemporality.DELTA})
        meters = MeterProvider([reader], make_resource(), shutdown_on_exit=False)
        metrics = Metrics(meters)
        for activity in run.activities():
            spans.add_activity(activity, run.agent)
            metrics.add_activity(activity, run.agent)
        with report_failures(self._troubles.append):
            for at in range(0, len(kept.spans), SPANS_PER_REQUEST):
                self._check_export(
                    self._spans.export(kept.spans[at : at + SPANS_PER_REQUEST])
                    is SpanExportResult.SUCCESS
                )
            measured = reader.get_metrics_data()
            if isinstance(measured, MetricsData):
                times = to_nanoseconds(run.epoch + run.start), to_nanoseconds(run.epoch + run.end)
                succeeded = self._metrics.export(_with_times(measured, *times))
                self._check_export(succeeded is MetricExportResult.SUCCESS)
        self.sent += len(kept.spans)
        meters.shutdown()

    def close(self) -> None:
        """Close the connections."""
        self._spans.shutdown()
        self._metrics.shutdown()

    def _check_export(self, succeeded: bool) -> None:
        if not succeeded:
            raise ExportError(
                self._troubles[-1] if self._troubles else "the receiver did not take it"
            )


class _EndedSpans(SpanProcessor):
    """Collects the spans that have ended."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)


def _with_times(measured: MetricsData, start: int, end: int) -> MetricsData:
    """Set the times of metrics to those of the recording; the SDK has set that of the export."""

    def of(one: Any, name: str, change: Any) -> Any:
        return replace(one, **{name: [change(part) for part in getattr(one, name)]})

    def point(one: Any) -> Any:
        return replace(one, start_time_unix_nano=start, time_unix_nano=end, exemplars=())

    def metric(one: Any) -> Any:
        return replace(one, data=of(one.data, "data_points", point))

    dated: MetricsData = of(
        measured,
        "resource_metrics",
        lambda one: of(one, "scope_metrics", lambda scope: of(scope, "metrics", metric)),
    )
    return dated


def current_span() -> dict[str, str]:
    """Return the calling program's span as environment variables; nothing if it has none."""
    context = get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"TRACEPARENT": str(TraceParent(context.trace_id, context.span_id, context.trace_flags))}


class _Agent(NamedTuple):
    activities: Activities
    spans: Spans


class Telemetry:
    """Exports spans and metrics of live agents from background threads; `trouble` is the last
    failure.

    Each request to an agent has a `traceparent` that names the request's span; all spans are in the
    trace of `parent`, if the environment names one.
    """

    def __init__(self, parent: TraceParent | None) -> None:
        self.trouble = ""
        self._parent = parent
        self._agents: list[_Agent] = []
        self._redactor = Redactor()
        self._failures = report_failures(partial(setattr, self, "trouble"))
        self._failures.__enter__()
        self._processor = BatchSpanProcessor(OTLPSpanExporter())
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        self._meters = MeterProvider([reader], make_resource(), shutdown_on_exit=False)
        self._metrics = Metrics(self._meters)

    def follower(
        self, notify: Notify, introduction: Sequence[Event] = ()
    ) -> Callable[[Event], None]:
        """Return a function that follows the events of another agent; `notify` shows a problem to
        the user.

        The `introduction` has the earlier events in which a running agent described itself.
        """
        spans = Spans(
            self._processor,
            token_hex(16),
            self._mask,
            epoch=time.time() - time.monotonic(),
            is_own=True,
            parent=self._parent,
        )
        activities = Activities(self._mask, late=bool(introduction))
        for event in introduction:
            list(activities.follow(event))  # earlier activities aren't exported
        agent = _Agent(activities, spans)
        self._agents.append(agent)
        reported = False

        def follow(event: Event) -> None:
            nonlocal reported
            try:
                self._add_activities(agent, agent.activities.follow(event))
            except Exception as error:  # a bug of the export must not break the session
                self.trouble = f"a bug in acp-tui: {error!r}"
            if self.trouble and not reported:
                reported = True
                notify("OpenTelemetry export fails", self.trouble)

        return follow

    def close(self, why: str = "the agent was ended") -> None:
        """Send the remaining data, for at most `LAST` seconds; unfinished activities get the error
        `why`.
        """
        for agent in self._agents:
            self._add_activities(agent, agent.activities.close(time.monotonic(), why))

        def shut_down() -> None:
            self._processor.force_flush()
            self._processor.shutdown()
            self._meters.shutdown()

        sender = threading.Thread(target=shut_down, name="otel-end", daemon=True)
        sender.start()
        sender.join(LAST)
        if sender.is_alive():
            self.trouble = self.trouble or f"the receiver did not take the end within {LAST:.0f} s"
        self._failures.__exit__(None, None, None)

    def _add_activities(self, agent: _Agent, ended: Iterable[Activity]) -> None:
        for activity in ended:
            agent.spans.add_activity(activity, agent.activities.agent)
            self._metrics.add_activity(activity, agent.activities.agent)

    def _mask(self, text: str) -> str:
        return self._redactor.text(text, "export")
