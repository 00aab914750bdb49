"""Initialization: the version, the name and the capabilities"""

from acp_tui.check.bench import Bench
from acp_tui.check.model import Check, Sentence, Tier, Verdict, failed, passed
from acp_tui.check.scenes import HANDSHAKE

_SECTION = "Initialization"


async def _same_version(bench: Bench) -> Verdict:
    take = await bench.take(HANDSHAKE)
    answer = take.probe.answered(1)
    if answer is None or answer.error is not None:
        return failed("initialize got no result")
    version = answer.result.get("protocolVersion")
    if version != 1 or isinstance(version, bool | float):
        return failed(f"version 1 was asked for, and answered with {version!r}", answer.number)
    return passed("", answer.number)


CHECKS = (
    Check(
        "A3",
        "initialize with version 1 is answered with version 1",
        Tier.MUST,
        (
            Sentence(
                "If the Agent supports the requested version, it MUST respond with the same version.",
                _SECTION,
            ),
        ),
        "answer initialize with protocolVersion 1, an integer, whenever 1 is asked for",
        _same_version,
        scenes=(HANDSHAKE,),
    ),
)
