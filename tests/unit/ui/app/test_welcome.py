"""The first screen, before anything was said."""

import pytest

from acp_tui.protocol.events import QuirkHelped
from acp_tui.protocol.initialization import (
    AgentCapabilities,
    Implementation,
    PromptCapabilities,
    SessionCapabilities,
)
from acp_tui.protocol.updates import AvailableCommand
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


async def test_five_commands_are_described_and_the_others_counted() -> None:
    state, session = states.opened()
    names = ["memory", "memory show", "memory add", *(f"command-{n}" for n in range(30))]
    session.commands = [
        AvailableCommand(name=name, description=f"What {name} does.") for name in names
    ]
    async with running(state) as it:
        for size in ((80, 24), (200, 60)):
            await it.pilot.resize_terminal(*size)
            await it.press()
            rows = [row.strip() for row in it.rows()]
            at = rows.index("/memory      What memory does.")
            assert rows[at + 1] == "/command-0   What command-0 does."
            listed = [row for row in rows[at:] if row.startswith("/")]
            assert listed[5:] == ["/            26 more"]
            assert rows[at - 1] == ""


async def test_on_a_wide_screen_a_description_is_no_longer_than_one_reads() -> None:
    state, session = states.opened()
    session.commands = [AvailableCommand(name="pour", description="Pour tea. " * 40)]
    async with running(state, (200, 60)) as it:
        row = next(row for row in it.rows() if "/pour" in row)
        assert row.rstrip().endswith("…")
        assert len(row.strip()) == 100


async def test_what_to_do_comes_first_and_all_of_it_stands_in_the_middle() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        assert "F12 protocol" in it.row_of_keys
        assert "Ctrl+Q quit" in it.row_of_keys
        for size in ((80, 24), (200, 60)):
            await it.pilot.resize_terminal(*size)
            await it.press()
            rows = [row.strip() for row in it.rows()]
            first = rows.index("Type a request and press Enter.")
            name = next(at for at, row in enumerate(rows) if row.startswith("Gemini CLI"))
            last = rows.index(next(row for row in rows if row.startswith("F12")))
            prompt = next(at for at, row in enumerate(rows) if row.startswith("▌"))
            assert first < name < last
            assert not any(rows[:first])
            assert abs(first - (prompt - 1 - last)) <= 1


async def test_an_agent_that_has_not_answered_is_called_as_people_call_it() -> None:
    state, _ = states.opened()
    state.peer.initialized = None
    async with running(state) as it:
        for argv, called, name in (
            (("npx", "--yes", "@agentclientprotocol/claude-agent-acp"), "", "Claude Code"),
            (("npx", "-y", "some-agent@1.2", "--acp"), "", "some-agent"),
            (("npx", "-y", "some-agent"), "my agent", "my agent"),
            (("/usr/bin/codex-acp",), "codex-acp", "Codex"),
        ):
            state.peer.argv = argv
            it.app.tabs.agent.called = called
            await it.changed()
            page = it.screen
            assert f"{name}  in acp-tui" in page
            assert "npx" not in page
            assert name in page.splitlines()[-2]


async def test_a_workaround_stands_among_the_notices_only() -> None:
    state, _ = states.opened()
    state.peer.quirks.append(
        QuirkHelped(1.0, "missing-file-is-empty", "It reads before it writes.")
    )
    async with running(state) as it:
        assert "It reads" not in it.screen
        assert "workaround" not in it.screen
        await it.press("f8")
        assert "Workaround: missing file is empty" in it.screen
        assert "It reads before it writes. (--no-quirks switches this off)" in it.screen


async def test_only_keys_that_do_something_with_this_agent_are_named() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        page = it.screen
        assert "Protocol messages" in page
        assert "Earlier sessions" not in page
        assert "image" not in page
        assert state.peer.initialized is not None
        can = AgentCapabilities(
            load_session=True,
            prompt_capabilities=PromptCapabilities(image=True),
            session_capabilities=SessionCapabilities(list={}),
        )
        offering = state.peer.initialized.model_copy(update={"agent_capabilities": can})
        state.peer.initialized = offering
        await it.changed()
        rows = [row.split(maxsplit=1) for row in it.rows()]
        assert ["Ctrl+O", "Earlier sessions"] in [[one.strip() for one in row] for row in rows]
        assert ["Ctrl+V", "Attach an image"] in [[one.strip() for one in row] for row in rows]


async def test_a_small_terminal_keeps_who_is_there_and_what_to_do() -> None:
    state, session = states.opened()
    session.commands = [AvailableCommand(name=f"c{n}", description="x") for n in range(30)]
    async with running(state, size=(40, 10)) as it:
        assert "Type a request" in it.screen
        assert "Ask the agent" in it.screen


async def test_names_of_commands_are_whole_and_what_is_long_keeps_its_row() -> None:
    state, session = states.opened()
    assert state.peer.initialized is not None
    info = Implementation(name="x", title="Name " * 400, version="1")
    named = state.peer.initialized.model_copy(update={"agent_info": info})
    state.peer.initialized = named
    async with running(state) as it:
        for length in (20, 25, 40):
            name = "a-very-long-command-name-that-goes-on-and-on"[:length]
            session.commands = [
                AvailableCommand(name=name, description="漢字" * 60),
                AvailableCommand(name="short", description="Short."),
            ]
            await it.changed()
            rows = [row.strip() for row in it.rows()]
            assert "Type a request and press Enter." in rows
            at = next(at for at, row in enumerate(rows) if row.startswith(f"/{name}   漢字"))
            assert rows[at].endswith("…")
            assert rows[at + 1].startswith("/short")
