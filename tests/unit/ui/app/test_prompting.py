import pytest

from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import LimitReached
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.commands import Cancel, Command, Restart, SendPrompt, Steer
from acp_tui.state.entries import Role
from acp_tui.state.fold import apply_event
from acp_tui.state.session import Turn
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio
SESSION = "a1b2c3d4-e5f6"


def prompt(text: str) -> SendPrompt:
    return SendPrompt(SESSION, (TextContent(text=text),))


async def test_enter_sends_what_is_written_and_other_enters_begin_a_line() -> None:
    from textual.events import Key

    state, _ = states.opened()
    async with running(state) as it:
        await it.press("space", "ctrl+j", "enter")
        assert it.asked == [], "only space"
        await it.press("backspace", "backspace")
        for key in ("shift+enter", "alt+enter", "ctrl+j"):
            it.asked.clear()
            await it.press("a", key, "b", "enter")
            assert (it.asked, it.prompt) == ([prompt("a\nb")], ""), key
        it.asked.clear()
        for key, character in (
            ("a", "a"),
            ("ctrl+j", "\n"),
            ("b", "b"),
            ("enter", "\r"),
            ("c", "c"),
        ):
            it.app.post_message(Key(key, character))
        await settled(it.pilot)
        assert it.asked == [prompt("a\nb")], "keys in one burst keep their order"
        assert it.prompt == "c"


async def test_editor_grows_with_its_text_up_to_eight_lines_and_shows_pasted_escapes() -> None:
    from textual.events import Paste

    state, _ = states.opened()
    async with running(state) as it:
        editor = it.app.conversation.prompt
        for lines, height in ((1, 1), (2, 2), (7, 7), (8, 8), (9, 8)):
            await it.press(*["ctrl+j"] * (lines - 1 - it.prompt.count("\n")))
            assert editor.content_size.height == height, f"{lines} lines"
        await it.press("ctrl+c")
        it.app.post_message(Paste("one\r\n\x1b[2Jtwo"))
        await it.until(lambda: it.prompt == "one\n␛[2Jtwo")


async def test_prompt_before_the_agent_is_ready_is_sent_when_it_is() -> None:
    state = states.connected()
    async with running(state) as it:
        await it.press("e", "enter")
        assert it.asked == []
        assert "queued: 1 prompt" in it.screen
        session = state.session(SESSION)
        session.opened = True
        await it.changed()
        assert it.asked == [prompt("e")]
        assert "queued" not in it.screen


async def test_prompt_in_a_turn_waits_for_its_end_and_up_takes_it_back() -> None:
    state, session = states.working()
    async with running(state, (120, 24)) as it:
        assert "▌ Keep typing: sent after this turn" in it.screen
        await it.write("next")
        await it.press("enter")
        assert "Enter queue" in it.screen
        await it.until(lambda: "F6 open the queue" in it.screen)
        assert any(row.startswith("  queued: 1 prompt  next") for row in it.rows())
        await it.press("up")
        assert it.prompt == "next"
        assert "queued" not in it.screen
        await it.press("enter")
        assert it.asked == []
        session.turn = None
        await it.changed()
        assert it.asked == [prompt("next")]
        assert "▌ Ask the agent" in it.screen


async def test_a_reader_who_scrolled_up_sees_what_is_sent_and_reads_on_when_it_is_queued() -> None:
    state, session = states.working()
    session.entries += [states.message(Role.AGENT, f"engine {number}") for number in range(30)]
    async with running(state) as it:
        await it.press("tab", "home", "tab", "m", "enter")
        assert it.asked == []
        assert "engine 29" not in it.screen
        await it.press("up")
        session.turn = None
        await it.changed()
        assert "engine 29" not in it.screen
        await it.press("enter")
        assert it.asked == [prompt("m")]
        assert "engine 29" in it.screen


