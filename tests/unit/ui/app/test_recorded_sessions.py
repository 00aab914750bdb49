"""The sessions of our own recordings, for an agent that keeps no list."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.passages import PassageKind
from acp_tui.state import commands
from acp_tui.store.recordings import recordings_in
from acp_tui.ui.sessions import recorded, recorded_screen
from acp_tui.ui.sessions.recorded_screen import RecordedScreen, read_passages
from tests.hosting import PATIENCE
from tests.unit.debug.scenes import Wire
from tests.unit.index.test_index import STARTED, record, state, wire
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_sessions import connected, open_session

pytestmark = pytest.mark.anyio

__all__ = ["state"]
PLACE = ("/w", "tea-agent", "--acp")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
async def helpers_end() -> AsyncIterator[None]:
    """Wait until a helper that was just being ended is gone: the loop would end before it."""
    before = children()
    yield
    with anyio.fail_after(PATIENCE):
        while children() - before:
            await anyio.sleep(0.01)


def children() -> set[str]:
    """Return the ids of the processes that this one has."""
    found: set[str] = set()
    for one in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError):  # the thread has ended since
            found.update(one.read_text().split())
    return found


async def listed(it: Running, words: str = "in the recordings") -> None:
    it.app.tabs.agent.place = PLACE
    await it.press("ctrl+o")
    await it.until(lambda: words in it.screen)


async def takes_keys(it: Running) -> None:
    shown = it.app.screen
    assert isinstance(shown, RecordedScreen)

    def a_while_later() -> bool:
        it.clock.now += 10
        return shown.accepts_keys

    await it.until(a_while_later)


def talking(**capabilities: Any) -> Any:
    talk = connected({"protocolVersion": 1, "agentCapabilities": capabilities})
    open_session(talk, "now", "Bread")
    return talk


def begun(prompt: str) -> Wire:
    """A session that the agent begins, and gives the id of all its first ones."""
    made = Wire().initialized()
    made.out(id=1, method="session/new", params={"cwd": "/w", "mcpServers": []})
    made.got(id=1, result={"sessionId": "s"})
    made.records += wire(prompt).records[2:]
    return made


def indexed() -> None:
    """Read all recordings, as an earlier search has."""
    with Index.open(archive_file()) as index:
        index.update(recordings_in(recordings_folder()))


@pytest.fixture
def indexed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read new recordings in this process: loading another one takes longer than all else."""

    async def update() -> None:
        indexed()

    monkeypatch.setattr(recorded_screen, "update_index", update)


async def test_what_was_recorded_of_this_agent_here_is_listed_and_opened() -> None:
    record("one", wire("Fix the teapot"))
    loads = wire("Not of this folder", "e", {"loadSession": True})
    record("two", loads, cwd="/elsewhere")
    record("three", wire("Not of this agent", "o"), argv=["other"])
    async with running(talking(loadSession=True).state, (100, 24)) as it:
        await listed(it, "1 in the recordings")
        assert "Fix the teapot" in it.screen
        assert "Not of this" not in it.screen
        await it.press("down", "enter")
        assert it.asked == [commands.OpenSession("s", history=True)]


@pytest.mark.usefixtures("indexed_here")
async def test_an_agent_that_opens_none_begins_anew_and_a_person_sends_what_it_is_told() -> None:
    made = begun("Fix the teapot")
    made.out(id=30, method="session/prompt", params={"sessionId": "s", "prompt": []})
    made.chunk("Done.", session="s")
    for number in ("1", "2"):
        made.update("tool_call", "s", toolCallId=number, title="Read tea.py", status="pending")
        made.update("tool_call_update", "s", toolCallId=number, title="Read tea.py")
        made.chunk("Done.", session="s")
    record("one", made)
    record("two", begun("Pour the milk"), started=STARTED + 9)  # many number from one at each start
    record("open", wire("Bread", "now"))
    record("elsewhere", wire("Warm the cups", "e"), cwd="/elsewhere")
    record("other", wire("Not of this agent", "o"), cwd="/elsewhere", argv=["other"])
    async with running(talking().state, (100, 24)) as it:
        await listed(it, "3 in the recordings: Enter shows one")
        shown = it.screen
        assert "Pour the milk" in shown
        assert "/elsewhere" in next(row for row in it.rows() if "Warm the cups" in row)
        assert "Not of this" not in shown
        await it.press("down", "down", "enter")
        await it.until(lambda: isinstance(it.app.screen, RecordedScreen))
        await it.press("home")
        shown = it.screen
        assert "❯ Fix the teapot" in shown
        assert "milk" not in shown
        await takes_keys(it)
        assert it.asked == []
        await it.press("enter")
        await it.until(lambda: "Fix the teapot" in it.prompt)
        assert it.asked == [commands.NewSession()]
        assert "> I said: Fix the teapot\n>\n> You said: I look at the kettle." in it.prompt
        assert "You used a tool: Run tests" in it.prompt
        assert it.prompt.count("You said: Done.") == 3, "what was said twice is told twice"
        assert it.prompt.count("You used a tool: Read tea.py") == 2


async def test_that_no_recording_has_a_session_is_told() -> None:
    async with running(talking().state, (100, 24)) as it:
        await listed(it, "can't reopen any; none is recorded")


async def test_a_session_that_was_chosen_at_the_start_is_the_one_of_its_recording() -> None:
    first = record("one", begun("Fix the teapot"))
    record("two", begun("Pour the milk"), started=STARTED + 9)
    indexed()
    async with running(connected({"protocolVersion": 1}).state, (100, 24)) as it:
        agent = it.app.tabs.agent
        agent.place, agent.resumed, agent.resumed_from = PLACE, "s", str(first)
        it.app.refresh_view()
        await it.until(lambda: "❯ Fix the teapot" in it.screen)


