"""Initialization: version, name, capabilities, and sign-in"""

from acp_tui.check.bench import CLIENT, NOTHING, Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.messages import Json, NumberedMessage
from acp_tui.check.model import BEYOND, check
from acp_tui.check.probe import Probe, require_capability
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import BARE, HANDSHAKE, TURN, WORK, blame_difference
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why, failed, passed, warned
from acp_tui.protocol.findings import format_path
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import objects_at, text_at
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.process_events import ProcessExited

_UNKNOWN = 65535
_OFFERED_NOTHING = "with a client that offers nothing"
_UNSUPPORTED = -32022
"""Version 2's error code for a version that isn't supported."""


async def _first_answer(bench: Bench) -> NumberedMessage:
    """Return the result of `initialize` in the shared handshake scene. Raises Skip."""
    take = await bench.play_scene(HANDSHAKE)
    answer = take.probe.answered(1)
    if answer is None or answer.error is not None:
        raise take.ended or Skip(Why.BLOCKED, "initialize got no result")
    return answer


async def _same_version(bench: Bench) -> CheckVerdict:
    take = await bench.play_scene(HANDSHAKE)
    answer = take.probe.answered(1)
    if answer is None:
        return failed(take.ended.words if take.ended is not None else "initialize got no answer", 1)
    if answer.error is not None:
        return failed(f"initialize got the error {answer.code}", 1, answer.number)
    version = answer.result.get("protocolVersion")
    if version != 1 or isinstance(version, bool):
        return failed(f"asked for 1, it answers {version!r}", 1, answer.number)
    # JSON Schema counts 1.0 as an integer, though some parsers don't
    note = "it writes 1.0, which is an integer in JSON Schema" if isinstance(version, float) else ""
    return passed(note, 1, answer.number)


