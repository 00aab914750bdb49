"""Without colors nothing is lost: what is chosen, where keys go, and how things stand is told by signs and words."""

from collections.abc import Callable
from itertools import combinations

import pytest
from textual.app import App
from textual.geometry import Size

from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.state import State
from acp_tui.ui.conversation.status_line import StatusLine
from tests.unit.ui.app import states
from tests.unit.ui.app import test_choices as choices
from tests.unit.ui.app import test_elicitation as elicitations
from tests.unit.ui.app import test_files as changed_files
from tests.unit.ui.app import test_options as options
from tests.unit.ui.app import test_sessions as sessions
from tests.unit.ui.app.running import running
from tests.unit.ui.features.window import FakeWindow
from tests.unit.ui.inspector.scene import inspecting, talk

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def drawn(app: App[None]) -> tuple[str, str]:
    """Return the characters of all cells, and what is done with each beside coloring."""
    letters, marks = "", ""
    for strip in app.screen._compositor.render_strips():
        for text, look, _ in strip:
            letters += text
            names = [look and look.bold, look and look.reverse, look and look.underline]
            mark = str(sum(1 << at for at, one in enumerate(names) if one))
            marks += mark * len(text)
    return letters, marks


def of_two_sessions() -> State:
    conversation = sessions.two()
    sessions.listed(conversation)
    return conversation.state


def of_options() -> State:
    return options.talk_with({"configOptions": options.OPTIONS}).state


def of_form() -> State:
    return elicitations.form(["name"])[0].state


def with_changes() -> State:
    return changed_files.changed()[0]


def with_talk() -> State:
    return states.talked()[0]


def with_question() -> State:
    return states.asking()[0]


def with_work() -> State:
    return states.working()[0]


COMMENTED = ["f7", "tab", "c", "x", "enter", "J", "c", "y", "enter", "C"]
SHOWN: list[tuple[str, Callable[[], State], list[str], list[str]]] = [
    ("another file is marked", with_changes, ["f7"], ["down"]),
    ("the keys go to the diff", with_changes, ["f7"], ["tab"]),
    ("several lines are marked", with_changes, ["f7", "tab"], ["J"]),
    ("another comment is marked", with_changes, COMMENTED, ["down"]),
    ("another command is marked", with_talk, ["alt+x"], ["down"]),
    ("another setting is marked", with_talk, ["f10"], ["down"]),
    ("another session is marked", of_two_sessions, ["ctrl+o"], ["down"]),
    ("another option is marked", of_options, ["f4"], ["down"]),
    ("another value is marked", of_options, ["f4", "enter"], ["down"]),
    ("another command of the agent is marked", with_talk, ["slash"], ["down"]),
    ("another entry is marked", choices.with_thoughts, ["tab"], ["up"]),
    ("the keys go to the transcript", choices.with_thoughts, [], ["tab"]),
    ("an entry is open", choices.with_thoughts, ["tab"], ["enter"]),
    ("a line is selected", choices.with_thoughts, ["tab", "v"], ["up"]),
    ("the diff has two sides", choices.with_diff, ["tab"], ["s"]),
    ("another answer is marked", with_question, [], ["down"]),
    (
        "another prompt of the queue is marked",
        with_work,
        [*"a", "enter", *"b", "enter", "f6"],
        ["down"],
    ),
    ("the plan is open", with_work, [], ["f2"]),
    ("another field is written in", of_form, [], ["tab"]),
    ("the mode is another one", of_options, [], ["shift+tab"]),
]


async def test_each_key_is_seen_by_more_than_its_color() -> None:
    async with running(with_changes()) as it:
        for what, before, keys in (
            ("the keys go to the diff", ["f7"], ["tab"]),
            ("several lines are marked", ["c", "x", "enter"], ["J"]),
            ("another comment is marked", ["c", "y", "enter", "C"], ["down"]),
            ("another file is marked", ["escape"] * 3, ["down"]),
            ("another command is marked", ["escape", "alt+x"], ["down"]),
            ("another setting is marked", ["escape", "f10"], ["down"]),
        ):
            await it.press(*before)
            was = drawn(it.app)
            await it.press(*keys)
            assert drawn(it.app) != was, what


@pytest.mark.slow  # other screens, drawn as those in the test above
@pytest.mark.parametrize(
    ("state", "before", "keys"), [one[1:] for one in SHOWN], ids=[one[0] for one in SHOWN]
)
async def test_it_is_seen_that(
    state: Callable[[], State], before: list[str], keys: list[str]
) -> None:
    async with running(state(), (100, 30)) as it:
        await it.wait_until_armed()
        await it.press(*before)
        was = drawn(it.app)
        await it.press(*keys)
        assert drawn(it.app) != was


async def test_in_the_inspector_findings_have_signs_and_it_is_seen_what_a_key_does() -> None:
    wire = talk()
    wire.chunk("late", messageId="m4").prompt(4).got(
        id=4, error={"code": -32603, "message": "burnt"}
    )
    async with inspecting(wire.records) as it:
        rows = it.rows
        assert " W1 " in next(row for row in rows if "late" in row)
        assert " error " in next(row for row in rows if "burnt" in row)
        await it.press("home")
        was = drawn(it.app)
        for keys in ("down", "w", "tab"):
            await it.press(keys)
            before, was = was, drawn(it.app)
            assert was != before, keys


@pytest.mark.slow  # drawn as what is marked in the test above
@pytest.mark.parametrize("keys", ["slash", "n"])
async def test_in_the_inspector_it_is_seen_what_a_key_does(keys: str) -> None:
    async with inspecting(talk().records) as it:
        await it.press("home")
        was = drawn(it.app)
        await it.press(keys)
        assert drawn(it.app) != was


async def test_how_a_tool_call_stands_is_told() -> None:
    state, session = states.working()
    statuses = ("pending", "in_progress", "completed", "failed", None)
    for number, status in enumerate(statuses):
        at = states.NOW
        ended = at if status in ("completed", "failed") else None
        call = ToolCallEntry(
            f"t{number}", at, "Look around", status=status, kind="other", ended=ended
        )
        session.entries.append(call)
    async with running(state, (80, 30)) as it:
        rows = [row for row in it.rows() if "Look around" in row]
    assert len(rows) == len(statuses)
    assert all(one != other for one, other in combinations(rows, 2)), rows


def test_how_a_session_stands_is_told() -> None:
    bars = []
    for made in (
        states.starting,
        states.initializing,
        lambda: states.opened()[0],
        with_work,
        with_question,
        states.signing_in,
        lambda: states.died()[0],
        states.not_found,
    ):
        window = FakeWindow(made())
        line = StatusLine(window.tabs, window.clock)
        line._size = Size(80, 1)
        bars.append(line.render().plain[:24])
    assert all(one != other for one, other in combinations(bars, 2)), bars
