"""What OpenTelemetry's exporters complain about: they say it in logs only."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOGGER = "opentelemetry"
_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@contextmanager
def failures(report: Callable[[str], None]) -> Iterator[None]:
    """Report what goes wrong within the block, instead of writing it onto the terminal."""
    logger, handler = logging.getLogger(_LOGGER), _Handler(report)
    propagates, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


class _Handler(logging.Handler):
    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        where = os.environ.get(_ENDPOINT) or "not set, so http://localhost:4318"
        self._report(f"{record.getMessage().rstrip('.')} ({_ENDPOINT} is {where})")
