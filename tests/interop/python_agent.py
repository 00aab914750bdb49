"""An agent on the PyPI package agent-client-protocol that uses all that a client offers.

It runs on version 0.12 and on 1.0, whose helpers differ.
"""

import asyncio
from typing import Any

import acp
from acp.schema import (
    AgentCapabilities,
    AgentMessageChunk,
    FileEditToolCallContent,
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    TextContentBlock,
    ToolCallLocation,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)

OPTIONS = [
    PermissionOption(option_id="go", name="Go ahead", kind="allow_once"),
    PermissionOption(option_id="stop", name="Stop", kind="reject_once"),
]


class PythonAgent(acp.Agent):
    """Writes a file if it may, reads it again, and lets a command read it too."""

    def on_connect(self, conn: acp.Client) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(),
            agent_info=Implementation(name="python-agent", version="1"),
        )

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        self.path = f"{cwd}/hello.txt"
        self.cancelled = asyncio.Event()
        return NewSessionResponse(session_id="python-1")

    async def cancel(self, session_id: str, **_: Any) -> None:
        self.cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        if prompt[0].text == "wait":
            await self.say(session_id, "waiting")
            await self.cancelled.wait()
            return PromptResponse(stop_reason="cancelled")
        diff = FileEditToolCallContent(type="diff", path=self.path, new_text="hello\n")
        call = ToolCallStart(
            session_update="tool_call",
            tool_call_id="write",
            title="Write hello.txt",
            kind="edit",
            content=[diff],
            locations=[ToolCallLocation(path=self.path)],
        )
        await self.client.session_update(session_id, call)
        asked = ToolCallUpdate(tool_call_id="write", title="Write hello.txt", kind="edit")
        answer = await self.client.request_permission(session_id, asked, OPTIONS)
        if answer.outcome.outcome != "selected" or answer.outcome.option_id != "go":
            await self.say(session_id, "not written")
            return PromptResponse(stop_reason="end_turn")
        await self.client.write_text_file(session_id, self.path, "hello\n")
        done = ToolCallProgress(
            session_update="tool_call_update", tool_call_id="write", status="completed"
        )
        await self.client.session_update(session_id, done)
        read = await self.client.read_text_file(session_id, self.path)
        await self.say(session_id, f"read {read.content!r}; cat {await self.cat(session_id)!r}")
        return PromptResponse(stop_reason="end_turn")

    async def say(self, session_id: str, text: str) -> None:
        content = TextContentBlock(type="text", text=text)
        said = AgentMessageChunk(session_update="agent_message_chunk", content=content)
        await self.client.session_update(session_id, said)

    async def cat(self, session_id: str) -> str:
        made = await self.client.create_terminal(session_id, "cat", args=[self.path])
        ended = await self.client.wait_for_terminal_exit(session_id, made.terminal_id)
        assert ended.exit_code == 0
        output = await self.client.terminal_output(session_id, made.terminal_id)
        await self.client.release_terminal(session_id, made.terminal_id)
        return output.output


if __name__ == "__main__":
    asyncio.run(acp.run_agent(PythonAgent()))
