"""History: sessions that are loaded, resumed, forked and closed"""

from uuid import uuid4

from acp_tui.check.bench import Bench, end_of_turn
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.messages import Heard
from acp_tui.check.model import (
    BEYOND,
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
from acp_tui.check.probe import Probe, require_capability
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CANCELLED_WITHIN
from acp_tui.protocol.kinds import CHUNKS

_SETUP = "Session Setup"
_HISTORY = (*CHUNKS, *(one.removesuffix("_chunk") for one in CHUNKS))
_PAUSES = (0.0, 1.0)
"""Seconds after the first words of a turn at which its session is closed."""
_AFTERWARD = 0.5
"""Seconds in which a replay would go on that must be over."""


async def said_before(bench: Bench, *capability: str) -> tuple[str, str]:
    """Have a session with a turn, in an agent that then leaves; return its id and its folder."""
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, *capability)
        session = await bench.open_session(probe)
        await have_plain_turn(bench, probe, session)
        await probe.wire.hang_up(probe.patience)
    return session, probe.cwd


async def have_plain_turn(bench: Bench, probe: Probe, session: str) -> None:
    """Have a turn without tools. Raises Skip if it doesn't end well."""
    verdict = judge_acceptance(await bench.prompt(probe, session, ModelAct.SAY))
    if verdict.outcome is CheckOutcome.FAIL:
        raise Skip(Why.BLOCKED, verdict.words)


async def _again(
    bench: Bench, probe: Probe, method: str, session: str, folder: str
) -> tuple[Heard | None, int]:
    """Open a session by another method; return the answer, and the number of the request."""
    await bench.sign_in(probe)
    params = {"sessionId": session, "cwd": folder, "mcpServers": []}
    id = probe.start(method, params)
    sent = probe.messages[-1].number
    return await probe.answer(id), sent


async def load_again(bench: Bench) -> CheckVerdict:
    """Judge the replay of a session that another process loads."""
    session, folder = await said_before(bench, "loadSession")
    async with bench.agent() as probe:
        answer, sent = await _again(bench, probe, "session/load", session, folder)
        if (wrong := no_result("session/load", probe, answer, sent)) is not None:
            return wrong
        assert answer is not None
        await probe.listen(_AFTERWARD)
        told = [one for one in probe.updates(*_HISTORY) if one.session == session]
        late = [one for one in told if one.number > answer.number]
        if not probe.is_in_order:
            late = []
        before = {f"{one.kind.removesuffix('_chunk')}_chunk" for one in told if one not in late}
    if late:
        words = "a part of the conversation comes after the response"
        return failed(words, sent, answer.number, late[0].number)
    missing = [kind for kind in _HISTORY[:2] if kind not in before]
    if missing:
        return failed(f"the replay has no {' and no '.join(missing)}", sent, answer.number)
    return passed("", sent, answer.number)


def no_result(method: str, probe: Probe, answer: Heard | None, sent: int) -> CheckVerdict | None:
    if answer is None:
        return failed(f"no answer to {method}: {probe.gone or 'in time'}", sent)
    if answer.error is not None:
        return failed(f"{method} got the error {answer.code}", sent, answer.number)
    return None


async def _resume(bench: Bench) -> CheckVerdict:
    session, folder = await said_before(bench, "sessionCapabilities", "resume")
    async with bench.agent() as probe:
        answer, sent = await _again(bench, probe, "session/resume", session, folder)
        if (wrong := no_result("session/resume", probe, answer, sent)) is not None:
            return wrong
        assert answer is not None
        early = [one for one in probe.updates(*_HISTORY) if one.number < answer.number]
    if early:
        words = f"{len(early)} updates of the conversation come before the response"
        if not probe.is_in_order:
            return warned(f"{words}, or over HTTP just after it", sent, early[0].number)
        return failed(words, sent, early[0].number, answer.number)
    return passed("", sent, answer.number)


async def _judge_fork(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "fork")
        session = await bench.open_session(probe)
        await have_plain_turn(bench, probe, session)
        answer, sent = await _again(bench, probe, "session/fork", session, probe.cwd)
        if (wrong := no_result("session/fork", probe, answer, sent)) is not None:
            return wrong
        assert answer is not None
        fork = answer.result.get("sessionId")
        if not isinstance(fork, str) or fork in ("", session):
            return failed("the fork has no id of its own", sent, answer.number)
        turn = await bench.prompt(probe, fork, ModelAct.SAY)
        strange = [one for one in turn.updates if one.session != fork]
    if strange:
        words = f"an update of the fork's turn names {strange[0].session!r}"
        return failed(words, turn.prompt, strange[0].number)
    return judge_acceptance(turn, ", in the fork")


async def _judge_close(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "close")
        trials: list[CheckVerdict] = []
        for pause in _PAUSES:
            verdict, is_certain = await _closed_in_turn(bench, probe, pause)
            if is_certain:
                return verdict
            trials.append(verdict)
    return next((one for one in trials if one.outcome is CheckOutcome.SKIPPED), trials[-1])


