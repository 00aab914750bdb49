"""Without colors nothing is lost: what is chosen, where keys go, and how things stand is told by signs and words."""

from collections.abc import Callable, Iterator
from itertools import combinations

import pytest
from textual.app import App

from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.state import State
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app import test_choices as choices
from tests.unit.ui.app import test_elicitation as elicitations
from tests.unit.ui.app import test_files as changed_files
from tests.unit.ui.app import test_options as options
from tests.unit.ui.app import test_sessions as sessions
from tests.unit.ui.app.running import running
from tests.unit.ui.inspector.scene import inspecting, talk

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def drawn(app: App[None]) -> Iterator[tuple[str, str]]:
    """Each cell's character, and what is done with it beside coloring."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            look = segment.style
            names = ("bold", "reverse", "underline")
            marks = "".join(one[0] for one in names if look is not None and getattr(look, one))
            yield from ((letter, marks) for letter in segment.text)


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


@parametrize(
    6, ("state", "before", "keys"), [one[1:] for one in SHOWN], ids=[one[0] for one in SHOWN]
)
async def test_it_is_seen_that(
    state: Callable[[], State], before: list[str], keys: list[str]
) -> None:
    async with running(state(), (100, 30)) as it:
        await it.wait_until_armed()
        await it.press(*before)
        was = list(drawn(it.app))
        await it.press(*keys)
        assert list(drawn(it.app)) != was


@parametrize(2, "keys", ["down", "w", "tab", "slash", "n"])
async def test_in_the_inspector_it_is_seen_what_a_key_does(keys: str) -> None:
    async with inspecting(talk().records) as it:
        await it.press("home")
        was = list(drawn(it.app))
        await it.press(keys)
        assert list(drawn(it.app)) != was


async def test_a_frame_with_a_finding_and_an_error_have_signs() -> None:
    wire = talk()
    wire.chunk("late", messageId="m4").prompt(4).got(
        id=4, error={"code": -32603, "message": "burnt"}
    )
    async with inspecting(wire.records) as it:
        rows = it.rows
        assert " W1 " in next(row for row in rows if "late" in row)
        assert " error " in next(row for row in rows if "burnt" in row)


async def test_how_a_tool_call_stands_is_told() -> None:
    rows = {}
    for status in ("pending", "in_progress", "completed", "failed", None):
        state, session = states.working()
        at = states.NOW
        ended = at if status in ("completed", "failed") else None
        call = ToolCallEntry("t9", at, "Look around", status=status, kind="other", ended=ended)
        session.entries.append(call)
        async with running(state) as it:
            rows[status] = next(row for row in it.rows() if "Look around" in row)
    assert all(one != other for one, other in combinations(rows.values(), 2)), rows


async def test_how_a_session_stands_is_told() -> None:
    bars = {}
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
        state = made()
        async with running(state) as it:
            bars[str(len(bars))] = it.rows()[-2][:24]
    assert all(one != other for one, other in combinations(bars.values(), 2)), bars
