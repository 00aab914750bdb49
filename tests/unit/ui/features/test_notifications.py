"""The person is told while nobody looks, of what was chosen, and once."""

import sys
from pathlib import Path

import pytest

from acp_tui.config.settings import NotifySettings
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.state.changes import EntryAdded, ScreenChanged
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.state import State
from acp_tui.ui.feature import AgentChanged, ViewRefreshed
from tests.unit.ui.app import states
from tests.unit.ui.features.window import NOW, FakeWindow


def window_for(state: State, settings: NotifySettings | None = None) -> FakeWindow:
    window = FakeWindow(state)
    window.is_watched = False
    notifications = window.feature.notifications
    notifications.settings = settings or NotifySettings()
    notifications.environment = {"TERM_PROGRAM": "WezTerm"}
    return window


def end_turn(window: FakeWindow, end: TurnEndEntry) -> None:
    agent = window.tabs.agent
    session = window.tabs.shown.session
    assert session is not None
    session.entries.append(end)
    added = EntryAdded(session.session_id, len(session.entries) - 1)
    window.emit(AgentChanged(agent, [added]))


def done(took: float = 60.0, reason: str = "end_turn") -> TurnEndEntry:
    return TurnEndEntry(NOW, NOW - took, reason, ended=NOW)


def test_a_question_is_told_of_once_while_nobody_looks() -> None:
    state, _ = states.asking()
    window = window_for(state)
    for _ in range(2):
        window.feature.questions.call_person(ViewRefreshed())
    (written,) = window.written
    assert written.startswith("\x1b]9;acp-tui: ")
    assert "asks for permission: " in written


def test_who_looks_is_told_nothing_unless_always() -> None:
    for when, count in (("unfocused", 0), ("never", 0), ("always", 1)):
        state, _ = states.asking()
        window = window_for(state, NotifySettings.model_validate({"when": when}))
        window.is_watched = when != "never"
        window.feature.questions.call_person(ViewRefreshed())
        assert len(window.written) == count, when


def test_nothing_is_told_where_it_was_not_set_up() -> None:
    state, _ = states.asking()
    window = window_for(state)
    window.feature.notifications.settings = None
    window.feature.questions.call_person(ViewRefreshed())
    end_turn(window, done())
    assert window.written == []


def test_only_what_was_chosen_is_told() -> None:
    state, _ = states.asking()
    window = window_for(state, NotifySettings(about=["turn"]))
    window.feature.questions.call_person(ViewRefreshed())
    end_turn(window, TurnEndEntry(NOW, NOW - 60, error=Error(-32603, "no tea"), ended=NOW))
    assert window.written == []
    end_turn(window, done())
    assert "is done after 1m 00s" in window.written[0]
    end_turn(window, TurnEndEntry(NOW, NOW - 60, "end_turn", waited=40.0))
    assert "is done after 20s" in window.written[1]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (TurnEndEntry(NOW, NOW - 2, error=Error(-32603, "no\x1b tea")), "failed (no"),
        (TurnEndEntry(NOW, NOW - 2, lost="the agent is gone"), "failed (the agent is gone)"),
        (TurnEndEntry(NOW, NOW - 2, "max_tokens"), "stopped (max_tokens)"),
    ],
)
def test_a_turn_that_failed_is_told_of_however_short(end: TurnEndEntry, words: str) -> None:
    window = window_for(states.talked()[0])
    end_turn(window, end)
    assert words in window.written[0]


def test_a_turn_that_was_short_or_cancelled_or_is_history_is_not_told_of() -> None:
    window = window_for(states.talked()[0])
    end_turn(window, done(took=2.0))
    end_turn(window, done(reason="cancelled"))
    end_turn(window, TurnEndEntry(NOW - 3600, NOW - 3700, "end_turn"))
    session = window.tabs.shown.session
    assert session is not None
    session.opening.loading = 7
    end_turn(window, done())
    assert window.written == []


def test_an_agent_that_is_gone_is_told_of_once() -> None:
    window = window_for(states.died()[0])
    for _ in range(2):
        window.emit(AgentChanged(window.tabs.agent, [ScreenChanged()]))
    assert [one.count("is gone: exited with code 0") for one in window.written] == [1]
    window = window_for(states.not_found())
    window.emit(AgentChanged(window.tabs.agent, [ScreenChanged()]))
    assert "is gone: gemeni: command not found." in window.written[0]


def test_an_agent_that_goes_in_a_turn_or_was_ended_by_the_person_is_not_told_of_twice() -> None:
    window = window_for(states.died()[0])
    end_turn(window, TurnEndEntry(NOW, NOW - 2, lost="the agent exited with code 0"))
    assert len(window.written) == 1
    state, _ = states.died()
    state.peer.process.exit = ProcessExited(NOW, 0, asked=True)
    window = window_for(state)
    window.emit(AgentChanged(window.tabs.agent, [ScreenChanged()]))
    assert window.written == []


@pytest.mark.anyio
async def test_a_command_of_the_persons_is_run_in_place_of_a_sequence(tmp_path: Path) -> None:
    file = tmp_path / "told"
    write = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    command = [sys.executable, "-c", write, str(file), "{body}"]
    window = window_for(states.asking()[0], NotifySettings(command=command))
    window.feature.questions.call_person(ViewRefreshed())
    await window.finish()
    assert file.read_text().startswith("asks for permission: ")
    assert window.written == []


@pytest.mark.anyio
async def test_a_command_that_fails_is_said_once() -> None:
    state, session = states.asking()
    window = window_for(state, NotifySettings(command=["/nowhere/tell"]))
    for number in (51, 52):
        window.feature.questions.call_person(ViewRefreshed())
        states.ask(state, session, number, "Another")
    await window.finish()
    assert window.toasts == ["/nowhere/tell can't be started: No such file or directory"]


def test_a_terminal_that_another_program_has_is_left_alone() -> None:
    window = window_for(states.talked()[0])
    with window.step_aside():
        end_turn(window, done())
    assert window.written == []
