"""Methods outside ACP that agents in the wild offer or ask for."""

from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.model import Listed, Model
from acp_tui.protocol.setup import InitializeResult

STEERING = "_session/steering"
"""Puts a message into the turn that runs; offered by `_meta.steering.supported`."""
ASK_USER = "_agentao.cn/ask_user"
"""A question in free form; its answer is a text."""

SDK_MESSAGE = "_claude/sdkMessage"
"""A message of the SDK behind claude's adapter, unchanged; for sessions with
`_meta.claudeCode.emitRawSDKMessages`.
"""


def offers_steering(agent: InitializeResult) -> bool:
    """Return whether the agent takes messages while it works."""
    steering = (agent.meta or {}).get("steering")
    return isinstance(steering, dict) and steering.get("supported") is True


class SteeringParams(Model):
    session_id: str
    prompt: list[ContentBlock]


class SteeringResult(Model):
    """The result: "injected", or "promptRequired" if no turn was running anymore."""

    outcome: str


class AskUserParams(Model):
    """`options` are suggestions; other words are welcome if `allow_custom`."""

    session_id: str
    question: str
    header: str | None = None
    options: Listed[str] = []
    multiple: bool = False
    allow_custom: bool = True


class AskUserResult(Model):
    outcome: str
    text: str | None = None