async def _other_version(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        params = {"protocolVersion": _UNKNOWN, "clientCapabilities": probe.offer}
        # An agent that also speaks version 2 parses these as its params, where `info` is
        # required.
        both = {**params, "clientInfo": CLIENT, "info": CLIENT}
        answer = await probe.call("initialize", both)
    if answer is None:
        return failed(probe.missing_answer(f"version {_UNKNOWN}"), 1)
    frames = (1, answer.number)
    if answer.code == _UNSUPPORTED:
        return warned(f"it refuses version {_UNKNOWN}, as only version 2 has it", *frames)
    if answer.error is not None:
        return failed(f"version {_UNKNOWN} got the error {answer.code}", *frames)
    version = answer.result.get("protocolVersion")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        return failed(f"asked for {_UNKNOWN}, it answers {version!r}", *frames)
    if version == _UNKNOWN:
        return failed(f"it claims to have version {_UNKNOWN}", *frames)
    return passed(f"it answers {version}", *frames)


async def _name_and_version(bench: Bench) -> CheckVerdict:
    answer = await _first_answer(bench)
    named = ("name", "version")
    missing = [name for name in named if not text_at(answer.result, "agentInfo", name)]
    if missing:
        return failed(f"agentInfo has no {' and no '.join(missing)}", answer.number)
    return passed("", answer.number)


async def _capabilities(bench: Bench) -> CheckVerdict:
    answer = await _first_answer(bench)
    if "agentCapabilities" not in answer.result:
        return warned("there are no agentCapabilities: they count as none", answer.number)
    probe = bench.cite((await bench.play_scene(HANDSHAKE)).probe)
    for finding in probe.findings("schema", "schema-salvaged"):
        if probe.frame(finding) == answer.number and finding.path[1:2] == ("agentCapabilities",):
            return failed(f"{format_path(finding.path)}: {finding.message}", answer.number)
    return passed("", answer.number)


async def _without_initialize(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        if not probe.is_in_order:
            raise Skip(Why.NOT_OFFERED, "over HTTP a connection begins with initialize")
        early = await probe.call("session/new", {"cwd": probe.cwd, "mcpServers": []})
        answer = (
            None
            if early is None
            else await probe.call("initialize", bench.initialize_params(probe))
        )
        left = probe.wire.state.peer.process.exit
    if early is None:
        return failed(probe.missing_answer("an early session/new"), 1)
    if early.error is not None and isinstance(left, ProcessExited) and left.code == 0:
        return passed(f"it answers with the error {early.code}, and leaves", 1, early.number)
    if answer is None or answer.error is not None:
        return failed("initialize doesn't work after an early session/new", 1, early.number)
    if early.error is None:
        return warned("it opens a session though nothing was negotiated", 1, early.number)
    return passed(f"it answers with the error {early.code}", 1, early.number)


async def _no_capabilities_of_ours(bench: Bench) -> CheckVerdict:
    """Open a session and play a turn without client capabilities, then judge the turns of `BARE`."""
    ways: tuple[Json, ...] = ({"clientCapabilities": {}}, {})
    for params in ways:
        async with bench.agent(NOTHING) as probe:
            words = "with no capabilities" if params else "without clientCapabilities"
            hello = {"protocolVersion": 1, "clientInfo": CLIENT, **params}
            answer = await probe.call("initialize", hello)
            if answer is None or answer.error is not None:
                return failed(f"initialize fails {words}", *probe.last_frames(2))
            probe.initialized = answer.result
            try:
                session = await bench.open_session(probe)
            except Skip as skip:
                return await blame_difference(bench, probe, skip, f" {words}")
            if bench.stage.model:
                verdict = await _ends_a_turn(bench, probe, session, words)
                if verdict.outcome is CheckOutcome.FAIL:
                    return verdict
            frames = probe.last_frames(2)
    return await _works(bench) if bench.stage.model else passed("", *frames)


async def _ends_a_turn(bench: Bench, probe: Probe, session: str, words: str) -> CheckVerdict:
    """Judge a turn. One that doesn't end fails only if the same turn ends for a client with
    capabilities.
    """
    try:
        turn = await bench.prompt(probe, session, ModelAct.SAY)
    except Skip as skip:
        usual = await bench.play_scene(TURN)
        bench.cite(probe)
        if skip.why is not Why.BLOCKED or not usual.turns:
            raise
        return failed(f"{skip.words} {words}", *probe.last_frames(2))
    return judge_acceptance(turn, f" {words}")


async def _works(bench: Bench) -> CheckVerdict:
    """Judge the prompts of a client without capabilities that make the model use tools."""
    usual, take = await bench.play_scene(WORK), await bench.play_scene(BARE)
    unserved = _unserved(take.probe)
    if unserved is not None and _unserved(usual.probe) is None:
        return unserved
    return passed("", *take.probe.last_frames(2))


def _unserved(probe: Probe) -> CheckVerdict | None:
    """Return the failure of the first prompt without a result, or None."""
    for prompt in probe.messages:
        if prompt.method != "session/prompt" or prompt.direction is not Direction.OUT:
            continue
        answer = probe.answered(prompt.body["id"])
        if answer is None:
            return failed(
                f"{probe.missing_answer('session/prompt')} {_OFFERED_NOTHING}", prompt.number
            )
        if answer.error is not None:
            words = f"session/prompt got the error {answer.code} {_OFFERED_NOTHING}"
            return failed(words, prompt.number, answer.number)
    return None


def _ids(probe: Probe) -> list[str]:
    """Return the ids of the authentication methods."""
    return [str(one.get("id")) for one in objects_at(probe.initialized, "authMethods")]


async def _ways(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        ids = _ids(probe)
        if len(ids) != len(set(ids)):
            return failed("two ways to sign in have the same id", 2)
        answer = await probe.call("session/new", {"cwd": probe.cwd, "mcpServers": []})
        if answer is None or (answer.error is not None and answer.code != ErrorCode.AUTH_REQUIRED):
            raise Skip(Why.BLOCKED, "session/new got neither a result nor auth_required")
        if answer.error is None:
            raise Skip(Why.NOT_OFFERED, "the agent wants no sign-in")
        if not ids:
            words = "session/new wants a sign-in, and initialize lists no way to"
            return failed(words, 2, answer.number)
        if bench.stage.auth is not None:
            return await _signed_in(bench, probe)
        return passed("", 2, answer.number)


async def _signed_in(bench: Bench, probe: Probe) -> CheckVerdict:
    await bench.sign_in(probe)
    try:
        await bench.open_session(probe)
    except Skip as skip:
        words = f"after authenticate a session can't be opened: {skip.words}"
        return failed(words, *[one.number for one in probe.messages[-3:]])
    return passed("", probe.messages[-1].number)


async def _signs_out(bench: Bench) -> CheckVerdict:
    async with bench.agent() as probe:
        await bench.initialize(probe)
        require_capability(probe, "auth", "logout")
        if not bench.stage.may_sign_out:
            raise Skip(Why.NOT_ALLOWED, "it may end the sign-in of a person: --allow-logout")
        await bench.sign_in(probe)
        answer = await probe.call("logout")
        sent = probe.messages[-1].number
    if answer is None or answer.error is not None:
        how = "no answer" if answer is None else f"the error {answer.code}"
        return failed(f"logout is offered, and got {how}", sent)
    return passed("", sent)


CHECKS = (
    check("A3", _same_version, scenes=(HANDSHAKE,)),
    check("A4", _other_version),
    check("A5", _name_and_version, scenes=(HANDSHAKE,)),
    check("A6", _capabilities, scenes=(HANDSHAKE,)),
    check("A7", _without_initialize, profiles=BEYOND),
    check(
        "A8",
        _no_capabilities_of_ours,
        scenes=(HANDSHAKE, TURN, WORK, BARE),
        acts=(ModelAct.SAY, ModelAct.SAY),
    ),
    check("A40", _ways),
    check("A59", _signs_out),
)
