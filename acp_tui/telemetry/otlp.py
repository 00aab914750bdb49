"""Exports recordings over OTLP/HTTP, to the receiver that the OTEL_* variables name."""

from dataclasses import replace
from typing import Any

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    InMemoryMetricReader,
    MetricExportResult,
    MetricsData,
)
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExportResult

from acp_tui.telemetry.failures import failures
from acp_tui.telemetry.runs import RecordedRun
from acp_tui.telemetry.signals import Metrics, Spans, nanoseconds, resource

SPANS_PER_REQUEST = 512
"""How many spans are sent in one request."""


class ExportError(Exception):
    """The receiver did not accept the data; the message is the receiver's, or the network's."""


class OtlpExport:
    """Sends recordings, one after the other; `sent` counts their spans."""

    def __init__(self) -> None:
        self.sent = 0
        self._troubles: list[str] = []
        with failures(self._troubles.append):
            self._spans = OTLPSpanExporter()
            self._metrics = OTLPMetricExporter()

    def send(self, run: RecordedRun) -> None:
        """Send what a recording holds. Raises ExportError."""
        kept = _Kept()
        spans = Spans(
            kept, run.seed, run.mask, epoch=run.epoch, is_own=run.traced, parent=run.traced_parent
        )
        reader = InMemoryMetricReader({Histogram: AggregationTemporality.DELTA})
        meters = MeterProvider([reader], resource(), shutdown_on_exit=False)
        metrics = Metrics(meters)
        for activity in run.activities():
            spans.add_activity(activity, run.agent)
            metrics.add_activity(activity, run.agent)
        with failures(self._troubles.append):
            for at in range(0, len(kept.spans), SPANS_PER_REQUEST):
                self._check(
                    self._spans.export(kept.spans[at : at + SPANS_PER_REQUEST])
                    is SpanExportResult.SUCCESS
                )
            measured = reader.get_metrics_data()
            if isinstance(measured, MetricsData):
                times = nanoseconds(run.epoch + run.start), nanoseconds(run.epoch + run.end)
                taken = self._metrics.export(_dated(measured, *times))
                self._check(taken is MetricExportResult.SUCCESS)
        self.sent += len(kept.spans)
        meters.shutdown()

    def close(self) -> None:
        """Close the connections."""
        self._spans.shutdown()
        self._metrics.shutdown()

    def _check(self, taken: bool) -> None:
        if not taken:
            raise ExportError(
                self._troubles[-1] if self._troubles else "the receiver did not take it"
            )


class _Kept(SpanProcessor):
    """Keeps the spans that have ended."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)


def _dated(measured: MetricsData, start: int, end: int) -> MetricsData:
    """Give metrics the times of what they measure; the SDK knows only today's."""

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
