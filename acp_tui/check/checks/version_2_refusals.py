"""Version 2: what must be refused, and what must not"""

from collections.abc import Awaitable, Callable

from acp_tui.check.bench import Bench
from acp_tui.check.checks.version_2 import of_2
from acp_tui.check.messages import Json
from acp_tui.check.model import USUAL, Check, CheckVerdict, Skip, Tier, Why, failed, passed
from acp_tui.check.probe import Probe
from acp_tui.check.prompts import ModelAct
from acp_tui.protocol.jsonrpc import ErrorCode


def _refuses(
    method: str, params: Callable[[Probe, str], Json], what: str
) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Make a check: a request is answered with -32602."""

    async def run(bench: Bench) -> CheckVerdict:
        async with bench.session() as (probe, session):
            probe.start(method, params(probe, session))
            sent = probe.messages[-1]
            answer = await probe.answer(sent.body["id"])
        if answer is None:
            return failed(probe.silent_about(what), sent.number)
        if answer.code != ErrorCode.INVALID_PARAMS:
            how = "a result" if answer.error is None else f"the error {answer.code}"
            return failed(f"{what} got {how}, not -32602", sent.number, answer.number)
        return passed("", sent.number, answer.number)

    return run


async def _refuses_option(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, _):
        opened = next(one for one in probe.heard if "sessionId" in one.result)
        if not opened.result.get("configOptions"):
            raise Skip(Why.NOT_OFFERED, "the session has no options")
    check = _refuses(
        "session/set_config_option",
        lambda _, session: {"sessionId": session, "configId": "_acp-tui-none", "value": "none"},
        "an unknown option",
    )
    return await check(bench)


async def _closes_nothing(bench: Bench) -> CheckVerdict:
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
    Check(
        "B9",
        "a replay from an unknown place is refused",
        Tier.MUST,
        (
            of_2(
                "Agents MUST reject unsupported cursor types or malformed cursor values with -32602 "
                "(Invalid params), rather than substituting another cursor or resuming without "
                "replay.",
                "ResumeSessionRequest",
            ),
        ),
        "answer -32602 to each replayFrom of a type that you don't have",
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
    Check(
        "B10",
        "an option that isn't there can't be set",
        Tier.CAPABILITY,
        (
            of_2(
                "Agents MUST reject an unknown configId or invalid value with -32602 and leave the "
                "configuration unchanged.",
                "SetSessionConfigOptionRequest",
            ),
        ),
        "answer -32602 to a configId that isn't in your list",
        _refuses_option,
    ),
    Check(
        "B11",
        "content that the agent doesn't know is refused",
        Tier.MUST,
        (
            of_2(
                "Agents MUST reject a session/prompt request with a content block type they do not "
                "support with -32602.",
                "ContentBlock",
            ),
        ),
        "answer -32602 to a prompt with a block of another type",
        _refuses(
            "session/prompt",
            lambda _, session: {"sessionId": session, "prompt": [{"type": "_acp-tui-none"}]},
            "an unknown kind of content",
        ),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
    ),
    Check(
        "B12",
        "an MCP server over an unknown transport is refused",
        Tier.MUST,
        (
            of_2(
                "Agents MUST reject a request with a transport they do not support with -32602.",
                "McpServer",
            ),
        ),
        "answer -32602 to session/new with a server of another type",
        _refuses("session/new", _with_transport, "an unknown transport"),
    ),
    Check(
        "B13",
        "closing a session that isn't there succeeds",
        Tier.SHOULD,
        (
            of_2(
                "Closing a session that does not exist or is not active SHOULD succeed",
                "CloseSessionRequest",
            ),
        ),
        "answer {} to session/close, even if there is nothing to close",
        _closes_nothing,
    ),
)
