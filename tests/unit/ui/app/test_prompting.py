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


async def test_enter_sends_and_clears() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("hello")
        await it.press("enter")
        assert it.asked == [prompt("hello")]
        assert it.prompt == ""


@pytest.mark.parametrize("key", ["shift+enter", "alt+enter", "ctrl+j"])
async def test_other_enters_begin_a_line(key: str) -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", key, "b", "enter")
        assert it.asked == [prompt("a\nb")]


async def test_keys_in_one_burst_keep_their_order() -> None:
    from textual.events import Key

    state, _ = states.opened()
    async with running(state) as it:
        for key, character in [
            ("a", "a"),
            ("ctrl+j", "\n"),
            ("b", "b"),
            ("enter", "\r"),
            ("c", "c"),
        ]:
            it.app.post_message(Key(key, character))
        await settled(it.pilot)
        assert it.asked == [prompt("a\nb")]
        assert it.prompt == "c"


async def test_only_space_is_not_sent() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("space", "ctrl+j", "enter")
        assert it.asked == []


async def test_editor_grows_with_its_text_up_to_eight_lines() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        heights = []
        for _line in range(10):
            heights.append(it.app.conversation.prompt.content_size.height)
            await it.press("ctrl+j")
        assert heights == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]


async def test_pasted_lines_stay_lines_and_show_their_escapes() -> None:
    from textual.events import Paste

    state, _ = states.opened()
    async with running(state) as it:
        it.app.post_message(Paste("one\r\n\x1b[2Jtwo"))
        await it.until(lambda: it.prompt == "one\n␛[2Jtwo")


async def test_prompt_before_the_agent_is_ready_is_sent_when_it_is() -> None:
    state = states.connected()
    async with running(state) as it:
        await it.write("early")
        await it.press("enter")
        assert it.asked == []
        assert "queued: 1 prompt" in it.screen
        session = state.session(SESSION)
        session.opened = True
        await it.changed()
        assert it.asked == [prompt("early")]
        assert "queued" not in it.screen


async def test_prompt_in_a_turn_waits_for_its_end() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("next")
        await it.press("enter")
        assert it.asked == []
        session.turn = None
        await it.changed()
        assert it.asked == [prompt("next")]


async def test_what_is_sent_is_seen_also_by_a_reader_who_scrolled_up() -> None:
    state, session = states.talked()
    session.entries += [states.message(Role.AGENT, f"engine {number}") for number in range(30)]
    async with running(state) as it:
        await it.press("tab", "home", "tab", *"more", "enter")
        assert it.asked == [prompt("more")]
        assert "engine 29" in it.screen


async def test_what_is_queued_leaves_the_reader_where_they_are() -> None:
    state, session = states.working()
    session.entries += [states.message(Role.AGENT, f"engine {number}") for number in range(30)]
    async with running(state) as it:
        await it.press("tab", "home", "tab", *"more", "enter")
        assert "engine 29" not in it.screen


async def test_while_the_agent_works_the_prompt_says_when_what_is_written_is_sent() -> None:
    state, session = states.working()
    async with running(state, (120, 40)) as it:
        assert "▌ Keep typing: sent after this turn" in it.screen
        await it.write("next")
        await it.press("enter")
        assert "Enter queue" in it.screen
        await it.until(lambda: "F6 open the queue" in it.screen)
        assert any(row.startswith("  queued: 1 prompt  next") for row in it.rows())
        session.turn = None
        await it.changed()
        assert "▌ Ask the agent" in it.screen


async def test_escape_cancels_once_and_takes_back_what_waits() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("next")
        await it.press("enter")
        await it.press("escape")
        assert it.asked == [Cancel(SESSION)]
        assert it.prompt == "next"
        assert session.turn is not None
        session.turn.cancelled = states.NOW - 4
        await it.press("escape")
        assert it.asked == [Cancel(SESSION)]
        assert "canceling 4s" in it.screen


async def test_up_takes_back_what_waits() -> None:
    state, _ = states.working()
    async with running(state) as it:
        await it.write("next")
        await it.press("enter", "up")
        assert it.prompt == "next"
        assert "queued" not in it.screen


