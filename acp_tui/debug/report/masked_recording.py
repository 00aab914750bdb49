"""Some of a log as a recording of its own, without secrets."""

from collections.abc import Iterable, Mapping
from typing import Any

from acp_tui.debug.log import Log
from acp_tui.debug.report.redaction import Redactor
from acp_tui.recordings.recording import dump_in_pieces, header


def masked_recording(
    log: Log, indexes: Iterable[int], facts: Mapping[str, Any], redactor: Redactor
) -> bytes:
    """Make a recording of the records at `indexes`; its header says what was masked.

    `redactor` has looked at all records that secrets may come from.
    """
    lines = ["".join(dump_in_pieces(redactor.record(log.records[index]))) for index in indexes]
    head = header({**redactor.facts(dict(facts)), "masked": dict(redactor.masked)})
    return "\n".join([head, *lines, ""]).encode("utf-8", "backslashreplace")