async def test_escape_cancels_once_takes_back_what_waits_and_then_a_restart_is_offered() -> None:
    state, session = states.working()
    async with running(state) as it:
        assert "Esc cancel" in it.screen
        await it.press("n", "enter", "escape")
        assert it.asked == [Cancel(SESSION)]
        assert it.prompt == "n"
        assert session.turn is not None
        session.turn.cancelled = states.NOW - 1
        await it.press("escape")
        assert it.asked == [Cancel(SESSION)]
        assert "canceling 1s" in it.screen
        assert "Esc cancel" not in it.screen
        assert "Alt+A" not in it.screen
        it.clock.now += 2
        await it.changed()
        assert "canceling 3s" in it.screen
        assert "Alt+A restart the agent" in it.screen
        await it.press("alt+a")
        assert it.asked == [Cancel(SESSION), Restart()]


async def test_what_waits_is_kept_and_not_sent_by_itself_after_the_agent_died() -> None:
    state, session = states.working()

    async def die_and_restart() -> None:
        session.turn, session.lost = None, True
        state.peer.process.exit = ProcessExited(states.NOW, 1)
        await it.changed()
        assert "queued: 1 prompt held" in it.screen
        state.peer.process.exit, session.lost = None, False
        await it.changed()

    async with running(state) as it:
        await it.press("a", "enter", "b")
        await die_and_restart()
        assert (it.asked, it.prompt) == ([], "b")
        await it.press("enter")
        assert it.asked == [prompt("a")], "what is sent now goes after what was held"
        await die_and_restart()
        assert (it.asked, it.prompt) == ([prompt("a")], "")
        await it.press("enter")
        assert it.asked == [prompt("a"), prompt("b")]
        assert "queued" not in it.screen


async def test_what_a_limit_refuses_is_given_back_and_what_waits_is_kept() -> None:
    state, session = states.working()
    async with running(state) as it:

        def refuse(command: Command) -> None:
            it.asked.append(command)
            apply_event(state, LimitReached(states.NOW, session.session_id, "Too much is used."))

        it.app.tabs.agent.do = refuse  # type: ignore[method-assign]
        await it.press("n", "enter", "l", "enter")
        session.turn = None
        await it.changed()
        assert it.asked == [prompt("n")]
        assert it.prompt == "n"
        assert "queued: 1 prompt held" in it.screen


async def test_nothing_waits_for_a_session_that_was_not_opened_again() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.press("n", "enter")
        session.turn, session.lost = None, True
        await it.changed()
        assert "queued" not in it.screen
        assert it.prompt == "n"
        assert "Ctrl+T begins a new one" in it.note
        await it.press("enter")
        assert it.prompt == "n"
        assert "didn't open this session again" in it.note
        assert it.asked == []
        state.calls[9] = Requested(Direction.OUT, states.NOW, 9, 9, "session/load", None)
        await it.press("enter")  # once it is asked for it, it may come back
        assert it.prompt == ""
        assert "queued" in it.screen


async def test_history_comes_back_at_the_edges_and_keeps_the_draft() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", "enter", "b", "enter", "c")
        for back, on in (("up", "down"), ("ctrl+p", "ctrl+n")):
            await it.press(back)
            assert it.prompt == "b", back
            await it.press(back, back)
            assert it.prompt == "a", back
            await it.press(on, on)
            assert it.prompt == "c", on
        await it.press("ctrl+j", "y", "up", "z")
        assert it.prompt == "cz\ny", "within several lines arrows move"


async def test_slash_lists_the_agents_commands_and_completes_them() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("/m")
        shown = it.screen
        assert "Remember a fact" in shown
        assert "Tokens and time" not in shown
        await it.press("escape")
        assert "Remember a fact" not in it.screen
        assert (it.asked, it.prompt) == ([], "/m"), "Esc cancels nothing but the list"
        session.turn = None
        await it.changed()
        for on in ("down", "ctrl+n"):
            await it.press("ctrl+a", "ctrl+k", *"/m", on, "tab")
            assert it.prompt == "/memorize ", on
            assert "/memorize [what" in it.screen
        await it.press("t", "enter")
        assert it.asked == [prompt("/memorize t")]
        it.asked.clear()
        await it.press(*"/st", "enter")
        assert (it.prompt, it.asked) == ("/stats ", []), "Enter completes a part"
        await it.press("enter")
        assert it.asked == [prompt("/stats ")], "and sends a whole command"
        await it.press(*"/e/h", "enter")
        assert it.asked[1:] == [prompt("/e/h")], "a path is no command"


