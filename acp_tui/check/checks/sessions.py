"""Sessions: how they are opened"""

from acp_tui.check.bench import Bench
from acp_tui.check.model import Check, Tier
from acp_tui.check.quotes import Sentence
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed


async def _unique_ids(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        try:
            ids = [await bench.open_session(probe), await bench.open_session(probe)]
        except Skip as skip:
            if skip.why is not Why.BLOCKED:
                raise
            return failed(skip.words, probe.messages[-1].number)
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
        (
            Sentence(
                "The Agent MUST respond with a unique Session ID that identifies this conversation",
                "Session Setup",
            ),
        ),
        "make a new id for each session/new, not one of the folder or the process",
        _unique_ids,
        tck="ACP-SESSION-001, ACP-SESSION-002",
        second=(
            Sentence(
                "Unique identifier for the created session.", "Schema, NewSessionResponse", "2"
            ),
        ),
    ),
)
