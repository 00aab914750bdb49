"""Refusals: what is done when the client can't"""

from collections.abc import Awaitable, Callable

from acp_tui.check.bench import Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.model import BEYOND, Check, Tier
from acp_tui.check.prompts import ModelAct
from acp_tui.check.verdicts import CheckVerdict, Skip, Why
from acp_tui.protocol.jsonrpc import Error, ErrorCode

_NO = Error(ErrorCode.INTERNAL_ERROR, "not now")


def _refused(act: ModelAct, *methods: str) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Make a check: a turn ends also if the client answers some of the agent's calls with an error."""

    async def run(bench: Bench) -> CheckVerdict:
        async with bench.session() as (probe, session):
            probe.permission = "allow_once"
            for method in methods:
                probe.answers[method] = lambda _: _NO
            turn = await bench.act(probe, session, act)
            called = probe.called(*methods)
            if not called:
                raise Skip(Why.NOT_OFFERED, f"the agent doesn't call {' or '.join(methods)}")
        verdict = judge_acceptance(turn, f", after {called[0].method} got an error")
        return CheckVerdict(verdict.outcome, verdict.words, (*verdict.frames, called[0].number))

    return run


CHECKS = (
    Check(
        "A47",
        "a file that the client refuses to read doesn't end the turn with an error",
        Tier.HEURISTIC,
        (),
        "give the model the client's error as the tool's result, and go on",
        _refused(ModelAct.READ, "fs/read_text_file"),
        profiles=BEYOND,
        acts=(ModelAct.READ,),
    ),
    Check(
        "A48",
        "a file that the client refuses to write doesn't end the turn with an error",
        Tier.HEURISTIC,
        (),
        "give the model the client's error as the tool's result, and go on",
        _refused(ModelAct.WRITE, "fs/write_text_file"),
        profiles=BEYOND,
        acts=(ModelAct.WRITE,),
    ),
    Check(
        "A49",
        "a terminal that the client refuses to create doesn't end the turn with an error",
        Tier.HEURISTIC,
        (),
        "give the model the client's error as the tool's result, and go on",
        _refused(ModelAct.SHELL, "terminal/create"),
        profiles=BEYOND,
        acts=(ModelAct.SHELL,),
    ),
)
