"""Sessions: how they are opened"""

from acp_tui.check.bench import Bench
from acp_tui.check.model import Check, Sentence, Tier, Verdict, failed, passed


async def _unique_ids(bench: Bench) -> Verdict:
    async with bench.agent() as probe:
        ids = [await bench.open(probe), await bench.open(probe)]
        frames = [one.number for one in probe.heard if "sessionId" in one.result]
        if "" in ids:
            return failed("a session id is empty", *frames)
        if ids[0] == ids[1]:
            return failed(f"two sessions have the id {ids[0]!r}", *frames)
        return passed("", *frames)


CHECKS = (
    Check(
        "A9",
        "session/new gives each session an id of its own",
        Tier.MUST,
        (Sentence("The Agent MUST respond with a unique Session ID.", "Session Setup"),),
        "make a new id for each session/new, never one from the cwd or the time alone",
        _unique_ids,
    ),
)
