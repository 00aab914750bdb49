"""Exports what agents do while they do it, over OTLP/HTTP."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from secrets import token_hex
from typing import NamedTuple

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import get_current_span

from acp_tui.masking.redactor import Redactor
from acp_tui.protocol.events import Event
from acp_tui.protocol.trace_context import TraceParent
from acp_tui.telemetry.activities import Activities, Activity
from acp_tui.telemetry.failures import failures
from acp_tui.telemetry.signals import Metrics, Spans, resource

LAST = 5.0
"""Seconds that the receiver has at the end to take what is left."""

Notify = Callable[[str, str], None]
"""Reports trouble: a title, and a description."""


def current_span() -> dict[str, str]:
    """Return the span of the calling program, as environment variables; nothing if there is none."""
    context = get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"TRACEPARENT": str(TraceParent(context.trace_id, context.span_id, context.trace_flags))}


class _Agent(NamedTuple):
    activities: Activities
    spans: Spans


class Telemetry:
    """Exports spans and metrics from threads of its own; `trouble` is the last failure.

    The agents get a `traceparent` with each request, which is that of its span; all are in the
    trace of `parent`, where the environment names one.
    """

    def __init__(self, parent: TraceParent | None) -> None:
        self.trouble = ""
        self._parent = parent
        self._agents: list[_Agent] = []
        self._redactor = Redactor()
        self._failures = failures(self._failed)
        self._failures.__enter__()
        self._processor = BatchSpanProcessor(OTLPSpanExporter())
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        self._meters = MeterProvider([reader], resource(), shutdown_on_exit=False)
        self._metrics = Metrics(self._meters)

    def follower(
        self, notify: Notify, introduction: Sequence[Event] = ()
    ) -> Callable[[Event], None]:
        """Return a function that follows the events of one more agent; `notify` reports trouble to
        the person. The `introduction` has what a running agent said of itself.
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
            list(activities.follow(event))  # what was before is not exported
        agent = _Agent(activities, spans)
        self._agents.append(agent)
        told = False

        def follow(event: Event) -> None:
            nonlocal told
            try:
                self._add(agent, agent.activities.follow(event))
            except Exception as error:  # what watches a session must not break it
                self.trouble = f"a bug in acp-tui: {error!r}"
            if self.trouble and not told:
                told = True
                notify("OpenTelemetry export fails", self.trouble)

        return follow

    def close(self, why: str = "the agent was ended") -> None:
        """Send what is left, for LAST seconds at most, whatever the receiver does; `why` is how it ends."""
        for agent in self._agents:
            self._add(agent, agent.activities.close(time.monotonic(), why))
        sender = threading.Thread(target=self._shut_down, name="otel-end", daemon=True)
        sender.start()
        sender.join(LAST)
        if sender.is_alive():
            self.trouble = self.trouble or f"the receiver did not take the end within {LAST:.0f} s"
        self._failures.__exit__(None, None, None)

    def _add(self, agent: _Agent, ended: Iterable[Activity]) -> None:
        for activity in ended:
            agent.spans.add_activity(activity, agent.activities.agent)
            self._metrics.add_activity(activity, agent.activities.agent)

    def _shut_down(self) -> None:
        self._processor.force_flush()
        self._processor.shutdown()
        self._meters.shutdown()

    def _failed(self, words: str) -> None:
        self.trouble = words

    def _mask(self, text: str) -> str:
        return self._redactor.text(text, "export")
