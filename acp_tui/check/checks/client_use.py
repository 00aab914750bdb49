"""Use of the client: its files and terminals, unadvertised calls, and errors"""

from collections.abc import Awaitable, Callable

from acp_tui.check.bench import Bench, Take
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.model import BEYOND, USUAL, check
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import BARE, WORK
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed
from acp_tui.protocol.findings import format_path
from acp_tui.protocol.jsonrpc import Error, ErrorCode


def _need_acts(take: Take) -> None:
    """Raise Skip if the model performed no act in a scene.

    Call this after looking for breaches: those count whatever the model did.
    """
    if not take.acted:
        raise take.ended or Skip(Why.NOT_ACTED)


async def _only_offered(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(BARE)
    called = take.probe.called("fs/", "terminal/", "elicitation/create")
    if called:
        names = ", ".join(dict.fromkeys(one.method for one in called))
        return failed(f"calls what was not offered: {names}", 1, called[0].number)
    _need_acts(take)
    return passed("", 1, *take.probe.last_frames(1))


async def _absolute_paths(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(WORK)
    for finding in take.probe.findings("relative-path", "line-zero"):
        words = f"{format_path(finding.path)}: {finding.message}"
        return failed(words, take.probe.frame(finding))
    _need_acts(take)
    return passed("", *take.probe.last_frames(1))


async def _released(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(WORK)
    for finding in take.probe.findings("terminal-unreleased"):
        return failed(finding.message, take.probe.frame(finding))
    _need_acts(take)
    made = take.probe.called("terminal/create")
    if not made:
        if ModelAct.SHELL not in take.acted:
            raise Skip(Why.NOT_ACTED, "the model ran no command")
        raise Skip(Why.NOT_OFFERED, "the agent made no terminal of the client's")
    return passed("", made[0].number)


_NO = Error(ErrorCode.INTERNAL_ERROR, "not now")


def _refused(act: ModelAct, *methods: str) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Return a check that the turn ends even if the client answers these calls with an error."""

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
    check("A18", _only_offered, profiles=USUAL, scenes=(BARE,)),
    check("A19", _absolute_paths, profiles=USUAL, scenes=(WORK,)),
    check("A20", _released, profiles=USUAL, scenes=(WORK,)),
    check(
        "A47", _refused(ModelAct.READ, "fs/read_text_file"), profiles=BEYOND, acts=(ModelAct.READ,)
    ),
    check(
        "A48",
        _refused(ModelAct.WRITE, "fs/write_text_file"),
        profiles=BEYOND,
        acts=(ModelAct.WRITE,),
    ),
    check(
        "A49", _refused(ModelAct.SHELL, "terminal/create"), profiles=BEYOND, acts=(ModelAct.SHELL,)
    ),
)
