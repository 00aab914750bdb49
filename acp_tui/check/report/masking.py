"""Results as they are handed on: without secrets."""

from collections.abc import Iterable
from dataclasses import replace

from acp_tui.check.model import Result
from acp_tui.wire.report.redaction import Redactor


def masked(results: Iterable[Result], redactor: Redactor) -> list[Result]:
    """Mask what looks like a secret in all that results say; their commands have none."""
    return [
        replace(
            one,
            verdict=replace(one.verdict, words=redactor.text(one.verdict.words, "words")),
            excerpts=tuple(redactor.text(line, "frames") for line in one.excerpts),
        )
        for one in results
    ]
