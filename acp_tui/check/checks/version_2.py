"""Version 2: its negotiation, states, echoes and replays"""

from collections.abc import Awaitable, Callable

from acp_tui.check.bench import CLIENT, Bench, CheckScene
from acp_tui.check.checks.history import load_again
from acp_tui.check.messages import Heard
from acp_tui.check.model import (
    USUAL,
    Check,
    CheckVerdict,
    Sentence,
    Skip,
    Tier,
    Why,
    failed,
    passed,
)
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CANCEL, TURN, WORK

_UNKNOWN = 65535
_UNSUPPORTED = -32022
_STATES = (
    "work-before-running",
    "work-while-action-required",
    "idle-without-reason",
    "error-without-details",
    "background-unannounced",
    "background-removed",
    "background-left-out",
)


def of_2(text: str, of: str) -> Sentence:
    """Return the description of a type in version 2's schema."""
    return Sentence(text, f"Schema, {of}", "2")


_NEGOTIATION = of_2(
    "The highest protocol version supported by the agent that is at or below the version requested by "
    "the client.",
    "InitializeResponse",
)


async def _asked_for(bench: Bench, version: int) -> tuple[Probe, Heard]:
    """Ask for a version in the form of version 2; return the answer. Raises Skip."""
    async with bench.agent() as probe:
        params = {"protocolVersion": version, "info": CLIENT, "capabilities": {}}
        answer = await probe.call("initialize", params)
    if answer is None:
        raise Skip(Why.BLOCKED, probe.silent_about(f"version {version}"))
    return probe, answer


async def _form(bench: Bench) -> CheckVerdict:
    _, answer = await _asked_for(bench, 2)
    frames = (1, answer.number)
    if answer.error is not None:
        return failed(f"asked for 2, it answers with the error {answer.code}", *frames)
    version = answer.result.get("protocolVersion")
    if version != 2 or isinstance(version, bool):
        return failed(f"asked for 2, it answers {version!r}", *frames)
    missing = [name for name in ("info", "capabilities") if name not in answer.result]
    if missing:
        return failed(f"it answers 2, without {' and '.join(missing)}", *frames)
    return passed("", *frames)


async def _highest(bench: Bench) -> CheckVerdict:
    _, answer = await _asked_for(bench, _UNKNOWN)
    frames = (1, answer.number)
    version = answer.result.get("protocolVersion")
    if answer.error is not None:
        return failed(f"version {_UNKNOWN} got the error {answer.code}", *frames)
    if not isinstance(version, int) or not 2 <= version < _UNKNOWN:
        return failed(f"asked for {_UNKNOWN}, it answers {version!r}", *frames)
    return passed(f"it answers {version}", *frames)


async def _lowest(bench: Bench) -> CheckVerdict:
    _, answer = await _asked_for(bench, 0)
    frames = (1, answer.number)
    if answer.code != _UNSUPPORTED:
        how = "a result" if answer.error is None else f"the error {answer.code}"
        return failed(f"version 0 got {how}, not {_UNSUPPORTED}", *frames)
    assert answer.error is not None
    data = answer.error.get("data")
    if not isinstance(data, dict) or not {"requested", "supported"} <= data.keys():
        return failed("the error doesn't tell what is requested and supported", *frames)
    return passed("", *frames)


