"""Content: what a prompt can contain besides short text"""

from collections.abc import Awaitable, Callable

from acp_tui.check.bench import Bench
from acp_tui.check.checks.turns import judge_acceptance
from acp_tui.check.messages import Json
from acp_tui.check.model import (
    BEYOND,
    USUAL,
    Check,
    CheckOutcome,
    CheckVerdict,
    Sentence,
    Tier,
    passed,
)
from acp_tui.check.probe import require_capability
from acp_tui.check.prompts import FILE, ModelAct

_PAGE = "Schema, PromptCapabilities"
_IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
"""A PNG of one pixel."""
_SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
"""A WAV of one sample."""
_SIZE = 1_200_000
"""Characters of a big prompt: more than the megabyte at which readers of lines like to give up."""

_FILLING = "This line only makes the prompt long.\n"
"""Words, as tokenizers may take minutes for the same character a million times."""


def _takes(capability: str, block: Json) -> Callable[[Bench], Awaitable[CheckVerdict]]:
    """Make a check: a prompt with such a block works, if the agent says that it takes it."""

    async def run(bench: Bench) -> CheckVerdict:
        async with bench.agent() as probe:
            await bench.initialize(probe)
            require_capability(probe, "promptCapabilities", capability)
            session = await bench.open_session(probe)
            text = {"type": "text", "text": bench.prompt_text(probe, ModelAct.SAY)}
            return judge_acceptance(await bench.prompt(probe, session, [text, block]))

    return run


async def _big(bench: Bench) -> CheckVerdict:
    async with bench.session() as (probe, session):
        words = bench.prompt_text(probe, ModelAct.SAY)
        noted = (_FILLING * (_SIZE // len(_FILLING) + 1))[:_SIZE]
        text = [{"type": "text", "text": words}, {"type": "text", "text": noted}]
        turn = await bench.prompt(probe, session, text)
        if turn.answer is not None and turn.answer.error is not None:
            # Too much for the model is an answer, too: what counts is that the agent works on.
            await bench.open_session(probe)
            return passed(f"it answers with the error {turn.answer.code}", turn.answer.number)
        verdict = judge_acceptance(turn, f", to a prompt of {_SIZE:,} characters")
        if verdict.outcome is CheckOutcome.FAIL and probe.gone is not None:
            return CheckVerdict(verdict.outcome, f"the agent is gone: {probe.gone}", verdict.frames)
        return verdict


CHECKS = (
    Check(
        "A54",
        "a prompt may contain an image, if the agent offers that",
        Tier.CAPABILITY,
        (Sentence("Agent supports image content blocks.", _PAGE),),
        "accept image blocks, or don't offer promptCapabilities.image",
        _takes("image", {"type": "image", "mimeType": "image/png", "data": _IMAGE}),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-PROMPTCAP-001",
        second=(
            Sentence("Agent supports image content blocks.", "Schema, PromptCapabilities", "2"),
        ),
    ),
    Check(
        "A55",
        "a prompt may contain audio, if the agent offers that",
        Tier.CAPABILITY,
        (Sentence("Agent supports audio content blocks.", _PAGE),),
        "accept audio blocks, or don't offer promptCapabilities.audio",
        _takes("audio", {"type": "audio", "mimeType": "audio/wav", "data": _SOUND}),
        profiles=USUAL,
        acts=(ModelAct.SAY,),
        tck="ACP-PROMPTCAP-002",
        second=(
            Sentence("Agent supports audio content blocks.", "Schema, PromptCapabilities", "2"),
        ),
    ),
    Check(
        "A56",
        "a prompt may contain an embedded resource, if the agent offers that",
        Tier.CAPABILITY,
        (
            Sentence("Agent supports embedded context in session/prompt requests.", _PAGE),
            Sentence(
                "When enabled, the Client is allowed to include resource content blocks in prompt "
                "requests for pieces of context that are referenced in the message.",
                _PAGE,
            ),
        ),
        "accept resource blocks, or don't offer promptCapabilities.embeddedContext",
        _takes(
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
        tck="ACP-PROMPTCAP-003",
        second=(
            Sentence(
                "Agent supports embedded context in session/prompt requests.",
                "Schema, PromptCapabilities",
                "2",
            ),
        ),
    ),
    Check(
        "A57",
        "a big prompt is answered",
        Tier.HEURISTIC,
        (),
        "read lines of any length: asyncio's StreamReader takes 64 KiB unless it is told otherwise",
        _big,
        profiles=BEYOND,
        acts=(ModelAct.SAY,),
    ),
)
