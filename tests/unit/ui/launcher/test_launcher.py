"""The launcher: what is here can be started by Enter, and nothing starts that was not meant."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from textual.pilot import Pilot

from acp_tui.cli.launcher import arguments_for
from acp_tui.config.settings import AgentSettings
from acp_tui.store.accepted_commands import AcceptedCommands
from acp_tui.store.files_in_use import mark_in_use
from acp_tui.store.named_agents import AgentOrigin, NamedAgent, StartState
from acp_tui.store.registry import RegistryAgent
from acp_tui.ui.launcher.app import LauncherApp, LauncherChoice
from acp_tui.ui.launcher.rows import (
    AttachRun,
    BackgroundSession,
    FetchRegistry,
    StartAgent,
    StartCommand,
    StartDemo,
)
from tests.examples import parametrize
from tests.hosting import PATIENCE
from tests.unit.debug.scenes import Wire
from tests.unit.index.test_index import STARTED, record, wire
from tests.unit.ui.app.running import until_armed
from tests.unit.ui.screens import screen_text
from tests.unit.ui.settling import moment

pytestmark = pytest.mark.anyio

MINE = NamedAgent(
    "mine", AgentOrigin.SETTINGS, StartState.READY, AgentSettings(command=["mine", "--acp"])
)
LISTED = RegistryAgent("kettle", "Kettle", "2.0", {}, "boils \x1b[31mwater")
FAR = NamedAgent(
    "kettle",
    AgentOrigin.REGISTRY,
    StartState.FETCHED,
    AgentSettings(command=["npx", "kettle"]),
    LISTED,
)
CLAUDE = NamedAgent(
    "claude-acp",
    AgentOrigin.PATH,
    StartState.FETCHED,
    AgentSettings(command=["npx", "--yes", "@agentclientprotocol/claude-agent-acp"]),
)
ODD = NamedAgent("odd", AgentOrigin.REGISTRY, StartState.UNUSABLE, None, LISTED)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@asynccontextmanager
async def launching(
    tmp_path: Path,
    agents: Sequence[NamedAgent] = (MINE, FAR, ODD),
    *,
    has_registry: bool = True,
    size: tuple[int, int] = (80, 24),
    said: str = "",
    kept: Sequence[BackgroundSession] = (),
) -> AsyncIterator[tuple[LauncherApp, Pilot[LauncherChoice]]]:
    index, folder = tmp_path / "archive.sqlite", tmp_path / "acp-tui" / "recordings"
    accepted = AcceptedCommands(tmp_path / "accepted.json")
    app = LauncherApp(
        agents,
        index,
        folder,
        accepted,
        has_registry=has_registry,
        read_background=lambda: kept,
        note=said,
    )
    async with app.run_test(size=size) as pilot:
        yield app, pilot


async def until_shown(app: LauncherApp, pilot: Pilot[LauncherChoice], words: str) -> None:
    with anyio.fail_after(PATIENCE):
        while words not in screen_text(app):
            await moment(pilot)


async def until_read(app: LauncherApp, pilot: Pilot[LauncherChoice], prompt: str) -> None:
    """Wait for a session: the mark stays where it is when sessions come while one writes."""
    with anyio.fail_after(PATIENCE):
        while not any(one.prompt == prompt for one in app._known.sessions):
            await moment(pilot)


LOADS = {"loadSession": True}


def session(
    cwd: Path, prompt: str = "Fix it", day: int = 1, offered: dict[str, Any] = LOADS
) -> Path:
    name, started = f"2026010{day}-000000-tea-1", STARTED + day * 86400
    return record(name, wire(prompt, offered=offered), cwd=str(cwd), started=started)


async def test_enter_starts_the_agent_that_one_has_set_up(tmp_path: Path) -> None:
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "▌mine")
        assert "1 more agent in the registry" in screen_text(app)
        await pilot.press("enter")
    assert app.return_value == LauncherChoice(StartAgent("mine"), str(Path.cwd()))


async def test_the_options_of_an_agent_can_be_chosen_before_its_first_session(
    tmp_path: Path,
) -> None:
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "▌mine")
        assert "Alt+T options first" in screen_text(app)
        await pilot.press("alt+t")
    assert app.return_value is not None
    arguments = arguments_for(app.return_value)
    assert arguments == ["mine", f"--cwd={Path.cwd()}", "--unstable", "--choose-options"]


async def test_without_any_agent_the_demo_is_first_and_the_list_can_be_fetched(
    tmp_path: Path,
) -> None:
    async with launching(tmp_path, (), has_registry=False) as (app, pilot):
        await until_shown(app, pilot, "▌demo")
        await pilot.press("down")
        await until_shown(app, pilot, "▌registry")
        await pilot.press("up", "enter")
    assert app.return_value is not None
    assert app.return_value.choice == StartDemo()
    assert arguments_for(app.return_value) == ["demo"]
    async with launching(tmp_path, (), has_registry=False) as (app, pilot):
        await pilot.press("down", "enter")
    assert app.return_value is not None
    assert app.return_value.choice == FetchRegistry()


async def test_a_well_known_agent_has_its_title_and_is_found_by_its_name_too(
    tmp_path: Path,
) -> None:
    async with launching(tmp_path, (MINE, CLAUDE)) as (app, pilot):
        for written in ("claude co", "claude-a"):
            await until_shown(app, pilot, "▌mine")
            await pilot.press(*written)
            await until_shown(app, pilot, "▌Claude Code  fetched when started  npx --yes ")
            if written == "claude co":
                await pilot.press("escape")
        await pilot.press("enter")
    assert app.return_value is not None
    assert app.return_value.choice == StartAgent("claude-acp")


async def test_agents_of_the_registry_are_found_by_what_they_do_whatever_arrives_then(
    tmp_path: Path,
) -> None:
    async with launching(tmp_path) as (app, pilot):
        await pilot.press(*"water")
        await until_shown(app, pilot, "▌kettle")
        shown = screen_text(app)
        assert "\x1b" not in shown
        assert "odd" not in shown
        app._known.kept = [kept(state="waits for you: Pour the water")]
        app._show_background()
        await until_shown(app, pilot, "Pour the water")
        assert "▌kettle" in screen_text(app), "the mark stays where typing put it"
        await pilot.press("enter")
    assert app.return_value is not None
    assert app.return_value.choice == StartAgent("kettle")


async def test_a_command_is_started_by_enter_pressed_twice(tmp_path: Path) -> None:
    async with launching(tmp_path) as (app, pilot):
        await pilot.press(*"sh --acp", "enter")
        await until_shown(app, pilot, "again starts this command")
        await pilot.press("x", "backspace")  # another command in between is another decision
        await until_shown(app, pilot, "twice starts this command")
        await pilot.press("enter")
        assert app.return_value is None
        await pilot.press("enter")
    chosen = app.return_value
    assert chosen is not None
    assert chosen.choice == StartCommand(("sh", "--acp"))
    assert arguments_for(chosen) == [f"--cwd={Path.cwd()}", "--", "sh", "--acp"]


async def test_what_is_no_program_is_not_started_but_told(tmp_path: Path) -> None:
    async with launching(tmp_path) as (app, pilot):
        await pilot.press(*"kettel")
        await until_shown(app, pilot, "$ kettel")
        assert "starts this command" not in screen_text(app)
        await pilot.press("enter", "enter")
        await until_shown(app, pilot, "there is no program 'kettel'; did you mean kettle?")
        await pilot.press("backspace")
        await pilot.pause()
        assert "there is no program" not in screen_text(app)
        (tmp_path / "mine.sh").touch(0o755)
        app._cwd = str(tmp_path)
        app._input.value = "./mine.sh"
        await pilot.press("enter")
        await until_shown(app, pilot, "again starts this command")
    assert app.return_value is None


async def test_a_row_is_no_wider_than_a_hundred_cells(tmp_path: Path) -> None:
    long = NamedAgent(
        "long", AgentOrigin.SETTINGS, StartState.READY, AgentSettings(command=["long"] * 60)
    )
    async with launching(tmp_path, (long,), size=(200, 60)) as (app, _):
        row = next(row for row in screen_text(app).splitlines() if "long long" in row)
        assert row.rstrip().endswith("…")
        assert len(row.strip(" ▌")) == 100


async def test_what_is_offered_first_is_read_whole_at_every_size(tmp_path: Path) -> None:
    async with launching(tmp_path, (), has_registry=False) as (app, pilot):
        for size in ((80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await until_shown(app, pilot, "▌demo")
            shown = screen_text(app)
            for words in (
                "the demo agent: offline, nothing to install",
                "fetch the list of published agents",
                "type an agent command: gemini --experimental-acp",
                "F1 keys",
            ):
                assert words in shown, size


async def test_the_keys_are_shown_and_one_is_back(tmp_path: Path) -> None:
    async with launching(tmp_path) as (app, pilot):
        await pilot.press("f1")
        await until_shown(app, pilot, "Launcher (acp-tui alone)")
        assert "Alt+X choose" not in screen_text(app)
        assert screen_text(app).count("F1") == 1
        assert "Shift+Tab" not in screen_text(app)
        await pilot.press("alt+x", "f1")
        await until_shown(app, pilot, "▌mine")
    assert app.return_value is None


async def test_why_nothing_was_begun_stays_until_something_else_is_done(tmp_path: Path) -> None:
    words = f"{'a' * 60}\n{'b' * 100}"
    async with launching(tmp_path, said=words) as (app, pilot):
        await until_shown(app, pilot, "b" * 22)
        assert "a" * 60 in screen_text(app)
        await pilot.press("down")
        with anyio.fail_after(PATIENCE):
            while "b" * 22 in screen_text(app):
                await moment(pilot)


@pytest.mark.slow
async def test_as_many_sessions_are_shown_as_there_is_room_for(tmp_path: Path) -> None:
    for day in range(1, 9):
        for hour in range(3):
            record(
                f"2026010{day}-0{hour}0000-tea-{hour}",
                wire(f"Do {day}-{hour}", session=f"{day}-{hour}"),
                cwd=str(tmp_path),
                started=STARTED + day * 86400 + hour * 3600,
            )
    async with launching(tmp_path, size=(80, 24)) as (app, pilot):
        await until_shown(app, pilot, "Do 8-2")
        assert sum("Do " in one.words for one in app._rows) == 6
        await pilot.resize_terminal(80, 60)
        await until_shown(app, pilot, "Do 1-0")


async def test_a_session_goes_on_after_a_question_whose_keys_are_its_own(tmp_path: Path) -> None:
    recording = session(tmp_path)
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Fix it")
        await pilot.press("up")
        await until_shown(app, pilot, "resume this session")
        await pilot.press("enter")
        await until_armed(pilot)
        assert "tea-agent --acp" in screen_text(app)
        await pilot.press("enter")  # the mark begins at "no"
        await until_shown(app, pilot, "resume this session")
        assert app.return_value is None
        await pilot.press("enter")
        await until_armed(pilot)
        await pilot.press("down", "enter")
    chosen = app.return_value
    assert chosen is not None
    assert arguments_for(chosen) == [
        *(f"--cwd={tmp_path}", "--resume=s", f"--recorded-in={recording}"),
        *("--", "tea-agent", "--acp"),
    ]


async def test_what_was_accepted_in_a_folder_is_asked_again_only_when_it_changes(
    tmp_path: Path,
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    recording = session(here)
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Fix it")
        await pilot.press("up")
        await until_shown(app, pilot, "resume this session (asks first)")
        await pilot.press("enter")
        await until_armed(pilot)
        await pilot.press("down", "enter")
    assert app.return_value is not None
    new, far = (wire(words, words, offered=LOADS) for words in ("New", "Far"))
    record("20260105-000000-tea-1", new, cwd=str(here), argv=["tea", "-x"])
    record("20260105-000000-tea-2", far, cwd=str(there))
    async with launching(tmp_path) as (app, pilot):
        for words in ("New", "Far"):
            await until_read(app, pilot, words)
            await pilot.press(*words)
            await until_shown(app, pilot, "resume this session (asks first)")
            await pilot.press("enter")
            await until_shown(app, pilot, "Start this agent, and resume its session?")
            assert app.return_value is None
            await until_armed(pilot)
            await pilot.press("escape", "escape")
            await until_shown(app, pilot, "Esc quit")
        await pilot.press(*"fix")
        await until_shown(app, pilot, "resume this session")
        assert "asks first" not in screen_text(app)
        await pilot.press("enter")
    chosen = app.return_value
    assert chosen is not None
    assert arguments_for(chosen) == [
        *(f"--cwd={here}", "--resume=s", f"--recorded-in={recording}"),
        *("--", "tea-agent", "--acp"),
    ]


def kept(
    session_id: str | None = "s", state: str = "waits for you: Pour the tea"
) -> BackgroundSession:
    return BackgroundSession(
        "tea", "Tea agent", session_id, "", "/tmp", state, state.startswith("waits")
    )


async def test_what_an_agent_cannot_open_again_is_told_before_enter(tmp_path: Path) -> None:
    session(tmp_path, offered={"promptCapabilities": {}})
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Fix it  from a recording")
        await pilot.press("up")
        await until_shown(app, pilot, "Enter read this session (asks first)   F1 keys   Esc quit")
        await pilot.press("enter")
        await until_shown(app, pilot, "Start this agent, and show its session?")
        await until_shown(app, pilot, "This agent can't reopen sessions")
        assert "F1 keys" not in screen_text(app)
    assert app.return_value is None


async def test_what_runs_in_the_background_stands_first_and_is_attached_to(tmp_path: Path) -> None:
    session(tmp_path)
    async with launching(tmp_path, kept=[kept()._replace(cwd=str(tmp_path))]) as (app, pilot):
        await until_shown(app, pilot, "▌◆ waits for you")
        await until_shown(app, pilot, "waits for you: Pour the tea  Fix it")
        assert screen_text(app).index("Pour the tea") < screen_text(app).index("Start an agent")
        assert screen_text(app).count("Fix it") == 1  # no second agent on its session
        await until_shown(app, pilot, "Enter attach to this run")
        await pilot.press("enter")
    assert app.return_value is not None
    assert app.return_value.choice == AttachRun("tea", "s")
    assert arguments_for(app.return_value) == ["attach", "tea"]


async def test_what_a_run_does_now_is_shown_and_the_mark_stays(tmp_path: Path) -> None:
    runs = [kept()]
    async with launching(tmp_path, kept=runs) as (app, pilot):
        await until_shown(app, pilot, "▌◆ waits for you")
        await pilot.press("down")
        await until_shown(app, pilot, "▌mine")
        runs[:] = [kept(state="working"), kept("t", "ready")]
        app._known.kept = runs
        app._show_background()
        await until_shown(app, pilot, "working")
        assert "▌mine" in screen_text(app)


async def test_enter_does_nothing_right_after_the_mark_went_elsewhere_by_itself(
    tmp_path: Path,
) -> None:
    runs = [kept()]
    async with launching(tmp_path, kept=runs) as (app, pilot):
        await until_shown(app, pilot, "▌◆ waits for you")
        app._known.kept = runs[:] = []
        app._show_background()
        await until_shown(app, pilot, "▌mine")
        await pilot.press("enter")
        await until_shown(app, pilot, "check the new one")
        assert app.return_value is None
        app._guarded = 0.0
        await pilot.press("enter")
    assert app.return_value is not None


@parametrize(1, "arrival", ["kept", "sessions", "size"])
@parametrize(1, "typed", range(1, len("water") + 1))
async def test_enter_after_words_starts_what_matches_them_whatever_arrives_while_they_are_typed(
    tmp_path: Path, typed: int, arrival: str
) -> None:
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "▌mine")
        arrive = app._show_background if arrival == "kept" else app._show_arrived
        app._input.value = "water"[:typed]
        arrive()  # before the message about the key has come
        await until_shown(app, pilot, "▌kettle")
        assert app._input.value == "water"[:typed]
        arrive()
        await pilot.press(*"water"[typed:], "enter")
    assert app.return_value is not None
    assert app.return_value.choice == StartAgent("kettle")


async def test_enter_counts_for_the_row_that_typing_marked_right_after_the_mark_moved_by_itself(
    tmp_path: Path,
) -> None:
    runs = [kept()]
    async with launching(tmp_path, kept=runs) as (app, pilot):
        await until_shown(app, pilot, "▌◆ waits for you")
        app._known.kept = runs[:] = []
        app._show_background()
        await until_shown(app, pilot, "▌mine")
        await pilot.press("m", "enter")
        await until_shown(app, pilot, "check the new one")
        await pilot.press("backspace", *"water", "enter")
    assert app.return_value is not None
    assert app.return_value.choice == StartAgent("kettle")


async def test_a_key_after_words_moves_the_mark_from_the_first_row_that_matches(
    tmp_path: Path,
) -> None:
    other = RegistryAgent("kettle-2", "Kettle 2", "2.0", {}, "boils water")
    second = replace(FAR, name="kettle-2", listed=other)
    async with launching(tmp_path, (MINE, FAR, second)) as (app, pilot):
        await until_shown(app, pilot, "▌mine")
        app._input.value = "water"
        app.action_move(1)  # before the message about the words has come
        await until_shown(app, pilot, "▌kettle-2")
        await pilot.press("enter")
    assert app.return_value is not None
    assert app.return_value.choice == StartAgent("kettle-2")


async def test_enter_is_guarded_when_a_marked_session_vanishes(tmp_path: Path) -> None:
    session(tmp_path)
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Fix it")
        await pilot.press("up")
        await until_shown(app, pilot, "resume this session")
        app._known.sessions = app._known.near = ()
        app._show_arrived()
        await until_shown(app, pilot, "▌mine")
        await pilot.press("enter")
        await until_shown(app, pilot, "check the new one")
    assert app.return_value is None


async def test_esc_clears_what_is_written_before_it_leaves(tmp_path: Path) -> None:
    async with launching(tmp_path) as (app, pilot):
        await pilot.press(*"water")
        await until_shown(app, pilot, "Esc clear")
        await pilot.press("escape")
        await until_shown(app, pilot, "▌mine")
        await until_shown(app, pilot, "Esc quit")
        assert app.is_running
        await pilot.press("escape")
    assert app.return_value is None


async def test_a_session_whose_folder_is_gone_stands_in_the_way_of_none_and_is_not_begun(
    tmp_path: Path,
) -> None:
    session(tmp_path / "gone", "Lost", day=2)
    record("20260101-000000-tea-2", wire("Kept", session="other"), cwd=str(tmp_path))
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Kept")
        assert "Lost" not in screen_text(app)
        await pilot.press(*"lost")
        await until_shown(app, pilot, "Lost")
        await pilot.press("enter")
        await until_shown(app, pilot, "its folder is gone")
    assert app.return_value is None


async def test_each_session_is_there_once_and_another_folder_is_begun_in(tmp_path: Path) -> None:
    session(tmp_path)
    session(tmp_path, "And now?", day=2)
    async with launching(tmp_path, size=(200, 30)) as (app, pilot):
        await until_shown(app, pilot, "Other folders")
        shown = screen_text(app)
        assert (shown.count("Fix it"), shown.count("And now?")) == (1, 0)
        await pilot.press("up", "up", "enter")
        await until_shown(app, pilot, f"in {tmp_path}")
        await until_shown(app, pilot, "▌Fix it")  # the newest session there
        await pilot.press("down", "enter")
    assert app.return_value == LauncherChoice(StartAgent("mine"), str(tmp_path))


async def test_a_session_that_another_terminal_has_open_is_marked(tmp_path: Path) -> None:
    session(tmp_path)
    facts = {"cwd": str(tmp_path), "pid": 4711, "started": STARTED + 5 * 86400}
    path = record("20260105-000000-tea-1", Wire().prompted(), **facts)
    with path.open() as file:
        mark_in_use(file.fileno())
        async with launching(tmp_path, size=(120, 24)) as (app, pilot):
            await until_shown(app, pilot, "● working elsewhere (pid 4711)  hi")
            (row,) = [one for one in screen_text(app).splitlines() if "4711" in one]
            assert "Fix it" in screen_text(app)
            assert "hi" in row.split(), "the prompt of that session, not of the one before"


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c"])
async def test_nothing_is_chosen_by_leaving(tmp_path: Path, key: str) -> None:
    async with launching(tmp_path) as (app, pilot):
        await pilot.press(key)
    assert app.return_value is None


OTHER = NamedAgent(
    "other", AgentOrigin.SETTINGS, StartState.READY, AgentSettings(command=["other"])
)


async def test_several_agents_race_once_the_command_was_shown(tmp_path: Path) -> None:
    async with launching(tmp_path, (MINE, OTHER, FAR), size=(100, 30)) as (app, pilot):
        await until_shown(app, pilot, "▌mine")
        await pilot.press("alt+r")
        await until_shown(app, pilot, "a race needs a second agent")
        await pilot.press("down", "alt+r")
        await until_shown(app, pilot, "race these 2")
        await pilot.press("enter")
        await until_shown(app, pilot, "Prompt for the race")
        await pilot.press(*"mend it", "enter")
        await until_shown(app, pilot, "Start the race?")
        await until_shown(
            app, pilot, "acp-tui race --agent=mine --agent=other --permissions=reject 'mend it'"
        )
        assert app.is_running
        await pilot.press("enter")
    assert app.return_value is not None
    assert arguments_for(app.return_value) == [
        *("race", "--agent=mine", "--agent=other", "--permissions=reject", "mend it"),
    ]


async def test_what_is_no_race_is_not_begun_and_an_agent_can_be_taken_out(tmp_path: Path) -> None:
    async with launching(tmp_path, (MINE, OTHER), size=(100, 30)) as (app, pilot):
        await until_shown(app, pilot, "▌mine")
        await pilot.press("alt+r", "down", "alt+r", "enter", *"x", "enter")
        await until_shown(app, pilot, "Start the race?")
        await pilot.press("ctrl+a", *"sh -c ", "enter")
        await until_shown(app, pilot, "not started")
        await pilot.press("alt+r")
        await until_shown(app, pilot, "add to race")
        await pilot.press("enter")
    assert app.return_value is not None
    assert isinstance(app.return_value.choice, StartAgent)


async def test_sessions_of_this_folder_stand_first_and_the_newest_is_marked(tmp_path: Path) -> None:
    session(tmp_path, "A thing that takes more cells than a row has on a small screen", day=5)
    for day, words in ((2, "Older here"), (3, "Newer here")):
        record(
            f"2026010{day}-000000-tea-{day}",
            wire(words, session=words, offered=LOADS),
            cwd=str(Path.cwd()),
            started=STARTED + day * 86400,
        )
    async with launching(tmp_path) as (app, pilot):
        for size in ((80, 24), (120, 40), (200, 60)):
            await pilot.resize_terminal(*size)
            await until_shown(app, pilot, "▌Newer here")
            shown = screen_text(app)
            rows = shown.splitlines()
            found = [row for row in rows if " here " in row or "A thing" in row]
            titles = [row[1:].split("  ")[0] for row in found]
            assert titles[:2] == ["Newer here", "Older here"]
            assert titles[2].startswith("A thing that takes")
            whens = {row.index("20", 30) for row in found}  # the dates stand in one column
            assert len(whens) == 1, size
            assert all(len(row.rstrip()) <= 100 for row in found)
            assert shown.index("Recent sessions") < shown.index("Start an agent")


async def test_a_command_that_was_used_is_an_agent_and_its_sessions_go_on_unasked(
    tmp_path: Path,
) -> None:
    record("20260101-000000-sh-1", wire("Fix", offered=LOADS), cwd=str(tmp_path), argv=["sh", "-x"])
    async with launching(tmp_path, ()) as (app, pilot):
        await until_shown(app, pilot, "used before")
        app._cwd = str(tmp_path)
        await pilot.press(*"used before")
        await until_shown(app, pilot, "Enter twice starts this command")
        await pilot.press("enter")
        await until_shown(app, pilot, "again starts this command")
        await pilot.press("enter")
    assert app.return_value == LauncherChoice(StartCommand(("sh", "-x")), str(tmp_path))
    async with launching(tmp_path, ()) as (app, pilot):
        await until_shown(app, pilot, "Fix")
        app._cwd = str(tmp_path)
        await pilot.press(*"fix")
        await until_shown(app, pilot, "Enter resume this session ")
        assert "asks first" not in screen_text(app)


async def test_sessions_of_races_scripts_and_of_the_demo_are_not_ones_own(tmp_path: Path) -> None:
    session(tmp_path, "Mine")
    demo = tmp_path / "acp-tui-demo-5f2k"
    demo.mkdir()
    others: list[dict[str, Any]] = [
        {"argv": ["sh"]},
        {"argv": ["sh"], "by": "script"},
        {"argv": ["sh"], "cwd": str(demo)},
        {"argv": ["python3", "-m", "acp_tui.demo_agent"]},
    ]
    for number, facts in enumerate(others, 2):
        theirs = wire(f"Theirs {number}", session=f"theirs {number}", offered=LOADS)
        name = f"20260102-000000-{'sh' if number > 2 else 'race-sh'}-{number}"
        record(name, theirs, **{"cwd": str(tmp_path), **facts})
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Mine")
        shown = screen_text(app)
        assert "Theirs" not in shown
        assert "demo_agent" not in shown


async def test_who_begins_is_told_in_a_line_what_this_is_after_the_demo_too(tmp_path: Path) -> None:
    tried = wire("Show me everything", offered=LOADS)
    record("20260102-000000-demo-2", tried, argv=["python3", "-m", "acp_tui.demo_agent"])
    async with launching(tmp_path) as (app, pilot):
        await until_read(app, pilot, "Show me everything")
        await until_shown(app, pilot, "acp-tui: a terminal client and debugger for agents")
    session(tmp_path, "Mine")
    async with launching(tmp_path) as (app, pilot):
        await until_shown(app, pilot, "Mine")
        assert "a terminal client" not in screen_text(app)


async def test_the_end_of_a_long_path_is_in_the_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / ("long" * 20) / "teahouse"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    async with launching(tmp_path) as (app, _):
        first, second = screen_text(app.screen).splitlines()[:2]
        assert first.rstrip().endswith("long/teahouse")
        assert not second.strip()
