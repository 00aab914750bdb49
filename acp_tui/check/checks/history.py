"""History: loading, resuming, forking, closing, listing and deleting sessions"""

from typing import Any
from uuid import uuid4

from acp_tui.check.bench import Bench, end_of_turn
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.messages import CheckTurn, Json, NumberedMessage
from acp_tui.check.model import BEYOND, USUAL, check
from acp_tui.check.probe import Probe, require_capability
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CANCELLED_WITHIN
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why, failed, passed, warned
from acp_tui.protocol.dialects import dialect_of
from acp_tui.protocol.json_parts import objects_at
from acp_tui.protocol.kinds import CHUNKS

HISTORY = (*CHUNKS, *(one.removesuffix("_chunk") for one in CHUNKS))
_PAUSES = (0.0, 1.0)
"""Seconds between the first message of a turn and the close of its session, for each trial."""
AFTERWARD = 0.5
"""Seconds to listen for late updates, such as those of a replay that must be over."""


async def play_earlier_session(bench: Bench, *capability: str) -> tuple[str, str]:
    """Play a turn in an agent that then exits; return the session's id and folder."""
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, *capability)
        session = await bench.open_session(probe)
        await play_plain_turn(bench, probe, session)
        await probe.wire.hang_up(probe.patience)
    return session, probe.cwd


async def play_plain_turn(bench: Bench, probe: Probe, session: str, **params: Any) -> CheckTurn:
    """Play a turn without tools. Raises Skip if it fails."""
    turn = await bench.prompt(probe, session, ModelAct.SAY, **params)
    verdict = judge_acceptance(turn)
    if verdict.outcome is CheckOutcome.FAIL:
        raise Skip(Why.BLOCKED, verdict.words)
    return turn


async def reopen_session(
    bench: Bench, probe: Probe, method: str, session: str, folder: str
) -> tuple[NumberedMessage | None, int]:
    """Open a known session with `method`; return the response, and the number of the request's
    frame.
    """
    await bench.sign_in(probe)
    params = {"sessionId": session, "cwd": folder, "mcpServers": []}
    id = probe.start(method, params)
    sent = probe.messages[-1].number
    return await probe.answer(id), sent


async def judge_load(bench: Bench) -> CheckVerdict:
    """Judge the replay of a session that another process loads."""
    session, folder = await play_earlier_session(bench, "loadSession")
    async with bench.agent() as probe:
        answer, sent = await reopen_session(bench, probe, "session/load", session, folder)
        if (wrong := no_result("session/load", probe, answer, sent)) is not None:
            return wrong
        assert answer is not None
        await probe.listen(AFTERWARD)
        replayed = [one for one in probe.updates(*HISTORY) if one.session == session]
        late = [one for one in replayed if one.number > answer.number]
        if not probe.is_in_order:
            late = []
        before = {f"{one.kind.removesuffix('_chunk')}_chunk" for one in replayed if one not in late}
    if late:
        words = "a part of the conversation comes after the response"
        return failed(words, sent, answer.number, late[0].number)
    missing = [kind for kind in HISTORY[:2] if kind not in before]
    if missing:
        return failed(f"the replay has no {' and no '.join(missing)}", sent, answer.number)
    return passed("", sent, answer.number)


def no_result(
    method: str, probe: Probe, answer: NumberedMessage | None, sent: int
) -> CheckVerdict | None:
    """Return the failure of a request without a result, named as in the version that is spoken;
    None if it has one.
    """
    method = dialect_of(probe.version).name(method)
    if answer is None:
        return failed(f"no answer to {method}: {probe.exit_reason or 'in time'}", sent)
    if answer.error is not None:
        return failed(f"{method} got the error {answer.code}", sent, answer.number)
    return None


async def _resume(bench: Bench) -> CheckVerdict:
    session, folder = await play_earlier_session(bench, "sessionCapabilities", "resume")
    async with bench.agent() as probe:
        answer, sent = await reopen_session(bench, probe, "session/resume", session, folder)
        if (wrong := no_result("session/resume", probe, answer, sent)) is not None:
            return wrong
        assert answer is not None
        early = [one for one in probe.updates(*HISTORY) if one.number < answer.number]
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
        await play_plain_turn(bench, probe, session)
        answer, sent = await reopen_session(bench, probe, "session/fork", session, probe.cwd)
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
    """Close a session some seconds after its turn's first message; return the verdict and whether
    it is certain.

    It isn't if the turn may have ended by itself just before the close: then another trial may show
    more.
    """
    session = await bench.open_session(probe)
    turn = bench.send_prompt(probe, session, ModelAct.SLOW)
    speaks = await bench.wait_for_message(probe, turn)
    if speaks and pause:
        await bench.end_within(probe, turn, within=pause)
    was_over = end_of_turn(probe, turn) is not None
    id = probe.start("session/close", {"sessionId": session})
    sent = probe.messages[-1].number
    closed = await probe.answer(id)
    await bench.wait_for_end(probe, turn, within=CANCELLED_WITHIN)
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
        return failed(
            f"a prompt in no session got no answer: {probe.exit_reason or 'in time'}", sent
        )
    if answer.error is None and answer.result.get("stopReason") == "refusal":
        return passed("the turn ends with the stop reason refusal", sent, answer.number)
    if answer.error is None:
        return failed("a prompt in a session that never was got a result", sent, answer.number)
    return passed(f"it answers with the error {answer.code}", sent, answer.number)


