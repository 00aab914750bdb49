"""Keys that come all at once, as from a slow line: each is done before the next."""

import anyio
import pytest
from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from acp_tui.state import commands
from acp_tui.state.commands import AnswerElicitation
from acp_tui.state.session import FileWrite
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.textual_fixes import display, key_order
from acp_tui.ui.textual_fixes.key_order import KeyOrderApp
from tests.hosting import PATIENCE
from tests.unit.ui.app import states
from tests.unit.ui.app.running import mouse, running
from tests.unit.ui.app.test_elicitation import armed, form
from tests.unit.ui.app.test_sessions import KEPT, connected, listed, open_session, prompt, two
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


async def test_keys_and_clicks_are_each_done_in_the_session_that_those_before_them_show() -> None:
    talk = two()
    async with running(talk.state) as it:
        await it.press_at_once(*"tea", "enter", "alt+1", *"rye")
        assert it.asked == [prompt("z", "tea")]
        assert it.prompt == "rye"
        assert it.app.session is talk.state.sessions["s"]
        await it.press("ctrl+c", "alt+2")
        tab = it.rows()[0].index("Bread")
        await it.press_at_once(*"oat", "enter", *"dra", (tab, 0), *"rye", "ctrl+pagedown", "f")
        assert it.asked[1:] == [prompt("z", "oat")]
        assert it.prompt == "draf"
        await it.press("ctrl+c", "alt+1")
        assert it.prompt == "rye"
        await it.press("ctrl+c", "alt+2")
        await it.press_at_once(*"but", "ctrl+pagedown", *"bre", "ctrl+pageup", *"ter")
        assert it.prompt == "butter"
        await it.press("alt+1")
        assert it.prompt == "bre"


async def test_the_mouse_is_moved_where_it_is_held() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        at = next(number for number, row in enumerate(it.rows()) if "engine" in row)
        column = list(it.rows())[at].index("engine")
        it.app.post_message(events.Key("tab", None))
        for kind, x in (
            (events.MouseDown, column),
            (events.MouseMove, column + 3),
            (events.MouseMove, column + 6),
            (events.MouseUp, column + 6),
        ):
            it.app.post_message(mouse(kind, x, at))
        await settled(it.pilot)
        assert it.app.selected_text() == "engine"


async def test_a_list_is_searched_and_chosen_from() -> None:
    talk = connected()
    open_session(talk, "s", "Bread")
    listed(talk)
    async with running(talk.state) as it:
        await it.press_at_once("ctrl+o", *"old", "enter", *"hi")
        session_id = KEPT[0]["sessionId"]
        assert it.asked == [commands.ListSessions(), commands.OpenSession(session_id)]
        assert it.prompt == "hi"


async def test_a_form_is_filled_in() -> None:
    talk, number = form(a={"type": "string"}, b={"type": "string"})
    async with running(talk.state) as it:
        await armed(it)
        await it.press_at_once(*"one", "tab", *"two", "shift+tab", *"s", "enter", "enter")
        content = {"a": "ones", "b": "two"}
        assert it.asked == [AnswerElicitation(number, "accept", content)]


async def test_what_is_searched_for_is_written_in_the_search() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press_at_once("tab", "slash", *"bern", "enter", "n", "escape", "tab", *"y")
        assert it.prompt == "y"


async def test_a_key_that_was_pressed_before_a_question_or_a_dialog_came_answers_nothing() -> None:
    state, session = states.asking()
    path = f"{states.CWD}/a.md"
    session.writes.append(FileWrite(7, states.NOW, path, True, None, "line\n", has_backup=True))
    async with running(state) as it:
        await it.wait_until_armed()
        await it.press_late("1")
        assert it.asked == []
        session.permissions.clear()
        session.turn = None
        await it.changed()
        await it.press("f9")
        await it.wait_until_armed()
        await it.press_late("2")
        assert it.asked == []
        await it.wait_until_armed()
        await it.press("2")
        assert it.asked == [commands.UndoWrite(session.session_id, 7)]


async def test_what_never_ends_does_not_hold_keys_back_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    over = anyio.Event()
    monkeypatch.setattr(PromptEditor, "action_newline", lambda _: over.wait())
    monkeypatch.setattr(key_order, "HOLD_TIMEOUT", 0.05)
    async with running(state) as it:
        for key in ("ctrl+j", "ctrl+t"):  # together: no later key releases them
            it.app.post_message(events.Key(key, None))
        with anyio.fail_after(PATIENCE):
            while it.asked != [commands.NewSession()]:
                await anyio.sleep(0.001)
        over.set()


async def test_an_app_at_rest_is_soon_found_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    came_back = KeyOrderApp._probe_returned

    async def counted(app: KeyOrderApp, word: key_order._Probe) -> None:
        nonlocal looked
        looked += 1
        await came_back(app, word)

    state, _ = states.talked()
    async with running(state) as it:
        await it.press("tab")
        monkeypatch.setattr(KeyOrderApp, "_probe_returned", counted)
        await it.press_at_once(*"jjjj")
        assert 4 < looked < 4 * key_order.ROUNDS / 2


@pytest.mark.parametrize("key", ["t", "tab"])
async def test_what_a_key_changes_is_drawn_without_waiting_for_a_frame(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        drawn = anyio.Event()
        monkeypatch.setattr(it.app.screen._update_timer, "resume", lambda: None)
        monkeypatch.setattr(it.app, "post_display_hook", drawn.set)
        it.app.post_message(events.Key(key, key if len(key) == 1 else None))
        with anyio.fail_after(PATIENCE):
            await drawn.wait()


async def test_keys_that_come_faster_than_can_be_seen_are_drawn_with_the_next_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[object] = []
    state, _ = states.talked()
    async with running(state) as it:
        monkeypatch.setattr(display, "perf_counter", lambda: 100.0)
        monkeypatch.setattr(it.app, "_draw_now", drawn.append)
        await it.press_at_once(*"tea")
        assert it.prompt == "tea"
        assert drawn == [it.app.screen]


class Beginning(KeyOrderApp):
    """An app in which something is typed before anything has the focus."""

    AUTO_FOCUS = ""

    def compose(self) -> ComposeResult:
        yield Input()

    def on_mount(self) -> None:
        self.post_message(events.Key("a", "a"))
        self.post_message(events.Paste("b"))
        self.query_one(Input).focus()


async def test_what_is_typed_before_the_screen_is_there_is_not_lost() -> None:
    app = Beginning()
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.query_one(Input).value == "ab"