async def _closed_in_turn(bench: Bench, probe: Probe, pause: float) -> tuple[CheckVerdict, bool]:
    """Close a session some seconds after its turn began to speak; return what that shows, and whether
    no other trial could show something else: a turn may end by itself just as its session is closed.
    """
    session = await bench.open_session(probe)
    turn = bench.begin(probe, session, ModelAct.SLOW)
    speaks = await bench.speaks(probe, turn)
    if speaks and pause:
        await bench.over(probe, turn, within=pause)
    was_over = end_of_turn(probe, turn) is not None
    id = probe.start("session/close", {"sessionId": session})
    sent = probe.messages[-1].number
    closed = await probe.answer(id)
    await bench.end(probe, turn, within=CANCELLED_WITHIN)
    if (wrong := no_result("session/close", probe, closed, sent)) is not None:
        return wrong, True
    assert closed is not None
    if was_over:
        ends_badly = judge_acceptance(turn).outcome is CheckOutcome.FAIL
        words = "each turn ended before its session could be closed"
        skipped = CheckVerdict(
            CheckOutcome.SKIPPED, words, why=Why.BLOCKED if ends_badly else Why.NOT_ACTED
        )
        return skipped, False
    if turn.answer is None:
        words = "the prompt of the closed session got no answer"
        return failed(words, turn.prompt, sent, closed.number), True
    frames = (turn.prompt, sent, *sorted((closed.number, turn.answer.number)))
    if turn.stop_reason == "cancelled":
        return passed("", *frames), True
    went_on = [one for one in turn.updates if one.number > closed.number and one.session == session]
    error = turn.answer.error is not None
    how = f"the error {turn.answer.code}" if error else repr(turn.stop_reason)
    return failed(f"the turn of the closed session ended with {how}", *frames), bool(went_on)


async def _unknown_session(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.open_session(probe)
        answer = (await bench.prompt(probe, str(uuid4()), "hello")).answer
        sent = next(one.number for one in probe.messages if one.method == "session/prompt")
    if answer is None:
        return failed(f"a prompt in no session got no answer: {probe.gone or 'in time'}", sent)
    if answer.error is None and answer.result.get("stopReason") == "refusal":
        return passed("the turn ends with the stop reason refusal", sent, answer.number)
    if answer.error is None:
        return failed("a prompt in a session that never was got a result", sent, answer.number)
    return passed(f"it answers with the error {answer.code}", sent, answer.number)


CHECKS = (
    Check(
        "A21",
        "session/load replays the whole conversation, then answers",
        Tier.CAPABILITY,
        (
            Sentence(
                "The Agent MUST replay the entire conversation to the Client in the form of "
                "session/update notifications (like session/prompt).",
                _SETUP,
            ),
            Sentence(
                "When all the conversation entries have been streamed to the Client, the Agent MUST "
                "respond to the original session/load request.",
                _SETUP,
            ),
            Sentence(
                "This feature enables persistence across restarts and sharing sessions between "
                "different Client instances.",
                _SETUP,
            ),
        ),
        "keep what was said with the session, and send it as chunks before the answer",
        load_again,
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-LOAD-001, ACP-LOAD-002",
    ),
    Check(
        "A22",
        "session/resume replays nothing of the conversation",
        Tier.CAPABILITY,
        (
            Sentence(
                "Unlike session/load, the Agent MUST NOT replay the conversation history via "
                "session/update notifications before responding.",
                _SETUP,
            ),
        ),
        "restore the context, and answer without updates of what was said",
        _resume,
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-RESUME-001, ACP-RESUME-002",
        second=(
            Sentence(
                "Omitted and null are equivalent and mean the Agent should resume without "
                "replaying previous conversation history.",
                "Schema, ResumeSessionRequest",
                "2",
            ),
        ),
    ),
    Check(
        "A25",
        "session/close ends the running turn as cancelled",
        Tier.CAPABILITY,
        (
            Sentence(
                "The Agent MUST cancel any ongoing work for that session as if session/cancel had "
                "been called, then free the resources associated with the session.",
                _SETUP,
            ),
        ),
        'cancel the turn, answer its prompt with {"stopReason": "cancelled"}, then answer the close',
        _judge_close,
        profiles=USUAL,
        acts=(ModelAct.SLOW,) * 2,
        tck="ACP-CLOSE-001, ACP-CLOSE-002",
        second=(
            Sentence(
                "When closing cancels active foreground work, the Agent MUST send the final "
                'updates for that work and the idle state_update with stopReason: "cancelled" '
                "before responding successfully to session/close.",
                "Schema, CloseSessionRequest",
                "2",
            ),
        ),
    ),
    Check(
        "A44",
        "a fork is a session of its own",
        Tier.HEURISTIC,
        (),
        "give the fork a new id, and send its updates with that",
        _judge_fork,
        profiles=BEYOND,
        acts=(ModelAct.SAY, ModelAct.SAY),
    ),
    Check(
        "A45",
        "a prompt in a session that never existed is refused",
        Tier.HEURISTIC,
        (),
        "answer session/prompt with an error if you don't know the sessionId",
        _unknown_session,
        profiles=BEYOND,
        tck="ACP-INFO-UNKNOWNSESSION-001",
    ),
)
