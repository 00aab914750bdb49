"""The failures of OpenTelemetry's exporters, which they only log."""

import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOGGER = "opentelemetry"
_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
_LOGIN = re.compile(r"://[^\s/@]+@")
_QUERY = re.compile(r"\?\S+")


@contextmanager
def failures(report: Callable[[str], None]) -> Iterator[None]:
    """Report what goes wrong within the block. It is also logged, where somebody has set that up."""
    logger, handler = logging.getLogger(_LOGGER), _Handler(report)
    logger.addHandler(handler)  # also keeps it off stderr: that is for what has no handler
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _Handler(logging.Handler):
    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        given = os.environ.get(_ENDPOINT)
        where = _masked(given) if given else "not set, so http://localhost:4318"
        words = _masked(record.getMessage().rstrip("."))
        self._report(f"{words} ({_ENDPOINT} is {where})")


def _masked(text: str) -> str:
    """Return a text without what may be secret in addresses: names, passwords and queries."""
    return _QUERY.sub("?…", _LOGIN.sub("://…@", text))
