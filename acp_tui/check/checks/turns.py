"""Turns: a prompt, the updates that follow, and how it ends"""

from pathlib import PurePosixPath

from acp_tui.check.bench import Bench, Take
from acp_tui.check.messages import CheckTurn
from acp_tui.check.model import (
    USUAL,
    Check,
    CheckOutcome,
    CheckVerdict,
    Sentence,
    Skip,
    Tier,
    Why,
    failed,
    passed,
    warned,
)
from acp_tui.check.prompts import FILE, ModelAct
from acp_tui.check.scenes import TURN
from acp_tui.protocol.jsonrpc import ErrorCode

_PAGE = "Prompt Turn"
REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


def judge_acceptance(turn: CheckTurn, words: str = "") -> CheckVerdict:
    """Judge whether a prompt was accepted, whatever its turn ended with. Raises Skip."""
    if turn.answer is None:
        return failed(f"session/prompt got no answer{words}", turn.prompt)
    frames = (turn.prompt, turn.answer.number)
    if turn.answer.code == ErrorCode.AUTH_REQUIRED:
        raise Skip(Why.SIGN_IN, "session/prompt wants a sign-in")
    if turn.answer.error is not None:
        told = f"{turn.answer.code}: {turn.answer.error.get('message')}"
        return failed(f"session/prompt got the error {told}{words}", *frames)
    return passed("", *frames)


async def _played(bench: Bench) -> tuple[Take, CheckTurn]:
    take = await bench.play_scene(TURN)
    if not take.turns:
        raise take.ended or Skip(Why.BLOCKED)
    return take, take.turns[0]


async def _stop_reason(bench: Bench) -> CheckVerdict:
    _, turn = await _played(bench)
    verdict = judge_acceptance(turn)
    if verdict.outcome is CheckOutcome.PASS and turn.stop_reason not in REASONS:
        return failed(f"the stop reason is {turn.stop_reason!r}", *verdict.frames)
    return verdict


async def _resource_link(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        bench.write_file(probe, FILE, "hello\n")
        uri = PurePosixPath(probe.cwd, FILE).as_uri()
        link = {"type": "resource_link", "uri": uri, "name": FILE}
        text = {"type": "text", "text": bench.prompt_text(probe, ModelAct.SAY)}
        return judge_acceptance(await bench.prompt(probe, session, [text, link]))


async def _updates(bench: Bench) -> CheckVerdict:
    take, turn = await _played(bench)
    if turn.answer is None or turn.answer.error is not None:
        raise Skip(Why.BLOCKED, "the turn did not end with a result")
    strange = [one for one in turn.updates if one.session != take.session]
    if strange:
        words = f"an update is for the session {strange[0].session!r}, not {take.session!r}"
        return failed(words, turn.prompt, strange[0].number)
    late = take.probe.findings("update-after-turn")
    if late:
        frames = (turn.answer.number, take.probe.frame(late[0]))
        return warned(f"{late[0].message}: a client may show it nowhere", *frames)
    shown = [one.number for one in turn.updates[:1]]
    return passed("" if shown else "no update came", *shown, turn.answer.number)


CHECKS = (
    Check(
        "A12",
        "session/prompt is answered with a stop reason",
        Tier.MUST,
        (
            Sentence(
                "If there are no pending tool calls, the turn ends and the Agent MUST respond to the "
                "original session/prompt request with a StopReason",
                _PAGE,
            ),
        ),
        'answer session/prompt with {"stopReason": "end_turn"} when the model is done',
        _stop_reason,
        profiles=USUAL,
        scenes=(TURN,),
        tck="ACP-PROMPT-001",
    ),
    Check(
        "A13",
        "a prompt may contain a link to a resource",
        Tier.MUST,
        (
            Sentence(
                "As a baseline, all Agents MUST support ContentBlock::Text and "
                "ContentBlock::ResourceLink in session/prompt requests.",
                "Initialization",
            ),
        ),
        "accept resource_link blocks: give the model their uri, or read what they point to",
        _resource_link,
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-PROMPT-003",
        second=(
            Sentence(
                "All agents MUST support resource links in prompts.", "Schema, ContentBlock", "2"
            ),
        ),
    ),
    Check(
        "A14",
        "updates name the session of their turn, and come before its end",
        Tier.MUST,
        (
            Sentence(
                "The ID of the session this update pertains to.", "Schema, SessionNotification"
            ),
        ),
        "send what belongs to a turn with its session's id, before you answer session/prompt",
        _updates,
        profiles=USUAL,
        scenes=(TURN,),
        tck="ACP-PROMPT-002",
        second=(
            Sentence(
                "The ID of the session this update pertains to.",
                "Schema, UpdateSessionNotification",
                "2",
            ),
        ),
    ),
)
