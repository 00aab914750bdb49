"""Going between tabs, opening and closing them, and leaving."""

from pathlib import Path

import pytest

from acp_tui.protocol.setup import SessionInfo
from acp_tui.state import commands
from acp_tui.store.drafts import StoredDraft
from acp_tui.ui.feature import AppClosed, ViewRefreshed
from acp_tui.ui.prompt import drafts
from acp_tui.ui.toolkit.dialogs.question_dialogs import ConfirmDialog, LineDialog
from tests.unit.ui.app import states
from tests.unit.ui.app.test_keeping import left_behind
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio


def with_two_tabs() -> FakeWindow:
    state, _ = states.talked()
    state.session("other").opened = True
    return FakeWindow(state)


def test_stepping_goes_round() -> None:
    window = with_two_tabs()
    first, second = window.tabs.visible
    window.tabs.show(first)
    window.feature.sessions.step(-1)
    assert window.tabs.shown is second
    window.feature.sessions.step(1)
    assert window.tabs.shown is first
    window.feature.sessions.show_number(2)
    assert window.tabs.shown is second
    window.feature.sessions.show_number(3)
    assert window.tabs.shown is second


def test_the_only_session_stays_open() -> None:
    state, _ = states.talked()
    window = FakeWindow(state)
    window.feature.sessions.close_shown()
    assert window.said == ["this is the only session: Ctrl+T opens another, Ctrl+Q quits"]


@pytest.mark.parametrize("agreed", [True, False])
def test_a_session_in_which_something_was_said_is_closed_after_a_yes(agreed: bool) -> None:
    window = with_two_tabs()
    talked = next(tab for tab in window.tabs.visible if tab.session and tab.session.entries)
    window.tabs.show(talked)
    window.editor.text = "tea"
    window.feature.sessions.close_shown()
    assert isinstance(window.screens[-1], ConfirmDialog)
    window.answer(agreed)
    assert (talked in window.tabs.visible) is not agreed
    assert window.editor.earlier.prompts == (["tea"] if agreed else [])


def test_nobody_waits_elsewhere() -> None:
    window = with_two_tabs()
    window.feature.sessions.go_to_question()
    assert window.said == ["no question in another tab"]


def test_a_new_session_is_asked_of_the_only_agent() -> None:
    state, _ = states.talked()
    window = FakeWindow(state)
    window.feature.sessions.new()
    assert window.asked == [commands.NewSession()]
    assert len(window.tabs.visible) == 2


def test_no_session_is_asked_of_an_agent_that_is_gone() -> None:
    state = states.connected()
    state.peer.process.exit = states.ProcessExited(states.NOW, 1)
    window = FakeWindow(state)
    window.feature.sessions.new()
    assert (window.asked, window.said) == ([], ["the agent isn't running"])


async def test_a_session_of_another_folder_is_opened_after_a_yes(tmp_path: Path) -> None:
    state = states.connected()
    state.catalogue.sessions["far"] = SessionInfo(session_id="far", cwd=str(tmp_path))
    window = FakeWindow(state)
    window.feature.sessions.open(window.tabs.agent, "far")
    await window.finish()
    assert window.asked == []
    assert isinstance(window.screens[-1], ConfirmDialog)
    window.answer(True)
    assert window.asked == [commands.OpenSession("far", history=True, folder=str(tmp_path))]


def test_a_session_is_deleted_after_a_yes() -> None:
    window = FakeWindow(states.connected())
    window.feature.sessions.act(window.tabs.agent, "old", "delete")
    assert window.asked == []
    window.answer(True)
    assert window.asked == [commands.DeleteSession("old")]


def test_a_session_is_renamed_where_that_is_offered() -> None:
    window = FakeWindow(states.connected())
    window.feature.sessions.act(window.tabs.agent, "old", "rename")
    assert (window.rung, len(window.screens)) == (1, 1)
    window.feature.sessions.act(window.tabs.agent, "old", "archive")
    assert window.asked == [commands.ArchiveSession("old", True)]


def test_the_address_and_the_headers_of_a_provider_are_asked_for() -> None:
    from acp_tui.ui.options.rows import SetsProvider

    window = FakeWindow(states.connected())
    wanted = SetsProvider("ada", "openai", "")
    window.feature.options.set_provider(window.tabs.agent, wanted)
    for line in ("https://ada.example", "Authorization:", "Bearer tea", ""):
        assert isinstance(window.screens[-1], LineDialog)
        window.answer(line)
    (command,) = window.asked
    assert command == commands.SetProvider(
        "ada", "openai", "https://ada.example", headers=(("Authorization", "Bearer tea"),)
    )


def test_an_agent_that_runs_is_not_restarted() -> None:
    state, _ = states.opened()
    window = FakeWindow(state)
    window.feature.agents.restart()
    assert (window.asked, window.said) == ([], ["the agent is running"])
    state.peer.process.exit = states.ProcessExited(states.NOW, 1)
    window.feature.agents.restart()
    assert window.asked == [commands.Restart()]


def test_leaving_wants_a_second_key_where_something_would_be_lost() -> None:
    state, session = states.working()
    window = FakeWindow(state)
    window.feature.leaving.copy_or_leave()
    assert window.said == ["a turn is running: Esc cancels it; Ctrl+C again quits"]
    window.now += 3
    session.turn = None
    window.editor.text = "tea"
    window.feature.leaving.copy_or_leave()
    assert window.said[-1] == "the prompt is not sent; Ctrl+C again quits"
    assert not window.has_left
    window.feature.leaving.copy_or_leave()
    assert window.has_left


async def test_what_was_not_sent_comes_back_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "PERIOD", 0.0)
    state, session = states.opened()
    window = FakeWindow(state)
    window.feature.drafts.files = left_behind(
        tmp_path, StoredDraft(session.session_id, (), "tea"), StoredDraft(None, ("oat",), "rye")
    )
    window.feature.drafts.follow_tabs(ViewRefreshed())
    await window.finish()
    assert window.prompt.text == "rye"
    assert window.editor.earlier.prompts == ["tea"]
    (told,) = window.toasts
    assert told.endswith("is back. 1 more text: Up in the prompt.")
    window.editor.text = "rye bread"
    window.feature.drafts.save(AppClosed())
    assert any("rye bread" in file.read_text("utf-8") for file in tmp_path.iterdir())


def test_only_pages_and_files_are_opened() -> None:
    state, _ = states.opened()
    window = FakeWindow(state)
    window.feature.external.open_link("javascript:alert(1)")
    assert window.said == ["only http, https and file links are opened, not: javascript:alert(1)"]
    assert window.spawned == []
    window.feature.external.edit("/nowhere/tea")
    assert window.said[1:] == ["there is no such file: /nowhere/tea"]


def test_there_is_nothing_to_take_back_or_to_export() -> None:
    state, _ = states.opened()
    window = FakeWindow(state)
    window.feature.review.undo_newest()
    window.feature.exports.ask()
    assert window.said == [
        "no write of the agent's to undo; Alt+U rewinds its turns",
        "nothing to export yet",
    ]
