"""Version 2: negotiation, states, echoes, replays, and refusals"""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from acp_tui.check.bench import CLIENT, SPEECH, Bench, CheckScene
from acp_tui.check.checks.history import (
    AFTERWARD,
    HISTORY,
    judge_load,
    no_result,
    play_plain_turn,
    reopen_session,
)
from acp_tui.check.messages import Json, NumberedMessage
from acp_tui.check.model import USUAL, check
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CANCEL, TURN, WORK
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed
from acp_tui.protocol.jsonrpc import ErrorCode

_UNKNOWN = 65535
_UNSUPPORTED = -32022
_REPLAY_ENDS = ("replay-end-misplaced", "replay-end-not-asked", "replay-without-end")
_STATES = (
    "work-before-running",
    "work-while-action-required",
    "idle-without-reason",
    "error-without-details",
    "background-unannounced",
    "background-removed",
    "background-left-out",
)


async def _request_version(bench: Bench, version: int) -> tuple[Probe, NumberedMessage]:
    """Send version 2's `initialize` with a protocol version; return the response. Raises Skip if
    there is none.
    """
    async with bench.agent() as probe:
        params = {"protocolVersion": version, "info": CLIENT, "capabilities": {}}
        answer = await probe.call("initialize", params)
    if answer is None:
        raise Skip(Why.BLOCKED, probe.missing_answer(f"version {version}"))
    return probe, answer


async def _form(bench: Bench) -> CheckVerdict:
    _, answer = await _request_version(bench, 2)
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
    _, answer = await _request_version(bench, _UNKNOWN)
    frames = (1, answer.number)
    version = answer.result.get("protocolVersion")
    if answer.error is not None:
        return failed(f"version {_UNKNOWN} got the error {answer.code}", *frames)
    if not isinstance(version, int) or not 2 <= version < _UNKNOWN:
        return failed(f"asked for {_UNKNOWN}, it answers {version!r}", *frames)
    return passed(f"it answers {version}", *frames)


async def _lowest(bench: Bench) -> CheckVerdict:
    _, answer = await _request_version(bench, 0)
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
    """Return a check that none of these linter rules is broken in any of the scenes."""

    async def run(bench: Bench) -> CheckVerdict:
        for take in await bench.play_scenes(scenes):
            probe = bench.cite(take.probe)
            for finding in probe.findings(*rules):
                return failed(finding.message, probe.frame(finding))
        return passed("", *probe.last_frames(1))

    return run


async def _accepts_prompt(bench: Bench) -> CheckVerdict:
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


async def _judge_replay_ends(bench: Bench) -> CheckVerdict:
    """Judge where replays end: of a session with a turn, of a resume without a replay, and of an
    empty session.
    """
    async with bench.session() as (probe, session):
        await play_plain_turn(bench, probe, session)
        await probe.call("session/close", {"sessionId": session})
        answer, sent = await reopen_session(bench, probe, "session/load", session, probe.cwd)
        if (wrong := no_result("session/load", probe, answer, sent)) is not None:
            raise Skip(Why.BLOCKED, wrong.words)
        assert answer is not None
        await reopen_session(bench, probe, "session/resume", session, probe.cwd)
        empty = await bench.open_session(probe)
        await reopen_session(bench, probe, "session/load", empty, probe.cwd)
        await probe.listen(AFTERWARD)
    ends = probe.updates("replay_complete")
    if not ends:
        words = "no replay ended with replay_complete: drafts before 20 Nov 2026 have none"
        raise Skip(Why.NOT_OFFERED, words)
    for finding in probe.findings(*_REPLAY_ENDS):
        words = finding.message.partition(";")[0]  # without the part that excuses drafts
        return failed(words, probe.frame(finding))
    first = next((one.number for one in ends if one.session == session), answer.number)
    replayed = (one for one in probe.updates(*HISTORY) if one.session == session)
    late = next((one for one in replayed if first < one.number < answer.number), None)
    if late is not None and probe.is_in_order:
        words = "a part of the conversation comes after replay_complete"
        return failed(words, sent, first, late.number)
    return passed("", sent, first, answer.number)


