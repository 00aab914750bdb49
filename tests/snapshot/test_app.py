"""What the app looks like. After a wanted change: pytest tests/snapshot --snapshot-update."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
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
from tests.snapshot.pictures import Pictures, Size, take_pictures
from tests.unit.ui.app import states, version_2
from tests.unit.ui.app import test_agents as agents
from tests.unit.ui.app import test_elicitation as elicitations
from tests.unit.ui.app import test_files as changed_files
from tests.unit.ui.app import test_options as options
from tests.unit.ui.app import test_sessions as sessions
from tests.unit.ui.app.running import Clock, until_armed
from tests.unit.ui.settling import settled

SIZES = [(80, 24), (120, 40)]
SMALL = SIZES[0]
Compare = Callable[..., bool]


def state_of(made: object) -> State:
    return made[0] if isinstance(made, tuple) else made  # type: ignore[no-any-return, return-value]


def pictures(
    state: State,
    keys: Iterable[str] = (),
    sizes: Sequence[Size] = SIZES,
    theme: str = "night",
) -> Pictures:
    """Take pictures after the given keys, when every dialog takes keys."""

    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        await settled(pilot)
        await until_armed(pilot)
        await pilot.press(*keys)
        yield ""

    app = AcpApp([Agent(state, lambda _: None)], Features, clock=Clock(), theme_name=theme)
    return take_pictures(app, sizes, moments)


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
def test_state(looks_the_same: Compare, name: str, size: tuple[int, int]) -> None:
    assert looks_the_same(lambda: pictures(state_of(getattr(states, name)())), size, app=name)


@pytest.mark.parametrize("size", SIZES)
def test_open_plan_and_queue(looks_the_same: Compare, size: tuple[int, int]) -> None:
    keys = ["f2", *"then rest", "enter"]
    assert looks_the_same(lambda: pictures(state_of(states.working()), keys), size)


@pytest.mark.parametrize("size", SIZES)
def test_commands(looks_the_same: Compare, size: tuple[int, int]) -> None:
    keys = ["slash", "m", "down"]
    assert looks_the_same(lambda: pictures(state_of(states.talked()), keys), size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("about", ["nothing", "command", "new"])
def test_version_2(looks_the_same: Compare, about: str, size: tuple[int, int]) -> None:
    def take() -> Pictures:
        nothing = about == "nothing"
        return pictures(version_2.working().state if nothing else version_2.asking(about))

    assert looks_the_same(take, size, app=about)


@pytest.mark.parametrize("size", SIZES)
def test_help(looks_the_same: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(lambda: pictures(state_of(states.talked()), ["f1"]), size)


@pytest.mark.parametrize("size", SIZES)
def test_form(looks_the_same: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(lambda: pictures(elicitations.form(["name"])[0].state, ["tab"]), size)


def test_link(looks_the_same: Compare) -> None:
    url = "https://еріс.com/path?query=" + "x" * 90
    talk, _ = elicitations.link(url, "Sign the form, please")
    assert looks_the_same(lambda: pictures(talk.state, sizes=[SMALL]), SMALL)


@pytest.mark.parametrize("theme", ["day", "night-contrast", "terminal", "paper"])
def test_theme(looks_the_same: Compare, theme: str) -> None:
    state = state_of(states.asking())
    assert looks_the_same(lambda: pictures(state, sizes=[SMALL], theme=theme), SMALL, app=theme)


@pytest.mark.status_line
def test_tabs(looks_the_same: Compare) -> None:
    talk = sessions.two()
    talk.answer(talk.prompt(), error={"code": -32603, "message": "burnt"})
    keys = [*"then", "enter", "alt+1"]
    assert looks_the_same(lambda: pictures(talk.state, keys, [SMALL]), SMALL)


@pytest.mark.status_line
@pytest.mark.parametrize("size", SIZES)
def test_agents(looks_the_same: Compare, size: tuple[int, int]) -> None:
    """One waits for the person, one works, one is done, one has failed, one is gone."""

    def take() -> Pictures:
        talks = agents.five()
        hosted = [Agent(talk.state, lambda _: None) for talk in talks]
        app = AcpApp(hosted, Features, clock=Clock(), theme_name="night")

        async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
            await pilot.press("alt+1")
            await settled(pilot)
            talks[2].answer(talks[2].id, result={"stopReason": "end_turn"})
            app.changed(app.tabs.agents[2], [ScreenChanged()])
            await settled(pilot)
            await until_armed(pilot)
            yield ""

        return take_pictures(app, SIZES, moments)

    assert looks_the_same(take, size)


@pytest.mark.parametrize("size", SIZES)
def test_choice_of_agents(looks_the_same: Compare, size: tuple[int, int]) -> None:
    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        await pilot.press("ctrl+t", "e")
        yield ""

    named = {"baker": AgentSettings(command=["~/bin/bake", "--acp"])}
    agent = Agent(
        agents.talk("Tea").state, lambda _: None, settings=AgentSettings(command=["brew"])
    )
    features = partial(Features, hosts=agents.FakeHosts(named))
    app = AcpApp([agent], features, clock=Clock(), theme_name="night")
    assert looks_the_same(lambda: take_pictures(app, [size], moments), size, app=str(size))


@pytest.mark.parametrize("size", SIZES)
def test_sessions(looks_the_same: Compare, size: tuple[int, int]) -> None:
    talk = sessions.two()
    sessions.listed(talk)
    assert looks_the_same(lambda: pictures(talk.state, ["ctrl+o", "down"]), size)


@pytest.mark.parametrize("moment", ["all", "values"])
def test_options(looks_the_same: Compare, moment: str) -> None:
    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        await settled(pilot)
        await pilot.press("f4")
        yield "all"
        await pilot.press("enter")
        yield "values"

    def take() -> Pictures:
        talk = options.talk_with({"configOptions": options.OPTIONS})
        agent = Agent(talk.state, lambda _: None)
        app = AcpApp([agent], Features, clock=Clock(), theme_name="night")
        return take_pictures(app, [SMALL], moments)

    assert looks_the_same(take, SMALL, moment=moment)


def test_files(looks_the_same: Compare, tmp_path: Path) -> None:
    for name in ("tea.txt", "teapot.py", "src/tea/kettle.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    state, session = states.talked()
    session.cwd = str(tmp_path)
    assert looks_the_same(lambda: pictures(state, "read @te", [SMALL]), SMALL)


@pytest.mark.parametrize("size", SIZES)
def test_changed_files(looks_the_same: Compare, size: tuple[int, int]) -> None:
    assert looks_the_same(lambda: pictures(changed_files.changed()[0], ["f7"]), size)


def test_queue(looks_the_same: Compare) -> None:
    state = state_of(states.working())
    keys = [*"one", "enter", *"two", "enter", "f6"]
    assert looks_the_same(lambda: pictures(state, keys, [SMALL]), SMALL)
