"""Cancellation: turns, requests, and idle sessions"""

from acp_tui.check.bench import Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.messages import CheckTurn, NumberedMessage
from acp_tui.check.model import USUAL, check
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CANCEL, CANCELLED_WITHIN
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed
from acp_tui.protocol.jsonrpc import ErrorCode

_SHORT = 0.5
"""Seconds to listen for a response that must not come."""
_PROMPTLY = 5.0
"""Seconds within which a withdrawn request would be answered early; after that, the agent ignores
it.
"""


async def _cancelled(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(CANCEL)
    if not take.turns:
        raise take.ended or Skip(Why.BLOCKED)
    turn = take.turns[-1]
    if turn.answer is None:
        waited = bench.at_most(CANCELLED_WITHIN)
        words = f"session/prompt got no answer within {waited:g} s of session/cancel"
        return failed(words, turn.prompt, turn.cancel)
    frames = (turn.prompt, turn.cancel, turn.answer.number)
    if turn.answer.error is not None:
        return failed(f"the canceled prompt got the error {turn.answer.code}", *frames)
    if turn.stop_reason != "cancelled":
        return failed(f"the canceled turn ended with {turn.stop_reason!r}", *frames)
    return passed("", *frames)


async def _nothing_after(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(CANCEL)
    turn = take.turns[-1] if take.turns else None
    if turn is None or turn.answer is None:
        raise take.ended or Skip(Why.BLOCKED, "the canceled turn got no answer")
    found = take.probe.findings("update-after-cancelled")
    if found:
        frames = (turn.cancel, turn.answer.number, take.probe.frame(found[0]))
        return failed(found[0].message, *frames)
    return passed("", turn.answer.number)


async def _idle(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        before = len(probe.agent_messages)
        probe.notify("session/cancel", {"sessionId": session})
        sent = probe.messages[-1].number
        await probe.listen(_SHORT)
        answers = [one for one in probe.agent_messages[before:] if not one.method]
        if answers:
            return failed("a notification got a response", sent, answers[0].number)
        if probe.exit_reason is not None:
            return failed(f"the agent is gone: {probe.exit_reason}", sent)
        turn = await bench.prompt(probe, session, ModelAct.SAY)
        if turn.stop_reason == "cancelled" and turn.answer is not None:
            words = "the turn after it ended as cancelled"
            return failed(words, sent, turn.prompt, turn.answer.number)
        return judge_acceptance(turn, ", after an idle session/cancel")


async def _withdrawn(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        turn = bench.send_prompt(probe, session, ModelAct.SLOW)
        if not await bench.wait_for_message(probe, turn):
            raise Skip(Why.NOT_ACTED, "the turn ended before it could be canceled")
        probe.notify("$/cancel_request", {"requestId": turn.id})
        sent = probe.messages[-1].number
        answer = await probe.answer(turn.id, within=_PROMPTLY)
        if answer is None:
            return await _unheeded(probe, session, turn, sent)
        await probe.listen(_SHORT)
        answers = probe.responses(turn.id)
    frames = (turn.prompt, sent, *(one.number for one in answers))
    if len(answers) > 1:
        return failed(f"the request got {len(answers)} responses", *frames)
    return _of_withdrawn(answer, frames)


async def _unheeded(probe: Probe, session: str, turn: CheckTurn, sent: int) -> CheckVerdict:
    """Cancel a turn whose `$/cancel_request` was ignored, which is allowed; its prompt must still
    be answered.
    """
    probe.notify("session/cancel", {"sessionId": session})
    answer = await probe.answer(turn.id, within=CANCELLED_WITHIN)
    if answer is None:
        return failed("the request was never answered", turn.prompt, sent)
    return passed("it isn't heeded, which is allowed", turn.prompt, sent, answer.number)


def _of_withdrawn(answer: NumberedMessage, frames: tuple[int, ...]) -> CheckVerdict:
    if answer.error is not None and answer.code != ErrorCode.REQUEST_CANCELLED:
        return failed(f"the withdrawn request got the error {answer.code}", *frames)
    return passed("", *frames)


CHECKS = (
    check("A15", _cancelled, profiles=USUAL, scenes=(CANCEL,)),
    check("A16", _nothing_after, profiles=USUAL, scenes=(CANCEL,)),
    check("A17", _idle, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A33", _withdrawn, profiles=USUAL, acts=(ModelAct.SLOW,)),
)