async def _accepts_once(bench: Bench) -> CheckVerdict:
    """Send a prompt twice with one idempotency key.

    An agent that doesn't know keys fails only if it ends replays as the Preview requires: earlier
    drafts have no keys.
    """
    async with bench.session() as (probe, session):
        key = {"idempotencyKey": str(uuid4())}
        turn = await play_plain_turn(bench, probe, session, **key)
        retry = bench.send_prompt(probe, session, ModelAct.SAY, **key)
        answer = await probe.answer(retry.id)
        await probe.listen(AFTERWARD)
        work = [one for one in probe.updates(*SPEECH) if one.number > retry.prompt]
        await probe.call("session/close", {"sessionId": session})
        await reopen_session(bench, probe, "session/load", session, probe.cwd)
    first = probe.answered(turn.id)
    if answer is None or first is None:
        return failed(probe.missing_answer("the prompt that came again"), retry.prompt)
    frames = (first.number, retry.prompt, answer.number)
    if answer.error is None and answer.result.get("messageId") == first.result.get("messageId"):
        if work:
            return failed("the prompt that came again began work", *frames[1:], work[0].number)
        return passed("", *frames)
    if not probe.updates("replay_complete"):
        raise Skip(Why.NOT_OFFERED, "drafts before 20 Nov 2026 have no idempotencyKey")
    how = "a messageId of its own" if answer.error is None else f"the error {answer.code}"
    return failed(f"the prompt that came again got {how}", *frames)


def _refuses(
    method: str, params: Callable[[Probe, str], Json], what: str
) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Return a check that a request is answered with -32602 (invalid params)."""

    async def run(bench: Bench) -> CheckVerdict:
        async with bench.session() as (probe, session):
            probe.start(method, params(probe, session))
            sent = probe.messages[-1]
            answer = await probe.answer(sent.body["id"])
        if answer is None:
            return failed(probe.missing_answer(what), sent.number)
        if answer.code != ErrorCode.INVALID_PARAMS:
            how = "a result" if answer.error is None else f"the error {answer.code}"
            return failed(f"{what} got {how}, not -32602", sent.number, answer.number)
        return passed("", sent.number, answer.number)

    return run


async def _refuses_option(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, _):
        opened = next(one for one in probe.agent_messages if "sessionId" in one.result)
        if not opened.result.get("configOptions"):
            raise Skip(Why.NOT_OFFERED, "the session has no options")
    refused = _refuses(
        "session/set_config_option",
        lambda _, session: {"sessionId": session, "configId": "_acp-tui-none", "value": "none"},
        "an unknown option",
    )
    return await refused(bench)


async def _closes_unknown_session(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.open_session(probe)
        answer = await probe.call("session/close", {"sessionId": "acp-tui-no-such-session"})
    number = probe.messages[-1].number if answer is None else answer.number
    if answer is None or answer.error is not None:
        how = "no answer" if answer is None else f"the error {answer.code}"
        return failed(f"closing a session that never was got {how}", number)
    return passed("", number)


def _with_transport(probe: Probe, _: str) -> Json:
    server = {"type": "_acp-tui-none", "name": "none"}
    return {"cwd": probe.cwd, "mcpServers": [server]}


CHECKS = (
    check("B1", _form),
    check("B2", _highest),
    check("B3", _lowest),
    check("B4", _accepts_prompt, profiles=USUAL, scenes=(TURN,)),
    check("B5", _states, profiles=USUAL, scenes=(TURN, WORK)),
    check(
        "B6",
        _without((CANCEL,), "not-cancelled", "not-approved-but-completed"),
        profiles=USUAL,
        scenes=(CANCEL,),
    ),
    check("B7", _resumes),
    check("B8", judge_load, profiles=USUAL, acts=(ModelAct.SAY,)),
    check(
        "B9",
        _refuses(
            "session/resume",
            lambda probe, session: {
                "sessionId": session,
                "cwd": probe.cwd,
                "mcpServers": [],
                "replayFrom": {"type": "_acp-tui-none"},
            },
            "an unknown replayFrom",
        ),
    ),
    check("B10", _refuses_option),
    check(
        "B11",
        _refuses(
            "session/prompt",
            lambda _, session: {"sessionId": session, "prompt": [{"type": "_acp-tui-none"}]},
            "an unknown kind of content",
        ),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
    ),
    check("B12", _refuses("session/new", _with_transport, "an unknown transport")),
    check("B13", _closes_unknown_session),
    check("B14", _judge_replay_ends, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("B15", _accepts_once, profiles=USUAL, acts=(ModelAct.SAY, ModelAct.SAY)),
)
