"""The wire: lines, messages, and the official schema"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from acp_tui.check.bench import Bench, CheckScene
from acp_tui.check.breaches import RULES, verdict_of
from acp_tui.check.model import check
from acp_tui.check.scenes import HANDSHAKE, TURN, WORK
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, failed, passed
from acp_tui.protocol.findings import Severity

_ALL = (HANDSHAKE, TURN, WORK)
"""Ordinary sessions: what is wrong here is wrong in daily use."""
_OTHERS = (
    ("result", "protocolVersion"),
    ("result", "agentCapabilities"),
    ("result", "sessionId"),
    ("result", "stopReason"),
    ("jsonrpc",),
)
"""Paths in results that other checks judge."""


def _without(
    scenes: tuple[CheckScene, ...], *rules: str
) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Return a check that none of these linter rules is broken in any of the scenes."""

    async def run(bench: Bench) -> CheckVerdict:
        for take in await bench.play_scenes(scenes):
            found = take.probe.findings(*rules)
            if found:
                return verdict_of(bench.cite(take.probe), found)
        return passed("", *take.probe.last_frames(1))

    return run


async def _lines(bench: Bench) -> CheckVerdict:
    for take in await bench.play_scenes(_ALL, noise=True):
        probe = bench.cite(take.probe)
        if found := probe.findings(*RULES["A1"]):
            verdict = verdict_of(probe, found)
            if probe.wire.dropped_lines:
                more = f"{probe.wire.dropped_lines:,} more lines that are no messages"
                words = f"{verdict.words}, and {more}"
                return replace(verdict, words=words)
            return verdict
        if probe.wire.endless:
            return failed("a line that is longer than 64 MiB has no end", probe.wire.endless)
    return passed("", *probe.last_frames(1))


async def _answers(bench: Bench) -> CheckVerdict:
    """Judge the responses in ordinary sessions, and one to a request whose id is a string."""
    verdict = await _without(_ALL, *RULES["A2"])(bench)
    if verdict.outcome is not CheckOutcome.PASS:
        return verdict
    id = "acp-tui-é-1"
    async with bench.agent() as probe:
        answer = await probe.call("initialize", bench.initialize_params(probe), id=id)
    if answer is None:
        frames = [one.number for one in probe.messages[:2]]
        return failed(f"no answer has the id of the request, {id!r}", *frames)
    return passed("", 1, answer.number)


async def _forms(bench: Bench) -> CheckVerdict:
    salvaged = None
    for take in await bench.play_scenes(_ALL):
        found = [one for one in take.probe.findings(*RULES["A37"]) if one.path[:2] not in _OTHERS]
        wrong = [one for one in found if one.severity is Severity.ERROR]
        if wrong:
            return verdict_of(bench.cite(take.probe), wrong)
        if found and salvaged is None:
            salvaged = take.probe, found
    if salvaged is None:
        return passed("", *take.probe.last_frames(1))
    return verdict_of(bench.cite(salvaged[0]), salvaged[1], warns=True)


async def _values(bench: Bench) -> CheckVerdict:
    """Play ordinary sessions. The check itself passes; broken rules anywhere in the run count
    against it later.
    """
    played = await bench.play_scenes(_ALL)
    return passed("", *played[-1].probe.last_frames(1))


CHECKS = (
    check("A1", _lines, scenes=_ALL),
    check("A2", _answers, scenes=_ALL),
    check("A32", _without(_ALL, *RULES["A32"]), scenes=_ALL),
    check("A37", _forms, scenes=_ALL),
    check("A60", _values, scenes=_ALL),
)
