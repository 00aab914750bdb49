"""What the app does for each piece of a message that arrives."""

import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.state.blocks import append_block
from acp_tui.state.changes import EntryChanged
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.ui.prompt.editor import PromptEditor
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


def say(it: Running, text: str) -> None:
    """The agent goes on talking."""
    session = next(iter(it.state.sessions.values()))
    places = [at for at, one in enumerate(session.entries) if isinstance(one, MessageEntry)]
    entry = session.entries[places[-1]]
    assert isinstance(entry, MessageEntry)
    assert entry.role is Role.AGENT
    append_block(entry.blocks, TextContent(text=text))
    it.app.changed(it.app.agent, [EntryChanged(session.session_id, places[-1])])


async def test_a_word_of_a_message_draws_nothing_but_the_transcript(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        drawn: list[object] = []
        monkeypatch.setattr(PromptEditor, "render_lines", lambda self, _: drawn.append(self) or [])
        say(it, " one more word")
        await settled(it.pilot)
        assert drawn == []
        monkeypatch.undo()
        assert "one more word" in it.screen


async def test_a_word_of_a_message_waits_for_no_turn_of_the_app(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        calls: list[object] = []
        later = it.app.call_later
        monkeypatch.setattr(it.app, "call_later", lambda *args: (calls.append(args), later(*args)))
        for word in ("one", "more", "word"):
            say(it, f" {word}")
        assert calls == []
        await settled(it.pilot)
        assert "one more word" in it.screen
