"""Turns: prompts, their content, updates, and stop reasons"""

from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath

from acp_tui.check.bench import Bench, Take
from acp_tui.check.messages import CheckTurn, Json
from acp_tui.check.model import BEYOND, USUAL, check
from acp_tui.check.probe import require_capability
from acp_tui.check.prompts import FILE, ModelAct
from acp_tui.check.scenes import TURN
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why, failed, passed, warned
from acp_tui.protocol.jsonrpc import ErrorCode

REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


def judge_acceptance(turn: CheckTurn, words: str = "") -> CheckVerdict:
    """Judge whether a prompt was accepted, whatever its stop reason. Raises Skip if a sign-in is
    required.
    """
    if turn.answer is None:
        return failed(f"session/prompt got no answer{words}", turn.prompt)
    frames = (turn.prompt, turn.answer.number)
    if turn.answer.code == ErrorCode.AUTH_REQUIRED:
        raise Skip(Why.SIGN_IN, "session/prompt wants a sign-in")
    if turn.answer.error is not None:
        error = f"{turn.answer.code}: {turn.answer.error.get('message')}"
        return failed(f"session/prompt got the error {error}{words}", *frames)
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


_IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
"""A PNG of one pixel, in Base64."""
_SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
"""A WAV of one sample, in Base64."""
_SIZE = 1_200_000
"""Length of a big prompt, in characters: over one megabyte, where many line readers have their
limit.
"""

_FILLING = "This line only makes the prompt long.\n"
"""Filler of real words: a tokenizer may need minutes for a million times the same character."""


def _accepts_block(capability: str, block: Json) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Return a check that a prompt with this content block works if the agent has the prompt
    capability.
    """

    async def run(bench: Bench) -> CheckVerdict:
        async with bench.agent() as probe:
            await bench.initialize(probe)
            require_capability(probe, "promptCapabilities", capability)
            session = await bench.open_session(probe)
            text = {"type": "text", "text": bench.prompt_text(probe, ModelAct.SAY)}
            return judge_acceptance(await bench.prompt(probe, session, [text, block]))

    return run


async def _accepts_big_prompt(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        words = bench.prompt_text(probe, ModelAct.SAY)
        filling = (_FILLING * (_SIZE // len(_FILLING) + 1))[:_SIZE]
        text = [{"type": "text", "text": words}, {"type": "text", "text": filling}]
        turn = await bench.prompt(probe, session, text)
        if turn.answer is not None and turn.answer.error is not None:
            # An error is fine, as the prompt may be too big for the model: what counts is that
            # the agent works on.
            await bench.open_session(probe)
            return passed(f"it answers with the error {turn.answer.code}", turn.answer.number)
        verdict = judge_acceptance(turn, f", to a prompt of {_SIZE:,} characters")
        if verdict.outcome is CheckOutcome.FAIL and probe.exit_reason is not None:
            return CheckVerdict(
                verdict.outcome, f"the agent is gone: {probe.exit_reason}", verdict.frames
            )
        return verdict


CHECKS = (
    check("A12", _stop_reason, profiles=USUAL, scenes=(TURN,)),
    check("A13", _resource_link, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A14", _updates, profiles=USUAL, scenes=(TURN,)),
    check(
        "A54",
        _accepts_block("image", {"type": "image", "mimeType": "image/png", "data": _IMAGE}),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
    ),
    check(
        "A55",
        _accepts_block("audio", {"type": "audio", "mimeType": "audio/wav", "data": _SOUND}),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
    ),
    check(
        "A56",
        _accepts_block(
            "embeddedContext",
            {
                "type": "resource",
                "resource": {
                    "uri": f"file:///{FILE}",
                    "mimeType": "text/plain",
                    "text": "hello\n",
                },
            },
        ),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
    ),
    check("A57", _accepts_big_prompt, profiles=BEYOND, acts=(ModelAct.SAY,)),
)