async def test_a_session_that_was_wanted_at_the_start_is_shown_where_it_cannot_be_opened() -> None:
    record("one", wire("Fix the teapot"))
    record("elsewhere", wire("The secret of another"), cwd="/elsewhere", started=STARTED + 9)
    record("other", wire("The secret of another"), argv=["other"], started=STARTED + 9)
    indexed()
    async with running(connected({"protocolVersion": 1}).state, (100, 24)) as it:
        it.app.tabs.agent.place = PLACE
        it.app.tabs.agent.resumed = "s"
        it.app.tabs.shown.queue.waiting.append("Go on")
        it.app.refresh_view()
        await it.until(lambda: "❯ Fix the teapot" in it.screen)
        assert "secret" not in it.screen  # other agents have sessions of this id, too
        assert it.asked == [commands.NewSession()]
        assert it.app.tabs.shown.queue.paused  # it was meant for the session that isn't there
        await takes_keys(it)
        await it.press("enter")
        await it.until(lambda: "> I said: Fix the teapot" in it.prompt)
        assert it.asked == [commands.NewSession()]


async def test_a_session_that_the_agent_opens_is_not_shown_from_a_recording() -> None:
    record("one", wire("Fix the teapot"))
    async with running(talking(loadSession=True).state, (100, 24)) as it:
        it.app.tabs.agent.resumed = "s"
        it.app.refresh_view()
        await it.until(lambda: not it.app.tabs.agent.resumed)
        assert it.asked == []


async def test_an_index_that_cannot_be_read_is_told() -> None:
    record("one", wire())
    archive_file().mkdir()
    async with running(talking(loadSession=True).state, (100, 24)) as it:
        await listed(it, "the recordings can't be read")


@pytest.mark.parametrize("loads", [False, True])
async def test_a_session_that_can_only_be_resumed_is_shown_from_its_recording(
    monkeypatch: pytest.MonkeyPatch, loads: bool
) -> None:
    monkeypatch.setattr(recorded, "LATE", 0.0)
    record("one", wire("Fix the teapot"))
    indexed()
    talk = talking(loadSession=loads, sessionCapabilities={"resume": {}})
    params = {"sessionId": "s", "cwd": "/w", "mcpServers": []}
    async with running(talk.state, (100, 24)) as it:
        it.app.tabs.agent.place = PLACE
        talk.answer(talk.call("session/resume", params), result={})
        it.app.refresh_view()
        if not loads:  # else it was resumed without its history because the user wished that
            await it.until(lambda: "❯ Fix the teapot" in it.screen)
            assert "has resumed this session, but can't show what was said before" in it.screen
            await takes_keys(it)
            await it.press("enter")  # the agent knows what was said
            assert "❯ Fix the teapot" in it.screen
            await it.press("escape")
        await it.until(lambda: "resumed this session without its history." in it.screen)
        assert it.app.prompt.text == ""


@pytest.mark.usefixtures("indexed_here")
async def test_a_recorded_session_is_shown_from_all_its_recordings() -> None:
    record("one", wire("Another session of this id"))
    record("two", wire_of_new("Fix the teapot"), started=STARTED + 10)
    third = record("three", wire("Now the kettle"), started=STARTED + 20)
    fourth = record("four", wire("And the cups"), started=STARTED + 30)
    assert await prompts() == ["Fix the teapot", "Now the kettle", "And the cups"]
    assert await prompts(third) == ["Fix the teapot", "Now the kettle"]
    record("five", wire("No cups, please"), started=STARTED + 40)
    assert (await prompts(recordings_folder() / "five.jsonl"))[-1] == "No cups, please"
    third.unlink()
    assert await prompts(fourth) == ["Fix the teapot", "And the cups"]
    with pytest.raises(FileNotFoundError):
        await prompts(third)


def wire_of_new(prompt: str) -> Wire:
    made = Wire().opened()
    params = {"sessionId": "s", "prompt": [{"type": "text", "text": prompt}]}
    return made.out(id=2, method="session/prompt", params=params).chunk().ended()


async def test_a_known_recording_is_read_even_if_the_index_cannot_be() -> None:
    path = record("one", wire("Fix the teapot"))
    archive_file().mkdir()
    assert await prompts(path) == ["Fix the teapot"]
    with pytest.raises(IsADirectoryError):
        await prompts()


async def prompts(newest: Path | str = "") -> list[str]:
    passages = await read_passages("s", PLACE, str(newest))
    return [text for kind, text in passages if kind is PassageKind.PROMPT]


async def test_a_session_of_which_the_agent_shows_nothing_is_shown_from_its_recording(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recorded, "LATE", 0.0)
    record("one", wire("Fix the teapot"))
    indexed()
    talk = talking(loadSession=True)
    params = {"sessionId": "s", "cwd": "/w", "mcpServers": []}
    async with running(talk.state, (100, 24)) as it:
        it.app.tabs.agent.place = PLACE
        id = talk.call("session/load", params)
        talk.answer(id, result={})
        it.app.refresh_view()
        await it.until(lambda: "❯ Fix the teapot" in it.screen)
        assert "showed nothing of this session" in it.screen
        await takes_keys(it)
        await it.press("escape")
        await it.until(lambda: "The agent showed nothing of this session." in it.screen)