async def test_what_waits_is_kept_and_not_sent_by_itself_after_the_agent_died() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("next")
        await it.press("enter")
        await it.write("draft")
        session.turn, session.lost = None, True
        state.peer.process.exit = ProcessExited(states.NOW, 1)
        await it.changed()
        assert "queued: 1 prompt held" in it.screen
        assert it.prompt == "draft"
        state.peer.process.exit, session.lost = None, False
        await it.changed()
        assert it.asked == []
        await it.press("ctrl+a", "ctrl+k", "enter")
        assert it.asked == [SendPrompt(session.session_id, (TextContent(text="next"),))]
        assert "queued" not in it.screen


async def test_what_a_limit_refuses_is_given_back_and_what_waits_is_kept() -> None:
    state, session = states.working()
    async with running(state) as it:

        def refuse(command: Command) -> None:
            it.asked.append(command)
            apply_event(state, LimitReached(states.NOW, session.session_id, "Too much is used."))

        it.app.tabs.agent.do = refuse  # type: ignore[method-assign]
        for text in ("next", "last"):
            await it.write(text)
            await it.press("enter")
        session.turn = None
        await it.changed()
        assert it.asked == [prompt("next")]
        assert it.prompt == "next"
        assert "queued: 1 prompt held" in it.screen


async def test_nothing_waits_for_a_session_that_was_not_opened_again() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("next")
        await it.press("enter")
        session.turn, session.lost = None, True
        await it.changed()
        assert "queued" not in it.screen
        assert it.prompt == "next"
        assert "Ctrl+T begins a new one" in it.note
        await it.press("enter")
        assert it.prompt == "next"
        assert "didn't open this session again" in it.note
        assert it.asked == []
        state.calls[9] = Requested(Direction.OUT, states.NOW, 9, 9, "session/load", None)
        await it.press("enter")  # once it is asked for it, it may come back
        assert it.prompt == ""
        assert "queued" in it.screen


async def test_a_prompt_sent_after_a_restart_goes_after_what_was_held() -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.press("a", "enter")
        session.turn, state.peer.process.exit = None, ProcessExited(states.NOW, 1)
        await it.changed()
        state.peer.process.exit = None
        await it.changed()
        await it.press("b", "enter")
        assert it.asked == [SendPrompt(session.session_id, (TextContent(text="a"),))]


@pytest.mark.parametrize(("back", "on"), [("up", "down"), ("ctrl+p", "ctrl+n")])
async def test_history_comes_back_at_the_edges_and_keeps_the_draft(back: str, on: str) -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", "enter", "b", "enter", "c", back)
        assert it.prompt == "b"
        await it.press(back, back)
        assert it.prompt == "a"
        await it.press(on, on)
        assert it.prompt == "c"


async def test_arrows_move_within_several_lines() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.press("a", "enter", "x", "ctrl+j", "y", "up", "z")
        assert it.prompt == "xz\ny"


@pytest.mark.parametrize("on", ["down", "ctrl+n"])
async def test_slash_lists_the_agents_commands_and_tab_completes(on: str) -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("/mem")
        popup = it.screen.partition("Protocol messages")[2]
        assert "Remember a fact" in popup
        assert "Tokens and time" not in popup
        await it.press(on, "tab")
        assert it.prompt == "/memorize "
        assert "/memorize [what" in it.screen
        await it.write("tea")
        await it.press("enter")
        assert it.asked == [prompt("/memorize tea")]


async def test_enter_completes_a_part_of_a_command_and_sends_a_whole_one() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("/st")
        await it.press("enter")
        assert (it.prompt, it.asked) == ("/stats ", [])
        await it.press("enter")
        assert it.asked == [prompt("/stats ")]


async def test_escape_closes_the_list_without_cancelling() -> None:
    state, _ = states.working()
    async with running(state) as it:
        await it.write("/mem")
        await it.press("escape")
        assert "Remember a fact" not in it.screen
        assert (it.asked, it.prompt) == ([], "/mem")


async def test_a_path_after_a_slash_is_no_command() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("/etc/hosts")
        await it.press("enter")
        assert it.asked == [prompt("/etc/hosts")]


