"""Robustness: unknown methods, `_meta`, invalid messages, and the exit"""

from acp_tui.check.bench import Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.model import USUAL, check
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import blame_difference
from acp_tui.check.verdicts import CheckVerdict, Skip, Why, failed, passed, warned
from acp_tui.protocol.jsonrpc import ErrorCode

_SHORT = 0.5
"""Seconds to listen for a response that must not come."""
EXIT_TIMEOUT = 5.0
"""Seconds that an agent has to exit after its stdin was closed."""
_META = {
    "acp-tui.check": {"nested": [1, None, "é"]},
    "traceparent": f"00-{'4b' * 16}-{'a1' * 8}-01",
}
_WITH_META = ", with _meta in all that was sent"


async def _unknown(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        before = len(probe.agent_messages)
        probe.notify("_acp-tui/hello", {"words": "hello"})
        sent = probe.messages[-1].number
        await probe.listen(_SHORT)
        answers = [one for one in probe.agent_messages[before:] if not one.method]
        if answers:
            return failed("an unknown notification got a response", sent, answers[0].number)
        id = probe.start("_acp-tui/ping")
        request = probe.messages[-1].number
        answer = await probe.answer(id)
    if answer is None:
        return failed(probe.missing_answer("an unknown request"), request)
    if answer.code != ErrorCode.METHOD_NOT_FOUND:
        how = "a result" if answer.error is None else f"the error {answer.code}"
        return warned(f"an unknown request got {how}, not -32601", request, answer.number)
    return passed("", sent, request, answer.number)


async def _meta(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        try:
            await bench.initialize(probe, _meta=_META)
            session = await bench.open_session(probe, _meta=_META)
        except Skip as skip:
            return await blame_difference(bench, probe, skip, _WITH_META)
        block = {"type": "text", "text": bench.prompt_text(probe, ModelAct.SAY), "_meta": _META}
        turn = await bench.prompt(probe, session, [block], _meta=_META)
    return judge_acceptance(turn, _WITH_META)


async def _malformed(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        id = "bad-params"
        bad = {"id": id, "method": "session/new", "params": {"cwd": 5, "mcpServers": "none"}}
        probe.send_line(bad)
        sent = probe.messages[-1].number
        answer = await probe.answer(id)
        probe.send_line(b'{"jsonrpc": "2.0", "method": ')
        broken = probe.last_record
        await probe.listen(_SHORT)
        alive = await _is_alive(bench, probe)
        unanswered = probe.messages[-1].number
    if answer is None:
        return failed(probe.missing_answer("wrong params"), sent)
    frames = (sent, answer.number)
    if not alive:
        # only a warning: a client must not send such a line, and no sentence says that an agent
        # survives it
        words = probe.missing_answer("what comes after a broken line")
        return warned(words, broken, unanswered)
    if answer.error is None:
        return warned("wrong params got a result", *frames)
    if answer.code != ErrorCode.INVALID_PARAMS:
        return warned(f"wrong params got the error {answer.code}, not -32602", *frames)
    return passed("", *frames)


async def _is_alive(bench: Bench, probe: Probe) -> bool:
    """Return whether the agent still opens a session, or asks for a sign-in."""
    try:
        await bench.open_session(probe)
    except Skip as skip:
        return skip.why is Why.SIGN_IN
    return True


async def _exits(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        try:
            await bench.open_session(probe)
        except Skip as skip:
            if probe.exit_reason is not None:
                raise
            if not probe.initialized and skip.why is Why.BLOCKED:
                raise
        end = await probe.wire.hang_up(EXIT_TIMEOUT)
    if end is None:
        raise Skip(Why.ELSEWHERE, "it is no process of this machine")
    if not end.by_itself:
        return failed(f"it runs on, {EXIT_TIMEOUT:g} s after its stdin was closed")
    if end.orphans:
        names = ", ".join(end.orphans)
        return failed(f"it left within {end.seconds:.1f} s, and left running: {names}")
    return passed(f"it left within {end.seconds:.1f} s", *probe.last_frames(1))


CHECKS = (
    check("A30", _unknown),
    check("A31", _meta, profiles=USUAL, acts=(ModelAct.SAY,)),
    check("A36", _exits),
    check("A38", _malformed),
)