async def test_queue_is_put_in_order_changed_and_thinned_out() -> None:
    state, session = states.working()
    async with running(state) as it:
        for number in "1234":
            await it.press("q", number, "enter")
        assert "Alt+G send now" in it.screen
        await it.press("f6")
        assert "Shift+Up earlier   Delete remove   Alt+G send now   Esc back" in it.screen
        await it.press("down", "shift+up", "down")
        await it.press("d", "d", "d", "s", "e", "shift+down")  # it repeats itself
        assert "queued: 3 prompts ↑ or ↓ marks one" in it.screen
        assert (it.prompt, it.asked) == ("", [])
        await it.press("down")
        shown = it.screen
        numbered = [row.split()[-1] for row in it.rows() if " 1 " in row or " 2 " in row]
        assert numbered == ["q2", "q3"]
        assert "q4" in shown
        assert "q1" not in shown
        await it.press("enter")
        assert it.prompt == "q3"
        await it.press("f6", "escape")
        assert "queued: 2 prompts" in it.screen
        assert it.asked == [], "Esc goes back and cancels nothing"
        await it.press("x")
        assert it.prompt == "q3x"
        session.turn = None
        await it.changed()
        await it.changed()
        assert it.asked == [prompt("q2"), prompt("q4")]


async def test_steering_goes_into_the_turn_past_the_queue() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.press("l", "enter")
        for key in ("ctrl+enter", "alt+g"):
            it.asked.clear()
            await it.press("n", key)
            assert it.asked == [Steer(SESSION, (TextContent(text="n"),))], key
            assert "queued: 1 prompt" in it.screen
            assert "canceling the turn; this is sent next" in it.screen
        await it.press("f6", "s")
        assert it.asked[1:] == [Steer(SESSION, (TextContent(text="l"),))]
        assert "this is sent next" in it.screen
        assert session.turn is not None
        session.turn = Turn(session.turn.request, states.message(Role.USER, "now"))
        await it.changed()
        assert "this is sent next" not in it.screen
        it.asked.clear()
        session.turn = None
        await it.changed()
        await it.press("m", "alt+g")
        assert it.asked == [prompt("m")], "without a turn it is sending"


async def test_a_suggested_prompt_is_written_by_a_key_and_sent_by_nothing_but_enter() -> None:
    state, session = states.working()
    session.suggested_prompt = "run the tests"
    async with running(state) as it:
        assert "run the tests" not in it.screen, "nothing is suggested while the agent works"
        await it.press("right")
        assert it.prompt == ""
        session.turn = None
        await it.changed()
        assert "Tab writes: run the tests" in it.screen
        assert "Tab write that" in it.screen
        await it.press("enter")
        assert it.asked == []
        await it.press("tab")
        assert it.prompt == "run the tests"
        assert "write that" not in it.screen
        assert it.asked == []
        await it.press("enter")
        assert [type(one) for one in it.asked] == [SendPrompt]


async def test_a_suggested_prompt_attaches_no_files_and_replaces_nothing_that_is_written() -> None:
    state, session = states.opened()
    session.suggested_prompt = "read @/etc/passwd"
    async with running(state) as it:
        assert r"Tab writes: read \@/etc/passwd" in it.screen
        await it.press("tab")
        assert it.prompt == r"read \@/etc/passwd"
        session.suggested_prompt = "!rm -rf \x1b[31m it"
        await it.changed()
        await it.press("ctrl+a", "ctrl+k", "a", "home", "right", "tab")
        assert it.prompt == "a"
        await it.press("shift+tab", "backspace", "right")
        assert it.prompt.startswith(" !rm -rf ")
        assert "\x1b" not in it.prompt