async def test_queue_is_put_in_order_changed_and_thinned_out() -> None:
    state, session = states.working()
    async with running(state) as it:
        for word in ("one", "two", "three", "four"):
            await it.write(word)
            await it.press("enter")
        assert "Alt+G send now" in it.screen
        await it.press("f6")
        assert "Shift+Up earlier   Delete remove   Alt+G send now   Esc back" in it.screen
        await it.press("down", "shift+up", "down", "down", "down", "delete", "down")
        assert [row.split()[-1] for row in it.rows() if " 1 " in row or " 2 " in row] == [
            "two",
            "one",
        ]
        assert "three" in it.screen
        assert "four" not in it.screen
        await it.press("enter")
        assert it.prompt == "three"
        session.turn = None
        await it.changed()
        await it.changed()
        assert it.asked == [prompt("two"), prompt("one")]


async def test_esc_in_the_queue_goes_back_and_cancels_nothing() -> None:
    state, _ = states.working()
    async with running(state) as it:
        await it.write("one")
        await it.press("enter", "f6", "escape")
        assert "queued: 1 prompt  one" in it.screen
        assert it.asked == []
        await it.write("two")
        assert it.prompt == "two"


async def test_a_key_that_repeats_itself_throws_one_prompt_away_only() -> None:
    state, _ = states.working()
    async with running(state) as it:
        for word in ("one", "two", "three"):
            await it.write(word)
            await it.press("enter")
        await it.press("f6", "d", "d", "d", "s", "e", "shift+down")
        assert "queued: 2 prompts ↑ or ↓ marks one" in it.screen
        assert it.asked == []
        await it.press("down", "d", "up", "e")
        assert it.prompt == "three"


@pytest.mark.parametrize("key", ["ctrl+enter", "alt+g"])
async def test_steering_goes_into_the_turn_past_the_queue(key: str) -> None:
    state, session = states.working()
    async with running(state) as it:
        await it.write("later")
        await it.press("enter")
        await it.write("now")
        await it.press(key)
        assert it.asked == [Steer(SESSION, (TextContent(text="now"),))]
        assert "queued: 1 prompt" in it.screen
        assert "canceling the turn; this is sent next" in it.screen
        await it.press("f6")
        await it.press("s")
        assert it.asked[1:] == [Steer(SESSION, (TextContent(text="later"),))]
        assert "this is sent next" in it.screen
        assert session.turn is not None
        session.turn = Turn(session.turn.request, states.message(Role.USER, "now"))
        await it.changed()
        assert "this is sent next" not in it.screen


async def test_steering_without_a_turn_is_sending() -> None:
    state, _ = states.opened()
    async with running(state) as it:
        await it.write("now")
        await it.press("alt+g")
        assert it.asked == [prompt("now")]


async def test_agent_that_does_not_end_a_cancelled_turn_can_be_restarted() -> None:
    state, session = states.working()
    async with running(state) as it:
        assert "Esc cancel" in it.screen
        assert session.turn is not None
        session.turn.cancelled = states.NOW - 1
        await it.changed()
        assert "Esc cancel" not in it.screen
        assert "Alt+A" not in it.screen
        it.clock.now += 2
        await it.changed()
        assert "Alt+A restart the agent" in it.screen
        await it.press("alt+a")
        assert it.asked == [Restart()]


async def test_a_suggested_prompt_is_written_by_tab_and_sent_by_nothing_but_enter() -> None:
    state, session = states.opened()
    session.suggested_prompt = "run the tests"
    async with running(state) as it:
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


async def test_right_writes_a_suggested_prompt_only_where_nothing_is_written() -> None:
    state, session = states.opened()
    session.suggested_prompt = "!rm -rf \x1b[31m it"
    async with running(state) as it:
        await it.write("a")
        await it.press("home", "right", "tab")
        assert it.prompt == "a"
        await it.press("shift+tab", "backspace", "right")
        assert it.prompt.startswith(" !rm -rf ")
        assert "\x1b" not in it.prompt


async def test_a_suggested_prompt_attaches_no_files() -> None:
    state, session = states.opened()
    session.suggested_prompt = "read @/etc/passwd"
    async with running(state) as it:
        assert r"Tab writes: read \@/etc/passwd" in it.screen
        await it.press("tab")
        assert it.prompt == r"read \@/etc/passwd"


async def test_nothing_is_suggested_while_the_agent_works() -> None:
    state, session = states.working()
    session.suggested_prompt = "run the tests"
    async with running(state) as it:
        assert "run the tests" not in it.screen
        await it.press("right")
        assert it.prompt == ""
