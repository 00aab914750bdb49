"""An agent on the PyPI package's entry for version 2, on stdio."""

import asyncio
from typing import Any

from acp.experimental import v2
from acp.experimental.v2 import schema

OPTIONS = [
    schema.PermissionOption(option_id="go", name="Go ahead", kind="allow_once"),
    schema.PermissionOption(option_id="stop", name="Stop", kind="reject_once"),
]


class Agent:
    """Asks whether it may, and says what was answered; "wait" waits for a cancel."""

    client: Any

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        return schema.InitializeResponse.model_validate(
            {
                "protocolVersion": 2,
                "info": {"name": "python-v2", "version": "1"},
                "capabilities": {"session": {}},
            }
        )

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        self.cancelled = asyncio.Event()
        return schema.NewSessionResponse(session_id="python-1")

    async def cancel_session(self, session_id: str, **_: Any) -> None:
        self.cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> schema.PromptResponse:
        blocks = [one.model_dump(by_alias=True, exclude_none=True) for one in prompt]
        await self.update(sessionUpdate="user_message", messageId="asked", content=blocks)
        self.work = asyncio.create_task(self.turn(blocks[0]["text"]))  # noqa: TID251 (no anyio here)
        return schema.PromptResponse.model_validate({"messageId": "asked"})

    async def update(self, **update: Any) -> None:
        params = {"sessionId": "python-1", "update": update}
        told = schema.UpdateSessionNotification.model_validate(params)
        await self.client.session_update("python-1", told.update)

    async def turn(self, text: str) -> None:
        await self.state(state="running")
        if text == "wait":
            await self.say("waiting")
            await self.cancelled.wait()
            await self.state(state="idle", stopReason="cancelled")
            return
        call = {"toolCallId": "write", "title": "Write hello.txt", "kind": "edit"}
        await self.update(sessionUpdate="tool_call_update", status="pending", **call)
        await self.state(state="requires_action")
        asked = schema.RequestPermissionRequest.model_validate(
            {
                "sessionId": "python-1",
                "title": "Write hello.txt?",
                "subject": {"type": "tool_call", "toolCall": call},
                "options": [one.model_dump(by_alias=True, mode="json") for one in OPTIONS],
            }
        )
        answer = await self.client.request_permission(
            "python-1", asked.title, OPTIONS, subject=asked.subject
        )
        outcome = answer.outcome.model_dump(by_alias=True)
        allowed = outcome.get("outcome") == "selected" and outcome.get("optionId") == "go"
        await self.state(state="running")
        status = "completed" if allowed else "cancelled"
        await self.update(sessionUpdate="tool_call_update", toolCallId="write", status=status)
        await self.say("written" if allowed else "not written")
        await self.state(state="idle", stopReason="end_turn")

    async def state(self, **fields: Any) -> None:
        await self.update(sessionUpdate="state_update", **fields)

    async def say(self, text: str) -> None:
        content = {"type": "text", "text": text}
        await self.update(sessionUpdate="agent_message_chunk", messageId="said", content=content)


asyncio.run(v2.run_agent(Agent()))
