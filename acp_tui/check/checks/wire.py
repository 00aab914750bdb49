"""The wire: lines, messages, and the official schema"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from acp_tui.check.bench import Bench, CheckScene
from acp_tui.check.breaches import RULES, verdict_of
from acp_tui.check.model import (
    JSON_RPC,
    Check,
    CheckOutcome,
    CheckVerdict,
    Sentence,
    Tier,
    failed,
    passed,
)
from acp_tui.check.scenes import HANDSHAKE, TURN, WORK
from acp_tui.protocol.findings import Severity

_TRANSPORTS = "Transports"
_ALL = (HANDSHAKE, TURN, WORK)
"""Ordinary sessions: what is wrong in them is wrong every day."""
_OTHERS = (
    ("result", "protocolVersion"),
    ("result", "agentCapabilities"),
    ("result", "sessionId"),
    ("result", "stopReason"),
    ("jsonrpc",),
)
"""Paths in answers that other checks judge."""


def _without(
    scenes: tuple[CheckScene, ...], *rules: str
) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Make a check: none of these rules of the linter is broken in any of the scenes."""

    async def run(bench: Bench) -> CheckVerdict:
        for take in await bench.takes(scenes):
            found = take.probe.findings(*rules)
            if found:
                return verdict_of(bench.note_connection(take.probe), found)
        return passed("", *take.probe.last_frames(1))

    return run


async def _lines(bench: Bench) -> CheckVerdict:
    for take in await bench.takes(_ALL, noise=True):
        probe = bench.note_connection(take.probe)
        if found := probe.findings(*RULES["A1"]):
            verdict = verdict_of(probe, found)
            if probe.wire.left_out:
                words = (
                    f"{verdict.words}, and {probe.wire.left_out:,} more lines that are no messages"
                )
                return replace(verdict, words=words)
            return verdict
        if probe.wire.endless:
            return failed("a line that is longer than 64 MiB has no end", probe.wire.endless)
    return passed("", *probe.last_frames(1))


async def _answers(bench: Bench) -> CheckVerdict:
    """Judge ordinary sessions, and an id that is a text."""
    verdict = await _without(_ALL, *RULES["A2"])(bench)
    if verdict.outcome is not CheckOutcome.PASS:
        return verdict
    id = "acp-tui-é-1"
    async with bench.agent() as probe:
        answer = await probe.call("initialize", bench.hello(probe), id=id)
    if answer is None:
        frames = [one.number for one in probe.messages[:2]]
        return failed(f"no answer has the id of the request, {id!r}", *frames)
    return passed("", 1, answer.number)


async def _forms(bench: Bench) -> CheckVerdict:
    salvaged = None
    for take in await bench.takes(_ALL):
        found = [one for one in take.probe.findings(*RULES["A37"]) if one.path[:2] not in _OTHERS]
        wrong = [one for one in found if one.severity is Severity.ERROR]
        if wrong:
            return verdict_of(bench.note_connection(take.probe), wrong)
        if found and salvaged is None:
            salvaged = take.probe, found
    if salvaged is None:
        return passed("", *take.probe.last_frames(1))
    return verdict_of(bench.note_connection(salvaged[0]), salvaged[1], warns=True)


async def _values(bench: Bench) -> CheckVerdict:
    """Play ordinary sessions; what is wrong in them, or elsewhere in the run, counts as a breach."""
    played = await bench.takes(_ALL)
    return passed("", *played[-1].probe.last_frames(1))


_VALID = Sentence(
    "The agent MUST NOT write anything to its stdout that is not a valid ACP message.", _TRANSPORTS
)

CHECKS = (
    Check(
        "A1",
        "the agent sends messages, one on each line, and nothing else",
        Tier.MUST,
        (
            _VALID,
            Sentence(
                "Messages are delimited by newlines (\\n), and MUST NOT contain embedded newlines.",
                _TRANSPORTS,
            ),
            Sentence("JSON-RPC messages MUST be UTF-8 encoded.", _TRANSPORTS),
        ),
        "send logs and prints to stderr, including those of libraries and of programs that you start",
        _lines,
        scenes=_ALL,
        tck="ACP-TRANSPORT-001, ACP-TRANSPORT-002",
        second=(
            Sentence(
                "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
                "Transports",
                "2",
            ),
            Sentence(
                "Messages are delimited by newlines (\\n), and MUST NOT contain embedded newlines.",
                "Transports",
                "2",
            ),
        ),
    ),
    Check(
        "A2",
        "every answer has the id of its request, and a result or an error",
        Tier.MUST,
        (
            Sentence(
                "This member is REQUIRED. It MUST be the same as the value of the id member in the "
                "Request Object.",
                "JSON-RPC 2.0, 5 Response object, id",
                JSON_RPC,
            ),
            Sentence("Successful responses include a result field", "Overview"),
            Sentence("Errors include an error object with code and message", "Overview"),
        ),
        "send ids back as they came, numbers as numbers and strings as strings",
        _answers,
        scenes=_ALL,
        tck="ACP-JSONRPC-001, ACP-JSONRPC-002",
        second=(
            Sentence(
                "The receiver MUST reply with the same value in the response.",
                "Schema, RequestId",
                "2",
            ),
            Sentence(
                "This member is REQUIRED. It MUST be the same as the value of the id member in "
                "the Request Object.",
                "JSON-RPC 2.0, 5 Response object, id",
                JSON_RPC,
            ),
        ),
    ),
    Check(
        "A32",
        "no message has fields of the agent's own",
        Tier.MUST,
        (
            Sentence(
                "Implementations MUST NOT add any custom fields at the root of a type that's part of "
                "the specification. All possible names are reserved for future protocol versions.",
                "Extensibility",
            ),
        ),
        "move the field into _meta, under a name of your own",
        _without(_ALL, *RULES["A32"]),
        scenes=_ALL,
        tck="ACP-SCHEMA-002",
    ),
    Check(
        "A37",
        "every message is as the official schema has it",
        Tier.MUST,
        (_VALID,),
        "compare the named field with the schema of its type",
        _forms,
        scenes=_ALL,
        tck="ACP-SCHEMA-001, ACP-PROMPT-002",
        second=(
            Sentence(
                "The agent MUST NOT write anything to its stdout that is not a valid ACP message.",
                "Transports",
                "2",
            ),
        ),
    ),
    Check(
        "A60",
        "ids are unique, and times, names and data have the form that their fields describe",
        Tier.MUST,
        (
            Sentence("Unique identifier for the session", "Schema, SessionInfo"),
            Sentence("ISO 8601 timestamp of last activity", "Schema, SessionInfo"),
            Sentence("Base64-encoded media payload.", "Schema, ImageContent"),
            Sentence(
                "Command name (e.g., create_plan, research_codebase).", "Schema, AvailableCommand"
            ),
        ),
        "write times as 2026-01-31T12:00:00Z, data as base64, and commands without /; give no id twice",
        _values,
        scenes=_ALL,
        second=(
            Sentence("Unique identifier for the session", "Schema, SessionInfo", "2"),
            Sentence("RFC 3339 timestamp of last activity.", "Schema, SessionInfo", "2"),
            Sentence("Base64-encoded media payload.", "Schema, ImageContent", "2"),
            Sentence(
                "Command name without the leading /. MUST NOT contain whitespace and MUST be unique "
                "within the command list.",
                "Schema, AvailableCommand",
                "2",
            ),
        ),
    ),
)
