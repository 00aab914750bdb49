"""Turns: a prompt, what is told of it, and how it ends"""

from acp_tui.check.bench import Bench
from acp_tui.check.model import USUAL, Check, Sentence, Tier, Verdict, failed, passed
from acp_tui.check.scenes import TURN

_SECTION = "Prompt Turn"
REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


async def _stop_reason(bench: Bench) -> Verdict:
    take = await bench.take(TURN)
    if not take.turns:
        raise take.ended or AssertionError
    (turn,) = take.turns
    if turn.answer is None:
        return failed("session/prompt got no answer", turn.prompt)
    if turn.answer.error is not None:
        return failed(f"session/prompt got the error {turn.answer.code}", turn.answer.number)
    if turn.stop_reason not in REASONS:
        return failed(f"the stop reason is {turn.stop_reason!r}", turn.answer.number)
    return passed("", turn.prompt, turn.answer.number)


CHECKS = (
    Check(
        "A12",
        "session/prompt is answered with a stop reason",
        Tier.MUST,
        (
            Sentence(
                "the Agent MUST respond to the original session/prompt request with a StopReason",
                _SECTION,
            ),
        ),
        'answer session/prompt with {"stopReason": "end_turn"} when the model is done',
        _stop_reason,
        profiles=USUAL,
        scenes=(TURN,),
    ),
)