def _without(
    scenes: tuple[CheckScene, ...], *rules: str
) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Make a check: none of these rules of the linter is broken in any of the scenes."""

    async def run(bench: Bench) -> CheckVerdict:
        for take in await bench.takes(scenes):
            probe = bench.note_connection(take.probe)
            for finding in probe.findings(*rules):
                return failed(finding.message, probe.frame(finding))
        return passed("", *probe.last_frames(1))

    return run


async def _taken(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(TURN)
    if not take.turns:
        raise take.ended or Skip(Why.BLOCKED)
    probe, prompt = take.probe, take.turns[0]
    answer = probe.answered(prompt.id)
    if answer is None:
        return failed("session/prompt got no answer", prompt.prompt)
    frames = (prompt.prompt, answer.number)
    if answer.error is not None:
        return failed(f"session/prompt got the error {answer.code}", *frames)
    id = answer.result.get("messageId")
    if not isinstance(id, str) or not id:
        return failed("the answer has no messageId", *frames)
    echoes = [
        one
        for one in probe.updates("user_message", "user_message_chunk")
        if one.update.get("messageId") == id
    ]
    if not echoes:
        return failed(f"no user_message has the id {id!r}", *frames)
    return passed("", *frames, echoes[0].number)


async def _states(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(TURN)
    if take.turns and take.turns[0].answer is None:
        return failed("the session was never idle again", take.turns[0].prompt)
    return await _without((TURN, WORK), *_STATES)(bench)


async def _resumes(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        session = await bench.open_session(probe)
        params = {"sessionId": session, "cwd": probe.cwd, "mcpServers": []}
        answer = await probe.call("session/resume", params)
        sent = probe.messages[-1].number
    if answer is None or answer.error is not None:
        how = "no answer" if answer is None else f"the error {answer.code}"
        raise Skip(Why.BLOCKED, f"session/resume of an open session got {how}")
    states = [one for one in probe.updates("state_update") if one.session == session]
    if not any(one.number < answer.number for one in states):
        return failed("no state_update came before the answer", answer.number)
    return passed("", states[-1].number, sent)


CHECKS = (
    Check(
        "B1",
        "initialize with version 2 is answered with version 2, in its form",
        Tier.MUST,
        (_NEGOTIATION,),
        "answer protocolVersion 2, info and capabilities",
        _form,
    ),
    Check(
        "B2",
        "initialize with a later version is answered with the latest that the agent speaks",
        Tier.MUST,
        (_NEGOTIATION,),
        "answer min(asked, latest of yours)",
        _highest,
    ),
    Check(
        "B3",
        "a version below all that the agent speaks is refused, and the error lists those",
        Tier.SHOULD,
        (
            of_2(
                "If no such version exists, initialization fails with error code -32022.",
                "InitializeResponse",
            ),
        ),
        'answer {"code": -32022, "data": {"requested": 0, "supported": [...]}}',
        _lowest,
    ),
    Check(
        "B4",
        "a prompt is answered with the id of its message, and the message is echoed",
        Tier.MUST,
        (
            of_2(
                "The Agent MUST return the inserted message's ID without waiting for processing to "
                "finish.",
                "ClientRequest",
            ),
            of_2("Agents must echo the message during the live session", "PromptResponse"),
        ),
        "answer session/prompt with a messageId at once, and send a user_message with it",
        _taken,
        profiles=USUAL,
        scenes=(TURN,),
    ),
    Check(
        "B5",
        "a session says when it runs, waits and is idle",
        Tier.MUST,
        (
            of_2(
                "Either way, the agent MUST report running when foreground work starts, or "
                "requires_action if it starts blocked on user action, and idle when it ends.",
                "StateUpdate",
            ),
        ),
        "send the state_update running before anything else in a turn, and idle with a stopReason after it",
        _states,
        profiles=USUAL,
        scenes=(TURN, WORK),
    ),
    Check(
        "B6",
        "an unclear answer is not an approval, and canceled work stays canceled",
        Tier.MUST,
        (
            of_2(
                "Agents MUST catch errors caused by aborting cancelled work and report the cancelled "
                "stop reason, not error.",
                "ClientNotification",
            ),
        ),
        "report cancelled, even if aborting raises an error",
        _without((CANCEL,), "not-cancelled", "not-approved-but-completed"),
        profiles=USUAL,
        scenes=(CANCEL,),
    ),
    Check(
        "B7",
        "session/resume gives the session's state before its answer",
        Tier.MUST,
        (
            of_2(
                "The agent MUST send a current state_update after any requested history replay and "
                "before this response, even without replay.",
                "ResumeSessionResponse",
            ),
        ),
        "send a state_update, then answer session/resume",
        _resumes,
    ),
    Check(
        "B8",
        "session/resume with replayFrom replays the conversation, then answers",
        Tier.SHOULD,
        (
            of_2(
                'Supplying { "type": "start" } means the Agent should replay all retained '
                "conversation history before responding.",
                "ResumeSessionRequest",
            ),
        ),
        "keep what was said with the session, and send it before the answer",
        load_again,
        profiles=USUAL,
        acts=(ModelAct.SAY,),
    ),
)