_MOST_PAGES = 20


async def _list(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "list")
        session = await bench.open_session(probe)
        await play_plain_turn(bench, probe, session)
        here = await probe.call("session/list", {"cwd": probe.cwd})
        listed = await _all_listed(probe, probe.cwd)
        nowhere = await probe.call("session/list", {"cwd": f"{probe.cwd}/not-there"})
        bogus = await probe.call("session/list", {"cwd": probe.cwd, "cursor": "no-such-cursor"})
    for answer, words in ((here, "here"), (nowhere, "in a folder without sessions")):
        if answer is None or not isinstance(answer.result.get("sessions"), list):
            number = probe.messages[-1].number if answer is None else answer.number
            return failed(f"session/list {words} is answered without an array of sessions", number)
    assert here is not None
    assert nowhere is not None
    infos = _infos(here)
    if any(not str(one.get("cwd", "")).startswith("/") for one in infos):
        return failed("the cwd of a session is not absolute", here.number)
    if _infos(nowhere):
        return failed("sessions are listed for a folder without any", nowhere.number)
    if session not in listed:
        return warned("the session that was just prompted isn't listed", here.number)
    if bogus is not None and bogus.error is None:
        return warned("an invalid cursor is answered with a result", bogus.number)
    return passed("", here.number, nowhere.number)


def _infos(answer: NumberedMessage | None) -> list[Json]:
    return [] if answer is None else objects_at(answer.result, "sessions")


async def _all_listed(probe: Probe, folder: str) -> list[Any]:
    """Return the ids of a folder's sessions, from all pages of the list."""
    found: list[Any] = []
    cursor: Json = {}
    for _ in range(_MOST_PAGES):
        answer = await probe.call("session/list", {"cwd": folder, **cursor})
        found += [one.get("sessionId") for one in _infos(answer)]
        if answer is None or answer.result.get("nextCursor") is None:
            break
        cursor = {"cursor": answer.result["nextCursor"]}
    return found


async def _pages(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "sessionCapabilities", "list")
        for _ in range(3):
            await bench.open_session(probe)
        seen: list[str] = []
        frames: list[int] = []
        cursor: Json = {}
        for _ in range(_MOST_PAGES):
            answer = await probe.call("session/list", {"cwd": probe.cwd, **cursor})
            frames.append(probe.messages[-1].number if answer is None else answer.number)
            if answer is None or answer.error is not None:
                return failed(f"page {len(frames)} got no result", *frames[-2:])
            seen += [str(one.get("sessionId")) for one in _infos(answer)]
            if answer.result.get("nextCursor") is None:
                break
            cursor = {"cursor": answer.result["nextCursor"]}
        else:
            return failed(f"after {_MOST_PAGES} pages there are still more", *frames[-2:])
    if len(frames) == 1:
        raise Skip(Why.NOT_OFFERED, "all sessions are on one page")
    if len(seen) != len(set(seen)):
        return failed("a session is on two pages", *frames[:3])
    return passed("", *frames[:3])


async def _judge_delete(bench: Bench) -> CheckVerdict:
    # In a process that didn't open it: "Behavior for deleting an active session is
    # implementation-defined."
    session, folder = await play_earlier_session(bench, "sessionCapabilities", "delete")
    async with bench.agent() as probe:
        await bench.sign_in(probe)
        was_listed = session in await _all_listed(probe, folder)
        deleted = await probe.call("session/delete", {"sessionId": session})
        sent = probe.messages[-1].number
        if (wrong := no_result("session/delete", probe, deleted, sent)) is not None:
            return wrong
        if session in await _all_listed(probe, folder):
            return failed("the deleted session is still listed", sent, probe.messages[-1].number)
        unknown = await probe.call("session/delete", {"sessionId": str(uuid4())})
    if unknown is None or unknown.error is not None:
        how = "no answer" if unknown is None else f"the error {unknown.code}"
        number = sent if unknown is None else unknown.number
        return warned(f"deleting a session that never was got {how}", number)
    return passed("" if was_listed else "it was not listed before", sent, unknown.number)


CHECKS = (
    check("A21", judge_load, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A22", _resume, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A23", _list, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A24", _judge_delete, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A25", _judge_close, profiles=USUAL, acts=(ModelAct.SLOW,) * 2),
    check("A43", _pages),
    check("A44", _judge_fork, profiles=BEYOND, acts=(ModelAct.SAY, ModelAct.SAY)),
    check("A45", _unknown_session, profiles=BEYOND),
)
