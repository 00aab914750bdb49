"""Concurrency: several sessions, prompts in one session, and subagents"""

from acp_tui.check.bench import USUAL as USUAL_OFFER
from acp_tui.check.bench import Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.model import BEYOND, USUAL, check
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import AFTERWARD, CANCELLED_WITHIN
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why, failed, passed

_SHORT = 0.5
"""Seconds to listen for a second response."""


async def _unique_ids(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        try:
            ids = [await bench.open_session(probe), await bench.open_session(probe)]
        except Skip as skip:
            if skip.why is not Why.BLOCKED:
                raise
            return failed(skip.words, probe.messages[-1].number)
        frames = [one.number for one in probe.agent_messages if "sessionId" in one.result]
    if "" in ids:
        return failed("a session id is empty", *frames)
    if ids[0] == ids[1]:
        return failed(f"two sessions have the id {ids[0]!r}", *frames)
    return passed("", *frames)


async def _side_by_side(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        sessions = [await bench.open_session(probe), await bench.open_session(probe)]
        if sessions[0] == sessions[1]:
            raise Skip(Why.BLOCKED, "two sessions have the same id")
        turns = [bench.send_prompt(probe, session, ModelAct.SAY) for session in sessions]
        for turn in turns:
            await bench.wait_for_end(probe, turn)
        updates = [one for one in probe.updates() if one.number > turns[0].prompt]
        for turn in turns:
            verdict = judge_acceptance(turn, ", with a turn in another session")
            if verdict.outcome is CheckOutcome.FAIL:
                return verdict
    strange = [one for one in updates if one.session not in sessions]
    if strange:
        words = f"an update names the session {strange[0].session!r}"
        return failed(words, turns[0].prompt, turns[1].prompt, strange[0].number)
    spoke = {one.session for one in updates if one.kind in ("agent_message_chunk", "agent_message")}
    frames = tuple(turn.prompt for turn in turns)
    if any(turn.stop_reason != "end_turn" for turn in turns):
        raise Skip(Why.NOT_ACTED, "a turn of the two ended early")
    if len(spoke) == 1:
        return failed("both turns ended, and all that was said names one session", *frames)
    return passed("", *frames)


async def _steered(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        first = bench.send_prompt(probe, session, ModelAct.SLOW)
        if not await bench.wait_for_message(probe, first):
            raise Skip(Why.NOT_ACTED, "the turn ended before a second prompt")
        second = bench.send_prompt(probe, session, ModelAct.SAY)
        await probe.listen(_SHORT)
        probe.notify("session/cancel", {"sessionId": session})
        await bench.wait_for_end(probe, first, within=CANCELLED_WITHIN)
        await bench.wait_for_end(probe, second, within=CANCELLED_WITHIN)
        await probe.listen(_SHORT)
        return _of_two(probe, {"the first": first.id, "the second": second.id}, first.prompt)


def _of_two(probe: Probe, ids: dict[str, object], prompt: int) -> CheckVerdict:
    """Judge the responses to two overlapping prompts."""
    if probe.exit_reason is not None:
        return failed(f"the agent is gone: {probe.exit_reason}", prompt)
    frames = [prompt]
    for name, id in ids.items():
        answers = probe.responses(id)
        frames += [one.number for one in answers]
        if not answers:
            return failed(f"{name} of two prompts in one session was never answered", *frames)
        if len(answers) > 1:
            return failed(f"{name} of two prompts in one session was answered twice", *frames)
    second = probe.responses(ids["the second"])[0]
    if second.error is not None:
        return passed(f"the second prompt got the error {second.code}", *frames)
    return passed("", *frames)


async def _subagents(bench: Bench) -> CheckVerdict:
    async with bench.agent({**USUAL_OFFER, "subagents": {}}) as probe:
        probe.permission = "allow_once"
        session = await bench.open_session(probe)
        await bench.prompt(probe, session, ModelAct.SUBAGENT)
        await probe.listen(AFTERWARD)
        known = {session}
        for one in probe.agent_messages:
            if one.method and one.session and one.session not in known:
                what = one.kind or one.method
                return failed(
                    f"{what}: the session {one.session!r} was not announced before", one.number
                )
            if one.kind == "subagent_update" and isinstance(one.update.get("sessionId"), str):
                known.add(one.update["sessionId"])
        announced = probe.updates("subagent_update")
    if not announced:
        raise Skip(Why.NOT_ACTED, "no subagent was announced: the agent may have none")
    return passed("", announced[0].number)


CHECKS = (
    check("A9", _unique_ids),
    check("A39", _side_by_side, profiles=USUAL, acts=(ModelAct.SAY, ModelAct.SAY)),
    check("A58", _steered, profiles=BEYOND, acts=(ModelAct.SLOW, ModelAct.SAY)),
    check("A62", _subagents, profiles=USUAL, acts=(ModelAct.SUBAGENT,)),
)
