"""Agent behavior outside the protocol itself."""

from collections.abc import Callable, Iterator
from typing import Any

from acp_tui.matrix.model import UNTESTED, How, MatrixAnswer, MatrixCell
from acp_tui.matrix.observations import NONE, MatrixRow, Observations, Read
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.jsonrpc import ErrorCode


def behavior_rows() -> Iterator[MatrixRow]:
    """Yield the rows of these facts."""
    group = "Manners"
    yield MatrixRow("manners.unknown", group, "an unknown request gets -32601", _refuses_unknown)
    yield MatrixRow("manners.noise", group, "lines on stdout that are no messages", _noise)
    yield MatrixRow("manners.extensions", group, "methods of its own", _extensions)
    yield MatrixRow("manners.meta", group, "names in _meta", _meta)
    for rule, title in (
        ("custom-field", "fields of its own"),
        ("unstable", "parts of the unstable protocol"),
    ):
        yield MatrixRow(f"manners.{rule}", group, title, _found(rule))
    yield MatrixRow("manners.errors", group, "findings: errors", _severity("error"))
    yield MatrixRow("manners.warnings", group, "findings: warnings", _severity("warning"))
    yield MatrixRow("manners.quirks", group, "known quirks", _quirks)


UNKNOWN = "_acp-tui/ping"
"""A method that no agent has."""


def _refuses_unknown(seen: Observations) -> MatrixCell:
    if UNKNOWN not in seen.called:
        return UNTESTED
    heard = seen.called[UNKNOWN]
    if heard is None:
        return MatrixCell("no answer", How.PROBE, 0, str(seen.first.recording))
    right = heard.code == ErrorCode.METHOD_NOT_FOUND
    other = f"error {heard.code}" if heard.error is not None else "a result"
    return seen.said(MatrixAnswer.YES if right else other, How.PROBE, heard)


def _noise(seen: Observations) -> MatrixCell:
    for how, probe in seen.probes:
        if probe.noise:
            return MatrixCell(MatrixAnswer.YES, how, probe.noise[0], str(probe.recording))
    return MatrixCell(MatrixAnswer.NO, How.SESSION, 0, str(seen.first.recording))


def _extensions(seen: Observations) -> MatrixCell:
    found = [
        (heard, heard.method)
        for _, probe in seen.probes
        for heard in probe.heard
        if heard.method.startswith("_")
    ]
    heard = found[0][0] if found else None
    return seen.named([name for _, name in found], How.SESSION, heard)


def _meta(seen: Observations) -> MatrixCell:
    names: dict[str, None] = {}
    for _, probe in seen.probes:
        for heard in probe.heard:
            rest: list[Any] = [heard.body]
            while rest:
                one = rest.pop()
                if isinstance(one, dict):
                    meta = one.get("_meta")
                    names.update(dict.fromkeys(meta if isinstance(meta, dict) else ()))
                    rest += one.values()
                elif isinstance(one, list):
                    rest += one
    return seen.named(sorted(names), How.SESSION, None)


def _found(rule: str) -> Read:
    return lambda seen: _first(
        seen, lambda one: one.rule.id == rule, lambda _: MatrixAnswer.YES, MatrixAnswer.NO
    )


def _severity(severity: str) -> Read:
    return lambda seen: _first(seen, lambda one: one.severity.value == severity, str, "0")


def _first(
    seen: Observations, wanted: Callable[[Finding], bool], text: Callable[[int], str], none: str
) -> MatrixCell:
    """Return how many findings are so as `text` has it, with the frame of the first, or `none`."""
    found = [one for one in seen.findings if wanted(one[2])]
    if not found:
        return MatrixCell(none, How.SESSION, 0, str(seen.first.recording))
    how, probe, first = found[0]
    return MatrixCell(text(len(found)), how, probe.frame(first), str(probe.recording))


def _quirks(seen: Observations) -> MatrixCell:
    from acp_tui.config.quirks import quirks_of

    said = seen.hello.get("agentInfo")
    info = said if isinstance(said, dict) else {}
    found = quirks_of(str(info.get("name", "")), str(info.get("version", "")))
    return seen.in_hello(", ".join(quirk.remedy for quirk in found) or NONE)
