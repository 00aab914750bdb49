"""`acp-tui mcp` as the client of the official SDK sees it."""

import json
import os
import sys
from pathlib import Path

import pytest

from acp_tui.cli.mcp import NOTHING
from acp_tui.version import __version__
from tests.unit.index.test_index import record, wire

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_the_search_is_a_tool_that_answers_with_what_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    record("20260101-000000-tea-1", wire())
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "acp_tui", "mcp"], env=dict(os.environ)
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        info = (await session.initialize()).server_info
        assert (info.name, info.version) == ("acp-tui", __version__)
        (tool,) = (await session.list_tools()).tools
        assert tool.name == "search_recordings"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        found = await session.call_tool(tool.name, {"query": "kind:command push"})
        texts = [json.loads(block.text) for block in found.content if block.type == "text"]
        assert "git push --force" in json.dumps(texts)
        (nothing,) = (await session.call_tool(tool.name, {"query": "samovar"})).content
        assert nothing.type == "text"
        assert nothing.text == NOTHING
        wrong = await session.call_tool(tool.name, {"query": "kind:tea"})
        assert wrong.is_error
        assert "kind:tea: there are prompt, message" in str(wrong.content)
