"""The first screen, before anything was said."""

import pytest

from acp_tui.protocol.setup import (
    AgentCapabilities,
    Implementation,
    McpCapabilities,
    PromptCapabilities,
    SessionCapabilities,
)
from acp_tui.protocol.updates import AvailableCommand
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_commands_are_named_whole_once_and_counted_where_there_is_no_room() -> None:
    state, session = states.opened()
    names = ["memory", "memory show", "memory add", *(f"command-{n}" for n in range(30))]
    session.commands = [AvailableCommand(name=name, description="") for name in names]
    async with running(state) as it:
        (row,) = [row.rstrip() for row in it.rows() if "Its commands:" in row]
        assert "/memory  /command-0  /command-1" in row
        assert row.endswith("and 28 more: type /")


async def test_demo_agent_names_its_tour_and_others_do_not() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        assert "show me everything" not in it.screen
    assert state.peer.initialized is not None
    info = Implementation(name="acp-tui-demo", version="1")
    state.peer.initialized = state.peer.initialized.model_copy(update={"agent_info": info})
    async with running(state) as it:
        assert "type: show me everything" in it.screen


async def test_what_the_agent_offers_is_named_and_what_it_does_not_is_not() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        assert "sessions:" not in it.screen
        assert "takes" not in it.screen
    assert state.peer.initialized is not None
    can = AgentCapabilities(
        load_session=True,
        prompt_capabilities=PromptCapabilities(image=True, embedded_context=True),
        session_capabilities=SessionCapabilities(list={}),
        mcp_capabilities=McpCapabilities(http=True),
    )
    offering = state.peer.initialized.model_copy(update={"agent_capabilities": can})
    state.peer.initialized = offering
    async with running(state) as it:
        words = "takes images, embedded files · sessions: load, list · MCP: http"
        assert any(row.strip() == words for row in it.rows())
