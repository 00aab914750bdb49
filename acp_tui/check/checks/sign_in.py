"""Sign-in: what is said when one is wanted, and how it ends"""

from acp_tui.check.bench import Bench
from acp_tui.check.model import (
    EVERYWHERE,
    Check,
    CheckVerdict,
    Sentence,
    Skip,
    Tier,
    Why,
    failed,
    passed,
)
from acp_tui.check.probe import Probe, require_capability
from acp_tui.protocol.jsonrpc import ErrorCode

_PAGE = "Authentication"


def _ids(probe: Probe) -> list[str]:
    """Return the ids of the ways to sign in."""
    methods = probe.initialized.get("authMethods")
    return [str(one.get("id")) for one in methods or () if isinstance(one, dict)]


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
    Check(
        "A40",
        "an agent that requires a sign-in lists ways to sign in",
        Tier.HEURISTIC,
        (
            Sentence(
                "Agents advertise authentication options in the authMethods field of the initialize "
                "response. Each method has an id that the Client passes back to the Agent in a later "
                "authenticate request.",
                _PAGE,
            ),
        ),
        "list authMethods, each with its own id, if session/new can answer with -32000",
        _ways,
        profiles=EVERYWHERE,
        tck="ACP-AUTH-001, ACP-AUTH-003, ACP-AUTH-005",
    ),
    Check(
        "A59",
        "logout works, if the agent offers it",
        Tier.CAPABILITY,
        (Sentence("Supplying {} means the Agent supports the method.", _PAGE),),
        "answer logout with {}, or don't offer agentCapabilities.auth.logout",
        _signs_out,
        profiles=EVERYWHERE,
        tck="ACP-AUTH-004",
        second=(
            Sentence(
                "Supplying one or more methods means the agent MUST support both auth/login and "
                "auth/logout.",
                "Schema, InitializeResponse",
                "2",
            ),
        ),
    ),
)
