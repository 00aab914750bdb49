"""What the app looks like. After a wanted change: pytest tests/snapshot --snapshot-update."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from acp_tui.config.settings import AgentSettings
from acp_tui.host.agent import Agent
from acp_tui.state import question
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.state import State
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.toolkit import type_ahead
from tests.unit.ui.app import states, version_2
from tests.unit.ui.app import test_agents as agents
from tests.unit.ui.app import test_elicitation as elicitations
from tests.unit.ui.app import test_files as changed_files
from tests.unit.ui.app import test_options as options
from tests.unit.ui.app import test_sessions as sessions
from tests.unit.ui.app.running import Clock, until_armed
from tests.unit.ui.settling import settled

SIZES = [(80, 24), (120, 40)]
Compare = Callable[..., bool]


def state_of(made: object) -> State:
    return made[0] if isinstance(made, tuple) else made  # type: ignore[no-any-return, return-value]


def looks_the_same(
    snap_compare: Compare,
    state: State,
    size: tuple[int, int],
    keys: Iterable[str] = (),
    theme: str = "night",
) -> bool:
    """Compare after the given keys, when every dialog takes keys."""

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await until_armed(pilot)
        await pilot.press(*keys)
        await settled(pilot)

    app = AcpApp([Agent(state, lambda _: None)], Features, clock=Clock(), theme_name=theme)
    run_before: Callable[[Pilot[None]], Awaitable[None]] = before
    return snap_compare(app, terminal_size=size, run_before=run_before)


@pytest.fixture(autouse=True)
def no_settings_of_mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dialogs take keys at once: time stands still here."""
    monkeypatch.setattr(type_ahead, "SHOWN_BEFORE_KEYS", 0.0)
    monkeypatch.setattr(question, "SHOWN_BEFORE_KEYS", 0.0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "name",
    [
        "initializing",
        "opened",
        "talked",
        "working",
        "asking",
        "asking_untruly",
        "asking_thrice",
        "signing_in",
        "died",
        "not_found",
    ],
)
def test_state(snap_compare: Compare, name: str, size: tuple[int, int]) -> None:
    assert looks_the_same(snap_compare, state_of(getattr(states, name)()), size)


@pytest.mark.parametrize("size", SIZES)
def test_open_plan_and_queue(snap_compare: Compare, size: tuple[int, int]) -> None:
    state = state_of(states.working())
    assert looks_the_same(snap_compare, state, size, ["f2", *"then rest", "enter"])


@pytest.mark.parametrize("size", SIZES)
def test_commands(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(snap_compare, state_of(states.talked()), size, ["slash", "m", "down"])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("about", ["nothing", "command", "new"])
def test_version_2(snap_compare: Compare, about: str, size: tuple[int, int]) -> None:
    state = version_2.working().state if about == "nothing" else version_2.asking(about)
    assert looks_the_same(snap_compare, state, size)


@pytest.mark.parametrize("size", SIZES)
def test_help(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(snap_compare, state_of(states.talked()), size, ["f1"])


@pytest.mark.parametrize("size", SIZES)
def test_form(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(snap_compare, elicitations.form(["name"])[0].state, size, ["tab"])


def test_link(snap_compare: Compare) -> None:
    talk, _ = elicitations.link("https://еріс.com/path?query=" + "x" * 90)
    assert looks_the_same(snap_compare, talk.state, (80, 24))


@pytest.mark.parametrize("theme", ["day", "night-contrast", "terminal", "paper"])
def test_theme(snap_compare: Compare, theme: str) -> None:
    assert looks_the_same(snap_compare, state_of(states.asking()), (80, 24), theme=theme)


@pytest.mark.status_line
def test_tabs(snap_compare: Compare) -> None:
    talk = sessions.two()
    talk.answer(talk.prompt(), error={"code": -32603, "message": "burnt"})
    assert looks_the_same(snap_compare, talk.state, (80, 24), [*"then", "enter", "alt+1"])


@pytest.mark.status_line
@pytest.mark.parametrize("size", SIZES)
def test_agents(snap_compare: Compare, size: tuple[int, int]) -> None:
    """One waits for the person, one works, one is done, one has failed, one is gone."""
    clock, talks = Clock(), agents.five()

    async def before(pilot: Pilot[None]) -> None:
        await pilot.press("alt+1")
        await settled(pilot)
        talks[2].answer(talks[2].id, result={"stopReason": "end_turn"})
        app.changed(app.tabs.agents[2], [ScreenChanged()])
        await settled(pilot)
        await until_armed(pilot)

    app = AcpApp(
        [Agent(talk.state, lambda _: None) for talk in talks],
        Features,
        clock=clock,
        theme_name="night",
    )
    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("size", SIZES)
def test_choice_of_agents(snap_compare: Compare, size: tuple[int, int]) -> None:
    named = {"baker": AgentSettings(command=["~/bin/bake", "--acp"])}
    agent = Agent(
        agents.talk("Tea").state, lambda _: None, settings=AgentSettings(command=["brew"])
    )
    features = partial(Features, hosts=agents.FakeHosts(named))
    app = AcpApp([agent], features, clock=Clock(), theme_name="night")
    assert snap_compare(app, terminal_size=size, press=["ctrl+t", "e"])


@pytest.mark.parametrize("size", SIZES)
def test_sessions(snap_compare: Compare, size: tuple[int, int]) -> None:
    talk = sessions.two()
    sessions.listed(talk)
    assert looks_the_same(snap_compare, talk.state, size, ["ctrl+o", "down"])


@pytest.mark.parametrize("keys", [["f4"], ["f4", "enter"]], ids=["all", "values"])
def test_options(snap_compare: Compare, keys: list[str]) -> None:
    talk = options.talk_with({"configOptions": options.OPTIONS})
    assert looks_the_same(snap_compare, talk.state, (80, 24), keys)


def test_files(snap_compare: Compare, tmp_path: Path) -> None:
    for name in ("tea.txt", "teapot.py", "src/tea/kettle.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    state, session = states.talked()
    session.cwd = str(tmp_path)
    assert looks_the_same(snap_compare, state, (80, 24), [*"read @te"])


@pytest.mark.parametrize("size", SIZES)
def test_changed_files(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(snap_compare, changed_files.changed()[0], size, ["f7"])


def test_queue(snap_compare: Compare) -> None:
    state = state_of(states.working())
    keys = [*"one", "enter", *"two", "enter", "f6"]
    assert looks_the_same(snap_compare, state, (80, 24), keys)
