"""A receiver of OTLP/HTTP, which reads what is sent with the official protobuf package."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Receiver:
    """What was received; with a `status` it is refused."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.spans: list[Span] = []
        self.resources: list[dict[str, Any]] = []
        self.metrics: dict[str, list[Any]] = {}
        self.headers: list[dict[str, str]] = []
        self.url = ""

    @property
    def environment(self) -> dict[str, str]:
        """The variables that name the receiver."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "NO_PROXY": "127.0.0.1"}

    def span(self, name: str) -> Span:
        """The only span of this name."""
        (found,) = [one for one in self.spans if one.name == name]
        return found

    def parent(self, span: Span) -> Span | None:
        """The span that a span is part of."""
        found = [one for one in self.spans if one.span_id == span.parent_span_id]
        return found[0] if found else None

    def take(self, path: str, body: bytes) -> None:
        if path == "/v1/traces":
            traces = ExportTraceServiceRequest.FromString(body)
            for one in traces.resource_spans:
                self.resources.append(attributes(one.resource))
                self.spans += [span for scope in one.scope_spans for span in scope.spans]
        if path == "/v1/metrics":
            metrics = ExportMetricsServiceRequest.FromString(body)
            for resource in metrics.resource_metrics:
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        points = self.metrics.setdefault(metric.name, [])
                        points += metric.histogram.data_points


def attributes(of: Any) -> dict[str, Any]:
    """The attributes of a span, a resource or a point."""
    found = {}
    for one in of.attributes:
        kind = one.value.WhichOneof("value")
        value = getattr(one.value, kind)
        found[one.key] = (
            [item.string_value for item in value.values] if kind == "array_value" else value
        )
    return found


@contextmanager
def receiver(status: int = 200) -> Iterator[Receiver]:
    """Listen on a port of its own until the block ends."""
    it = Receiver(status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            it.headers.append(dict(self.headers))
            if it.status == 200:
                it.take(self.path, body)
            self.send_response(it.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    it.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield it
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
