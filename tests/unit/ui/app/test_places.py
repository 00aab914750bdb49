"""Where the agent runs, and where its files and commands are, as the screen says it."""

from pathlib import Path

import pytest

from acp_tui.state.commands import SendPrompt
from acp_tui.state.state import State
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio
WORDS = "In ssh build. Files and commands: there."


def placed(state: State, *, elsewhere: bool = True) -> State:
    state.peer.process.place, state.peer.process.elsewhere = "ssh build", elsewhere
    state.peer.process.served = "Files and commands: there."
    return state


async def test_the_first_screen_and_the_status_line_say_where_the_agent_runs() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        assert "In " not in it.screen
        placed(state)
        await it.changed()
        assert WORDS in it.screen
        assert "in ssh build" in [*it.rows()][-2]


async def test_a_question_says_where_it_would_be_done() -> None:
    state, session = states.asking()
    async with running(placed(state)) as it:
        assert WORDS in it.screen
        session.permissions.clear()
        await it.changed()
        assert WORDS not in it.screen
        states.ask_access(session, 60)
        await it.changed()
        assert WORDS in it.screen


async def test_a_file_elsewhere_is_not_looked_for_here(tmp_path: Path) -> None:
    (tmp_path / "n").write_text("of this machine")
    state, session = states.opened()
    session.cwd = str(tmp_path)
    async with running(placed(state)) as it:
        it.app.feature.external.edit("n")
        await it.changed()
        assert "n is not here: the agent works in ssh build" in it.screen
        await it.press(*"see @n", "enter")
        await it.until(lambda: it.asked)
        (prompt,) = it.asked
        assert isinstance(prompt, SendPrompt)
        assert [block.type for block in prompt.prompt] == ["text"]
